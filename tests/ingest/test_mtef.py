"""MathType and Equation Editor streams: every record, template and embellishment as LaTeX."""

from __future__ import annotations

import pytest
from mtefmaker import (
    END,
    FUNCTION,
    LCGREEK,
    SPACE,
    SYMBOL,
    TEXT,
    V3,
    V5,
    VARIABLE,
    VECTOR,
)

from ingest.readers.mtef import decode_stream

v5, v3 = V5(), V3()
BOTH = pytest.mark.parametrize("v", [v5, v3], ids=["v5", "v3"])


def shown(v: V5, *items: bytes) -> str:
    equation = decode_stream(v.equation(*items))
    assert equation.version == v.version
    assert equation.losses == ()
    return equation.latex


FENCES_V5 = [
    (0, r"\langle a\rangle"),
    (1, "(a)"),
    (2, r"\{a\}"),
    (3, "[a]"),
    (4, "|a|"),
    (5, r"\|a\|"),
    (6, r"\lfloor a\rfloor"),
    (7, r"\lceil a\rceil"),
    (8, r"\llbracket a\rrbracket"),
]
TEMPLATES_V5 = [
    *[(selector, 3, ["a"], latex) for selector, latex in FENCES_V5],
    (1, 1, ["a"], "(a"),
    (4, 2, ["a"], "a|"),
    (9, 0x00, ["a"], "(a("),
    (9, 0x12, ["a"], "[a)"),
    (9, 0x30, ["a"], "(a]"),
    (9, 0x21, ["a"], ")a["),
    (10, 0, ["a", ""], r"\sqrt{a}"),
    (10, 1, ["a", "3"], r"\sqrt[3]{a}"),
    (11, 0, ["ab", "c"], r"\frac{ab}{c}"),
    (11, 1, ["1", "2"], r"\frac{1}{2}"),
    (11, 2, ["1", "2"], "1/2"),
    (11, 6, ["ab", "c"], r"\frac{ab}{c}"),
    (12, 0, ["a"], r"\underline{a}"),
    (12, 1, ["a"], r"\underline{\underline{a}}"),
    (13, 0, ["AB"], r"\overline{AB}"),
    (13, 1, ["a"], r"\overline{\overline{a}}"),
    (14, 0x24, ["a", ""], r"\xrightarrow{a}"),
    (14, 0x04, ["a", ""], r"\xrightarrow{a}"),
    (14, 0x14, ["a", ""], r"\xleftarrow{a}"),
    (14, 0x3C, ["a", "b"], r"\xleftrightarrow[b]{a}"),
    (14, 0x28, ["", "b"], r"\xrightarrow[b]{}"),
    (14, 0x05, ["a", ""], r"\xtofrom{a}"),
    (14, 0x06, ["a", ""], r"\xrightleftharpoons{a}"),
    (15, 0x31, ["x", "a", "b"], r"\int_{a}^{b}x"),
    (15, 0x02, ["x", "", ""], r"\iint x"),
    (15, 0x13, ["x", "V", ""], r"\iiint_{V}x"),
    (15, 0x15, ["x", "L", ""], r"\oint_{L}x"),
    (15, 0x0A, ["x", "", ""], r"\oiint x"),
    (15, 0x0F, ["x", "", ""], r"\oiiint x"),
    (15, 0x71, ["x", "a", "b"], r"\int\limits_{a}^{b}x"),
    (15, 0x131, ["x", "a", "b"], r"\int_{a}^{b}x"),
    (16, 0x70, ["x", "i", "n"], r"\sum_{i}^{n}x"),
    (16, 0x50, ["x", "i", ""], r"\sum_{i}x"),
    (17, 0x30, ["x", "i", "n"], r"\prod_{i}^{n}x"),
    (18, 0x70, ["x", "i", "n"], r"\coprod_{i}^{n}x"),
    (19, 0x70, ["x", "i", "n"], r"\bigcup_{i}^{n}x"),
    (20, 0x70, ["x", "i", "n"], r"\bigcap_{i}^{n}x"),
    (21, 0x30, ["x", "a", "b", "o"], r"\mathop{o}_{a}^{b}x"),
    (21, 0x70, ["x", "a", "b", "o"], r"\mathop{o}\limits_{a}^{b}x"),
    (22, 0x70, ["x", "a", "b", "o"], r"\mathop{o}\limits_{a}^{b}x"),
    (23, 0x10, ["x", "a", ""], r"\underset{a}{x}"),
    (23, 0x20, ["x", "", "b"], r"\overset{b}{x}"),
    (23, 0x30, ["x", "a", "b"], r"\overset{b}{\underset{a}{x}}"),
    (24, 1, ["ab", "n"], r"\overbrace{ab}^{n}"),
    (24, 0, ["ab", "n"], r"\underbrace{ab}_{n}"),
    (25, 1, ["ab", "n"], r"\overbracket{ab}^{n}"),
    (25, 0, ["ab", ""], r"\underbracket{ab}"),
    (26, 0, ["ab", "", "", ""], r"\overline{\smash{)}ab}"),
    (26, 1, ["ab", "q", "", ""], r"\overset{q}{\overline{\smash{)}ab}}"),
    (30, 3, ["a", "b"], r"\langle a\mid b\rangle"),
    (30, 1, ["a", ""], r"\langle a|"),
    (30, 2, ["", "b"], r"|b\rangle"),
    (31, 2, ["a"], r"\vec{a}"),
    (31, 2, ["AB"], r"\overrightarrow{AB}"),
    (31, 1, ["a"], r"\overleftarrow{a}"),
    (31, 3, ["AB"], r"\overleftrightarrow{AB}"),
    (31, 6, ["AB"], r"\underrightarrow{AB}"),
    (31, 5, ["AB"], r"\underleftarrow{AB}"),
    (31, 7, ["AB"], r"\underleftrightarrow{AB}"),
    (31, 10, ["a"], r"\overset{\rightharpoonup}{a}"),
    (31, 9, ["a"], r"\overset{\leftharpoonup}{a}"),
    (31, 14, ["a"], r"\underset{\rightharpoonup}{a}"),
    (32, 0, ["a"], r"\tilde{a}"),
    (32, 0, ["ab"], r"\widetilde{ab}"),
    (33, 0, ["a"], r"\hat{a}"),
    (33, 0, ["ab"], r"\widehat{ab}"),
    (34, 0, ["AB"], r"\overset{\frown}{AB}"),
    (35, 0, ["AB"], r"\overgroup{AB}"),
    (36, 1, ["ab"], r"\sout{ab}"),
    (36, 2, ["ab"], r"\cancel{ab}"),
    (36, 4, ["ab"], r"\bcancel{ab}"),
    (36, 6, ["ab"], r"\xcancel{ab}"),
    (37, 0x1E, ["ab"], r"\boxed{ab}"),
    (37, 0x08, ["ab"], r"\overline{ab}"),
    (37, 0x10, ["ab"], r"\underline{ab}"),
    (37, 0x0C, ["ab"], r"\overline{ab|}"),
    (37, 0x02, ["ab"], "|ab"),
]
TEMPLATES_V3 = [
    *[(selector, 0, ["a"], latex) for selector, latex in FENCES_V5[:8]],
    (1, 1, ["a"], "(a"),
    (1, 2, ["a"], "a)"),
    (8, 0, ["a"], "[a["),
    (9, 0, ["a"], "]a]"),
    (10, 0, ["a"], "]a["),
    (11, 0, ["a"], "[a)"),
    (12, 0, ["a"], "(a]"),
    (13, 0, ["a", ""], r"\sqrt{a}"),
    (13, 1, ["a", "3"], r"\sqrt[3]{a}"),
    (14, 0, ["a", "b"], r"\frac{a}{b}"),
    (14, 1, ["a", "b"], r"\frac{a}{b}"),
    (16, 0, ["a"], r"\underline{a}"),
    (16, 1, ["a"], r"\underline{\underline{a}}"),
    (17, 0, ["a"], r"\overline{a}"),
    (17, 1, ["a"], r"\overline{\overline{a}}"),
    (18, 0, ["a"], r"\xleftarrow{a}"),
    (19, 0, ["a"], r"\xrightarrow{a}"),
    (19, 1, ["a"], r"\xrightarrow[a]{}"),
    (20, 1, ["", "b"], r"\xleftrightarrow[b]{}"),
    (21, 0, ["x", "", ""], r"\int x"),
    (21, 1, ["x", "a", ""], r"\int_{a}x"),
    (21, 2, ["x", "a", "b"], r"\int_{a}^{b}x"),
    (21, 3, ["x", "", ""], r"\oint x"),
    (21, 4, ["x", "L"], r"\oint_{L}x"),
    (22, 1, ["x", "D"], r"\iint_{D}x"),
    (22, 3, ["x", "S"], r"\oiint_{S}x"),
    (23, 1, ["x", "V"], r"\iiint_{V}x"),
    (23, 2, ["x", ""], r"\oiiint x"),
    (24, 0, ["x", "a", "b"], r"\int\limits_{a}^{b}x"),
    (24, 2, ["x", "L"], r"\oint\limits_{L}x"),
    (25, 0, ["x", "S"], r"\oiint\limits_{S}x"),
    (25, 1, ["x", "D"], r"\iint\limits_{D}x"),
    (26, 0, ["x", "S"], r"\oiiint\limits_{S}x"),
    (26, 1, ["x", "V"], r"\iiint\limits_{V}x"),
    (27, 0, ["ab", "n"], r"\overbrace{ab}^{n}"),
    (28, 0, ["ab", "n"], r"\underbrace{ab}_{n}"),
    *[
        (selector, 1, ["x", "i", "n"], rf"\{name}_{{i}}^{{n}}x")
        for first, name in zip(range(29, 39, 2), ("sum", "prod", "coprod", "bigcup", "bigcap"), strict=True)
        for selector in (first, first + 1)
    ],
    (29, 0, ["x", "i"], r"\sum_{i}x"),
    (29, 2, ["x", "", ""], r"\sum x"),
    (39, 0, ["x", "b"], r"\overset{b}{x}"),
    (39, 1, ["x", "a"], r"\underset{a}{x}"),
    (39, 2, ["x", "a", "b"], r"\overset{b}{\underset{a}{x}}"),
    (40, 0, ["ab", "q"], r"\overset{q}{\overline{\smash{)}ab}}"),
    (40, 1, ["ab"], r"\overline{\smash{)}ab}"),
    (41, 0, ["a", "b"], "a/b"),
    (42, 2, ["x", "a", "b", "o"], r"\mathop{o}_{a}^{b}x"),
    (43, 1, ["x", "a", "", "o"], r"\mathop{o}\limits_{a}x"),
    (43, 0, ["x", "b", "o"], r"\mathop{o}\limits^{b}x"),
    (45, 0, ["a", "b"], r"\langle a\mid b\rangle"),
    (45, 1, ["a", ""], r"\langle a|"),
    (45, 2, ["", "b"], r"|b\rangle"),
    (46, 0, ["AB"], r"\underleftarrow{AB}"),
    (46, 1, ["AB"], r"\underrightarrow{AB}"),
    (46, 2, ["AB"], r"\underleftrightarrow{AB}"),
    (47, 0, ["AB"], r"\overleftarrow{AB}"),
    (47, 1, ["a"], r"\vec{a}"),
    (47, 2, ["AB"], r"\overleftrightarrow{AB}"),
    (48, 0, ["AB"], r"\overset{\frown}{AB}"),
]
SCRIPTS = [
    (v5, 27, 0, "1", "", "x_{1}y"),
    (v5, 28, 0, "", "2", "x^{2}y"),
    (v5, 29, 0, "1", "2", "x_{1}^{2}y"),
    (v5, 29, 1, "1", "2", "x{}_{1}^{2}y"),
    (v3, 15, 0, "", "2", "x^{2}y"),
    (v3, 15, 1, "1", "", "x_{1}y"),
    (v3, 15, 2, "1", "2", "x_{1}^{2}y"),
    (v3, 44, 2, "1", "2", "x{}_{1}^{2}y"),
]
EMBELLISHMENTS = {
    2: r"\dot{x}",
    3: r"\ddot{x}",
    4: r"\dddot{x}",
    5: "x'",
    6: "x''",
    7: r"x^{\backprime}",
    8: r"\tilde{x}",
    9: r"\hat{x}",
    10: r"\not x",
    11: r"\vec{x}",
    12: r"\overleftarrow{x}",
    13: r"\overleftrightarrow{x}",
    14: r"\overset{\rightharpoonup}{x}",
    15: r"\overset{\leftharpoonup}{x}",
    16: r"\sout{x}",
    17: r"\overline{x}",
    18: "x'''",
    19: r"\overset{\frown}{x}",
    20: r"\breve{x}",
}
EMBELLISHMENTS_V5 = {
    21: r"\xcancel{x}",
    22: r"\cancel{x}",
    23: r"\bcancel{x}",
    24: r"\ddddot{x}",
    25: r"\underset{.}{x}",
    26: r"\underset{..}{x}",
    27: r"\underset{...}{x}",
    28: r"\underset{....}{x}",
    29: r"\underline{x}",
    30: r"\underset{\sim}{x}",
    31: r"\underset{\frown}{x}",
    32: r"\underset{\smile}{x}",
    33: r"\underrightarrow{x}",
    34: r"\underleftarrow{x}",
    35: r"\underleftrightarrow{x}",
    36: r"\underset{\rightharpoonup}{x}",
    37: r"\underset{\leftharpoonup}{x}",
}


