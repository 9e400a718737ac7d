"""What was learned from reviewed items: a small linear model beside the word lists, and its file."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ingest.classify.evidence import find, pieces
from ingest.classify.lessons import add_up
from ingest.classify.model import model
from schemas.errors import ExamBankError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Reals = NDArray[np.float32]

FORMAT = 1
MAX_BYTES = 30_000_000
_MAX_UNPACKED = 200_000_000


class ModelFileError(ExamBankError):
    """A model file that cannot be used."""

    code = "model_file"


@dataclass(frozen=True, slots=True, eq=False)
class Learned:
    """Weights (pieces, classes) of words and parts of words for classes: codes of disciplines or of
    sub-disciplines. taught: the classes there were reviewed items of; of the others it only knows
    what tells these from them. trust: what its log-odds count beside those of the lists. about:
    versions, figures.
    """

    classes: tuple[str, ...]
    taught: frozenset[str]
    pieces: dict[str, int]
    weights: Reals
    trust: float
    about: dict[str, Any]

    def odds(self, texts: Sequence[str]) -> Reals:
        """Log-odds (texts, classes) of a taught class against the next best, where it is the best; else 0."""
        import numpy as np

        odds = np.zeros((len(texts), len(self.classes)), np.float32)
        for at, text in enumerate(texts):
            known = [self.pieces[piece] for piece in pieces_of(text) if piece in self.pieces]
            if not known:
                continue
            row = self.weights[known].sum(axis=0)
            best = int(row.argmax())
            if self.classes[best] in self.taught:
                odds[at, best] = row[best] - np.partition(row, -2)[-2]
        return odds

    def as_bytes(self) -> bytes:
        """The file: plain arrays and JSON, nothing that could run when it is read."""
        import numpy as np

        names = np.frombuffer("\n".join(self.pieces).encode(), np.uint8)
        told = {
            "format": FORMAT,
            "classes": self.classes,
            "taught": sorted(self.taught),
            "trust": self.trust,
            "about": self.about,
        }
        about = np.frombuffer(json.dumps(told, ensure_ascii=False).encode(), np.uint8)
        stream = io.BytesIO()
        np.savez_compressed(stream, pieces=names, weights=self.weights.astype(np.float16), about=about)
        return stream.getvalue()


@lru_cache(maxsize=4096)
def pieces_of(text: str) -> frozenset[str]:
    """What a text is learned by: its listed words, and its pairs and triples of characters."""
    words, said = pieces(text)
    return frozenset(piece for piece in words | said if piece.strip() == piece and "\n" not in piece)


def load(path: Path) -> Learned:
    """Read a model file. ModelFileError for one that is none, too large, or of other codes."""
    try:
        size = path.stat().st_size
        stamp = path.stat().st_mtime_ns
    except OSError as error:
        raise _bad(path, (error.strerror or str(error)).lower()) from None
    return _load(path, size, stamp)


@lru_cache(maxsize=2)
def _load(path: Path, size: int, stamp: int) -> Learned:
    import numpy as np

    del stamp
    if size > MAX_BYTES:
        raise _bad(path, f"it has more than {MAX_BYTES:,} bytes")
    try:
        with zipfile.ZipFile(path) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > _MAX_UNPACKED:
                raise _bad(path, "it unpacks to too much")
        with np.load(path, allow_pickle=False) as arrays:
            told = json.loads(arrays["about"].tobytes())
            pieces = arrays["pieces"].tobytes().decode().split("\n")
            weights = arrays["weights"].astype(np.float32)
        classes, trust, about = tuple(told["classes"]), float(told["trust"]), dict(told["about"])
        made, taught = told["format"], frozenset(told["taught"])
    except (OSError, ValueError, KeyError, TypeError, zipfile.BadZipFile, RecursionError) as error:
        raise _bad(path, f"it is no model file ({type(error).__name__})") from None
    known = model()
    if made != FORMAT:
        raise _bad(path, f"it has format {made}, this version reads {FORMAT}")
    if not (set(classes) <= {*known.disciplines, *known.subs} and taught <= set(classes)):
        raise _bad(path, "it has codes the taxonomy does not know")
    if (
        weights.shape != (len(pieces), len(classes))
        or len(classes) < 2
        or not np.isfinite(weights).all()
        or not 0 <= trust <= 9
    ):
        raise _bad(path, "its parts do not fit each other")
    return Learned(classes, taught, {piece: at for at, piece in enumerate(pieces)}, weights, trust, about)


def _bad(path: Path, why: str) -> ModelFileError:
    return ModelFileError(f"{path} cannot be used: {why}.", remedy="Make one with `exambank train`.")


def gained(texts: Sequence[str], learned: Learned | None) -> tuple[Reals, Reals] | None:
    """Log-odds that were learned, in the form of add_up: by discipline, and by sub-discipline."""
    import numpy as np

    if learned is None:
        return None
    known = model()
    odds = learned.odds(texts) * learned.trust
    sums = np.zeros((len(texts), len(known.disciplines)), np.float32)
    by_sub = np.zeros((len(texts), len(known.subs)), np.float32)
    for at, code in enumerate(learned.classes):
        sums[:, known.disciplines.index(code[:3])] += odds[:, at]
        if code in known.subs:
            by_sub[:, known.subs.index(code)] += odds[:, at]
    return sums, by_sub


def add_up_learned(texts: Sequence[str], learned: Learned | None) -> tuple[Reals, Reals]:
    """What add_up gives for texts, with what was learned added."""
    sums, by_sub = add_up([find(text) for text in texts])
    more = gained(texts, learned)
    return (sums, by_sub) if more is None else (sums + more[0], by_sub + more[1])
