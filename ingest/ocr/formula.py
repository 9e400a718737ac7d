"""An optional model that reads pictures of formulas: PaddleX on ONNX Runtime, from a configured directory."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import logging
import threading
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ingest.ocr.weights import FILES, complete, model_name
from schemas.errors import MissingToolError
from schemas.settings import ReadSettings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Image = NDArray[np.uint8]

MODELS = (
    "PP-FormulaNet_plus-S",
    "PP-FormulaNet_plus-M",
    "PP-FormulaNet_plus-L",
    "PP-FormulaNet-S",
    "PP-FormulaNet-L",
    "UniMERNet",
)
"""What PaddleX reads formulas with on ONNX Runtime, as Global.model_name of inference.yml names them."""

CODE = "formula_model_missing"
_PACKAGES = ("tokenizers", "ftfy")
_LONG_SIDE = 1600
_LEAST_SIDE = 8
_MOST_STRETCHED = 12  # the model's own scaling starts from the short side: a hairline would become huge
_REMEDY = (
    "Set read.formula_model to a PaddleX model directory in ONNX form "
    f"({' and '.join(FILES)}), or leave it out."
)


@dataclass(frozen=True)
class FormulaModel:
    """A checked model directory and the model's name in PaddleX."""

    folder: Path
    name: str


class Recogniser:
    """Reads one formula from its picture. Thread-safe: calls take turns."""

    def __init__(self, model: FormulaModel) -> None:
        self.model = model
        self._lock = threading.Lock()
        self._predictor = _predictor(model)

    def read(self, image: Image) -> str:
        """LaTeX as the model writes it, unchecked; '' for a picture too small to hold a formula.

        image: height x width x 3, BGR, uint8. Raises whatever the model raises.
        """
        if min(image.shape[:2]) < _LEAST_SIDE:
            return ""
        with self._lock:
            result = next(iter(self._predictor.predict(bounded(image))))
        return str(result["rec_formula"])


def resolve(settings: ReadSettings) -> FormulaModel | None:
    """The configured model, None where none is configured. Cheap: nothing is loaded.

    Raises MissingToolError (formula_model_missing) for a directory that is none, or is of another
    model, and for packages that are not installed.
    """
    given = settings.formula_model
    if not given:
        return None
    folder = Path(given).expanduser()
    if not complete(folder):
        raise MissingToolError(
            f"read.formula_model is {given}: no model directory ({' and '.join(FILES)}) is there",
            code=CODE,
            remedy=_REMEDY,
        )
    name = model_name(folder)
    if name not in MODELS:
        raise MissingToolError(
            f"read.formula_model is {given}: the model there, {name or 'without a name'}, reads no formulas",
            code=CODE,
            remedy=f"Give the directory of one of these models: {', '.join(MODELS)}.",
        )
    missing = [package for package in _PACKAGES if importlib.util.find_spec(package) is None]
    if missing:
        raise MissingToolError(
            f"read.formula_model is set, but {' and '.join(missing)} must be installed for it",
            code=CODE,
            remedy="pip install 'exambank[formula]', or leave read.formula_model out.",
        )
    return FormulaModel(folder, name)


def recogniser(settings: ReadSettings) -> Recogniser | None:
    """The process's recogniser for these settings, loaded on first use; None where none is configured.

    Raises MissingToolError as resolve does, and for a model that cannot be loaded.
    """
    model = resolve(settings)
    return None if model is None else _recogniser(model)


@lru_cache(maxsize=1)
def _recogniser(model: FormulaModel) -> Recogniser:
    try:
        return Recogniser(model)
    except MemoryError:
        raise
    except Exception as error:  # PaddleX and ONNX Runtime raise many kinds for files that are no model
        short = (str(error).strip().splitlines() or [""])[0][:160]
        raise MissingToolError(
            f"the formula model in {model.folder} cannot be loaded ({type(error).__name__}: {short})",
            code=CODE,
            remedy=_REMEDY,
        ) from error


def bounded(image: Image) -> Image:
    """The picture no larger than the model needs, on white where it is a mere strip."""
    import cv2
    import numpy as np

    height, width = image.shape[:2]
    scale = _LONG_SIDE / max(height, width)
    if scale < 1:
        size = max(1, round(width * scale)), max(1, round(height * scale))
        image = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
        height, width = image.shape[:2]
    down = max(0, width // _MOST_STRETCHED - height) // 2 + 1
    along = max(0, height // _MOST_STRETCHED - width) // 2 + 1
    return np.pad(image, ((down, down), (along, along), (0, 0)), constant_values=255)


def _predictor(model: FormulaModel) -> Any:  # noqa: ANN401 - PaddleOCR is untyped
    """A PaddleOCR predictor on local files: with a directory given, no model source is ever asked."""
    logging.getLogger("paddlex").setLevel(logging.ERROR)
    with contextlib.redirect_stdout(io.StringIO()):  # banners would end up in the caller's protocol
        import cv2
        from paddleocr import FormulaRecognition

        cv2.setNumThreads(1)
        return FormulaRecognition(
            model_name=model.name,
            model_dir=str(model.folder),
            engine="onnxruntime",
            engine_config={"intra_op_num_threads": 1, "enable_mem_pattern": False},
        )