@pytest.mark.parametrize(("selector", "variation", "slots", "latex"), TEMPLATES_V5)
def test_templates_of_version_5(selector: int, variation: int, slots: list[str], latex: str) -> None:
    assert shown(v5, v5.template(selector, variation, *map(v5.slot, slots))) == latex


@pytest.mark.parametrize(("selector", "variation", "slots", "latex"), TEMPLATES_V3)
def test_templates_of_version_3(selector: int, variation: int, slots: list[str], latex: str) -> None:
    assert shown(v3, v3.template(selector, variation, *map(v3.slot, slots))) == latex


def test_every_selector_of_the_format_is_covered() -> None:
    scripts_5, scripts_3 = {27, 28, 29}, {15, 44}
    assert {row[0] for row in TEMPLATES_V5} | scripts_5 == set(range(38))
    assert {row[0] for row in TEMPLATES_V3} | scripts_3 == set(range(49))


@pytest.mark.parametrize(("v", "selector", "variation", "sub", "sup", "latex"), SCRIPTS)
def test_scripts_hang_on_what_stands_before(
    v: V5, selector: int, variation: int, sub: str, sup: str, latex: str
) -> None:
    script = v.template(selector, variation, v.slot(sub), v.slot(sup))
    assert shown(v, v.chars("x"), script, v.chars("y")) == latex


