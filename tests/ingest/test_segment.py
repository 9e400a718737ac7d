"""What a curator would miss: questions lost, merged, split, or given another question's answer."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from papermaker import cut, document, table

from ingest.segment import segment
from ingest.segment.forms import wording_form
from ingest.segment.marks import Style, han_value, read_mark
from ingest.segment.options import split_options
from ingest.segment.pairing import pair
from schemas.document import Block, Box, Document, Origin, Page
from schemas.question import Draft
from schemas.question import PrintedForm as Form


def numbers(text: str) -> list[str]:
    return [draft.number for draft in cut(text).drafts]


@pytest.mark.parametrize(
    ("text", "style", "value"),
    [
        ("1. 题", Style.ARABIC, 1),
        ("12、题", Style.ARABIC, 12),
        ("3．1949年的事", Style.ARABIC, 3),
        ("（4）题", Style.PAREN, 4),
        ("5）题", Style.RIGHT_PAREN, 5),
        ("⑥题", Style.CIRCLE, 6),
        ("十二、题", Style.HAN, 12),
        ("（三）题", Style.HAN_PAREN, 3),
        ("第7题 题", Style.WORD, 7),
        ("Question 8: why", Style.WORD, 8),
        ("【9】题", Style.BRACKET, 9),
        ("2 四个字的题", Style.BARE, 2),
        ("17分析下面的句子", Style.BARE, 17),
    ],
)
def test_number_styles(text: str, style: Style, value: int) -> None:
    mark = read_mark(text)
    assert mark is not None
    assert (mark.style, mark.value) == (style, value)


@pytest.mark.parametrize(
    "text",
    ["3.14 是圆周率", "2019年的事件", "09级期中", "第五题考察的是概念", "1998-2003年", "50%以上", "10分钟内"],
)
def test_what_is_no_number(text: str) -> None:
    mark = read_mark(text)
    assert mark is None or mark.style is Style.MULTI


def test_han_numerals() -> None:
    assert [han_value(t) for t in ("一", "十", "十二", "二十", "三十四", "零", "甲")] == [
        1,
        10,
        12,
        20,
        34,
        0,
        0,
    ]


def test_sections_items_options_points() -> None:
    found = cut(
        """
一、单项选择题（每小题2分，共4分）
1. 水的化学式是（ ）
A. H2O    B. CO2
C. O2     D. N2
2. 下列属于气体的是（ ）
A．铁 B．氧气 C．金 D．盐
二、简答题（10分）
1. 简述光合作用的过程。
"""
    ).drafts
    assert [(d.number, d.form, d.points) for d in found] == [
        ("1", Form.MULTIPLE_CHOICE, 2.0),
        ("2", Form.MULTIPLE_CHOICE, 2.0),
        ("1", Form.SHORT_ANSWER, 10.0),
    ]
    assert [o.text for o in found[0].options] == ["H2O", "CO2", "O2", "N2"]
    assert found[0].stem == "水的化学式是（ ）"


def test_answer_in_the_brackets_moves_out() -> None:
    (draft,) = cut("一、单项选择题\n1. 中国的首都是（ B ）\nA. 上海  B. 北京  C. 广州  D. 天津").drafts
    assert draft.answer == "B"
    assert "（ ）" in draft.printed
    assert "B ）" not in draft.printed


def test_letters_in_a_formula_are_no_answer() -> None:
    (draft,) = cut(
        "一、单项选择题\n1. 设 $(AB)^{-1}$ 存在，则它等于（ ）\nA. $A$  B. $B$  C. $AB$  D. $BA$"
    ).drafts
    assert draft.answer is None
    assert "$(AB)^{-1}$" in draft.printed


def test_text_written_into_blanks_moves_out() -> None:
    (draft,) = cut("一、填空题（每空1分）\n1. 三原色是红、<u>绿</u>和<u>蓝</u>。").drafts
    assert draft.answer == "绿；蓝"
    assert draft.printed == "三原色是红、____和____。"
    assert draft.points == 2.0


def test_two_blanks_are_not_one_filled_blank() -> None:
    (draft,) = cut("一、填空题\n1. 水由____和____组成。").drafts
    assert draft.answer is None
    assert draft.printed.count("____") == 2


def test_answers_below_each_question() -> None:
    found = cut(
        """
