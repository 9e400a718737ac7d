"""From one draft to the generative items of it: cleaned, put into form, checked, filed."""

from __future__ import annotations

from ingest.classify.question_type import question_type
from ingest.clean.checks import TOLERABLE, gives_away, option_flags, text_flags
from ingest.clean.choice import Item, choice_items
from ingest.clean.forms import other_items, wording_of, words_for
from ingest.clean.pointers import speaks_of_figure
from ingest.clean.printed import made_ready, without_letters
from ingest.clean.text import without_formulas
from schemas.question import Draft, Label, PrintedForm, Question, QuestionType, Status
from schemas.settings import ClassifySettings, CleanSettings
from schemas.text import fold, language_of, simplified

_BARE = frozenset({"as it stands", "its answer printed below it without a mark"})
"""Rules that put no instruction before a question."""

_MIN_LABEL = ClassifySettings().min_confidence


def itemise(
    draft: Draft,
    label: Label,
    settings: CleanSettings,
    *,
    min_label_confidence: float = _MIN_LABEL,
    exam_kind: str = "",
    exam_year: int | None = None,
) -> tuple[Question, ...]:
    """The generative items of one draft; none for a draft that is only an answer, or without text.

    Ids, batch and times are left empty. Siblings carry the same evidence["draft_id"] and their
    place in evidence["sibling"], e.g. '2/4'. An item without a reference answer stays active under
    the flag no_answer and is not drawn; codes that need a person put it in review, and
    status_reason lists them. min_label_confidence: below it the label is for review.
    """
    if "answer_only" in draft.flags:
        return ()
    draft, told = made_ready(draft)
    if not (draft.stem.strip() or draft.parts or draft.material.strip()):
        return ()
    words = words_for(draft)
    kind = question_type(draft, label.discipline)
    broken = option_flags(draft.form, draft.stem, draft.options)
    if draft.form is PrintedForm.MULTIPLE_CHOICE:
        found = _choices(draft, kind, settings, broken)
    else:
        found = other_items(draft, kind, words)
    shared = [*draft.flags, *label.flags, *told, *broken]
    if draft.confidence < settings.min_extraction:
        shared.append("low_extraction_confidence")
    if label.confidence < min_label_confidence:
        shared.append("low_label_confidence")
    kept = {fold(item.prompt): item for item in reversed(found)}
    return tuple(
        _question(
            item, draft, label, QuestionType.TRUE_FALSE if item.judged else kind, shared, exam_kind, exam_year
        )
        for item in found
        if kept[fold(item.prompt)] is item
    )


def _choices(draft: Draft, kind: QuestionType, settings: CleanSettings, broken: list[str]) -> list[Item]:
    """Items of a choice; one whose options are damaged is kept whole, as printed, for review."""
    words = wording_of(draft.printed)
    if broken:
        printed = without_letters(draft.printed or draft.stem)
        return [Item(printed, draft.answer, "1/1", "choice: options damaged", options_kept=True)]
    if draft.parts:
        return other_items(draft, kind, words)
    return choice_items(draft, settings.choice_policy, words)


def _question(
    item: Item,
    draft: Draft,
    label: Label,
    kind: QuestionType,
    shared: list[str],
    exam_kind: str,
    exam_year: int | None,
) -> Question:
    bare = item.rule in _BARE
    flags = [*shared, *text_flags(item.prompt, draft, item.reference, kind, bare=bare)]
    if item.cut and not item.unmarked:
        flags.append("answer_in_stem")
    if item.reference is None:
        flags.append("no_answer")
    if item.options_kept:
        flags.append("options_kept")
    if item.unmarked:
        flags.append("answer_unmarked")
    shown = None if item.options_kept else item.reference
    if gives_away(item.prompt, draft.material, shown, kind):
        flags.append("answer_in_stem")
    figure = draft.needs_figure or speaks_of_figure(item.prompt) or "[图]" in f"{draft.material}{item.prompt}"
    if figure:
        flags.append("needs_figure")
    flags = list(dict.fromkeys(flags))
    plain = simplified(item.prompt)
    folded = {} if plain == item.prompt else {"simplified": plain}
    serious = [flag for flag in flags if flag not in TOLERABLE]
    if item.options_kept and item.reference is None:
        # It becomes open items only when its answer is known.
        serious.append("no_answer")
    return Question(
        prompt=item.prompt,
        reference_answer=item.reference,
        explanation=draft.explanation,
        material=draft.material,
        figures=draft.figures,
        needs_figure=figure,
        question_type=kind,
        printed_form=draft.form,
        printed=draft.printed,
        discipline=label.discipline,
        sub_discipline=label.sub_discipline,
        course=label.course,
        label_confidence=label.confidence,
        label_method=label.method,
        language=language_of(without_formulas(f"{draft.material}{draft.printed}")),
        points=draft.points,
        number=draft.number,
        section=draft.section,
        source=draft.source,
        source_sha256=draft.sha256,
        regions=draft.regions,
        answer_source=draft.answer_source,
        exam_kind=exam_kind,
        exam_year=exam_year,
        extraction_confidence=draft.confidence,
        flags=tuple(flags),
        evidence={
            **draft.evidence,
            **folded,
            "draft_id": draft.draft_id,
            "sibling": item.sibling,
            "generative_form": item.rule,
        },
        status=Status.REVIEW if serious else Status.ACTIVE,
        status_reason=", ".join(serious),
    )