def sub(text: str) -> bytes:
    return v5.template(27, 0, v5.slot(text), v5.null())


def sup(text: str) -> bytes:
    return v5.template(28, 0, v5.null(), v5.slot(text))


def test_scripts_on_scripts_and_on_templates() -> None:
    fraction = v5.template(11, 0, v5.slot("a"), v5.slot("b"))
    matrix = v5.template(1, 3, v5.line(v5.matrix(1, 1, [v5.slot("a")])))
    assert shown(v5, v5.chars("x"), sub("1"), sup("2")) == "x_{1}^{2}"
    assert shown(v5, v5.chars("x"), sub("1"), sub("2")) == "{x_{1}}_{2}"
    assert shown(v5, sub("1"), v5.chars("x")) == "{}_{1}x"
    assert shown(v5, fraction, sup("2")) == r"{\frac{a}{b}}^{2}"
    assert shown(v5, matrix, sup("T")) == r"\begin{pmatrix}a\end{pmatrix}^{T}"
    assert shown(v5, v5.char("x", VARIABLE, [5]), sub("1"), sup("2")) == "x'^{2}_{1}"
    primed = v5.template(28, 0, v5.null(), v5.line(v5.char("\u2032", SYMBOL)))
    assert shown(v5, v5.chars("f"), primed, v5.chars("(x)")) == "f'(x)"
    assert shown(v5, v5.chars("90"), v5.char("°", SYMBOL), v5.char("C")) == r"90^{\circ}C"


