"""File in, schemas.Document out; one module a format."""

from __future__ import annotations

from pathlib import Path

from schemas.document import Asset, Document
from schemas.settings import ReadSettings


def read(path: Path, settings: ReadSettings) -> tuple[Document, tuple[Asset, ...]]:
    """The document in the file at path, and the pictures it refers to by digest.

    The reader is chosen by content, never by name. Raises RefusedError (code, remedy) for what
    cannot be read.
    """
    from ingest.readers.sniff import sniff

    found = sniff(path, settings)
    if found.format == "pdf":
        from ingest.readers.pdf import read_pdf as reader
    elif found.format == "image":
        from ingest.readers.image import read_image as reader
    elif found.format == "docx":
        from ingest.readers.docx import read_docx as reader
    else:
        from ingest.readers.doc import read_doc as reader
    document, assets = reader(path, settings)
    if found.notices:
        document = document.model_copy(update={"notices": found.notices + document.notices})
    return document, assets
