"""Makes small .docx files from raw WordprocessingML, for tests of the Word reader."""

from __future__ import annotations

import zipfile
from pathlib import Path

NAMESPACES = " ".join(
    f'xmlns:{prefix}="{uri}"'
    for prefix, uri in {
        "w": "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
        "r": "http://schemas.openxmlformats.org/officeDocument/2006/relationships",
        "m": "http://schemas.openxmlformats.org/officeDocument/2006/math",
        "mc": "http://schemas.openxmlformats.org/markup-compatibility/2006",
        "v": "urn:schemas-microsoft-com:vml",
        "o": "urn:schemas-microsoft-com:office:office",
        "a": "http://schemas.openxmlformats.org/drawingml/2006/main",
        "wp": "http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing",
        "wps": "http://schemas.microsoft.com/office/word/2010/wordprocessingShape",
        "wpg": "http://schemas.microsoft.com/office/word/2010/wordprocessingGroup",
    }.items()
)
_DOCUMENT_TYPE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"


def run(text: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def par(content: str, properties: str = "") -> str:
    inner = content if content.startswith("<") else run(content)
    return f"<w:p><w:pPr>{properties}</w:pPr>{inner}</w:p>"


def item(text: str, num: int = 1, level: int = 0) -> str:
    return par(text, f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{num}"/></w:numPr>')


def table(rows: list[list[str]]) -> str:
    """A table; a cell is raw paragraphs, or text for one paragraph."""
    body = ""
    for row in rows:
        cells = "".join(f"<w:tc>{c if c.startswith('<') else par(c)}</w:tc>" for c in row)
        body += f"<w:tr>{cells}</w:tr>"
    return f"<w:tbl>{body}</w:tbl>"


def vml_box(*paragraphs: str) -> str:
    """A run with a VML text box."""
    return (
        f'<w:r><w:pict><v:shape style="position:absolute"><v:textbox><w:txbxContent>{"".join(paragraphs)}'
        "</w:txbxContent></v:textbox></v:shape></w:pict></w:r>"
    )


def level(at: int, kind: str, text: str, extra: str = "", start: int = 1) -> str:
    return (
        f'<w:lvl w:ilvl="{at}"><w:start w:val="{start}"/><w:numFmt w:val="{kind}"/>'
        f'<w:lvlText w:val="{text}"/>{extra}</w:lvl>'
    )


def numbering(abstracts: dict[int, str], nums: dict[int, tuple[int, str]]) -> str:
    """A numbering part: levels by abstract id, (abstract id, overrides) by num id."""
    body = "".join(f'<w:abstractNum w:abstractNumId="{k}">{v}</w:abstractNum>' for k, v in abstracts.items())
    body += "".join(
        f'<w:num w:numId="{k}"><w:abstractNumId w:val="{a}"/>{o}</w:num>' for k, (a, o) in nums.items()
    )
    return f"<w:numbering {NAMESPACES}>{body}</w:numbering>"


def make(
    path: Path,
    body: str,
    *,
    parts: dict[str, str | bytes] | None = None,
    relations: dict[str, tuple[str, str]] | None = None,
    document: str | None = None,
) -> Path:
    """Write a .docx. parts: content by name under word/; relations: (kind, target) by id."""
    parts = parts or {}
    relations = dict(relations or {})
    for kind in ("numbering", "styles", "footnotes"):
        if f"{kind}.xml" in parts:
            relations.setdefault(kind, (kind, f"{kind}.xml"))
    links = "".join(
        f'<Relationship Id="{k}" Type="{_DOCUMENT_TYPE}{kind}" Target="{target}"'
        + (' TargetMode="External"' if "://" in target else "")
        + "/>"
        for k, (kind, target) in relations.items()
    )
    wrap = '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">{}</Relationships>'
    main = f'<Relationship Id="r" Type="{_DOCUMENT_TYPE}officeDocument" Target="word/document.xml"/>'
    types = (
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="xml" ContentType="application/xml"/>'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument'
        '.wordprocessingml.document.main+xml"/></Types>'
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", types)
        archive.writestr("_rels/.rels", wrap.format(main))
        archive.writestr(
            "word/document.xml",
            document or f"<w:document {NAMESPACES}><w:body>{body}</w:body></w:document>",
        )
        archive.writestr("word/_rels/document.xml.rels", wrap.format(links))
        for name, content in parts.items():
            archive.writestr(f"word/{name}", content)
    return path
