"""`exambank doctor`: what is installed, what is missing and how to get it."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Literal, NamedTuple

from flows.commands import common

if TYPE_CHECKING:
    from schemas.settings import Settings

EPILOG = "Example: exambank doctor --bank data/bank"
PACKAGES = (
    "exambank", "pymupdf", "pillow", "python-docx", "pypandoc-binary", "paddleocr", "paddlex", "rapidocr",
    "onnxruntime", "deltalake", "pyarrow", "rapidfuzz", "prefect", "prefect-dask", "openai",
)  # fmt: skip
State = Literal["ok", "limited", "missing"]
_IMPORT_SECONDS = 120
_CJK_FONTS = (
    "/usr/share/fonts",
    "/usr/local/share/fonts",
    "~/.fonts",
    "~/.local/share/fonts",
    "/Library/Fonts",
)


class Check(NamedTuple):
    """One finding. missing: the main job cannot run; limited: a part of it cannot."""

    name: str
    state: State
    found: str
    remedy: str = ""


def doctor(
    bank: common.BankOption = common.DEFAULT_BANK,
    config: common.ConfigOption = None,
    as_json: common.JsonOption = False,
) -> int:
    """Tell what is installed, where the OCR weights come from, what is missing and how to get it."""
    from flows.config import printable

    settings = common.settings(config)
    checks = [
        _python(),
        *_packages(),
        _weights(settings),
        *_formulas(settings),
        _cv2(),
        _word(),
        _fonts(),
        _bank(bank),
    ]
    works = all(check.state != "missing" for check in checks)
    if as_json:
        common.emit(
            {
                "works": works,
                "checks": [check._asdict() for check in checks],
                "settings": printable(settings),
            }
        )
    else:
        rows = [(c.state, c.name, c.found + (f"\n→ {c.remedy}" if c.remedy else "")) for c in checks]
        common.table("", ("state", "what", "found"), rows)
        common.say("The main job can run." if works else "The main job cannot run: see what is missing.")
    return 0 if works else 1


def _python() -> Check:
    version = platform.python_version()
    good = (3, 11) <= sys.version_info[:2] <= (3, 13)
    return Check(
        "python",
        "ok" if good else "limited",
        f"{version} on {platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "" if good else "exambank is tested on Python 3.11, 3.12 and 3.13",
    )


def _packages() -> list[Check]:
    from flows.stage import distribution

    found = {name: distribution(name) for name in PACKAGES}
    told = ", ".join(f"{name} {version}" for name, version in found.items() if version)
    missing = [name for name, version in found.items() if not version]
    checks = [Check("packages", "ok", told)]
    if missing:
        remedy = "pip install " + " ".join(missing)
        checks.append(Check("packages", "missing", f"not installed: {', '.join(missing)}", remedy))
    return checks


def _weights(settings: Settings) -> Check:
    from ingest.ocr.weights import resolve
    from schemas.errors import MissingToolError

    try:
        found = resolve(settings.read)
    except MissingToolError as error:
        return Check("OCR weights", "limited", error.message, error.remedy)
    return Check(
        "OCR weights", "ok", f"{found.det_name} and {found.rec_name} from {found.origin} ({found.det.parent})"
    )


def _formulas(settings: Settings) -> list[Check]:
    from ingest.ocr.formula import resolve
    from schemas.errors import MissingToolError

    try:
        found = resolve(settings.read)
    except MissingToolError as error:
        return [Check("formula model", "limited", error.message, error.remedy)]
    return [Check("formula model", "ok", f"{found.name} ({found.folder})")] if found else []


def _cv2() -> Check:
    """Whether OpenCV can be imported; in a process of its own, since a broken one can end it."""
    code = "import cv2; print(cv2.__version__)"
    try:
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, timeout=_IMPORT_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return Check("OpenCV", "limited", "importing it did not come to an end", "install it again")
    if done.returncode == 0:
        return Check("OpenCV", "ok", f"cv2 {done.stdout.strip()}")
    reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
    remedy = (
        "pip install --no-deps --force-reinstall opencv-contrib-python-headless==4.10.0.84 "
        "(or, where libGL is missing: apt-get install libgl1 libglib2.0-0)"
    )
    return Check("OpenCV", "limited", f"scans and photos cannot be read: {reason}", remedy)


def _word() -> Check:
    names = ("soffice", "libreoffice", "antiword")
    found = {name: path for name in names if (path := shutil.which(name))}
    told = ", ".join(f"{name} ({path})" for name, path in found.items())
    office = "apt-get install libreoffice-writer-nogui (macOS: brew install --cask libreoffice)"
    if "soffice" in found or "libreoffice" in found:
        return Check("old Word files (.doc)", "ok", told)
    if found:
        return Check(
            "old Word files (.doc)", "limited", f"{told}: text only, no formulas or pictures", office
        )
    return Check("old Word files (.doc)", "limited", "no program reads them; they are refused", office)


def _fonts() -> Check:
    """LibreOffice lays pages out with them; nothing else needs one."""
    known = ("cjk", "wqy", "simsun", "simhei", "pingfang", "msyh", "sourcehan", "uming", "ukai")
    for folder in _CJK_FONTS:
        for path in Path(folder).expanduser().rglob("*.[toTO][tT]*"):
            if any(mark in path.name.lower() for mark in known):
                return Check("Chinese fonts", "ok", path.name)
    return Check(
        "Chinese fonts",
        "ok",
        "none found; only needed to look at Word files, not to read them",
        "apt-get install fonts-noto-cjk",
    )


def _bank(path: Path) -> Check:
    """Whether the bank can be read and written, or made."""
    from schemas.errors import ExamBankError

    parent = path
    while not parent.exists():
        parent = parent.parent
    try:
        with tempfile.TemporaryFile(dir=parent):
            pass
    except OSError as error:
        return Check(
            "bank", "missing", f"{parent} cannot be written: {error.strerror}", "name another --bank"
        )
    free = shutil.disk_usage(parent).free / 1e9
    if parent != path:
        return Check("bank", "ok", f"{path} is not there yet and can be made; {free:.0f} GB free")
    try:
        from bank.store import Bank

        version = Bank.open(path).version
    except ExamBankError as error:
        if error.code == "no_bank":
            return Check("bank", "ok", f"{path} holds no bank yet; {free:.0f} GB free")
        return Check("bank", "missing", error.message, error.remedy)
    except ImportError as error:
        return Check("bank", "missing", f"{error}", "pip install deltalake pyarrow")
    return Check("bank", "ok", f"{path}, version {version}; {free:.0f} GB free")
