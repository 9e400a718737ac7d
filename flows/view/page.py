"""Rendering of pages for looking: templates, pictures as data URIs, a policy that runs no foreign script."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from flows.view import rich, words
from flows.view.ink import hue
from schemas.settings import CleanSettings

if TYPE_CHECKING:
    from jinja2 import Environment

PAGE_LONG_SIDE, SMALL_LONG_SIDE, MANY_PAGES = 1500, 900, 60
SURE = 0.9  # confidence from which nothing is marked
_MEDIA = {".png": "image/png", ".jpg": "image/jpeg"}

# What words of the records are called on a page, Chinese and English.
NAMES = {
    "text_layer": ("文字层", "text layer"),
    "ocr": ("OCR", "recognised"),
    "word": ("Word", "Word text"),
    "converted": ("转换", "converted"),
    "short_answer": ("简答", "short answer"),
    "calculation": ("计算", "calculation"),
    "true_false": ("判断", "true or false"),
    "analysis": ("分析", "analysis"),
    "essay": ("论述", "essay"),
    "multiple_choice": ("选择", "multiple choice"),
    "fill_blank": ("填空", "fill in"),
    "other": ("其他", "other"),
    "kept": ("已提取", "kept"),
    "key": ("答案文件", "answer key"),
    "unpaired": ("答案文件，不属于任何试卷", "answer key of no paper"),
    "empty": ("无试题", "no question"),
    "refused": ("拒绝", "refused"),
    "skipped": ("略过", "skipped"),
    "repeated": ("重复", "repeated"),
    "header": ("页眉", "header"),
    "footer": ("页脚", "footer"),
    "page_number": ("页码", "page number"),
    "speck": ("看不见的碎点", "speck nobody sees"),
    "score_box": ("评分栏", "score box"),
    "answer_card": ("答题卡", "answer card"),
    "answer_grid": ("答题格", "answer grid"),
    "seal": ("密封线", "seal line"),
    "candidate_fields": ("考生信息", "candidate's fields"),
    "figure_label": ("图中文字", "label in a figure"),
    "watermark": ("水印", "watermark"),
    "scanner_note": ("扫描标记", "scanner's note"),
    "handwriting": ("手写", "handwriting"),
}


def long_side(pages: int) -> int:
    """Pixels on the long side of a page's picture; fewer where a page holds many of them."""
    return PAGE_LONG_SIDE if pages <= MANY_PAGES else SMALL_LONG_SIDE


def data_uri(path: Path) -> str:
    """A picture file as a data URI."""
    return f"data:{_MEDIA[path.suffix]};base64,{base64.b64encode(path.read_bytes()).decode()}"


def grade(confidence: float) -> str:
    """How sure a confidence is, as a word the style sheet knows: sure, fair or low."""
    return "sure" if confidence >= SURE else "fair" if confidence >= CleanSettings().min_extraction else "low"


def render(template: str, values: Mapping[str, object]) -> bytes:
    """A page as UTF-8 bytes. Every text in values is escaped by the template."""
    style, script = (_file(name) for name in ("view.css", "view.js"))
    html = (
        _environment()
        .get_template(template)
        .render(
            **values,
            style=style,
            style_hash=_hash(style),
            script=script,
            script_hash=_hash(script),
        )
    )
    return html.encode("utf-8", "replace")


def _file(name: str) -> str:
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("flows", "view"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["plain"] = rich.plain
    environment.filters["rich"] = rich.rich
    environment.filters["grade"] = grade
    environment.filters["hue"] = hue
    environment.filters["zh"] = lambda name: NAMES.get(name, (name, ""))[0]
    environment.filters["en"] = lambda name: NAMES.get(name, ("", name))[1]
    environment.filters["said"] = words.zh
    environment.filters["points"] = lambda value: f"{value:g}"
    environment.filters["two"] = lambda value: f"{value:.2f}"
    return environment
