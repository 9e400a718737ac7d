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

# A date at the end of a name: 2024-08-06, 20240806, 240806, 2507, 08-06, 0613. A length such as 8192 is none.
_DAY = r"(?:0[1-9]|1[0-2])-?[0-3]\d"
_DATE = re.compile(rf"[-_.: @](?:20\d\d-?{_DAY}|2\d{_DAY}|{_DAY}|2\d(?:0[1-9]|1[0-2])|latest)$")


@cache
def _words() -> dict[str, tuple[str, ...]]:
    data = tomllib.loads(files(__package__).joinpath("families.toml").read_text(encoding="utf-8"))
    return {family: tuple(words) for family, words in data.items()}


def plain(name: str) -> str:
    """A model name without provider prefix, case, size and date: 'OpenAI/GPT-4o-2024-08-06' is 'gpt-4o'."""
    name = bare(name)
    while (shorter := _MAKE.sub("", name)) != name:
        name = shorter
    return name


def bare(name: str) -> str:
    """A model name without provider prefix and case: 'OpenAI/GPT-4o-2024-08-06' is 'gpt-4o-2024-08-06'."""
    return name.casefold().strip("/ \t").rpartition("/")[2]


def dateless(name: str) -> str:
    """A model name without provider prefix, case and date at its end; its size and version stay."""
    name = bare(name)
    while (shorter := _DATE.sub("", name)) != name:
        name = shorter
    return name


def families(name: str, given: str = "") -> frozenset[str]:
    """The families of a model; given (from the settings) wins, an unknown name is a family of its own.

    Provider prefixes are part of no family: a gateway serves many.
    """
    if given.strip():
        return frozenset(part.strip().casefold() for part in given.split("+") if part.strip())
    own = bare(name)
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
