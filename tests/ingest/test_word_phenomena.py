"""What Word shows and its XML hides: one small document for each way a paper can be written."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from wordmaker import item, level, make, numbering, par, run, table, vml_box

from ingest.readers.docx import read_docx
from ingest.readers.latex import prose_apart, tidy
from ingest.readers.worddrawing import box_reason
from schemas.document import BlockKind, Document
from schemas.errors import RefusedError
from schemas.settings import ReadSettings

DOWN = '<w:vertAlign w:val="subscript"/>'
DELETED_END = '<w:rPr><w:del w:id="1" w:author="a"/></w:rPr>'
LISTS = numbering(
    {
        0: level(0, "chineseCounting", "%1、") + level(1, "decimal", "%2.") + level(2, "lowerLetter", "(%3)"),
        1: level(0, "decimalEnclosedCircleChinese", "%1"),
    },
    {1: (0, ""), 2: (1, "")},
)


def read(path: Path, settings: ReadSettings | None = None) -> Document:
    return read_docx(path, settings or ReadSettings(), find=lambda _: None)[0]


def shown(document: Document) -> list[tuple[str, str]]:
    return [(block.number, block.text) for block in document.blocks]


def test_one_paper_written_in_every_way_at_once(tmp_path: Path) -> None:
    """Lists of three levels, typed beside automatic numbers, a box, soft breaks, a revision, a symbol, a note."""
    body = (
        item("选择题", 1)
        + item("下列正确的是", 1, 1)
        + item("甲", 1, 2)
        + item("乙", 1, 2)
        + item("2. 手写的编号也在", 1, 1)
        + par("行一")
        + par(
            '<w:r><w:t>A. 一</w:t><w:br/><w:t>B. 二</w:t></w:r><w:ins w:id="3" w:author="a">'
            + run("（新）")
            + "</w:ins>"
        )
        + par(vml_box(par("框内的一句完整的话。")) + run("框外"))
        + item("判断题", 1)
        + item("角", 1, 1).replace("</w:p>", '<w:r><w:sym w:font="Symbol" w:char="F06A"/></w:r></w:p>')
        + item("圈一", 2)
        + item("圈二", 2)
        + par(run("注释") + '<w:r><w:footnoteReference w:id="2"/></w:r>')
        + table([["对", "错"], ["3", "4"]])
    )
    notes = make(
        tmp_path / "a.docx",
        body,
        parts={
            "numbering.xml": LISTS,
            "footnotes.xml": (
                '<w:footnotes xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
                f'<w:footnote w:id="2">{par("出处")}</w:footnote></w:footnotes>'
            ),
        },
    )
    assert shown(read(notes)) == [
        ("一、", "选择题"),
        ("1.", "下列正确的是"),
        ("(a)", "甲"),
        ("(b)", "乙"),
        ("2.", "2. 手写的编号也在"),
        ("", "行一"),
        ("", "A. 一"),
        ("", "B. 二（新）"),
        ("", "框外"),
        ("", "框内的一句完整的话。"),
        ("二、", "判断题"),
        ("1.", "角φ"),
        ("①", "圈一"),
        ("②", "圈二"),
        ("", "注释[^2]"),
        ("", "| 对 | 错 |\n| --- | --- |\n| 3 | 4 |"),
        ("", "[^2]: 出处"),
    ]


def test_a_deleted_paragraph_end_joins_the_paragraphs(tmp_path: Path) -> None:
    """The joined paragraph is the second one: its number is counted once, and none for the first."""
    numbered = '<w:numPr><w:ilvl w:val="1"/><w:numId w:val="1"/></w:numPr>'
    body = (
        item("第一题", 1, 1)
        + par(run("前半，"), numbered + DELETED_END)
        + par(run("中段，"), DELETED_END)
        + par(run("后半。"), numbered)
        + item("第三题", 1, 1)
        + par(run("表前"), DELETED_END)
        + table([["a", "b"], ["c", "d"]])
    )
    document = read(make(tmp_path / "a.docx", body, parts={"numbering.xml": LISTS}))
    assert shown(document)[:4] == [
        ("1.", "第一题"),
        ("2.", "前半，中段，后半。"),
        ("3.", "第三题"),
        ("", "表前"),
    ]
    assert document.blocks[4].kind is BlockKind.TABLE


def damage(path: Path, name: str) -> Path:
    """Overwrite the packed bytes of one part."""
    with zipfile.ZipFile(path) as archive:
        entry = archive.getinfo(name)
    data = bytearray(path.read_bytes())
    start = entry.header_offset + 30 + len(entry.filename)
    data[start : start + entry.compress_size] = b"\xff" * entry.compress_size
    path.write_bytes(bytes(data))
    return path


@pytest.mark.parametrize(
    ("part", "told"),
    [
        ("word/numbering.xml", "numbering.xml"),
        ("word/styles.xml", "styles.xml"),
        ("word/media/p.png", "p.png"),
        ("word/header1.xml", "header1.xml"),
        ("word/_rels/document.xml.rels", "document.xml.rels"),
    ],
)
def test_a_damaged_part_costs_only_itself(tmp_path: Path, part: str, told: str) -> None:
    header = '<w:hdr xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:p/></w:hdr>'
    path = make(
        tmp_path / "a.docx",
        item("题", 1, 1)
        + par(run("图") + '<w:r><w:pict><v:shape><v:imagedata r:id="p"/></v:shape></w:pict></w:r>')
        + '<w:sectPr><w:headerReference r:id="h" w:type="default"/></w:sectPr>',
        parts={
            "numbering.xml": LISTS,
            "styles.xml": '<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"/>',
            "media/p.png": b"\x89PNG" + bytes(range(200)),
            "header1.xml": header,
        },
        relations={"p": ("image", "media/p.png"), "h": ("header", "header1.xml")},
    )
    document = read(damage(path, part))
    assert [block.text for block in document.blocks] == ["题", "图[图]"]
    lost = next(notice for notice in document.notices if notice.code == "part_lost")
    assert told in lost.message and lost.count == 1


def test_a_damaged_main_part_and_hostile_side_parts_refuse_the_file(tmp_path: Path) -> None:
    path = make(tmp_path / "a.docx", par("题"))
    with pytest.raises(RefusedError) as caught:
        read(damage(path, "word/document.xml"))
    assert caught.value.code == "damaged"
    bomb = '<!DOCTYPE x [<!ENTITY e "e">]><w:styles xmlns:w="w">&e;</w:styles>'
    with pytest.raises(RefusedError) as caught:
        read(make(tmp_path / "b.docx", par("题"), parts={"styles.xml": bomb}))
    assert caught.value.code == "xml_entities"


def test_lowered_text_ends_where_the_clause_does_and_may_be_a_name(tmp_path: Path) -> None:
    body = (
        par(run("速度v") + run("0，", DOWN) + run("碰后"))
        + par(run("m") + run("最大", DOWN) + run("的值"))
        + par(run("注") + run("见附录", DOWN))
    )
    texts = [block.text for block in read(make(tmp_path / "a.docx", body)).blocks]
    assert texts == ["速度$v_{0}$，碰后", r"$m_{\text{最大}}$的值", "注见附录"]


@pytest.mark.parametrize(
    ("latex", "pieces"),
    [
        (r"\omega_{0}为常量", [(r"\omega_{0}", True), ("为常量", False)]),
        (r"当 x>0时，y=1", [("当", False), ("x>0", True), ("时，", False), ("y=1", True)]),
        (r"m_{最大}", [(r"m_{最大}", True)]),
        (r"x^甲", [(r"x^甲", True)]),
        (r"\frac{长}{宽}", [(r"\frac{长}{宽}", True)]),
        (r"\begin{cases}1, & x为整数\end{cases}", [(r"\begin{cases}1, & x为整数\end{cases}", True)]),
        (r"\left( 甲 \right)", [(r"\left( 甲 \right)", True)]),
        (r"a 乙 \\ b", [(r"a 乙 \\ b", True)]),
    ],
)
def test_prose_leaves_a_formula_where_it_stands_free(latex: str, pieces: list[tuple[str, bool]]) -> None:
    assert prose_apart(latex) == pieces


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (r"A\cos{(\omega}_{1}t + \varphi)", r"A\cos(\omega_{1}t + \varphi)"),
        (r"({\frac{a}{b})}^{n}", r"(\frac{a}{b})^{n}"),
        (r"e^{ ^{x - a}}", r"e^{x - a}"),
        (r"{x = 1}", "x = 1"),
        (r"{x}_{1} = {y}", r"{x}_{1} = {y}"),
        (r"\sqrt{(a}^{2}", r"\sqrt{(a}^{2}"),
        (r"\frac{1}{(a}^{2}", r"\frac{1}{(a}^{2}"),
    ],
)
def test_braces_that_cut_a_bracket_in_two_go(given: str, wanted: str) -> None:
    assert tidy(given) == wanted


def test_struck_text_is_kept_and_told(tmp_path: Path) -> None:
    document = read(make(tmp_path / "a.docx", par(run("1. 留") + run("2. 划去", "<w:strike/>"))))
    assert [b.text for b in document.blocks] == ["1. 留2. 划去"]
    assert [(n.code, n.count) for n in document.notices] == [("struck_text", 1)]


def test_the_phis_of_the_symbol_font(tmp_path: Path) -> None:
    signs = "".join(f'<w:sym w:font="Symbol" w:char="F0{code}"/>' for code in ("66", "6A", "46"))
    assert [b.text for b in read(make(tmp_path / "a.docx", par(f"<w:r>{signs}</w:r>"))).blocks] == ["ϕφΦ"]


def test_several_pictures_of_one_line_stay_in_order(tmp_path: Path) -> None:
    def picture(key: str) -> str:
        return f'<w:r><w:pict><v:shape><v:imagedata r:id="{key}"/></v:shape></w:pict></w:r>'

    path = make(
        tmp_path / "a.docx",
        par(run("A. ") + picture("p") + run(" B. ") + picture("q") + run(" C. ") + picture("p"))
        + par("下一题"),
        parts={"media/p.png": b"one", "media/q.png": b"two"},
        relations={"p": ("image", "media/p.png"), "q": ("image", "media/q.png")},
    )
    document, assets = read_docx(path, ReadSettings(ocr="never"))
    one, two = (asset.digest for asset in assets)
    assert [(b.text, b.asset) for b in document.blocks] == [
        ("A. [图] B. [图] C. [图]", one),
        ("", two),
        ("", one),
        ("下一题", None),
    ]


@pytest.mark.parametrize(
    ("text", "grouped", "reason"),
    [
        ("Quantity (market)", True, "figure_label"),
        ("Marginal Cost", True, "figure_label"),
        ("Marginal Cost", False, ""),
        ("The marginal cost of the firm exceeds its average cost.", True, ""),
        ("题目：下列说法正确的是哪一项", True, ""),
    ],
)
def test_labels_in_words_of_a_latin_script(text: str, grouped: bool, reason: str) -> None:
    assert box_reason(text, grouped=grouped) == reason


def anchored(top: float) -> str:
    """A group of two shapes with a label, placed top points below the start of its paragraph."""
    shapes = '<v:oval style="width:60;height:60"/><v:rect style="left:70;width:30;height:30"/>'
    label = f"<v:shape><v:textbox><w:txbxContent>{par('O')}</w:txbxContent></v:textbox></v:shape>"
    place = f"position:absolute;margin-left:200pt;margin-top:{top}pt;width:100pt;height:60pt"
    return f'<w:r><w:pict><v:group style="{place}">{shapes}{label}</v:group></w:pict></w:r>'


@pytest.mark.parametrize(
    ("top", "after"),
    [
        (-20, "1. 甲"),
        (0, "1. 甲"),
        (10, "1. 甲"),  # in its line
        (14, "2. 乙"),  # at the end of its line, so beside the next
        (30, "3. 丙"),
        (5000, "3. 丙"),  # on the next page: what follows is a table
    ],
)
def test_a_figure_stands_after_the_paragraph_it_is_placed_beside(
    tmp_path: Path, top: float, after: str
) -> None:
    """Lines are 15.6 points apart, the second paragraph has one."""
    grid = '<w:sectPr><w:docGrid w:type="lines" w:linePitch="312"/></w:sectPr>'
    body = (
        par(anchored(top) + run("1. 甲"))
        + par("2. 乙")
        + par("3. 丙")
        + table([["a", "b"], ["1", "2"]])
        + grid
    )
    blocks = read(make(tmp_path / "a.docx", body)).blocks
    place = next(i for i, block in enumerate(blocks) if block.kind is BlockKind.FIGURE)
    assert blocks[place - 1].text == after
    assert blocks[place + 1].reason == "figure_label", "its label goes with it"
    assert len(blocks) == 6


def test_lines_set_wide_and_paragraphs_of_several_lines_are_taller(tmp_path: Path) -> None:
    wide = '<w:spacing w:line="480" w:lineRule="auto"/>'
    long = "长" * 60  # two lines of 39.5 characters of 10.5 points
    for text, properties, top in (
        ("1. 甲", wide, 20),
        (long, "", 18),
        ("1.", '<w:spacing w:before="400"/>', 20),
    ):
        body = par(anchored(top) + run(text), properties) + par("2. 乙")
        blocks = read(make(tmp_path / "a.docx", body)).blocks
        assert [b.kind for b in blocks[:2]] == [BlockKind.TEXT, BlockKind.FIGURE]


def test_what_is_written_into_a_blank_in_a_colour_of_its_own(tmp_path: Path) -> None:
    red, line = '<w:color w:val="FF0000"/>', '<w:u w:val="single"/>'
    down = red + line + DOWN
    body = (
        par(run("价格为") + run("P", red + line) + run("1", down) + run("+c", red + line) + run("。"))
        + par(run("全行是答案", red + line))
        + par(run("下列") + run("不正确", line) + run("的"))
        + par(run("注意") + run("红字", red) + run("与黑字"))
        + par(run("是") + run("  ", line) + run("C", red + line) + run("  ", line) + run("项"))
    )
    assert [b.text for b in read(make(tmp_path / "a.docx", body)).blocks] == [
        "价格为<u>$P_{1}$+c</u>。",
        "全行是答案",
        "下列不正确的",
        "注意红字与黑字",
        "是<u>C</u>项",
    ]


@pytest.mark.parametrize("number", ["nan", "-inf", "1e309", "²", "1.2.3", "9" * 5_000, "", "-7"])
def test_numbers_that_are_none_cost_no_file(number: str, tmp_path: Path) -> None:
    look = f'<w:sz w:val="{number}"/>'
    place = (
        f'<w:ind w:left="{number}" w:hanging="{number}"/><w:spacing w:line="{number}" w:before="{number}"/>'
    )
    shape = f'<v:shape style="position:absolute;margin-left:{number}pt;margin-top:1.2.3pt;width:{number}pt;height:5pt"/>'
    page = (
        f'<w:sectPr><w:pgSz w:w="{number}" w:h="{number}"/><w:pgMar w:left="{number}" w:right="{number}"/>'
        f'<w:cols w:num="{number}" w:space="{number}"/><w:docGrid w:type="lines" w:linePitch="{number}"/></w:sectPr>'
    )
    body = (
        par(run("1. 简述光合作用", look), place)
        + par(run("题干") + f"<w:r><w:pict>{shape}</w:pict></w:r>")
        + par(f'<w:r><w:sym w:font="Symbol" w:char="{number}"/></w:r>' + run("2. 试论"))
        + f'<w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan w:val="{number}"/></w:tcPr>{par(run("格"))}</w:tc></w:tr></w:tbl>'
        + page
    )
    said = " ".join(block.text for block in read(make(tmp_path / "a.docx", body)).blocks)
    assert "简述光合作用" in said
    assert "题干" in said
    assert "格" in said
