"""The OCR engine: PaddleOCR on ONNX Runtime, one thread, one instance a process."""

from __future__ import annotations

import contextlib
import io
import logging
import threading
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from ingest.ocr.weights import Weights, prepare, resolve
from schemas.errors import MissingToolError
from schemas.settings import ReadSettings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Image = NDArray[np.uint8]

Quad = tuple[tuple[float, float], tuple[float, float], tuple[float, float], tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Found:
    """One recognised piece of text: corners in pixels (clockwise from top left), text, score 0-1."""

    quad: Quad
    text: str
    score: float


class Engine:
    """Reads text from pictures. Thread-safe: calls take turns."""

    def __init__(self, weights: Weights, limit_side: int) -> None:
        self.weights = weights
        self._lock = threading.Lock()
        self._pipeline = _pipeline(weights, limit_side)

    def read(self, image: Image) -> list[Found]:
        """Text boxes of a picture (height x width x 3, BGR, uint8), in no promised order."""
        with self._lock:
            result = self._pipeline.predict(image)[0]
        found = []
        for quad, text, score in zip(
            result["rec_polys"], result["rec_texts"], result["rec_scores"], strict=True
        ):
            corners = [(float(x), float(y)) for x, y in quad]
            if text.strip() and len(corners) == 4:
                found.append(Found((corners[0], corners[1], corners[2], corners[3]), text, float(score)))
        return found


def engine(settings: ReadSettings) -> Engine:
    """The process's engine for these settings, started on first use (2-3 s).

    Raises MissingToolError where weights or packages are missing.
    """
    return _engine(resolve(settings), settings.ocr_limit_side)


@lru_cache(maxsize=1)
def _engine(weights: Weights, limit_side: int) -> Engine:
    return Engine(prepare(weights), limit_side)


def _pipeline(weights: Weights, limit_side: int) -> Any:  # noqa: ANN401 - PaddleOCR is untyped
    """A PaddleOCR pipeline on local weights.

    The thresholds are set here because the pipeline's own (.3/.6/1.5) drop whole lines that hold
    inline sums, question number included.
    """
    try:
        # Banners would end up in the caller's protocol.
        logging.getLogger("paddlex").setLevel(logging.ERROR)
        with contextlib.redirect_stdout(io.StringIO()):
            import cv2
            from paddleocr import PaddleOCR

            cv2.setNumThreads(1)
            return PaddleOCR(
                engine="onnxruntime",
                # pages differ in size: plans kept for each size would fill memory and save no time
                engine_config={"intra_op_num_threads": 1, "enable_mem_pattern": False},
                text_detection_model_name=weights.det_name,
                text_detection_model_dir=str(weights.det),
                text_recognition_model_name=weights.rec_name,
                text_recognition_model_dir=str(weights.rec),
                use_doc_orientation_classify=False,
                use_doc_unwarping=False,
                use_textline_orientation=False,
                text_det_limit_type="max",
                text_det_limit_side_len=limit_side,
                text_det_thresh=0.2,
                text_det_box_thresh=0.45,
                text_det_unclip_ratio=1.4,
            )
    except ImportError as error:
        remedy = "Reinstall exambank with its dependencies; `exambank doctor` says what is missing."
        if "libGL" in str(error) or "libgthread" in str(error) or "libglib" in str(error):
            remedy = (
                "Reinstall OpenCV without its window parts: pip install --no-deps --force-reinstall "
                "opencv-contrib-python-headless==4.10.0.84 (or install the system's libGL and GLib)."
            )
        raise MissingToolError(
            f"the OCR engine cannot be loaded: {error}", code="ocr_engine_missing", remedy=remedy
        ) from error
