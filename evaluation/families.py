"""Which family a model belongs to: judges favour their own kind, so a judge of the same kind is refused."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from functools import cache
from importlib.resources import files

from schemas.errors import ModelError

_PART = re.compile(r"[a-z]+\d*|\d+[a-z]*")
# What a name says of size, date and make, not of whose it is.
_MAKE = re.compile(
    r"[-_.: ](?:\d{4}-\d{2}-\d{2}|\d+(?:\.\d+)?[bm]|\d{4,8}|latest|preview|instruct|chat|it|base|v\d+)\b"
)


@cache
def _words() -> dict[str, tuple[str, ...]]:
    data = tomllib.loads(files(__package__).joinpath("families.toml").read_text(encoding="utf-8"))
    return {family: tuple(words) for family, words in data.items()}


def plain(name: str) -> str:
    """A model name without provider prefix, case, size and date: 'OpenAI/GPT-4o-2024-08-06' is 'gpt-4o'."""
    name = name.casefold().strip("/ \t").rpartition("/")[2]
    while (shorter := _MAKE.sub("", name)) != name:
        name = shorter
    return name


def families(name: str, given: str = "") -> frozenset[str]:
    """The families of a model; given (from the settings) wins, an unknown name is a family of its own.

    Provider prefixes are part of no family: a gateway serves many.
    """
    if given.strip():
        return frozenset(part.strip().casefold() for part in given.split("+") if part.strip())
    own = name.casefold().strip("/ \t").rpartition("/")[2]
    parts = _PART.findall(own)
    found = {
        family
        for family, words in _words().items()
        if any(_begins(part, word) for part in parts for word in words)
    }
    return frozenset(found) or frozenset({plain(name)})


def _begins(part: str, word: str) -> bool:
    """Whether part is the word, with a version at most: 'qwen2' is qwen, 'o365' and 'yield' are neither."""
    if not part.startswith(word):
        return False
    rest = part[len(word) :]
    return not rest or (rest.isdigit() and not word[-1].isdigit()) or (rest.isalpha() and len(word) > 3)


def refuse_kin(model: Iterable[tuple[str, str]], judge: Iterable[tuple[str, str]]) -> None:
    """Raise ModelError `self_judge` when a judge is of a family of the model's.

    Both are given as (name, family of the settings or ''): the configured names, and the ids that
    endpoints returned.
    """
    judges = [(name, families(name, given)) for name, given in judge]
    for name, given in model:
        own = families(name, given)
        for other, kin in judges:
            if plain(name) == plain(other):
                told = f"the judge {other!r} is the model under test"
            elif shared := own & kin:
                kind = "+".join(sorted(shared))
                told = f"the judge {other!r} and the model {name!r} are of one family, {kind}"
            else:
                continue
            raise ModelError(
                told,
                remedy="name another judge, or allow self-judging (the score then stays off leaderboards)",
                code="self_judge",
            )
