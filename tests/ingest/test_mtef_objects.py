"""Equation objects as files: containers, hostile bytes, limits, and their place in a Word document."""

from __future__ import annotations

import contextlib
import gzip
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mtefmaker import END, FUNCTION, LCGREEK, SPACE, SYMBOL, TEXT, V3, V5, VARIABLE, chunks, emf, ole, wmf
from wordmaker import NAMESPACES, make, par, run

from ingest.readers.docx import read_docx
from ingest.readers.mtef import EquationError, count, decode, decode_stream
from schemas.settings import ReadSettings

v5, v3 = V5(), V3()


def sub(text: str) -> bytes:
    return v5.template(27, 0, v5.slot(text), v5.null())


# -- containers -----------------------------------------------------------------------------------------

PLAIN = v5.equation(v5.chars("x"), sub("1"))


@pytest.mark.parametrize(
    "data",
    [
        ole(PLAIN),
        ole(PLAIN + bytes(5000)),
        wmf(b"MathType\xff\xff\xff", *chunks(PLAIN)),
        wmf(*chunks(PLAIN, 7)),
        wmf(*chunks(PLAIN), placeable=False),
        wmf(b"MathTypeUU" + len(PLAIN).to_bytes(2, "little") + PLAIN),
        emf(b"other", *chunks(PLAIN)),
        gzip.compress(wmf(*chunks(PLAIN)), mtime=0),
    ],
    ids=["ole", "ole-trailing", "wmf", "wmf-chunks", "wmf-bare", "wmf-old", "emf", "wmz"],
)
def test_containers(data: bytes) -> None:
    assert decode(data).latex == "x_{1}"


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "no_equation"),
        (b"GIF89a", "no_equation"),
        (wmf(), "no_equation"),
        (emf(), "no_equation"),
        (ole(PLAIN, "Contents"), "no_equation"),
        (gzip.compress(b"text", mtime=0), "no_equation"),
        (ole(PLAIN)[:700], "equation_damaged"),
        (ole(PLAIN[:-9]), "equation_damaged"),
        (ole(b"\x07" + PLAIN), "equation_damaged"),
        (wmf(*chunks(b"<?xml version='1.0'?><math/>")), "equation_damaged"),
        (wmf(b"AppsMFCC\0\0"), "equation_damaged"),
    ],
)
def test_what_holds_no_equation_or_a_broken_one_says_so(data: bytes, code: str) -> None:
    with pytest.raises(EquationError) as raised:
        decode(data)
    assert raised.value.code == code


def test_equations_are_counted() -> None:
    assert count(ole(PLAIN)) == 1
    assert count(ole(PLAIN, "Contents")) == 0
    assert count(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1") == 0


# -- hostile bytes --------------------------------------------------------------------------------------


def survives(data: bytes) -> None:
    with contextlib.suppress(EquationError):
        decode_stream(data)


RECORDS = st.recursive(
    st.sampled_from(
        [v5.chars("x"), v5.chars("12"), v5.null(), b"\x0a", v5.char(0xEF00, SPACE), v5.char("=", SYMBOL)]
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4).map(lambda items: v5.line(*items)),
        st.lists(inner, max_size=4).map(lambda items: v5.pile(len(items), *items)),
        st.tuples(st.integers(0, 45), st.integers(0, 0x1FF), st.lists(inner, max_size=5)).map(
            lambda t: v5.template(t[0], t[1], *t[2])
        ),
        st.tuples(st.integers(0, 3), st.integers(0, 3), inner).map(
            lambda t: v5.matrix(t[0], t[1], [t[2]] * (t[0] * t[1]), 0b100100, 0b010010)
        ),
    ),
    max_leaves=30,
)


@settings(deadline=None, max_examples=300)
@given(
    st.binary(max_size=400),
    st.sampled_from([b"", v5.head(), v3.head(), b"\x02\x01\x01\x02\0", b"\x04\x01\x01\x02\0"]),
)
def test_no_stream_of_bytes_crashes_it(data: bytes, head: bytes) -> None:
    survives(head + data)


@settings(deadline=None, max_examples=300)
@given(st.lists(RECORDS, max_size=5), st.sampled_from([v5.head(), v3.head()]))
def test_no_tree_crashes_it(records: list[bytes], head: bytes) -> None:
    survives(head + v5.line(*records) + END)


@settings(deadline=None, max_examples=300)
@given(
    st.sampled_from([ole(PLAIN), wmf(*chunks(PLAIN, 9)), emf(*chunks(PLAIN))]),
    st.lists(st.tuples(st.integers(0, 6000), st.integers(0, 255)), max_size=12),
    st.integers(0, 6000),
)
def test_no_damaged_container_crashes_it(data: bytes, changes: list[tuple[int, int]], cut: int) -> None:
    broken = bytearray(data)
    for place, value in changes:
        broken[place % len(broken)] = value
    for whole in (bytes(broken), bytes(broken[: len(broken) - cut % len(broken)])):
        with contextlib.suppress(EquationError):
            decode(whole)


@pytest.mark.parametrize("counter", [44, 64, 72])
def test_counts_beyond_the_file_are_refused_at_once(counter: int) -> None:
    broken = bytearray(ole(PLAIN))
    broken[counter : counter + 4] = b"\xff\xff\xff\x7f"
    with pytest.raises(EquationError):
        decode(bytes(broken))