一、名词解释
1. 需求弹性
答：需求量对价格变化的反应程度。
2. 机会成本
答案：放弃的最好选择的价值。
【解析】见第二章。
"""
    ).drafts
    assert [d.answer for d in found] == ["需求量对价格变化的反应程度。", "放弃的最好选择的价值。"]
    assert found[1].explanation == "见第二章。"
    assert [d.printed for d in found] == ["需求弹性", "机会成本"]


def test_empty_answer_space_is_no_answer() -> None:
    (draft,) = cut("三、解答题\n1. 求命题公式的主范式。\n解：（1）\n（2）主合取范式：    主析取范式：").drafts
    assert draft.answer is None


def test_answers_at_the_end_by_section_and_number() -> None:
    found = cut(
        """
一、选择题
1. 甲（ ）
A. 一 B. 二 C. 三 D. 四
2. 乙（ ）
A. 一 B. 二 C. 三 D. 四
二、判断题
1. 丙是对的。（ ）
2. 丁是对的。（ ）
参考答案
一、选择题
1-2 CA
二、判断题
1. √
2. ×
"""
    )
    assert [d.answer for d in found.drafts] == ["C", "A", "√", "×"]
    assert all("参考答案" not in d.printed for d in found.drafts)


def test_answer_grid() -> None:
    paper = ["一、选择题", *(f"{n}. 题{n}（ ）\nA. 一 B. 二 C. 三 D. 四" for n in range(1, 4))]
    lines = [line for text in paper for line in text.split("\n")]
    grid = table("| 题号 | 1 | 2 | 3 |\n| --- | --- | --- | --- |\n| 答案 | B | C | D |")
    found = cut([*lines, "参考答案", "一、选择题", grid]).drafts
    assert [d.answer for d in found] == ["B", "C", "D"]


def test_letter_that_is_no_option_is_not_attached() -> None:
    found = cut("一、选择题\n1. 甲（ ）\nA. 一 B. 二\n2. 乙（ ）\nA. 一 B. 二\n参考答案\n1. D\n2. A").drafts
    assert found[0].answer is None
    assert "answer_conflict" in found[0].flags
    assert found[1].answer == "A"


def test_choose_the_right_answer_is_no_answer_heading() -> None:
    found = cut(
        "一、应用题\n1. 求下列序列。\n供选择的答案\nA. 一 B. 二\n2. 求另一序列。\n3. 求第三序列。"
    ).drafts
    assert [d.number for d in found] == ["1", "2", "3"]


def test_lists_inside_items_stay_inside() -> None:
    assert numbers(
        """
