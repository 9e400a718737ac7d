"""Automatic list numbers of a .docx as Word displays them: definitions, overrides, counters, restarts."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Any

from ingest.readers.numerals import format_number
from ingest.readers.symbols import from_symbol_font
from ingest.readers.wordpackage import MC, W, attr, switched_on

LEVELS = 9
_PLACE = re.compile(r"%([1-9])")


@dataclass(frozen=True)
class Level:
    """One level of a list: how it counts and what it shows."""

    start: int = 1
    kind: str = "decimal"
    text: str = ""
    restart: int | None = None
    legal: bool = False
    style: str = ""
    left: float | None = None
    first: float | None = None


@dataclass
class _Num:
    abstract: str
    levels: dict[int, Level] = field(default_factory=dict)
    starts: dict[int, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Numbered:
    """What a numbered paragraph shows: its number, its level from 0, the level's own indents (points)."""

    text: str
    level: int
    left: float | None = None
    first: float | None = None


class Numbering:
    """Counts through a document: call `next` once for each numbered paragraph in document order."""

    def __init__(self, root: Any, style_numbers: dict[str, str] | None = None) -> None:  # noqa: ANN401
        self._abstract: dict[str, dict[int, Level]] = {}
        self._nums: dict[str, _Num] = {}
        self._counters: dict[str, list[int | None]] = {}
        self._begun: set[tuple[str, int]] = set()
        if root is not None:
            self._parse(root, style_numbers or {})

    def _parse(self, root: Any, style_numbers: dict[str, str]) -> None:  # noqa: ANN401
        links: dict[str, str] = {}
        for node in root.iterchildren(W + "abstractNum"):
            key = attr(node, "abstractNumId")
            self._abstract[key] = {
                _integer(attr(level, "ilvl")): _level(level) for level in node.iterchildren(W + "lvl")
            }
            linked = attr(node.find(W + "numStyleLink"), "val")
            if linked:
                links[key] = linked
        for node in root.iterchildren(W + "num"):
            num = _Num(attr(node.find(W + "abstractNumId"), "val"))
            for override in node.iterchildren(W + "lvlOverride"):
                at = _integer(attr(override, "ilvl"))
                level = override.find(W + "lvl")
                if level is not None:
                    num.levels[at] = _level(level)
                start = override.find(W + "startOverride")
                if start is not None:
                    num.starts[at] = _integer(attr(start, "val"), 1)
            self._nums[attr(node, "numId")] = num
        for key, style in links.items():
            other = self._nums.get(style_numbers.get(style, ""))
            if other is not None and other.abstract in self._abstract:
                self._abstract[key] = self._abstract[other.abstract]

    def level_of_style(self, num_id: str, style: str) -> int:
        """The level a list ties to a paragraph style, 0 when it ties none."""
        num = self._nums.get(num_id)
        if num is not None:
            for at, level in {**self._abstract.get(num.abstract, {}), **num.levels}.items():
                if level.style == style:
                    return at
        return 0

    def next(self, num_id: str, at: int) -> Numbered | None:
        """Count one paragraph of list num_id at a level; None when the list shows nothing."""
        num = self._nums.get(num_id)
        if num is None or not 0 <= at < LEVELS:
            return None
        levels = {**self._abstract.get(num.abstract, {}), **num.levels}
        level = levels.get(at)
        if level is None:
            return None
        counters = self._counters.setdefault(num.abstract, [None] * LEVELS)
        first_here = (num_id, at) not in self._begun
        self._begun.add((num_id, at))
        current = counters[at]
        if first_here and at in num.starts:
            counters[at] = num.starts[at]
        else:
            counters[at] = num.starts.get(at, level.start) if current is None else current + 1
        for deeper in range(at + 1, LEVELS):
            rule = levels[deeper].restart if deeper in levels else None
            if rule is None or 0 < at + 1 <= rule:
                counters[deeper] = None
        text = level.text if level.kind == "bullet" else self._shown(level, levels, counters)
        return Numbered(text, at, level.left, level.first) if text else None

    @staticmethod
    def _shown(level: Level, levels: dict[int, Level], counters: list[int | None]) -> str:
        def value(match: re.Match[str]) -> str:
            place = int(match[1]) - 1
            other = levels.get(place, Level())
            number = counters[place]
            kind = "decimal" if level.legal and other.kind not in {"none", "bullet"} else other.kind
            return format_number(other.start if number is None else number, kind)

        return _PLACE.sub(value, level.text).strip()


def _level(node: Any) -> Level:  # noqa: ANN401
    kind_node = node.find(W + "numFmt")
    if kind_node is None:
        kind_node = node.find(f"{MC}AlternateContent/{MC}Fallback/{W}numFmt")
    kind = attr(kind_node, "val", "decimal")
    text = attr(node.find(W + "lvlText"), "val")
    fonts = node.find(f"{W}rPr/{W}rFonts")
    restart = node.find(W + "lvlRestart")
    level = Level(
        start=_integer(attr(node.find(W + "start"), "val"), 0 if node.find(W + "start") is None else 1),
        kind=kind,
        text=text,
        restart=_integer(attr(restart, "val")) if restart is not None else None,
        legal=bool(switched_on(node, "isLgl")),
        style=attr(node.find(W + "pStyle"), "val"),
    )
    if kind == "bullet":
        level = replace(level, text=from_symbol_font(text, attr(fonts, "ascii")) or "•")
    indent = node.find(f"{W}pPr/{W}ind")
    if indent is not None:
        left = attr(indent, "left") or attr(indent, "start")
        first = _integer(attr(indent, "firstLine")) - _integer(attr(indent, "hanging"))
        level = replace(level, left=_integer(left) / 20, first=first / 20)
    return level


def _integer(text: str, default: int = 0) -> int:
    try:
        return int(text)
    except ValueError:
        return default