@BOTH
@pytest.mark.parametrize(("kind", "latex"), EMBELLISHMENTS.items())
def test_embellishments(v: V5, kind: int, latex: str) -> None:
    assert shown(v, v.char("x", VARIABLE, [kind])) == latex


@pytest.mark.parametrize(("kind", "latex"), EMBELLISHMENTS_V5.items())
def test_embellishments_of_version_5(kind: int, latex: str) -> None:
    assert shown(v5, v5.char("x", VARIABLE, [kind])) == latex


@BOTH
def test_embellishments_nest_and_the_line_goes_on(v: V5) -> None:
    assert shown(v, v.char("x", VARIABLE, [2, 17]), v.chars("y")) == r"\overline{\dot{x}}y"
    assert shown(v, v.char("=", SYMBOL, [10]), v.char("∈", SYMBOL, [10])) == r"\neq\notin"


def test_an_unknown_embellishment_or_template_is_named() -> None:
    equation = decode_stream(v5.equation(v5.char("x", VARIABLE, [77]), v5.template(99, 0, v5.slot("a"))))
    assert (equation.latex, equation.losses) == ("xa", ("embellishment 77", "template 99"))


@BOTH
def test_characters(v: V5) -> None:
    assert shown(v, v.char("α", LCGREEK), v.char("−", SYMBOL), v.chars("2x")) == r"\alpha-2x"
    assert shown(v, v.chars("4"), v.char("×", SYMBOL), v.chars("6")) == r"4\times 6"
    assert shown(v, v.chars("x"), v.char("≤", SYMBOL), v.chars("y")) == r"x\leq y"
    assert shown(v, v.char("A", VECTOR), v.char("α", VECTOR)) == r"\mathbf{A}\boldsymbol{\alpha}"
    assert shown(v, v.chars("{#}")) == r"\{\#\}"
    assert shown(v, v.char(0xFF1D, TEXT)) == "="
    assert shown(v, v.char(0xE98F, SYMBOL)) == r"\cdot"
    assert shown(v, v.char(0xF080 + 17, SYMBOL)) == r"\mathbb{R}"
    assert shown(v, v.char(0xF000, SYMBOL), v.char(0xF101, SYMBOL)) == r"\mathfrak{A}\mathscr{B}"
    assert shown(v, v.char("x", 22), v.char("x", 23), v.chars("y")) == "y"