MANY = 50_000
LONG = {
    "characters": v5.chars("x") * MANY,
    "text": v5.char("1", TEXT) * MANY,
    "function": v5.char("q", FUNCTION) * MANY,
    "scripts": v5.chars("x") + sub("1") * (MANY // 6),
    "primes": v5.chars("x") + v5.char("\u2032", SYMBOL) * MANY,
    "fences": b"".join(v5.template(1, 3, v5.slot("x")) for _ in range(MANY // 6)),
    "nested": (bytes([3, 0, 1, 3, 0, 1, 0])) * 31 + v5.chars("x") * 40_000 + b"\0\0" * 31,
    "lines": v5.null() * MANY,
}


@pytest.mark.parametrize("name", LONG)
def test_long_equations_take_linear_time(name: str) -> None:
    start = time.process_time()
    decode_stream(v5.equation(LONG[name]))
    assert time.process_time() - start < 5


@pytest.mark.parametrize(
    "body", [b"\x01\x00" * 500, b"\x03\x00\x01\x03\x00" * 500, v5.chars("x") * 70_000, b"\x0a" * 70_000]
)
def test_limits_are_named(body: bytes) -> None:
    with pytest.raises(EquationError) as raised:
        decode_stream(v5.head() + body)
    assert raised.value.code == "equation_limit"


def test_a_stream_over_the_size_limit_is_refused() -> None:
    with pytest.raises(EquationError) as raised:
        decode_stream(v5.head() + bytes(1_000_001))
    assert raised.value.code == "equation_limit"


# -- in a document --------------------------------------------------------------------------------------


def embedded(rid: str, picture: str, program: str = "Equation.DSMT4") -> str:
    return (
        f'<w:r><w:object><v:shape><v:imagedata r:id="{picture}"/></v:shape>'
        f'<o:OLEObject ProgID="{program}" r:id="{rid}"/></w:object></w:r>'
    )


def test_equations_stand_in_their_line(tmp_path: Path) -> None:
    picture_only = '<w:r><w:pict><v:shape><v:imagedata r:id="w2"/></v:shape></w:pict></w:r>'
    broken_object = v5.equation(v5.chars("b"))
    path = make(
        tmp_path / "a.docx",
        par(
            run("设") + embedded("o1", "w1") + run("与") + embedded("o2", "w1", "") + run("，") + picture_only
        )
        + par(run("则") + embedded("o3", "w2") + run("。") + embedded("o4", "w1")),
        parts={
            "media/plain.wmf": wmf(),
            "media/own.wmf": wmf(*chunks(v5.equation(v5.char("A", VARIABLE, [17])))),
            "embeddings/1.bin": ole(PLAIN),
            "embeddings/2.bin": ole(
                v3.equation(v3.char("λ", LCGREEK), v3.template(15, 1, v3.slot("2"), v3.null()))
            ),
            "embeddings/3.bin": ole(broken_object[:-4]),
            "embeddings/4.bin": ole(v5.equation(v5.chars("x"), v5.char(0xE001))),
        },
        relations={
            "w1": ("image", "media/plain.wmf"),
            "w2": ("image", "media/own.wmf"),
            **{f"o{n}": ("oleObject", f"embeddings/{n}.bin") for n in range(1, 5)},
        },
    )
    document, assets = read_docx(path, ReadSettings())
    assert [block.text for block in document.blocks] == [
        r"设$x_{1}$与$\lambda_{2}$，$\bar{A}$",
        r"则$\bar{A}$。$x\square$",
    ]
    assert [(n.code, n.count) for n in document.notices] == [("equation_part", 1)]
    assert assets == ()


def test_an_equation_in_a_footnote_is_that_of_the_footnote(tmp_path: Path) -> None:
    note = par(run("即") + embedded("o1", "w1"))
    relations = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="o1" '
        'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/oleObject" Target="embeddings/2.bin"/>'
        "</Relationships>"
    )
    path = make(
        tmp_path / "a.docx",
        par(embedded("o1", "w1") + '<w:r><w:footnoteReference w:id="2"/></w:r>'),
        parts={
            "footnotes.xml": f'<w:footnotes {NAMESPACES}><w:footnote w:id="2">{note}</w:footnote></w:footnotes>',
            "_rels/footnotes.xml.rels": relations,
            "embeddings/1.bin": ole(PLAIN),
            "embeddings/2.bin": ole(v5.equation(v5.chars("y"))),
        },
        relations={"o1": ("oleObject", "embeddings/1.bin"), "n": ("footnotes", "footnotes.xml")},
    )
    document, _ = read_docx(path, ReadSettings())
    assert [block.text for block in document.blocks] == ["$x_{1}$[^2]", "[^2]: 即$y$"]


def test_an_equation_nothing_can_read_leaves_its_picture(tmp_path: Path) -> None:
    path = make(
        tmp_path / "a.docx",
        par(run("设") + embedded("o1", "w1") + run("为")),
        parts={"media/p.wmf": wmf(), "embeddings/1.bin": ole(PLAIN[:-9])},
        relations={"w1": ("image", "media/p.wmf"), "o1": ("oleObject", "embeddings/1.bin")},
    )
    document, assets = read_docx(path, ReadSettings(), find=lambda _: None)
    assert [(b.text, b.asset) for b in document.blocks] == [("设[公式]为", assets[0].digest)]
    assert [(n.code, n.count) for n in document.notices] == [("equation_lost", 1), ("metafile", 1)]
