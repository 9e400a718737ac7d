"""`exambank train` and `reclassify`: learn from what reviewers decided; file a bank's questions anew."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from flows.commands import common
from flows.commands.classify import ModelOption
from schemas.taxonomy import UNKNOWN, discipline_name, sub_discipline_name

if TYPE_CHECKING:
    from ingest.classify.learned import Learned
    from schemas.question import Question

TRAIN_EPILOG = "Example: exambank train --bank data/bank --out model.npz"
RECLASSIFY_EPILOG = "Example: exambank reclassify --bank data/bank --model model.npz --dry-run"
_SHOWN = 20
_PROMPT = 60
_FIELDS = ("discipline", "sub_discipline", "course", "label_confidence", "label_method")


def train(
    out: Annotated[Path, typer.Option("--out", "-o", help="Model file to write.", show_default=False)],
    version: Annotated[int | None, typer.Option("--version", min=0, help="Another than the newest.")] = None,
    seed: Annotated[int, typer.Option("--seed", min=0, max=2**32 - 1, help="Which items are held out.")] = 0,
    bank: common.BankOption = common.DEFAULT_BANK,
    as_json: common.JsonOption = False,
) -> int:
    """Learn to file questions from the reviewed ones of a bank; the file is for classify and ingest."""
    from bank.store import Bank
    from flows.stage import distribution
    from ingest.classify.learned import load
    from ingest.classify.training import train as learn

    common.settings(None)
    common.check_out(out, bank=bank)
    opened = Bank.open(bank)
    number = opened.version if version is None else version
    items = [
        (text_of(q), q.sub_discipline or q.discipline)
        for q in opened.read(version=number)
        if q.reviewer and q.discipline != UNKNOWN and q.status.value in {"active", "duplicate"}
    ]
    about = {
        "bank_version": number,
        "exambank": distribution("exambank"),
        "scikit_learn": distribution("scikit-learn"),
    }
    learned = learn(items, about, seed)
    common.write_whole(out, learned.as_bytes())
    load(out)  # a file that could not be read again is no model
    figures = learned.about["held_out"]
    if as_json:
        common.emit({"out": str(out), "trust": learned.trust, **learned.about})
        return 0
    rows = [
        [_name(code), row["items"], f"{row['lists']:.3f}", f"{row['learned']:.3f}"]
        for code, row in figures.items()
    ]
    common.table("", ["held out", "items", "recall by the lists", "with what was learned"], rows)
    common.tell(f"\n{common.counted(len(items), 'reviewed question')} of version {number}; model in {out}")
    if not learned.trust:
        common.say("note: what was learned made nothing better, or something worse, and is not used")
    return 0


def reclassify(
    model: ModelOption = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show what would move; move nothing.")] = False,
    why: Annotated[str, typer.Option("--why", help="The reason, for the log.")] = "",
    bank: common.BankOption = common.DEFAULT_BANK,
    config: common.ConfigOption = None,
    as_json: common.JsonOption = False,
) -> int:
    """File a bank's questions anew; a label stays where a person gave it or the new one is no surer."""
    from bank.store import Bank
    from flows.batch import who
    from ingest.classify.learned import load

    flags = {"classify.model": None if model is None else str(model)}
    known = common.settings(config, flags).classify.model
    learned = load(Path(known)) if known else None
    opened = Bank.open(bank)
    seen = opened.version
    questions = {q.question_id: q for q in opened.read(version=seen)}
    changes = relabelled(list(questions.values()), learned)
    version = seen
    if changes and not dry_run:
        reason = why or f"filed anew{f' with {known}' if known else ''}"
        now = datetime.now(UTC)
        counts = {"relabelled": len(changes)}
        version = opened.amend(changes, seen=seen, who=who(), why=reason, now=now, counts=counts)
    moves = Counter(
        (questions[name].discipline, change["discipline"])
        for name, change in changes.items()
        if questions[name].discipline != change["discipline"]
    )
    if as_json:
        common.emit(
            {
                "questions": len(questions),
                "changed": len(changes),
                "moves": [{"from": old, "to": new, "items": n} for (old, new), n in moves.most_common()],
                "labels": [
                    {"question_id": name, "from": _label(questions[name]), "to": change}
                    for name, change in sorted(changes.items())
                ],
                "version": version,
                "dry_run": dry_run,
            }
        )
        return 0
    if moves:
        rows = [[_name(old), _name(new), n] for (old, new), n in moves.most_common()]
        common.table("", ["from", "to", "questions"], rows)
    for name, change in list(changes.items())[:_SHOWN]:
        old = questions[name]
        common.tell(
            f"{name}  {_name(old.sub_discipline or old.discipline)} {old.label_confidence:.2f} → "
            f"{_name(change['sub_discipline'] or change['discipline'])} {change['label_confidence']:.2f}  "
            f"{' '.join(old.prompt.split())[:_PROMPT]}"
        )
    if len(changes) > _SHOWN:
        common.tell(f"… and {len(changes) - _SHOWN:,} more; --json lists all")
    done = "would change" if dry_run else "changed"
    common.tell(f"{len(changes):,} of {common.counted(len(questions), 'question')} {done}; version {version}")
    return 0


def text_of(question: Question) -> str:
    """What a question is filed by: material, prompt and reference answer."""
    parts = (question.material, question.prompt, question.reference_answer or "")
    return "\n".join(part for part in parts if part)


def relabelled(questions: Sequence[Question], learned: Learned | None) -> dict[str, dict[str, Any]]:
    """New labels by id, for questions no person filed and whose new label is surer than the old.

    Questions of one file vote, as they do in `ingest`; what title and folder said is in the old
    label, and its confidence.
    """
    from ingest.classify.filing import file_paper

    papers: dict[str, list[Question]] = defaultdict(list)
    for question in questions:
        papers[question.source_sha256 or question.question_id].append(question)
    changes = {}
    for paper in papers.values():
        for question, filed in zip(paper, file_paper([text_of(q) for q in paper], learned), strict=True):
            given = question.reviewer or question.label_method.startswith(("reviewer", "batch:"))
            if given or not filed.discipline or filed.discipline_confidence <= question.label_confidence:
                continue
            if filed.sub_discipline == question.sub_discipline and filed.discipline == question.discipline:
                continue
            changes[question.question_id] = {
                "discipline": filed.discipline,
                "sub_discipline": filed.sub_discipline,
                "course": question.course if filed.sub_discipline == question.sub_discipline else "",
                "label_confidence": filed.discipline_confidence,
                "label_method": "reclassified" + (": learned" if learned is not None else ": text"),
            }
    return changes


def _label(question: Question) -> dict[str, object]:
    return {field: getattr(question, field) for field in _FIELDS}


def _name(code: str) -> str:
    return sub_discipline_name(code) if len(code) > len(UNKNOWN) else discipline_name(code)