@BOTH
def test_words_and_functions(v: V5) -> None:
    assert shown(v, v.chars("sin", FUNCTION), v.chars("x")) == r"\sin x"
    assert shown(v, v.chars("lnsin", FUNCTION), v.chars("x")) == r"\ln\sin x"
    assert shown(v, v.chars("rank", FUNCTION), v.chars("A")) == r"\operatorname{rank}A"
    assert shown(v, v.chars("d", FUNCTION), v.chars("x")) == "dx"
    assert shown(v, v.chars("若", TEXT), v.chars("x")) == r"\text{若}x"
    assert shown(v, v.chars("若_有", 3)) == r"\text{若}\_\text{有}"
    assert shown(v, v.chars("50% of", TEXT)) == r"\text{50\% of}"
    assert shown(v, v.chars("12", TEXT)) == "12"


def test_where_a_function_starts() -> None:
    letters = [v5.char(c, FUNCTION, start=c in "lc") for c in "lncos"]
    assert shown(v5, *letters) == r"\ln\cos"


def test_spaces_and_marks() -> None:
    thin, wide, mark = (v5.char(code, SPACE) for code in (0xEF02, 0xEF05, 0xEF00))
    assert shown(v5, thin, v5.chars("x"), thin, thin, v5.chars("y"), wide) == r"x\quad y"
    assert shown(v5, v5.chars("a"), thin, v5.chars("b"), mark) == r"a\,b"
    assert shown(v5, v5.chars("a,"), thin, thin, v5.chars("b")) == "a, b"


