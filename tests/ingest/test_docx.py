"""The .docx reader: order, formulas, tables, boxes, pictures, revisions, blanks, hostile files."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw, ImageFont
from wordmaker import NAMESPACES, make, par, run, table, vml_box

from ingest.readers.docx import read_docx
from ingest.readers.eqfield import eq_field
from ingest.readers.wordscripts import with_script
from schemas.document import Block, BlockKind, Document, Origin
from schemas.errors import RefusedError
from schemas.settings import ReadSettings

FRACTION = "<m:oMath><m:f><m:num><m:r><m:t>a</m:t></m:r></m:num><m:den><m:r><m:t>b</m:t></m:r></m:den></m:f></m:oMath>"
ROOT = "<m:oMath><m:rad><m:radPr><m:degHide m:val='1'/></m:radPr><m:deg/><m:e><m:r><m:t>x</m:t></m:r></m:e></m:rad></m:oMath>"


def read(path: Path, **settings: object) -> Document:
    return read_docx(path, ReadSettings(**settings), find=lambda _: None)[0]


def blocks(path: Path) -> tuple[Block, ...]:
    return read(path).blocks


def texts(path: Path) -> list[str]:
    return [block.text for block in blocks(path)]


def picture(width: int = 40, height: int = 40) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (width, height), "white").save(buffer, "PNG")
    return buffer.getvalue()


def drawing(rid: str = "p1", kind: str = "inline") -> str:
    return f'<w:r><w:drawing><wp:{kind}><a:graphic><a:blip r:embed="{rid}"/></a:graphic></wp:{kind}></w:drawing></w:r>'


def test_body_in_true_order(tmp_path: Path) -> None:
    body = (
        par("一")
        + table([["项", "值"], ["a|b", "2"]])
        + f"<w:sdt><w:sdtContent>{par('控件')}</w:sdtContent></w:sdt>"
        + par(run("二") + "<w:r><w:tab/><w:t>三</w:t><w:br/><w:t>四</w:t></w:r>")
    )
    found = blocks(make(tmp_path / "a.docx", body))
    assert [b.text for b in found] == [
        "一",
        "| 项 | 值 |\n| --- | --- |\n| a\\|b | 2 |",
        "控件",
        "二\t三",
        "四",
    ]
    assert found[1].kind is BlockKind.TABLE
    assert {b.origin for b in found} == {Origin.WORD} and {b.box for b in found} == {None}


def test_final_state_of_tracked_changes(tmp_path: Path) -> None:
    body = par(
        run("设")
        + f"<w:ins>{run('新')}</w:ins><w:del><w:r><w:delText>旧</w:delText></w:r></w:del>"
        + f"<w:hyperlink r:id='x'>{run('链')}</w:hyperlink>"
        + f"<w:moveFrom>{run('走')}</w:moveFrom><w:moveTo>{run('来')}</w:moveTo>"
    )
    document = read(make(tmp_path / "a.docx", body))
    assert [b.text for b in document.blocks] == ["设新链来"]
    assert [n.code for n in document.notices] == ["deleted_text"]


def test_equations_stand_in_their_place(tmp_path: Path) -> None:
    body = (
        par(run("求") + FRACTION + run("与") + ROOT + ROOT + run("。"))
        + f"<m:oMathPara>{FRACTION}</m:oMathPara>"
    )
    assert texts(make(tmp_path / "a.docx", body)) == [
        r"求$\frac{a}{b}$与$\sqrt{x}$ $\sqrt{x}$。",
        r"$\frac{a}{b}$",
    ]


def test_a_lost_equation_loses_only_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ingest.readers import omml

    whole = omml._pandoc

    def broken(equations: list[object]) -> dict[int, str]:
        if any("bad" in "".join(e.itertext()) for e in equations):  # type: ignore[attr-defined]
            raise ValueError("cannot convert")
        return whole(equations)

    monkeypatch.setattr(omml, "_pandoc", broken)
    bad = "<m:oMath><m:r><m:t>bad</m:t></m:r></m:oMath>"
    document = read(make(tmp_path / "a.docx", par(FRACTION + bad + ROOT)))
    assert document.blocks[0].text == r"$\frac{a}{b}$[公式]$\sqrt{x}$"
    assert [(n.code, n.count) for n in document.notices] == [("equation_lost", 1)]


def test_raised_characters_become_formulas_only_when_short(tmp_path: Path) -> None:
    up, down = '<w:vertAlign w:val="superscript"/>', '<w:vertAlign w:val="subscript"/>'
    body = (
        par(run("y=x") + run("2", up) + run("+b"))
        + par(run("ω") + run("1max", down) + run("2", up))
        + par(run("注") + run("见附录", up))
    )
    assert texts(make(tmp_path / "a.docx", body)) == ["y=$x^{2}$+b", r"$\omega_{1max}^{2}$", "注见附录"]


def test_scripts_side_by_side_are_one_formula(tmp_path: Path) -> None:
    up, down = '<w:vertAlign w:val="superscript"/>', '<w:vertAlign w:val="subscript"/>'
    methyl = run("(CH") + run("3", down) + run(")") + run("2", down)
    body = (
        par(run("化合物") + methyl + run("CHCH") + run("2", down) + run("CH") + run("3", down) + run("命名"))
        + par(run("x") + run("1", down) + run("2", up) + run("与a") + run("2", up) + run("b") + run("2", up))
        + par(run("用[Fe(CN)") + run("6", down) + run("]") + run("3-", up) + run("，见图(甲)") + run("1", up))
    )
    assert texts(make(tmp_path / "a.docx", body)) == [
        "化合物$(CH_{3})_{2}CHCH_{2}CH_{3}$命名",
        "$x_{1}^{2}$与$a^{2}b^{2}$",
        "用$[Fe(CN)_{6}]^{3-}$，见图(甲)$^{1}$",
    ]


RUNS = st.lists(
    st.tuples(st.sampled_from("^_ "), st.text("xCα2()[] 的,", min_size=1, max_size=6)), max_size=9
)


@given(RUNS)
def test_scripts_never_open_a_display(runs: list[tuple[str, str]]) -> None:
    text = ""
    for sign, words in runs:
        text = with_script(text, words, sign) if sign != " " else text + words
    assert "$$" not in text
    assert text.count("$") % 2 == 0


def test_blanks_empty_and_filled(tmp_path: Path) -> None:
    line = '<w:u w:val="single"/>'
    body = (
        par(run("首都是") + run("     ", line) + run("。"))
        + par(run("是") + run("  ", line) + run("C", line) + run("  ", line) + run("管理者"))
        + par(run("下列") + run("不正确", line) + run("的是"))
    )
    assert texts(make(tmp_path / "a.docx", body)) == ["首都是____。", "是<u>C</u>管理者", "下列不正确的是"]


def test_symbol_fonts_hidden_text_and_fields(tmp_path: Path) -> None:
    body = (
        par('<w:r><w:sym w:font="Symbol" w:char="F061"/><w:sym w:font="Wingdings" w:char="F0FC"/></w:r>')
        + par(run("A") + run("答案", "<w:vanish/>"))
        + par(
            '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText>PAGE</w:instrText></w:r>'
            f'<w:r><w:fldChar w:fldCharType="separate"/></w:r>{run("3")}<w:r><w:fldChar w:fldCharType="end"/></w:r>'
        )
        + par(
            '<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> eq \\o\\ac(○,</w:instrText></w:r>'
            f'{run("2")}<w:r><w:instrText>)</w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>'
        )
    )
    document = read(make(tmp_path / "a.docx", body))
    assert [b.text for b in document.blocks] == ["α✓", "A", "3", "②"]
    assert [n.code for n in document.notices] == ["hidden_text"]


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        (r"\f(1,2)", r"$\frac{1}{2}$"),
        (r"\r(3,x)", r"$\sqrt[3]{x}$"),
        (r"x\s\up5(2)", "$x^{2}$"),
        (r"\o\ac(○,12)", "⑫"),
        (r"\o(\s\up5(→),AB)", None),
        (r"\f(1", None),
        (r"\zz(1)", None),
        ("(" * 500, None),
    ],
)
def test_eq_fields(code: str, shown: str | None) -> None:
    found = eq_field(code)
    assert found == shown or (shown is None and (found is None or "overrightarrow" in found))


def test_a_box_is_read_once_and_labels_are_no_text(tmp_path: Path) -> None:
    shape = "<wps:wsp><wps:txbx><w:txbxContent>{}</w:txbxContent></wps:txbx></wps:wsp>"
    both = (
        "<w:r><mc:AlternateContent><mc:Choice Requires='wps'><w:drawing><wp:anchor>"
        + shape.format(par("材料：阅读下面的文字"))
        + "</wp:anchor></w:drawing></mc:Choice><mc:Fallback><w:pict><v:shape><v:textbox><w:txbxContent>"
        + par("材料：阅读下面的文字")
        + "</w:txbxContent></v:textbox></v:shape></w:pict></mc:Fallback></mc:AlternateContent></w:r>"
    )
    group = (
        "<w:r><w:drawing><wp:anchor><wpg:wgp>"
        + "".join(shape.format(par(t)) for t in ("A", "45°", FRACTION))
        + "<wps:wsp/></wpg:wgp></wp:anchor></w:drawing></w:r>"
    )
    seal = vml_box(par("装…………订…………线"), par("姓名：________ 学号：________"))
    body = par(run("1. 题目") + both) + par(run("2. 小球") + group) + par(run("3. 题") + seal)
    found = blocks(make(tmp_path / "a.docx", body))
    assert [(b.kind.value, b.reason, b.text) for b in found] == [
        ("text", "", "1. 题目"),
        ("text", "", "材料：阅读下面的文字"),
        ("text", "", "2. 小球"),
        ("figure", "", "[图]"),
        ("furniture", "figure_label", "A"),
        ("furniture", "figure_label", "45°"),
        ("furniture", "figure_label", r"$\frac{a}{b}$"),
        ("text", "", "3. 题"),
        ("furniture", "seal", "装…………订…………线 姓名：________ 学号：________"),
    ]


def test_score_boxes_layout_tables_and_answer_tables(tmp_path: Path) -> None:
    body = (
        table([["题号", "一", "二", "总分"], ["得分", "", "", ""]])
        + table([["得分", "评卷人", "一、选择题（每小题2分，共20分）"]])
        + table([[par("1. 这一格里排的是一道完整的题目，而不是数据。") + par("A. 甲") + par("B. 乙")]])
        + table([["A. 甲", "B. 乙"], ["C. 丙", "D. 丁"]])
        + table([["题号", "1", "2"], ["答案", "A", "B"]])
        + table([["姓名", "", "学号", ""]])
    )
    found = blocks(make(tmp_path / "a.docx", body))
    assert [(b.kind.value, b.reason) for b in found] == [
        ("furniture", "score_box"),
        ("furniture", "score_box"),
        ("furniture", "score_box"),
        ("text", ""),
        *[("text", "")] * 3,
        *[("text", "")] * 4,
        ("table", ""),
        ("furniture", "student_fields"),
    ]
    assert [b.text for b in found[7:11]] == ["A. 甲", "B. 乙", "C. 丙", "D. 丁"]


def test_a_number_in_a_cell_of_its_own_joins_its_question(tmp_path: Path) -> None:
    long = "论述题干。" * 40
    found = texts(make(tmp_path / "a.docx", table([["1", long], ["（2）", "短题"]])))
    assert found == [f"1. {long}", "（2） 短题"]


def test_lines_to_write_on_are_no_figure(tmp_path: Path) -> None:
    line = '<wps:wsp><wps:cNvCnPr/><wps:spPr><a:prstGeom prst="line"/></wps:spPr></wps:wsp>'
    drawn = f"<w:r><w:drawing><wp:anchor>{line}</wp:anchor></w:drawing></w:r>" * 4
    assert texts(make(tmp_path / "a.docx", par(run("1. 答：") + drawn))) == ["1. 答："]


def test_merged_cells_keep_columns_aligned(tmp_path: Path) -> None:
    wide = f"<w:tc><w:tcPr><w:gridSpan w:val='2'/></w:tcPr>{par('成本')}</w:tc>"
    down = "<w:tc><w:tcPr><w:vMerge/></w:tcPr><w:p/></w:tc>"
    top = f"<w:tc><w:tcPr><w:vMerge w:val='restart'/></w:tcPr>{par('甲')}</w:tc>"
    cell = "<w:tc>" + par("1") + "</w:tc>"
    body = f"<w:tbl><w:tr>{top}{wide}</w:tr><w:tr>{down}{cell}{cell}</w:tr></w:tbl>"
    assert texts(make(tmp_path / "a.docx", body)) == ["| 甲 | 成本 |  |\n| --- | --- | --- |\n|  | 1 | 1 |"]


def test_pictures_in_line_alone_and_in_tables(tmp_path: Path) -> None:
    body = (
        par(run("结构为") + drawing() + run("的链表"))
        + par(drawing())
        + par(run("如图") + drawing(kind="anchor"))
        + table([["A", par(drawing())], ["B", "无"]])
        + par(drawing("gone"))
    )
    path = make(
        tmp_path / "a.docx",
        body,
        parts={"media/p.png": picture()},
        relations={"p1": ("image", "media/p.png"), "gone": ("image", "http://example.invalid/p.png")},
    )
    document, assets = read_docx(path, ReadSettings())
    assert len(assets) == 1 and assets[0].media_type == "image/png"
    name = assets[0].digest
    assert [(b.kind.value, b.text, b.asset) for b in document.blocks] == [
        ("text", "结构为[图]的链表", name),
        ("figure", "[图]", name),
        ("text", "如图", None),
        ("figure", "[图]", name),
        ("table", "| A | [图] |\n| --- | --- |\n| B | 无 |", None),
        ("figure", "", name),
        ("figure", "[图]", None),
    ]
    assert [n.code for n in document.notices] == ["picture_missing"]


def test_unreadable_equations_are_marked_and_their_preview_kept(tmp_path: Path) -> None:
    def embedded(rid: str, program: str) -> str:
        return (
            '<w:r><w:object><v:shape><v:imagedata r:id="w1"/></v:shape>'
            f'<o:OLEObject ProgID="{program}" r:id="{rid}"/></w:object></w:r>'
        )

    unnamed = "Equation Native".encode("utf-16-le")
    path = make(
        tmp_path / "a.docx",
        par(run("设") + embedded("o1", "Equation.DSMT4") + run("，") + embedded("o2", "")),
        parts={"media/w.wmf": b"\xd7\xcd\xc6\x9a", "embeddings/1.bin": b"x", "embeddings/2.bin": unnamed},
        relations={
            "w1": ("image", "media/w.wmf"),
            "o1": ("oleObject", "embeddings/1.bin"),
            "o2": ("oleObject", "embeddings/2.bin"),
        },
    )
    document, assets = read_docx(path, ReadSettings(), find=lambda _: None)
    assert [b.text for b in document.blocks] == ["设[公式]，[公式]", ""]
    assert [(n.code, n.count) for n in document.notices] == [("equation_lost", 2), ("metafile", 1)]
    assert [a.media_type for a in assets] == ["image/wmf"]
    assert {b.asset for b in document.blocks} == {assets[0].digest}


def test_headers_footers_and_notes(tmp_path: Path) -> None:
    section = '<w:sectPr><w:headerReference r:id="h"/><w:footerReference r:id="f"/></w:sectPr>'
    body = par(run("正文") + '<w:r><w:footnoteReference w:id="2"/></w:r>') + section
    notes = f'<w:footnotes {NAMESPACES}><w:footnote w:type="separator" w:id="0">{par("-")}</w:footnote>'
    parts = {
        "h.xml": f"<w:hdr {NAMESPACES}>{par('学年试卷')}</w:hdr>",
        "f.xml": f"<w:ftr {NAMESPACES}>{par('第1页')}</w:ftr>",
        "footnotes.xml": notes + f'<w:footnote w:id="2">{par("出处")}</w:footnote></w:footnotes>',
    }
    path = make(
        tmp_path / "a.docx", body, parts=parts, relations={"h": ("header", "h.xml"), "f": ("footer", "f.xml")}
    )
    assert [(b.reason, b.text) for b in blocks(path)] == [
        ("header", "学年试卷"),
        ("", "正文[^2]"),
        ("", "[^2]: 出处"),
        ("footer", "第1页"),
    ]


def test_looks_come_through_styles(tmp_path: Path) -> None:
    styles = (
        f'<w:styles {NAMESPACES}><w:docDefaults><w:rPrDefault><w:rPr><w:sz w:val="21"/></w:rPr></w:rPrDefault>'
        '</w:docDefaults><w:style w:type="paragraph" w:styleId="H"><w:pPr><w:ind w:left="420"/></w:pPr>'
        "<w:rPr><w:b/></w:rPr></w:style></w:styles>"
    )
    body = par(run("一", '<w:color w:val="FF0000"/>'), '<w:pStyle w:val="H"/>') + par(
        run("二", '<w:b w:val="0"/>')
    )
    one, two = blocks(make(tmp_path / "a.docx", body, parts={"styles.xml": styles}))
    assert (one.bold, one.size, one.indent, one.colour) == (True, 10.5, 21.0, "#ff0000")
    assert (two.bold, two.size, two.colour) == (False, 10.5, None)


def test_a_document_that_is_a_picture_goes_to_ocr(tmp_path: Path) -> None:
    page = Image.new("RGB", (900, 600), "white")
    font = ImageFont.load_default(48)
    ImageDraw.Draw(page).text((60, 120), "1. Define entropy.", fill="black", font=font)
    buffer = io.BytesIO()
    page.save(buffer, "PNG")
    path = make(
        tmp_path / "a.docx",
        par(drawing()),
        parts={"media/p.png": buffer.getvalue()},
        relations={"p1": ("image", "media/p.png")},
    )
    assert [b.text for b in read(path, ocr="never").blocks] == ["[图]"]
    document = read(path)
    assert [page.method for page in document.pages] == [Origin.OCR]
    assert "entropy" in " ".join(b.text for b in document.blocks)


def test_strict_documents_are_read(tmp_path: Path) -> None:
    strict = "http://purl.oclc.org/ooxml/wordprocessingml/main"
    document = f'<w:document xmlns:w="{strict}"><w:body>{par("严格")}</w:body></w:document>'
    assert texts(make(tmp_path / "a.docx", "", document=document)) == ["严格"]


def refusal(path: Path, **settings: object) -> str:
    with pytest.raises(RefusedError) as caught:
        read(path, **settings)
    assert caught.value.remedy
    return caught.value.code


def test_hostile_and_damaged_files_are_refused(tmp_path: Path) -> None:
    empty = tmp_path / "empty.docx"
    empty.touch()
    assert refusal(empty) == "empty"

    good = make(tmp_path / "good.docx", par("题目" * 2000))
    cut = tmp_path / "cut.docx"
    cut.write_bytes(good.read_bytes()[:-60])
    assert refusal(cut) == "damaged"
    assert refusal(good, max_chars=100) == "max_chars"

    bomb = make(tmp_path / "bomb.docx", par("a"), parts={"media/x.bin": b"\0" * 5_000_000})
    assert refusal(bomb) == "max_zip_ratio"

    entity = '<!DOCTYPE d [<!ENTITY x SYSTEM "file:///etc/hostname">]>'
    body = f"{entity}<w:document {NAMESPACES}><w:body>{par(run('&x;'))}</w:body></w:document>"
    assert refusal(make(tmp_path / "entity.docx", "", document=body)) == "xml_entities"

    assert refusal(make(tmp_path / "broken.docx", "", document="<w:document>")) == "damaged"
    other = tmp_path / "other.docx"
    with zipfile.ZipFile(other, "w") as archive:
        archive.writestr("readme.txt", "no Word here")
    assert refusal(other) == "not_word"

    deep = make(tmp_path / "deep.docx", "<w:sdt><w:sdtContent>" * 5000 + "</w:sdtContent></w:sdt>" * 5000)
    assert refusal(deep) == "xml_depth"


def test_deep_nesting_that_the_parser_allows_is_read(tmp_path: Path) -> None:
    content = par("底")
    for _ in range(30):
        content = f"<w:sdt><w:sdtContent>{table([[content]])}</w:sdtContent></w:sdt>"
    assert texts(make(tmp_path / "a.docx", content))[-1] == "底"


def test_paths_in_the_archive_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret.png").write_bytes(picture())
    path = make(tmp_path / "a.docx", par(drawing()), relations={"p1": ("image", "../../secret.png")})
    document, assets = read_docx(path, ReadSettings())
    assert assets == () and [n.code for n in document.notices] == ["picture_missing"]
