"""Pages for looking: what a document holds is shown where it stands, and nothing of it becomes HTML."""

from __future__ import annotations

import base64
import hashlib
import html
import io
import json
import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

import docx
import docx.shared
import pymupdf
import pytest
from flowkit import exambank, write_docx, write_pdf
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from flows.outcome import FileOutcome
from flows.view.document import document_page
from flows.view.drafts import drafts_page, index_page
from flows.view.ink import hue
from flows.view.rich import rich
from flows.view.words import zh
from ingest.pictures import Pictures
from schemas.document import Block, BlockKind, Document, Origin
from schemas.document import Page as Leaf
from schemas.question import Draft, Extraction

HOSTILE = "<script>alert(1)</script><img src=x>"
PAPER = [
    "管理学试卷",
    "一、简答题（每题10分，共20分）",
    "1. 简述计划工作的程序。",
    f"2. 说明 {HOSTILE} 的含义。",
    "参考答案",
    "一、简答题",
    "1. 估量机会、确定目标、拟定方案。",
    "2. 一段脚本。",
]
ALLOWED = {
    "html",
    "head",
    "meta",
    "title",
    "style",
    "body",
    "header",
    "h1",
    "h2",
    "h3",
    "p",
    "code",
    "ul",
    "li",
}
ALLOWED |= {"a", "nav", "span", "label", "input", "main", "section", "div", "img", "svg", "g", "rect", "text"}
ALLOWED |= {
    "polyline",
    "ol",
    "table",
    "thead",
    "tbody",
    "tr",
    "td",
    "th",
    "script",
    "article",
    "footer",
    "b",
    "u",
}
ALLOWED |= {"details", "summary"}


