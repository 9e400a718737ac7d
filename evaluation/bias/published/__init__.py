"""The source's tables of self-preference, digit for digit, and what in them does not fit together."""

from __future__ import annotations

import csv
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from evaluation.bias.classes import JudgeClass
from evaluation.bias.classic import Rates


@dataclass(frozen=True)
class PublishedJudge:
    """One judge as printed: rates, pairs, marks of the three tests and their majority, π, class."""

    judge: str
    rho: float
    rho_null: float
    beta: float
    own_pairs: int
    null_pairs: int
    binomial: bool
    z: bool
    bootstrap: bool
    significant: bool
    pi: float
    judge_class: JudgeClass

    @property
    def rates(self) -> Rates:
        """The whole numbers of firm choices that print as these rates."""
        own, target = round(self.rho * self.own_pairs), round(self.rho_null * self.null_pairs)
        return Rates(own, self.own_pairs, target, self.null_pairs)


@dataclass(frozen=True)
class PublishedTask:
    """β of one judge on one kind of task: as Table 4 has it, and as Table 5 where it is there."""

    judge: str
    task: str
    table_4: float
    table_5: float | None


@cache
def judges() -> tuple[PublishedJudge, ...]:
    """The 20 judges in the order printed, from the most self-preferring on."""
    return tuple(
        PublishedJudge(
            judge=row["judge"],
            rho=float(row["rho"]),
            rho_null=float(row["rho_null"]),
            beta=float(row["beta"]),
            own_pairs=int(row["own_pairs"]),
            null_pairs=int(row["null_pairs"]),
            binomial=row["binomial"] == "y",
            z=row["z"] == "y",
            bootstrap=row["bootstrap"] == "y",
            significant=row["significant"] == "y",
            pi=float(row["pi"]),
            judge_class=JudgeClass(row["class"]),
        )
        for row in _table("judges.csv")
    )


@cache
def tasks() -> tuple[PublishedTask, ...]:
    """β by judge and task."""
    return tuple(
        PublishedTask(
            row["judge"],
            row["task"],
            float(row["table_4"]),
            float(row["table_5"]) if row["table_5"] else None,
        )
        for row in _table("tasks.csv")
    )


@cache
def epsilon() -> dict[str, dict[float, float]]:
    """β by judge and threshold of equal quality."""
    found: dict[str, dict[float, float]] = {}
    for row in _table("epsilon.csv"):
        found.setdefault(row["judge"], {})[float(row["epsilon"])] = float(row["beta"])
    return found


@cache
def source() -> dict[str, Any]:
    """Where the tables are from, the source's settings, and its contradictions."""
    return tomllib.loads(files(__package__).joinpath("source.toml").read_text(encoding="utf-8"))


def _table(name: str) -> list[dict[str, str]]:
    text = files(__package__).joinpath(name).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))
