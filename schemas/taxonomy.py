"""The taxonomy: 13 disciplines > sub-disciplines > courses, their codes, names and aliases."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal

from schemas.errors import UsageError
from schemas.text import fold

UNKNOWN = "d00"
# The ten disciplines of the published scores; philosophy, agriculture and arts are kept, not scored.
SCORED = ("d02", "d03", "d04", "d05", "d06", "d07", "d08", "d10", "d11", "d12")
Language = Literal["zh", "en"]

# What follows a course title on a paper and does not change the course: level letter, term, volume.
_LEVEL = re.compile(r"(?:[a-d]|[1-4]|i{1,3}|iv|一|二|三|四|上|下|上册|下册)$")


@dataclass(frozen=True, slots=True)
class Discipline:
    """One of the 13 disciplines (门类); d00 stands for unknown."""

    code: str
    zh: str
    en: str
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SubDiscipline:
    """A class of majors (专业类), or a single major where the founding list names majors.

    official_class is the class it belongs to in the official catalogue; the same as zh for a class.
    """

    code: str
    zh: str
    en: str
    discipline: str
    official_class: str
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Course:
    """A course or entrance paper; also = further sub-disciplines that claim the same title."""

    code: str
    zh: str
    en: str
    discipline: str
    sub_discipline: str
    aliases: tuple[str, ...] = ()
    exam_code: str = ""
    also: tuple[str, ...] = ()


Node = Discipline | SubDiscipline | Course


@dataclass(frozen=True, slots=True)
class Taxonomy:
    """Everything of taxonomy.toml, by code, in file order. Names are looked up folded."""

    disciplines: dict[str, Discipline]
    sub_disciplines: dict[str, SubDiscipline]
    courses: dict[str, Course]
    discipline_names: dict[str, str]
    sub_discipline_names: dict[str, str]
    course_names: dict[str, str]


def names(node: Node) -> tuple[str, ...]:
    """Every name of a node: Chinese, English, aliases."""
    return (node.zh, node.en, *node.aliases)


def _index(nodes: Iterable[Node]) -> dict[str, str]:
    """Folded name -> code; a name two nodes of one level share stays with the first."""
    found: dict[str, str] = {}
    for node in nodes:
        for name in names(node):
            found.setdefault(fold(name), node.code)
    return found


@cache
def taxonomy() -> Taxonomy:
    """The taxonomy, read once on first use."""
    raw = tomllib.loads(files("schemas").joinpath("taxonomy.toml").read_text(encoding="utf-8"))
    disciplines = {
        code: Discipline(code, row["zh"], row["en"], tuple(row.get("aliases", ())))
        for code, row in raw["disciplines"].items()
    }
    subs = {
        code: SubDiscipline(
            code, row["zh"], row["en"], code[:3], row.get("class", row["zh"]), tuple(row.get("aliases", ()))
        )
        for code, row in raw["sub_disciplines"].items()
    }
    courses = {
        code: Course(
            code,
            row["zh"],
            row["en"],
            sub[:3],
            sub,
            tuple(row.get("aliases", ())),
            row.get("exam", ""),
            tuple(row.get("also", ())),
        )
        for sub, rows in raw["courses"].items()
        for code, row in rows.items()
    }
    return Taxonomy(
        disciplines,
        subs,
        courses,
        _index(disciplines.values()),
        _index(subs.values()),
        _index(courses.values()),
    )


def find_discipline(name: str) -> Discipline | None:
    """The discipline of that code, name or alias, None when there is none."""
    tax = taxonomy()
    return tax.disciplines.get(tax.discipline_names.get(fold(name), name.strip()))


def find_sub_discipline(name: str) -> SubDiscipline | None:
    """The sub-discipline of that code, name or alias, None when there is none."""
    tax = taxonomy()
    return tax.sub_disciplines.get(tax.sub_discipline_names.get(fold(name), name.strip()))


def find_course(name: str) -> Course | None:
    """The course of that code, exam code, name or alias, None when there is none.

    A level or volume after the name is ignored when the name alone is known: 数学分析II, 线性代数（上）.
    """
    tax = taxonomy()
    if name.strip() in tax.courses:
        return tax.courses[name.strip()]
    key = fold(name)
    code = tax.course_names.get(key)
    if code is None and len(shorter := _LEVEL.sub("", key)) >= 2:
        code = tax.course_names.get(shorter)
    return tax.courses[code] if code else course_by_exam_code(name.strip())


def course_by_exam_code(code: str) -> Course | None:
    """The entrance paper with that three-digit code, None when there is none."""
    if not (code.isascii() and code.isdigit()):
        return None
    return next((c for c in taxonomy().courses.values() if c.exam_code == code), None)


def discipline_name(code: str, lang: Language = "zh") -> str:
    """Display name of a discipline code; an unknown code is returned as it is."""
    return _name(taxonomy().disciplines.get(code), code, lang)


def sub_discipline_name(code: str, lang: Language = "zh") -> str:
    """Display name of a sub-discipline code; an unknown code is returned as it is."""
    return _name(taxonomy().sub_disciplines.get(code), code, lang)


def course_name(code: str, lang: Language = "zh") -> str:
    """Display name of a course code; an unknown code is returned as it is."""
    return _name(taxonomy().courses.get(code), code, lang)


def _name(node: Node | None, code: str, lang: Language) -> str:
    if node is None:
        return code
    return node.zh if lang == "zh" else node.en


def require_discipline(name: str) -> Discipline:
    """Like find_discipline, but a name that means nothing is a UsageError listing what there is."""
    found = find_discipline(name)
    if found is None:
        known = ", ".join(f"{d.code} {d.zh}" for d in taxonomy().disciplines.values())
        raise UsageError(f"unknown discipline: {name}", remedy=f"use one of {known}", code="discipline")
    return found


def require_course(name: str) -> Course:
    """Like find_course, but a name that means nothing is a UsageError."""
    found = find_course(name)
    if found is None:
        raise UsageError(
            f"unknown course: {name}",
            remedy="use a course name, alias or code of schemas/taxonomy.toml, or set the discipline alone",
            code="course",
        )
    return found
