"""Which models and judges a command means: those named by flags, with the settings they have elsewhere."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeVar

from schemas.errors import UsageError
from schemas.settings import AskedSettings, JudgeSettings, ModelSettings

MODELS, JUDGES = frozenset({"reference", "shuffled", "blank"}), frozenset({"overlap"})

One = TypeVar("One", bound=ModelSettings)


def models(settings: AskedSettings, names: Sequence[str], base_url: str | None) -> list[ModelSettings]:
    """The models named, or those of the settings. UsageError where two could not be told apart."""
    known = [ModelSettings(**settings.model_dump(exclude={"beside"})), *settings.beside]
    return _named(known, names, base_url, MODELS, AskedSettings().name)


def judge(settings: JudgeSettings, names: Sequence[str], base_url: str | None) -> JudgeSettings:
    """The judge or panel named, or that of the settings."""
    known = [settings.model_copy(update={"panel": ()}), *settings.panel]
    first, *others = _named(known, names, base_url, JUDGES, JudgeSettings().name)
    return first.model_copy(update={"panel": tuple(others)})


def folders(chosen: Sequence[ModelSettings]) -> dict[str, ModelSettings]:
    """A folder name for each model. UsageError where two models have one."""
    found: dict[str, ModelSettings] = {}
    for one in chosen:
        name = re.sub(r"[^\w.-]+", "-", one.name).strip(".-") or "model"
        if name in found:
            raise UsageError(
                f"Two of the models have one name: {one.name}.",
                remedy="Evaluate them one by one, each into a folder of its own.",
            )
        found[name] = one
    return found


def _named(
    known: Sequence[One], names: Sequence[str], base_url: str | None, built_in: frozenset[str], default: str
) -> list[One]:
    """known, or exactly the named: one that is known has its settings, another those of the first.

    base_url is for all that are named. A built-in is asked at an address only where the flag says so.
    Price and family of the first are its own, unless they were set for no name at all.
    """
    if not names:
        first, *others = known
        return [first if base_url is None else first.model_copy(update={"base_url": base_url}), *others]
    by_name = {one.name: one for one in known}
    own = {} if known[0].name == default else {"family": "", "price_prompt": None, "price_reply": None}
    found = []
    for name in names:
        one = by_name.get(name) or known[0].model_copy(update={"name": name, **own})
        place = base_url if base_url is not None else "" if name in built_in else one.base_url
        found.append(one.model_copy(update={"base_url": place}))
    return found
