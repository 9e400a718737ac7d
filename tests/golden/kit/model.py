"""The papers as we wrote them: items, sections, papers, and the golden rows they stand for."""

from __future__ import annotations

from dataclasses import dataclass, field

BLANK = "______"


@dataclass(frozen=True)
class Formula:
    """One formula, in the two notations we need: Word's OMML and LaTeX."""

    omml: str
    latex: str


Piece = str | Formula
Text = str | tuple[Piece, ...]


def pieces(text: Text) -> tuple[Piece, ...]:
    """The text as a row of strings and formulas."""
    return (text,) if isinstance(text, str) else text


def plain(text: Text) -> str:
    """The text as Markdown with formulas as `$LaTeX$`."""
    return "".join(p if isinstance(p, str) else f"${p.latex}$" for p in pieces(text))


@dataclass(frozen=True)
class Item:
    """One question as printed: parts are its sub-questions, lines a program listing."""

    text: Text
    answer: Text
    options: tuple[Text, ...] = ()
    parts: tuple[str, ...] = ()
    table: tuple[tuple[str, ...], ...] = ()
    points: float | None = None
    printed_points: bool = False
    explanation: str = ""
    lines: tuple[str, ...] = ()

    @property
    def answer_lines(self) -> tuple[Text, ...]:
        """The answer line by line."""
        return tuple(self.answer.split("\n")) if isinstance(self.answer, str) else (self.answer,)


@dataclass(frozen=True)
class Section:
    """A section: its heading as printed, the printed form of its items, points of each."""

    heading: str
    form: str
    items: tuple[Item, ...]
    points: float | None = None
    first: int = 1

    def score(self, item: Item) -> float | None:
        """Points of one item: its own, or the section's."""
        return item.points if item.points is not None else self.points


@dataclass(frozen=True)
class Paper:
    """A paper with everything that stands around its questions."""

    file: str
    title: tuple[str, ...]
    sections: tuple[Section, ...]
    note: str = ""
    running: str = ""
    key_title: str = "参考答案"
    key_file: str = ""
    extra: dict[str, str] = field(default_factory=dict)

    def rows(self) -> list[dict[str, object]]:
        """The golden rows, in the order of the paper."""
        rows: list[dict[str, object]] = []
        for section in self.sections:
            for number, item in enumerate(section.items, start=section.first):
                rows.append(
                    {
                        "source": self.file,
                        "number": str(number),
                        "section": section.heading,
                        "question": question(item),
                        "answer": "\n".join(plain(line) for line in item.answer_lines),
                        "type": section.form,
                        "score": section.score(item),
                    }
                )
        return rows

    def key_rows(self) -> list[dict[str, object]]:
        """What the key file gives on its own: one answer a number and nothing to ask."""
        return [{**row, "source": self.key_file, "question": ""} for row in self.rows()]


def question(item: Item) -> str:
    """The whole question as printed, number and points left out."""
    parts = [plain(item.text), *item.lines]
    if item.table:
        head, *body = item.table
        parts.append("| " + " | ".join(head) + " |")
        parts.append("|" + " --- |" * len(head))
        parts.extend("| " + " | ".join(row) + " |" for row in body)
    parts.extend(item.parts)
    parts.extend(f"{label}. {plain(option)}" for label, option in zip("ABCDE", item.options, strict=False))
    return "\n".join(parts)