一、简答题
1. 简述三个特征：
(1) 第一
(2) 第二
(3) 第三
2. 简述两个原因：
(1) 第一
(2) 第二
3. 什么是结构？
"""
    ) == ["1", "2", "3"]


def test_numbering_that_runs_on_over_a_heading() -> None:
    assert numbers(
        "一、必答题\n1. 甲是什么？\n2. 乙是什么？\n二、选答题\n3. 丙是什么？\n4. 丁是什么？"
    ) == list("1234")
    found = cut(
        "一、填空题\n1. 甲____。\n2. 乙____。\n二、案例分析题\n某厂生产。\n3. 回答问题：\n（1）为什么？\n（2）怎么办？"
    ).drafts
    assert [d.number for d in found] == ["1", "2", "3"]
    assert [p.number for p in found[2].parts] == ["（1）", "（2）"]


def test_sections_that_are_the_questions() -> None:
    found = cut(
        "一、证明：若 f 连续则有界。（10分）\n二、求极限。\n(1) 左极限\n(2) 右极限\n三、计算积分。（20分）"
    ).drafts
    assert [d.number for d in found] == ["一", "二", "三"]
    assert [d.points for d in found] == [10.0, None, 20.0]
    assert found[0].form is Form.OTHER
    assert len(found[1].parts) == 2


def test_unnumbered_terms() -> None:
    found = cut("一、名词解释\n供给\n需求\n弹性\n二、简答题\n1. 什么是市场？").drafts
    assert [d.printed for d in found] == ["供给", "需求", "弹性", "什么是市场？"]


def test_several_papers_in_one_file() -> None:
    assert numbers("05年\n1、甲的特点\n2、乙的特点\n06春\n1.丙的特点\n2.丁的特点") == ["1", "2", "1", "2"]


def test_two_questions_on_one_line() -> None:
    assert numbers("一、计算题\n1、求甲的值。\t2、求乙的值。\n3、求丙的值。") == ["1", "2", "3"]


def test_rules_for_candidates_are_no_questions() -> None:
    found = cut("考生注意：\n1. 答案请写在答题纸上。\n2. 请勿带出考场。\n一、填空题\n1. 甲是____。")
    assert [d.number for d in found.drafts] == ["1"]
    assert any(d.reason == "rules of the examination" for d in found.dropped)


@pytest.mark.parametrize(
    ("heading", "want"),
    [
        ("一、选择题（1~2每题2分，3~4每题1分）", [2, 2, 1, 1]),
        ("一、简答题（第1、2小题7分，第三小题6分）", [7, 7, 6, None]),
        ("一、问答（2*3+4）", [2, 2, 2, 4]),
        ("一、问答（5*4）", [5, 5, 5, 5]),
        ("Part A. Questions (4 questions, 3 points each)", [3, 3, 3, 3]),
    ],
)
def test_points_from_headings(heading: str, want: list[float | None]) -> None:
    found = cut("\n".join([heading, *(f"{n}. 第{n}个问题是什么？" for n in range(1, 5))])).drafts
    assert [d.points for d in found] == want


def test_lines_of_a_page_are_joined_and_paragraphs_are_not() -> None:
    lines = [
        "1. 这是一个很长很长的题干它一直写到了这一行的最右边然后",
        "在下一行里结束。",
        "2. 另一个问题是什么？",
    ]
    page = segment(document(lines, "paper.pdf", Origin.TEXT_LAYER))
    assert page.drafts[0].printed == "这是一个很长很长的题干它一直写到了这一行的最右边然后在下一行里结束。"
    assert "\n" in cut(lines).drafts[0].printed


def test_key_in_a_file_of_its_own() -> None:
    paper = cut("一、选择题\n1. 甲（ ）\nA. 一 B. 二\n二、简答题\n1. 什么是丙？", "物理期末试卷.docx")
    key = cut("物理期末答案\n一、选择题\n1、B\n二、简答题\n1、丙是一种现象。", "物理期末试卷答案.docx")
    assert key.answer_key
    assert [d.flags for d in key.drafts] == [("answer_only",)] * 2
    joined = pair([paper, key])
    assert [d.answer for d in joined[0].drafts] == ["B", "丙是一种现象。"]


def test_key_that_fits_two_papers_is_given_to_neither() -> None:
    body = "一、简答题\n1. 什么是甲？\n2. 什么是乙？"
    papers = [cut(body, "期末试卷.docx"), cut(body, "期末试题.pdf")]
    key = cut("一、简答题\n1、甲。\n2、乙。", "期末答案.docx")
    assert all(d.answer is None for e in pair([*papers, key])[:2] for d in e.drafts)


def test_solved_print_gives_answers_and_keeps_none_in_its_stems() -> None:
    paper = cut("1. 什么是市场机制的作用？\n2. 什么是政府失灵的原因？", "exam.docx")
    solved = cut(
        "1. 什么是市场机制的作用？\n它通过价格调节供求并配置资源。\n2. 什么是政府失灵的原因？\n信息不足和激励扭曲都会造成失灵。",
        "exam-solution.docx",
    )
    first, second = pair([paper, solved])
    assert [d.answer for d in first.drafts] == [
        "它通过价格调节供求并配置资源。",
        "信息不足和激励扭曲都会造成失灵。",
    ]
    assert all((d.answer or "") not in d.printed for d in second.drafts)


def test_options_need_their_order() -> None:
    assert split_options("选 A 或 B 的理由")[1] == ()
    assert [o.label for o in split_options("甲\nA. 一\nB. 二\nC. 三")[1]] == ["A", "B", "C"]
    assert [o.text for o in split_options("安全的是：a，高 b，低 c，中")[1]] == ["高", "低", "中"]


_WORDS = st.text(alphabet="天地玄黄宇宙洪荒日月盈昃辰宿列张寒来暑往秋收冬藏", min_size=4, max_size=24)
_STYLE = st.sampled_from(["{}. ", "{}、", "（{}）", "{}．", "({}) "])
_SECTIONS = st.lists(
    st.tuples(st.sampled_from(["简答题", "名词解释", "论述题"]), st.lists(_WORDS, min_size=2, max_size=6)),
    min_size=1,
    max_size=4,
)


@settings(max_examples=60, deadline=None)
@given(style=_STYLE, sections=_SECTIONS)
def test_a_generated_paper_comes_back_whole(style: str, sections: list[tuple[str, list[str]]]) -> None:
    lines, want = [], []
    for place, (name, items) in enumerate(sections):
        lines.append(f"{'一二三四'[place]}、{name}（共20分）")
        for number, item in enumerate(items, 1):
            lines.append(f"{style.format(number)}{item}是什么？")
            want.append(f"{item}是什么？")
    assert [d.printed for d in cut(lines).drafts] == want


@settings(max_examples=150, deadline=None)
@given(st.lists(st.text(max_size=40), max_size=25))
def test_any_text_is_cut_or_dropped_without_a_fault(lines: list[str]) -> None:
    found = cut([line.replace("\n", " ") for line in lines])
    assert found.drafts or found.dropped


def test_cost_is_linear_in_the_document() -> None:
    import time

    def seconds(items: int) -> float:
        lines = [f"{n % 40 + 1}. 第{n}题问的是什么内容？(1) 甲 (2) 乙" for n in range(items)]
        begin = time.process_time()
        cut(lines)
        return time.process_time() - begin

    seconds(200)
    assert seconds(4000) < 12 * max(seconds(800), 0.05)


def test_the_runner_up_is_told_and_lowers_the_confidence() -> None:
    found = cut(
        "一、简答题\n1. 什么是甲这个概念？\n2. 什么是乙这个概念？\n2. 什么是丙这个概念？\n3. 什么是丁这个概念？"
    ).drafts
    doubted = [d for d in found if d.evidence.get("doubts")]
    assert doubted
    assert all(d.confidence < 1 for d in doubted)


def test_sure_questions_stay_sure() -> None:
    found = cut("一、简答题（共2小题，每题5分）\n1. 什么是需求弹性？\n2. 什么是机会成本？").drafts
    assert [d.confidence for d in found] == [1.0, 1.0]
    assert all("doubts" not in d.evidence for d in found)


@pytest.mark.parametrize(
    ("text", "doubt"),
    [
        ("一、简答题\n1. 什么是甲？\n2. 什么是乙？\n5. 什么是丙？", "missing"),
        ("一、单项选择题\n1. 下列哪一个是对的？\n2. 甲（ ）\nA. 一 B. 二", "choice without options"),
        ("一、简答题（共3小题）\n1. 什么是甲？\n2. 什么是乙？", "3 questions, 2 found"),
        ("一、判断题\n1. 地球是圆的。\n答：因为可以环球航行。\n2. 月球发光。（ ）", "no verdict"),
    ],
)
def test_each_doubt_is_named(text: str, doubt: str) -> None:
    assert any(doubt in d.evidence.get("doubts", "") for d in cut(text).drafts)


def _paper(pages: list[list[str]], without: int | None = None) -> list[Draft]:
    """Drafts of a paper of sections, one a page, perhaps with one page taken out."""
    blocks: list[Page] = []
    for place, items in enumerate(pages):
        if place == without:
            continue
        lines = [f"{'一二三四五六七八九'[place]}、简答题（每小题5分）", *items]
        rows = tuple(
            Block(text=t, page=place + 1, origin=Origin.TEXT_LAYER, box=Box(50, 20.0 * r, 250, 20.0 * r + 11))
            for r, t in enumerate(lines)
        )
        blocks.append(Page(number=place + 1, method=Origin.TEXT_LAYER, blocks=rows))
    paper = Document(source="paper.pdf", sha256="0" * 64, format="pdf", pages=tuple(blocks))
    return list(segment(paper).drafts)


@settings(max_examples=40, deadline=None)
@given(
    pages=st.lists(st.lists(_WORDS, min_size=2, max_size=5), min_size=4, max_size=7),
    gone=st.integers(min_value=0, max_value=6),
)
def test_a_lost_page_changes_no_draft_far_from_it(pages: list[list[str]], gone: int) -> None:
    gone %= len(pages)
    asked = [[f"{n}. {word}是什么？" for n, word in enumerate(items, 1)] for items in pages]

    def far(drafts: list[Draft]) -> list[tuple[str, str]]:
        return [(d.number, d.printed) for d in drafts if all(abs(r.page - 1 - gone) > 1 for r in d.regions)]

    assert far(_paper(asked, gone)) == far(_paper(asked))


_CHOICES = st.lists(_WORDS, min_size=4, max_size=4, unique=True)
_LETTER = st.sampled_from("ABCD")


@settings(max_examples=50, deadline=None)
@given(
    style=_STYLE,
    choices=st.lists(st.tuples(_WORDS, _CHOICES, _LETTER), min_size=2, max_size=5),
    asked=st.lists(st.tuples(_WORDS, _WORDS), min_size=2, max_size=4),
    place=st.sampled_from(["end", "below", "brackets"]),
    one_line=st.booleans(),
)
def test_a_generated_paper_keeps_its_answers(
    style: str,
    choices: list[tuple[str, list[str], str]],
    asked: list[tuple[str, str]],
    place: str,
    one_line: bool,
) -> None:
    lines = ["一、单项选择题（每小题2分）"]
    for n, (stem, options, letter) in enumerate(choices, 1):
        inside = letter if place == "brackets" else " "
        lines.append(f"{style.format(n)}{stem}的是（ {inside} ）")
        labelled = [f"{label}. {text}" for label, text in zip("ABCD", options, strict=True)]
        lines += ["    ".join(labelled)] if one_line else labelled
        if place == "below":
            lines.append(f"答案：{letter}")
    lines.append("二、简答题（每小题10分）")
    for n, (stem, answer) in enumerate(asked, 1):
        lines.append(f"{style.format(n)}简述{stem}。")
        if place == "below":
            lines.append(f"答：{answer}。")
    if place != "below":
        lines += [
            "参考答案",
            "一、单项选择题",
            f"1-{len(choices)} {''.join(c[2] for c in choices)}",
            "二、简答题",
        ]
        lines += [f"{style.format(n)}{answer}。" for n, (_, answer) in enumerate(asked, 1)]
    found = cut(lines).drafts
    assert [d.answer for d in found] == [c[2] for c in choices] + [f"{a}。" for _, a in asked]
    assert [d.stem for d in found[len(choices) :]] == [f"简述{stem}。" for stem, _ in asked]
    assert all([o.text for o in d.options] == c[1] for d, c in zip(found, choices, strict=False))
    assert [d.points for d in found] == [2.0] * len(choices) + [10.0] * len(asked)


@pytest.mark.parametrize("stem", ["试分析人的需求与追求。", "简述管理者的要求。", "寻求合作的原因是什么？"])
def test_words_that_hold_the_sign_of_a_calculation(stem: str) -> None:
    assert wording_form(stem, has_options=False) is not Form.CALCULATION


def test_a_question_that_goes_on_with_prove_keeps_its_end() -> None:
    (draft,) = cut("1. 设 f 在闭区间上连续，\n证明：f 一致连续。").drafts
    assert draft.answer is None
    assert "一致连续" in draft.printed
    (draft,) = cut("1. 证明 f 一致连续。\n证明：由有限覆盖定理即得。").drafts
    assert draft.answer == "由有限覆盖定理即得。"


def test_blanks_typed_as_spaces() -> None:
    (draft,) = cut("1. 《子夜》的作者是    ，他的另一部小说是     。").drafts
    assert draft.printed == "《子夜》的作者是____，他的另一部小说是____。"
    assert draft.form is Form.FILL_BLANK


def test_questions_after_a_block_of_answers_are_not_swallowed() -> None:
    found = cut(
        "一、简答题\n1. 什么是甲？\n2. 什么是乙？\n二、材料题\n（一）材料一的内容。\n(1) 为什么？\n(2) 怎么办？\n"
        "参考答案\n1. 因为如此。\n2. 这样办。\n（二）材料二的内容。\n(1) 有何意义？\n(2) 有何启示？"
    ).drafts
    assert "材料二的内容" in found[-1].printed
    assert found[-1].answer is None


def test_questions_whose_numbers_a_scan_lost() -> None:
    def line(row: int, text: str, colour: str | None = None) -> Block:
        box = Box(50, 20.0 * row, 50 + 11 * len(text), 20.0 * row + 11)
        return Block(text=text, origin=Origin.OCR, box=box, colour=colour)

    lines = [
        line(0, "课程复习题"),
        line(1, "注意看清", "#808080"),
        line(2, "如何理解甲这个概念的含义？"),
        line(3, "举例说明乙与丙的异同之处。"),
        line(4, "3 简述丁的主要特征。"),
        line(5, "4 简述戊的主要特征。"),
    ]
    found = segment(document(lines, "photo.jpg", Origin.OCR)).drafts
    assert [d.number for d in found] == ["1", "2", "3", "4"]
    assert found[1].printed == "举例说明乙与丙的异同之处。"
    assert all(d.confidence < 0.6 for d in found[:2])


def test_a_case_with_an_instruction_and_a_table_stays_with_its_parts() -> None:
    grid = table("| 子网 | 地址 |\n| --- | --- |\n| 1 |  |")
    found = cut(
        [
            "二、应用题（共20分）",
            "某公司分得网络 192.168.10.0/24，要划分为4个子网。请填写下表并回答问题。",
            grid,
            "（1）写出4个子网的网络地址。（10分）",
            "（2）每个子网有多少可用主机？（10分）",
            "【答案】（1）略；（2）62台。",
        ]
    ).drafts
    assert len(found) == 1
    assert "某公司分得网络" in found[0].printed
    assert found[0].points == 20.0
    assert (found[0].answer or "").startswith("（1）")


def test_numbered_facts_of_a_case_are_no_questions() -> None:
    found = cut(
        "一、案例分析题\n4、甲犯何罪？\n5、丙与丁合谋入室盗窃：\n1. 丁在室内望风；\n2. 丙对此并不知情。\n试分析丙、丁的刑事责任。\n"
        "6、戊犯何罪？"
    ).drafts
    assert [d.number for d in found] == ["4", "5", "6"]
    assert "试分析" in found[1].printed


def test_points_of_parts_are_added_up() -> None:
    (draft,) = cut("1. Consider memory.\n(a) State two stores. [3 marks]\n(b) Compare them. [5 marks]").drafts
    assert draft.points == 8.0
    assert [p.points for p in draft.parts] == [3.0, 5.0]


def test_verdict_after_the_sentence_and_letters_in_small() -> None:
    (draft,) = cut("一、判断题 True or False\n1. The hippocampus forms memories. T").drafts
    assert draft.answer == "T"
    assert draft.stem.endswith("memories.")
    (draft,) = cut("1. Who?\n(a) one\n(b) two\n(c) three\nAnswer: (b)").drafts
    assert draft.answer == "B"
    assert draft.confidence == 1.0


def test_a_blank_left_as_a_gap_by_a_scan_is_a_blank() -> None:
    def line(row: int, text: str) -> Block:
        return Block(text=text, origin=Origin.OCR, box=Box(50, 20.0 * row, 400, 20.0 * row + 11))

    lines = [
        line(0, "一、填空题"),
        line(1, "1. 曲线描述的是\t与\t之间的关系。"),
        line(2, "2. 行省制始于元代。"),
    ]
    found = segment(document(lines, "scan.pdf", Origin.OCR)).drafts
    assert found[0].printed == "曲线描述的是____与____之间的关系。"
    assert found[1].confidence < 0.6


def test_personal_data_leaves_with_no_text() -> None:
    found = cut(
        "任课教师电话 13800138000\n一、简答题\n1. 联系 someone@example.org 之后应做什么？\n2. 什么是乙？"
    )
    told = found.model_dump_json()
    assert "13800138000" not in told
    assert "someone@example.org" not in told
    assert "personal_data" in found.drafts[0].flags