def test_symbol_fonts_without_unicode() -> None:
    by_place = bytes([2, 0x24, SYMBOL + 128, 0x61])
    font = b"\x11\x05MT Extra\0" + b"\x08\x01\x00"
    extra = bytes([2, 0x24, 127, 0x4B])
    wide = bytes([2, 0x30, 128 + TEXT, 0xD0, 0xC4])  # two bytes of the code page: 0xC4D0
    letters = v3.equation(v3.char("a", LCGREEK), v3.char("D", 5))
    assert (
        decode_stream(v5.head() + font + v5.line(by_place, extra, wide) + END).latex
        == r"\alpha\ldots\text{男}"
    )
    assert decode_stream(letters).latex == r"\alpha\Delta"
    old = b"\x02\x01\x01\x02\x00" + b"\x01" + bytes([2, 0x86, 0xA3]) + b"\0\0"
    assert decode_stream(old).latex == r"\leq"


def test_a_character_nothing_is_known_of_is_shown_as_a_box_and_named() -> None:
    equation = decode_stream(v5.equation(v5.chars("x"), v5.char(0xE001, SYMBOL)))
    assert (equation.latex, equation.losses) == (r"x\square", ("character U+E001",))


def test_records_that_say_only_how_it_looks_are_passed_over() -> None:
    looks = (
        b"\x13WinAllBasicCodePages\0"  # ENCODING_DEF
        b"\x11\x05Times New Roman\0"  # FONT_DEF
        b"\x08\x01\x01"  # FONT_STYLE_DEF, bold
        b"\x12\x00\x02\x21\x0a\x5f\x45\x8f\x01\x11\xff\x02\x01\x02\x00"  # EQN_PREFS
        b"\x10\x04\x00\x00\x01\x00\x02\x00red\0"  # COLOR_DEF
        b"\x0f\x01"  # COLOR
        b"\x66\x03abc"  # FUTURE
        b"\x09\x65\x10\x00\x09\x64\x01\x05\x00\x09\x01\x85"  # SIZE, three forms
        b"\x0b\x0c\x0d\x0e\x0a"
        b"\x07\x02\x00\x10\x00\x01\x20\x00"  # RULER
    )
    nudged = bytes([2, 8, 130, 128, 131]) + b"x\0"
    far = bytes([2, 8, 128, 128]) + b"\0\0\0\0" + bytes([131]) + b"y\0"
    bold = bytes([2, 0, 127]) + b"z\0"
    spaced = b"\x01\x04\x10\x00" + v5.chars("w") + END
    assert (
        decode_stream(v5.head() + looks + v5.line(nudged, far, bold, spaced) + END).latex == r"xy\mathbf{z}w"
    )
    old = b"\x08\x05\x02Arial\0" + b"\x09\x65\x10\x00" + v3.line(bytes([2, 123]) + b"x\0")
    assert decode_stream(v3.head() + old + END).latex == r"\mathbf{x}"


def cells(v: V5, text: str) -> list[bytes]:
    return [v.slot(cell) for cell in text.split()]


@BOTH
@pytest.mark.parametrize(
    ("selector", "name"), [(1, "pmatrix"), (2, "Bmatrix"), (3, "bmatrix"), (4, "vmatrix"), (5, "Vmatrix")]
)
def test_fenced_matrices(v: V5, selector: int, name: str) -> None:
    matrix = v.template(selector, 3 if v.version == 5 else 0, v.line(v.matrix(2, 2, cells(v, "1 2 3 4"))))
    assert shown(v, matrix) == rf"\begin{{{name}}}1 & 2 \\ 3 & 4\end{{{name}}}"


@BOTH
def test_matrices_with_rules_nested_and_bare(v: V5) -> None:
    assert shown(v, v.matrix(1, 2, cells(v, "1 2"))) == r"\begin{matrix}1 & 2\end{matrix}"
    ruled = v.matrix(2, 2, cells(v, "1 2 3 4"), row_parts=0b000100, col_parts=0b001000)
    assert shown(v, ruled) == r"\begin{array}{c:c}1 & 2 \\ \hline 3 & 4\end{array}"
    framed = v.matrix(1, 1, cells(v, "1"), row_parts=0b0101, col_parts=0b0101)
    assert shown(v, framed) == r"\begin{array}{|c|}\hline 1 \\ \hline \end{array}"
    rows = [v.line(v.matrix(1, 2, cells(v, pair))) for pair in ("2 3", "5 6")]
    nested = v.matrix(2, 2, [v.slot("1"), rows[0], v.slot("4"), rows[1]])
    assert shown(v, nested) == r"\begin{matrix}1 & 2 & 3 \\ 4 & 5 & 6\end{matrix}"