class Page(HTMLParser):
    """What a browser would make of a page: its tags, boxes and pictures."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def all(self, tag: str, name: str = "") -> list[dict[str, str | None]]:
        """Attributes of every such tag that has the class name."""
        return [a for t, a in self.tags if t == tag and (not name or name in (a.get("class") or "").split())]

    def policy(self) -> str:
        return next(a["content"] or "" for a in self.all("meta") if a.get("http-equiv"))

    def check(self) -> None:
        """Nothing runs or is fetched but our own script, whose hash the policy names."""
        assert {tag for tag, _ in self.tags} <= ALLOWED
        for _, attributes in self.tags:
            assert not [name for name in attributes if name.startswith("on") or name == "style"]
            for name in ("href", "src"):
                assert re.match(r"#|data:image/|[\w.%-]+\.html$", attributes.get(name) or "#"), attributes
        scripts = re.findall(r"<script>(.*?)</script>", self.text, re.DOTALL)
        assert len(scripts) == 1
        digest = base64.b64encode(hashlib.sha256(scripts[0].encode()).digest()).decode()
        assert "default-src 'none'" in self.policy()
        assert f"script-src 'sha256-{digest}'" in self.policy()


def page(path: Path) -> Page:
    made = Page(path.read_text(encoding="utf-8"))
    made.check()
    return made


@pytest.fixture(scope="module")
def paper(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("view") / "管理学.pdf"
    write_pdf(path, PAPER)
    return path


class TestRead:
    def test_every_box_lies_on_the_page_where_its_text_is(self, paper: Path, tmp_path: Path) -> None:
        done = exambank("read", paper, "--html", tmp_path / "r.html", "--json", tmp_path / "r.json")
        assert done.returncode == 0, done.stderr
        blocks = json.loads((tmp_path / "r.json").read_text())["pages"][0]["blocks"]
        made = page(tmp_path / "r.html")
        assert len(made.all("a", "box")) == len(blocks) == len(made.all("li", "block"))
        [view] = [a["viewbox"] or "" for a in made.all("svg")]
        _, _, width, height = (float(value) for value in view.split())
        with pymupdf.open(paper) as pdf:
            assert (width, height) == (pdf[0].rect.width, pdf[0].rect.height)
        [shown] = [a["src"] or "" for a in made.all("img")]
        picture = Image.open(io.BytesIO(base64.b64decode(shown.partition(",")[2]))).convert("L")
        scale = picture.width / width
        assert abs(picture.height / height - scale) < 0.01
        for rect in made.all("rect"):
            x, y, w, h = (float(rect[name] or 0) for name in ("x", "y", "width", "height"))
            assert 0 <= x <= x + w <= width
            assert 0 <= y <= y + h <= height
            cut = picture.crop(tuple(round(value * scale) for value in (x, y, x + w, y + h)))
            assert cut.getextrema()[0] < 100, "no ink in the box"

    def test_text_of_the_file_stays_text(self, paper: Path, tmp_path: Path) -> None:
        exambank("read", paper, "--html", tmp_path / "r.html")
        made = page(tmp_path / "r.html")
        assert "<img src=x" not in made.text
        assert HOSTILE in html.unescape(made.text)

    def test_word_shows_numbers_formulas_tables_figures_and_what_was_put_aside(self, tmp_path: Path) -> None:
        document = docx.Document()
        document.sections[0].header.paragraphs[0].text = "某大学教务处"
        document.add_paragraph("一、计算题")
        asked = document.add_paragraph("1. 已知下表，求平均数。")
        asked.add_run("3.5").font.color.rgb = docx.shared.RGBColor(0xFF, 0, 0)
        table = document.add_table(2, 2)
        for cell, text in zip(table._cells, ("<b>甲</b>", "乙", "3", "4"), strict=True):
            cell.text = text
        picture = io.BytesIO()
        Image.new("RGB", (90, 60), "red").save(picture, "PNG")
        document.add_picture(picture)
        document.save(str(tmp_path / "统计.docx"))
        exambank("read", tmp_path / "统计.docx", "--html", tmp_path / "r.html")
        made = page(tmp_path / "r.html")
        assert len(made.all("td")) == 4
        assert not made.all("svg")
        assert [a["src"][:15] for a in made.all("img", "figure") if a["src"]] == ["data:image/png;"]
        assert made.all("li", "aside")
        assert ">header<" in made.text
        assert '<span class="ink red">3.5</span>' in made.text
        assert not {a.get("id") for a in made.all("input")} & {"t-boxes", "t-order", "t-large"}
        leaves = [a for a in made.all("img") if not a.get("class")]
        assert len(leaves) == (1 if shutil.which("soffice") or shutil.which("libreoffice") else 0)

    def test_without_a_page_the_text_is_printed_in_order(self, paper: Path) -> None:
        done = exambank("read", paper)
        places = [done.stdout.index(line.split()[0]) for line in PAPER[:3]]
        assert places == sorted(places)
        assert json.loads(exambank("read", paper, "--json", "-").stdout)["source"] == "管理学.pdf"

    def test_a_refusal_writes_nothing(self, tmp_path: Path) -> None:
        (tmp_path / "坏.pdf").write_bytes(b"%PDF-1.4\ngarbage")
        done = exambank("read", tmp_path / "坏.pdf", "--html", tmp_path / "r.html")
        assert done.returncode == 1
        assert "→" in done.stderr
        assert not (tmp_path / "r.html").exists()
        assert exambank("read", tmp_path / "keine.pdf").returncode == 2


class TestExtract:
    def test_every_draft_is_boxed_and_told(self, paper: Path, tmp_path: Path) -> None:
        done = exambank("extract", paper, "--out", tmp_path / "q.jsonl", "--html", tmp_path / "x.html")
        assert done.returncode == 0, done.stderr
        rows = [json.loads(line) for line in (tmp_path / "q.jsonl").read_text().splitlines()]
        made = page(tmp_path / "x.html")
        cards = made.all("article", "draft")
        assert len(cards) == len(rows) == 2
        boxed = {a["data-b"] for a in made.all("a", "question")}
        assert boxed == {card["data-b"] for card in cards}
        assert made.all("a", "answer")
        for row in rows:
            assert html.escape(row["answer"]) in made.text
            assert row["evidence"].keys() <= set(re.findall(r"\w+", made.text))
        assert "<img src=x" not in made.text

    def test_a_folder_gets_an_overview_with_every_file(self, paper: Path, tmp_path: Path) -> None:
        folder = tmp_path / "in"
        folder.mkdir()
        (folder / paper.name).write_bytes(paper.read_bytes())
        write_docx(folder / "数据结构<b>.docx", "数据结构")
        (folder / "坏.pdf").write_bytes(b"%PDF-1.4\ngarbage")
        out = tmp_path / "pages"
        done = exambank("extract", folder, "--out", tmp_path / "q.jsonl", "--html", out, "--quiet")
        assert done.returncode == 3, done.stderr
        overview = page(out / "index.html")
        linked = {a["href"] or "" for a in overview.all("a")}
        assert linked == {path.name for path in out.iterdir()} - {"index.html"}
        assert len(linked) == 2
        assert "坏.pdf" in overview.text
        assert "数据结构<b>" not in overview.text
        for name in linked:
            assert page(out / name).all("article", "draft")
        again = exambank("extract", folder, "--out", tmp_path / "q.jsonl", "--html", tmp_path / "one.html")
        assert again.returncode == 2
        assert "one_page" in again.stderr


def test_labels_of_a_figure_stand_in_one_row_and_colours_and_indents_are_shown(tmp_path: Path) -> None:
    label = {"kind": BlockKind.FURNITURE, "reason": "figure_label", "origin": Origin.WORD}
    blocks = (
        Block(text="for (;;)", origin=Origin.WORD, indent=42.0),
        Block(text="[图]", kind=BlockKind.FIGURE, origin=Origin.WORD),
        *(Block(text=text, **label) for text in "ABC"),
        Block(text="答案", origin=Origin.WORD, colour="#0000ff"),
        Block(text="D", **label),
    )
    paged = (Leaf(number=1, method=Origin.WORD, blocks=blocks),)
    read = Document(source="a.docx", sha256="0" * 64, format="docx", pages=paged)
    made = Page(document_page(read, Pictures(), tmp_path).decode())
    made.check()
    assert len(made.all("li", "block")) == len(blocks)
    assert len(made.all("li", "labels")) == 2
    assert [a["class"] for a in made.all("div", "body")][::5] == ["body in4", "body ink blue"]
    assert "图中文字" in made.text


@pytest.mark.parametrize(
    ("colour", "name"),
    [("#ff0000", "red"), ("#C00000", "red"), ("#0070c0", "blue"), ("#00b050", "green"), ("#808080", "grey")],
)
def test_hues_are_named(colour: str, name: str) -> None:
    assert hue(colour) == name


def test_colours_stand_where_they_are_in_the_text() -> None:
    shown = str(
        rich(
            "甲 $x_{1}$ 乙\n丙<u>丁</u>",
            [("乙", "#ff0000"), ("丁", "#0000ff"), ("戊", "#ff0000"), ("丁", "?")],
        )
    )
    assert '<span class="ink red">乙</span>\n丙<u class="ink blue">丁</u>' in shown
    coloured = str(rich("求 $y$ 值", [("$y$", "#00b050")]))
    assert '<code class="tex ink green">y</code>' in coloured


@given(
    st.text(st.sampled_from("<>&$_ \n|u/ab图"), max_size=30),
    st.lists(st.tuples(st.text(st.sampled_from("<&$_ab图\n"), max_size=4), st.just("#ff0000")), max_size=4),
)
def test_colours_change_no_letter(text: str, inks: list[tuple[str, str]]) -> None:
    bare = re.sub(
        r' class="(ink red)"| ink red|<span class="ink red">(.*?)</span>',
        r"\2",
        str(rich(text, inks)),
        flags=re.DOTALL,
    )
    assert bare == str(rich(text))


@given(st.text(st.sampled_from("<>&\"'|$\\-_ \n\tu/a图[]{}\x00\x1b\ud800"), max_size=60))
def test_no_text_makes_a_tag_of_its_own(text: str) -> None:
    made = Page(str(rich(text)))
    assert {tag for tag, _ in made.tags} <= {"div", "table", "tbody", "tr", "td", "code", "u", "span"}
    str(rich(text)).encode()


def test_bars_in_formulas_part_no_cells() -> None:
    made = Page(str(rich("| $|A|$ | a\\|b |\n| --- | --- |\n| <u>答</u> | ______ |")))
    assert len(made.all("td")) == 4
    assert len(made.all("code", "tex")) == 1
    assert len(made.all("u")) == 1


def test_reasons_and_doubts_have_chinese_words() -> None:
    assert zh("instruction under a heading") == "标题下的说明"
    assert zh("3 numbers missing after it") == "其后缺题号"
    assert zh("something nobody has said yet") == ""


@pytest.mark.parametrize(("doubtful", "chip"), [(0, "good"), (3, "fair"), (6, "low")])
def test_a_paper_with_most_questions_doubtful_is_not_green(doubtful: int, chip: str) -> None:
    file = FileOutcome(
        source="甲.pdf", outcome="kept", drafts=10, questions=10, answered=4, doubtful=doubtful
    )
    page = index_page([(file, "001.html")]).decode()
    assert f'class="chip {chip}"' in page
    assert ("多数存疑" in page) == (chip == "low")
    row = re.findall(r'<td class="num[^"]*">(\d*)</td>', page)
    assert row == ["", "", "10", "4", "6", str(doubtful or ""), "", ""]


def test_short_material_is_shown_unfolded() -> None:
    document = Document(
        source="甲.pdf", sha256="0", format="docx", pages=(Leaf(number=1, method=Origin.WORD),)
    )
    drafts = tuple(
        Draft(source="甲.pdf", number=str(n), stem="问", printed="问", material="某案情。" * times)
        for n, times in ((1, 10), (2, 500))
    )
    extraction = Extraction(source="甲.pdf", sha256="0", pages=1, ocr_pages=0, drafts=drafts)
    shown = drafts_page(document, extraction, Pictures(), Path()).decode()
    assert re.findall(r'<details class="material"( open)?>', shown) == [" open", ""]
