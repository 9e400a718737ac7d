"""One place that knows every field of a draft that holds text."""

from __future__ import annotations

from collections.abc import Callable

from schemas.question import Draft


def with_texts(draft: Draft, change: Callable[[str], str]) -> Draft:
    """The draft with change(text) in every text it holds; an answer that becomes empty is None.

    Numbers, labels and evidence are left alone.
    """

    def maybe(text: str | None) -> str | None:
        return (change(text) or None) if text else None

    return draft.model_copy(
        update={
            "section": change(draft.section),
            "material": change(draft.material),
            "stem": change(draft.stem),
            "printed": change(draft.printed),
            "answer": maybe(draft.answer),
            "explanation": maybe(draft.explanation),
            "options": tuple(o.model_copy(update={"text": change(o.text)}) for o in draft.options),
            "parts": tuple(
                p.model_copy(update={"text": change(p.text), "answer": maybe(p.answer)}) for p in draft.parts
            ),
        }
    )


def texts(draft: Draft) -> list[str]:
    """Every text of a draft, in no order that matters."""
    found: list[str] = []

    def keep(text: str) -> str:
        found.append(text)
        return text

    with_texts(draft, keep)
    return found
