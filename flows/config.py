"""Settings from their four places: defaults < exambank.toml < environment < flags."""

from __future__ import annotations

import difflib
import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from schemas.errors import UsageError
from schemas.settings import Settings

FILE_NAME = "exambank.toml"
PREFIX = "EXAMBANK_"
_JOINT = "__"
_USER_INFO = re.compile(r"//[^/@\s]*@")


def load(
    config: Path | None,
    environ: Mapping[str, str],
    flags: Mapping[str, object] | None = None,
    folder: Path | None = None,
) -> Settings:
    """The effective settings.

    config: the file to read; None means exambank.toml in folder (the current one), where it is
    there. environ: variables EXAMBANK_<SECTION>__<KEY>. flags: "section.key" -> value, None for a
    flag not given. Raises UsageError for unknown keys (naming the nearest) and bad values.
    """
    layers: list[tuple[str, dict[str, dict[str, object]]]] = []
    path = config or (folder or Path()) / FILE_NAME
    if config is not None or path.is_file():
        layers.append((str(path), _from_file(path)))
    layers.append(("the environment", _from_environment(environ)))
    layers.append(("the command line", _from_flags(flags or {})))

    merged: dict[str, dict[str, object]] = {}
    origin: dict[tuple[str, str], str] = {}
    for place, sections in layers:
        for section, values in sections.items():
            _check_names(section, values, place)
            for key, value in values.items():
                merged.setdefault(section, {})[key] = value
                origin[section, key] = place
    try:
        return Settings.model_validate(merged)
    except ValidationError as error:
        raise UsageError(
            "; ".join(_explain(item, origin) for item in error.errors()),
            code="bad_setting",
            remedy="See the values in force with `exambank doctor --json`.",
        ) from None


def printable(settings: Settings) -> dict[str, Any]:
    """The settings as JSON values. Keys are never among them; users in addresses are taken out."""
    text = json.dumps(settings.model_dump(mode="json"))
    plain: dict[str, Any] = json.loads(_USER_INFO.sub("//", text))
    return plain


def _from_file(path: Path) -> dict[str, dict[str, object]]:
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise UsageError(f"There is no settings file {path}.", code="no_config") from None
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read as TOML: {error}", code="bad_config") from None
    for section, values in data.items():
        if not isinstance(values, dict):
            raise UsageError(
                f"{path}: {section!r} stands outside a section{_nearest(section, _all_keys())}",
                code="unknown_setting",
                remedy="Write it under its section, such as [read].",
            )
    return data


def _from_environment(environ: Mapping[str, str]) -> dict[str, dict[str, object]]:
    found: dict[str, dict[str, object]] = {}
    for name in sorted(environ):
        if not name.startswith(PREFIX) or _JOINT not in name:
            continue
        section, _, key = name.removeprefix(PREFIX).lower().partition(_JOINT)
        found.setdefault(section, {})[key] = environ[name]
    return found


def _from_flags(flags: Mapping[str, object]) -> dict[str, dict[str, object]]:
    found: dict[str, dict[str, object]] = {}
    for name, value in flags.items():
        if value is not None:
            section, _, key = name.partition(".")
            found.setdefault(section, {})[key] = value
    return found


def _sections() -> dict[str, list[str]]:
    return {name: list(type(getattr(Settings(), name)).model_fields) for name in Settings.model_fields}


def _all_keys() -> list[str]:
    return [f"{section}.{key}" for section, keys in _sections().items() for key in keys]


def _check_names(section: str, values: Iterable[str], place: str) -> None:
    known = _sections()
    if section not in known:
        raise UsageError(
            f"There is no section {section!r} ({place}){_nearest(section, known)}",
            code="unknown_setting",
            remedy=f"The sections are: {', '.join(known)}.",
        )
    for key in values:
        if key not in known[section]:
            raise UsageError(
                f"There is no setting {section}.{key} ({place}){_nearest(f'{section}.{key}', _all_keys())}",
                code="unknown_setting",
                remedy=f"The settings of this section are: {', '.join(known[section])}.",
            )


def _nearest(name: str, known: Iterable[str]) -> str:
    """'; did you mean …?', or a full stop when no known name is close."""
    names = list(known)
    short = {full.rpartition(".")[2]: full for full in names}
    found = difflib.get_close_matches(name, names, 1, 0.6)
    if not found:
        found = [short[hit] for hit in difflib.get_close_matches(name.rpartition(".")[2], short, 1, 0.6)]
    return f"; did you mean {found[0]}?" if found else "."


def _explain(item: Any, origin: Mapping[tuple[str, str], str]) -> str:  # noqa: ANN401 - pydantic's record
    where = tuple(str(part) for part in item["loc"])
    place = origin.get((where[0], where[1]), "") if len(where) > 1 else ""
    message = str(item["msg"]).removeprefix("Input should be ")
    return f"{'.'.join(where)} must be {message}, not {item['input']!r}" + (f" ({place})" if place else "")