@BOTH
def test_augmented_matrices(v: V5) -> None:
    left, right = v.matrix(2, 2, cells(v, "1 2 3 4")), v.matrix(2, 1, cells(v, "5 6"))
    both = 3 if v.version == 5 else 0
    space = v.char(0xEF04 if v.version == 5 else 0xEB04, SPACE)
    together = r"\begin{pmatrix}1 & 2 & 5 \\ 3 & 4 & 6\end{pmatrix}"
    assert shown(v, v.template(1, both, v.line(left, space, space, right))) == together
    dots = v.pile(2, v.line(v.char("⋮", SYMBOL)), v.line(v.char("⋮", SYMBOL)))
    apart = r"\left(\begin{array}{cc|c}1 & 2 & 5 \\ 3 & 4 & 6\end{array}\right)"
    assert shown(v, v.template(1, both, v.line(left, dots, right))) == apart


@BOTH
def test_piles(v: V5) -> None:
    lines = [v.line(v.chars("x"), v.char("=", SYMBOL), v.chars(n)) for n in "12"]
    brace = 1
    assert shown(v, v.template(2, brace, v.line(v.pile(1, *lines)))) == r"\begin{cases}x=1 \\ x=2\end{cases}"
    assert shown(v, v.template(2, brace, v.pile(1, *lines))) == r"\begin{cases}x=1 \\ x=2\end{cases}"
    assert shown(v, v.pile(1, *lines)) == r"\begin{array}{l}x=1 \\ x=2\end{array}"
    assert shown(v, v.pile(2, *lines)) == r"\begin{gathered}x=1 \\ x=2\end{gathered}"
    assert shown(v, v.pile(4, *lines)) == r"\begin{aligned}x&=1 \\ x&=2\end{aligned}"
    right = v.template(2, 2, v.pile(1, *lines))
    assert shown(v, right) == r"\left.\begin{array}{l}x=1 \\ x=2\end{array}\right\}"
    assert shown(v, v.pile(1, lines[0])) == "x=1"


def test_an_equation_may_be_a_pile_at_the_top() -> None:
    pile = v5.pile(2, v5.slot("a"), v5.slot("b"))
    assert decode_stream(v5.head() + pile + END).latex == r"\begin{gathered}a \\ b\end{gathered}"


def test_limits_and_labels_of_several_lines() -> None:
    lower = v5.line(v5.chars("x"), v5.char("→", SYMBOL), v5.chars("0"))
    limit = v5.template(23, 0x10, v5.line(v5.chars("lim", FUNCTION)), lower, v5.null())
    assert shown(v5, limit, v5.chars("x")) == r"\lim_{x\to 0}x"
    steps = v5.pile(2, v5.slot("a"), v5.slot("b"))
    step = v5.template(23, 0x20, v5.line(v5.char("=", SYMBOL)), v5.null(), v5.line(steps))
    assert shown(v5, step) == r"\overset{a,b}{=}"
    arrow = v5.template(23, 0x20, v5.line(v5.char("→", SYMBOL)), v5.null(), v5.slot("r"))
    assert shown(v5, arrow) == r"\xrightarrow{r}"


def test_fences_grow_around_what_is_tall() -> None:
    fraction = v5.template(11, 0, v5.slot("a"), v5.slot("b"))
    signs = (v5.char("(", 22), v5.char(")", 22))
    assert shown(v5, v5.template(1, 3, v5.line(fraction), *signs)) == r"\left(\frac{a}{b}\right)"
    assert shown(v5, v5.template(4, 2, v5.line(fraction))) == r"\left.\frac{a}{b}\right|"
