"""The prompts of an audit, versioned text files: grades, and the three forms of a verdict."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from evaluation.prompts import fill

NAMES = ("grade", "plain", "reasoned", "structured")


@cache
def version() -> int:
    """The version of the wordings."""
    about = tomllib.loads(files(__package__).joinpath("about.toml").read_text(encoding="utf-8"))
    return int(about["version"])


@cache
def template(name: str) -> str:
    """The text of a prompt, one of NAMES, with its placeholders."""
    return files(__package__).joinpath(f"{name}.txt").read_text(encoding="utf-8").removesuffix("\n")


@cache
def template_hash(name: str) -> str:
    """The SHA-256 of a prompt's text."""
    return hashlib.sha256(template(name).encode()).hexdigest()


def filled(name: str, texts: Mapping[str, str]) -> str:
    """A prompt with its texts, fenced by a mark that is made from them and that none of them can hold."""
    whole = "\0".join(texts[key] for key in sorted(texts))
    mark = "text " + hashlib.sha256(whole.encode("utf-8", "replace")).hexdigest()[:16]
    return fill(template(name), {**texts, "mark": mark})
