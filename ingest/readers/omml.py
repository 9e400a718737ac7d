"""Word equations (OMML) to LaTeX through pandoc: one run a document, a broken equation loses only itself."""

from __future__ import annotations

import io
import json
import subprocess
import zipfile
from collections.abc import Sequence
from typing import Any

from ingest.readers.latex import tidy
from ingest.readers.wordpackage import M, W

_SECONDS = 60.0
_BODY = (
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
    f'<w:document xmlns:w="{W[1:-1]}" xmlns:m="{M[1:-1]}"><w:body>%s</w:body></w:document>'
)
_TYPES = (
    '<?xml version="1.0" encoding="UTF-8"?>'
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.'
    'wordprocessingml.document.main+xml"/></Types>'
)
_RELS = (
    '<?xml version="1.0" encoding="UTF-8"?>'
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/'
    'officeDocument" Target="word/document.xml"/></Relationships>'
)


def to_latex(equations: Sequence[Any]) -> list[str | None]:
    """LaTeX of each m:oMath element, '' for an empty one, None for one that cannot be converted."""
    results: list[str | None] = [""] * len(equations)
    todo = [i for i, equation in enumerate(equations) if _has_content(equation)]
    _convert([(i, equations[i]) for i in todo], results)
    return results


def _has_content(equation: Any) -> bool:  # noqa: ANN401
    return any((node.text or "").strip() for node in equation.iter(M + "t", W + "t"))


def _convert(batch: list[tuple[int, Any]], results: list[str | None]) -> None:
    """Fill results for a batch; when pandoc refuses the whole, halve it until the culprit stands alone."""
    if not batch:
        return
    try:
        found = _pandoc([equation for _, equation in batch])
    except (OSError, ValueError, subprocess.SubprocessError):
        if len(batch) == 1:
            results[batch[0][0]] = None
            return
        middle = len(batch) // 2
        _convert(batch[:middle], results)
        _convert(batch[middle:], results)
        return
    for place, (index, _) in enumerate(batch):
        results[index] = found.get(place)


def _pandoc(equations: list[Any]) -> dict[int, str]:
    """One pandoc run: LaTeX by place. Raises OSError, ValueError or SubprocessError."""
    import pypandoc
    from lxml import etree

    paragraphs = []
    for place, equation in enumerate(equations):
        # tostring declares every namespace in scope, so each piece stands alone
        piece = etree.tostring(equation, with_tail=False, encoding="unicode")
        paragraphs.append(f"<w:p><w:r><w:t>eq{place}</w:t></w:r>{piece}</w:p>")
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", _TYPES)
        archive.writestr("_rels/.rels", _RELS)
        archive.writestr("word/document.xml", _BODY % "".join(paragraphs))
    done = subprocess.run(
        [pypandoc.get_pandoc_path(), "+RTS", "-M1g", "-RTS", "-f", "docx", "-t", "json", "--sandbox"],
        input=buffer.getvalue(),
        capture_output=True,
        timeout=_SECONDS,
        check=True,
    )
    found: dict[int, str] = {}
    for block in json.loads(done.stdout)["blocks"]:
        inlines = block.get("c") if block.get("t") in {"Para", "Plain"} else None
        if not inlines or inlines[0].get("t") != "Str" or not str(inlines[0]["c"]).startswith("eq"):
            continue
        maths = [item["c"][1] for item in inlines if item.get("t") == "Math"]
        if maths:
            found[int(inlines[0]["c"][2:])] = tidy(" ".join(maths))
    return found
