"""The report of `exambank dedup` as one HTML page that needs no network and runs no script."""

from __future__ import annotations

import base64
import difflib
import hashlib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import Template

    from bank.dedup.whole import Plan

_LONGEST = 3_000  # characters of a question that are compared on the page


def page(plan: Plan, bank: str, version: int) -> str:
    """Clusters, largest first, then doubtful pairs; what differs from the keeper is marked."""
    clusters = sorted(plan.clusters, key=lambda c: (-len(c.members), c.cluster_id))
    return _template().render(
        plan=plan, clusters=clusters, bank=bank, version=version, style=_style(), style_hash=_hash(_style())
    )


def marked(text: str, other: str) -> list[tuple[bool, str]]:
    """Text in pieces: whether the piece stands in other as well, and the piece."""
    if max(len(text), len(other)) > _LONGEST:
        return [(True, text)]
    matcher = difflib.SequenceMatcher(None, other, text, autojunk=False)
    return [(tag == "equal", text[k:n]) for tag, _, _, k, n in matcher.get_opcodes() if text[k:n]]


@cache
def _template() -> Template:
    from jinja2 import Environment, StrictUndefined

    made = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    made.globals["marked"] = marked
    return made.from_string((files("flows") / "dedup.html.j2").read_text(encoding="utf-8"))


@cache
def _style() -> str:
    return (
        "body{font:16px/1.6 system-ui,sans-serif;margin:0 auto;max-width:62rem;padding:1.5rem;color:#1c1c1c;"
        "background:#fdfdfc}"
        "h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2.5rem}"
        "section{border-top:2px solid #ccc;margin-top:1.5rem;padding-top:.6rem}"
        "article{margin:.6rem 0 .6rem 1.5rem;padding-left:.8rem;border-left:3px solid #bbb}"
        "article.keeper{border-color:#2a7d4f;margin-left:0}"
        ".text{white-space:pre-wrap;overflow-wrap:anywhere}mark{background:#ffe08a}"
        "small,dl{color:#555;font-size:.85rem}dl{margin:.2rem 0}"
        "dt{float:left;clear:left;margin-right:.5rem}dd{margin-left:7rem}.warn{color:#a02020}"
        "code{font-size:.85rem}"
        "@media(prefers-color-scheme:dark){body{background:#181818;color:#e6e6e6}"
        "small,dl{color:#aaa}"
        "mark{background:#665000;color:#fff}section{border-color:#444}}"
    )


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
