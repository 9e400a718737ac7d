"""The published leaderboard of LLMEval-Fair: its two tables as printed, release dates, and its stars."""

from __future__ import annotations

import csv
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from importlib.resources import files
from typing import Any

QUESTIONS, MAX_STARS = 100, 3
_GRID = 10  # scale of a discipline


@dataclass(frozen=True)
class PublishedRow:
    """One model as printed: relative in %, absolute on 0-100, disciplines by code on 0-10.

    released_marked: the date is the printed evaluation date, which for this model looks like a release.
    """

    model: str
    organisation: str
    access: str
    evaluated: str
    released: str
    released_marked: bool
    relative: Decimal
    absolute: Decimal
    disciplines: Mapping[str, Decimal]

    @property
    def stars(self) -> dict[str, int] | None:
        """Stars of the 100 questions of each discipline; None when a figure is no multiple of 1/300 of 10.

        A figure that is none comes of another number of questions, or of half stars.
        """
        found = {code: _stars(value) for code, value in self.disciplines.items()}
        whole = {code: stars for code, stars in found.items() if stars is not None}
        return whole if len(whole) == len(found) else None


@cache
def published() -> tuple[PublishedRow, ...]:
    """The 59 rows in the order printed."""
    cells = {row.pop("model"): row for row in _table("disciplines.csv")}
    dates = {row["model"]: row for row in _table("releases.csv")}
    return tuple(
        PublishedRow(
            model=row["model"],
            organisation=row["organisation"],
            access=row["access"],
            evaluated=_iso(row["evaluated"]),
            released=_iso(dates[row["model"]]["released"]),
            released_marked=dates[row["model"]]["from"] != "list",
            relative=Decimal(row["relative"]),
            absolute=Decimal(row["absolute"]),
            disciplines={c: Decimal(v) for c, v in cells[row["model"]].items() if c != "overall"},
        )
        for row in _table("overall.csv")
    )


@dataclass(frozen=True)
class PublishedDraws:
    """Relative scores of one model in the two draws of 2023, each on the same questions as the base."""

    model: str
    base: str
    first: Decimal
    second: Decimal


@cache
def draws() -> tuple[PublishedDraws, ...]:
    """The 2023 test of stability: eight models against two bases."""
    return tuple(
        PublishedDraws(row["model"], row["base"], Decimal(row["first"]), Decimal(row["second"]))
        for row in _table("draws.csv")
    )


def source() -> dict[str, Any]:
    """Where the tables are from: title, as_of, judge and the places of the tables."""
    return tomllib.loads(files(__package__).joinpath("source.toml").read_text(encoding="utf-8"))


def _stars(value: Decimal) -> int | None:
    """The whole number of stars of 300 that prints as this figure on 0-10."""
    stars = round(value * QUESTIONS * MAX_STARS / _GRID)
    near = Decimal(stars * _GRID) / (QUESTIONS * MAX_STARS)
    return stars if abs(near - value) <= Decimal("0.005") else None


def _iso(date: str) -> str:
    """2025.7.21 as 2025-07-21."""
    year, month, day = date.split(".")
    return f"{year}-{month:0>2}-{day:0>2}"


def _table(name: str) -> list[dict[str, str]]:
    text = files(__package__).joinpath(name).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))
