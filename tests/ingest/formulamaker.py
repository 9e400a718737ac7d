"""A small real formula model for tests: an ONNX network that knows a few pictures apart, in PaddleX's form.

It is no substitute for trained weights: it names the nearest of the pictures it was made from. What
is real is everything around it: the directory, the library, the tokens, the decoding.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import yaml

SIZE = (192, 672)
_CELL = 32


def model_dir(folder: Path, known: Sequence[tuple[np.ndarray, str]], name: str = "UniMERNet") -> Path:
    """Write a model that reads each picture (height x width x 3, BGR) as the text beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    words = sorted({word for _, latex in known for word in latex.split()})
    vocabulary = {word: number for number, word in enumerate(["<s>", "<pad>", "</s>", "<unk>", *words])}
    longest = max(len(latex.split()) for _, latex in known) + 2
    tokens = np.full((len(known), longest), 1, dtype=np.int64)
    for row, (_, latex) in enumerate(known):
        line = [0, *(vocabulary[word] for word in latex.split()), 2]
        tokens[row, : len(line)] = line
    seen = np.stack([_cells(picture) for picture, _ in known]).astype(np.float32)
    bias = (-0.5 * (seen**2).sum(axis=1)).astype(np.float32)
    (folder / "inference.onnx").write_bytes(_network(seen, bias, tokens))
    special = ({"id": number, "content": text} for text, number in list(vocabulary.items())[:4])
    tokenizer = {
        "version": "1.0",
        "added_tokens": [
            {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
            | one
            for one in special
        ],
        "normalizer": None,
        "pre_tokenizer": {"type": "Whitespace"},
        "post_processor": None,
        "decoder": None,
        "model": {"type": "WordLevel", "vocab": vocabulary, "unk_token": "<unk>"},
    }
    config = {
        "Global": {"model_name": name},
        "PreProcess": {
            "transform_ops": [
                {"UniMERNetImgDecode": {"input_size": list(SIZE)}},
                {"UniMERNetTestTransform": None},
                {"UniMERNetImageFormat": None},
            ]
        },
        "PostProcess": {"name": "UniMERNetDecode", "character_dict": {"fast_tokenizer_file": tokenizer}},
    }
    text = yaml.safe_dump(config, allow_unicode=True, sort_keys=False)
    (folder / "inference.yml").write_text(text, encoding="utf8")
    return folder


def _cells(picture: np.ndarray) -> np.ndarray:
    """The picture as the network sees it, averaged in cells of 32 x 32."""
    from paddlex.inference.models.formula_recognition import processors

    from ingest.ocr.formula import bounded

    seen = [np.ascontiguousarray(bounded(picture)[:, :, ::-1])]
    for step in (processors.UniMERNetImgDecode(SIZE), processors.UniMERNetTestTransform()):
        seen = step(imgs=seen)
    grey = processors.UniMERNetImageFormat()(imgs=seen)[0][0, 0]
    rows, columns = (side // _CELL for side in SIZE)
    return grey.reshape(rows, _CELL, columns, _CELL).mean(axis=(1, 3)).reshape(-1)


def _network(seen: np.ndarray, bias: np.ndarray, tokens: np.ndarray) -> bytes:
    """AveragePool, Flatten, Gemm, ArgMax, Gather: ONNX written field by field."""
    square = [_int(8, _CELL), _int(8, _CELL)]
    nodes = [
        _node("AveragePool", ["x"], "a", [_ints("kernel_shape", square), _ints("strides", square)]),
        _node("Flatten", ["a"], "f", []),
        _node("Gemm", ["f", "seen", "bias"], "s", [_one("transB", 1)]),
        _node("ArgMax", ["s"], "k", [_one("axis", 1), _one("keepdims", 0)]),
        _node("Gather", ["tokens", "k"], "y", []),
    ]
    graph = b"".join(_bytes(1, node) for node in nodes) + _bytes(2, b"formula")
    for name, kind, values in (("seen", 1, seen), ("bias", 1, bias), ("tokens", 7, tokens)):
        dims = b"".join(_int(1, side) for side in values.shape)
        graph += _bytes(5, dims + _int(2, kind) + _bytes(8, name.encode()) + _bytes(9, values.tobytes()))
    graph += _bytes(11, _value("x", 1, ["n", 1, *SIZE])) + _bytes(12, _value("y", 7, ["n", tokens.shape[1]]))
    return _int(1, 8) + _bytes(7, graph) + _bytes(8, _bytes(1, b"") + _int(2, 13))


def _node(op: str, inputs: Sequence[str], output: str, attributes: Sequence[bytes]) -> bytes:
    out = b"".join(_bytes(1, name.encode()) for name in inputs) + _bytes(2, output.encode())
    return out + _bytes(4, op.encode()) + b"".join(_bytes(5, one) for one in attributes)


def _one(name: str, value: int) -> bytes:
    return _bytes(1, name.encode()) + _int(3, value) + _int(20, 2)


def _ints(name: str, values: Sequence[bytes]) -> bytes:
    return _bytes(1, name.encode()) + b"".join(values) + _int(20, 7)


def _value(name: str, kind: int, shape: Sequence[int | str]) -> bytes:
    dims = b"".join(_bytes(1, _bytes(2, d.encode()) if isinstance(d, str) else _int(1, d)) for d in shape)
    return _bytes(1, name.encode()) + _bytes(2, _bytes(1, _int(1, kind) + _bytes(2, dims)))


def _int(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _bytes(field: int, value: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(value)) + value


def _varint(value: int) -> bytes:
    out = b""
    while value > 0x7F:
        out += struct.pack("B", value & 0x7F | 0x80)
        value >>= 7
    return out + struct.pack("B", value)
