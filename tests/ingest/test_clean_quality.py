"""Quality codes: each on material that shows it and on material that looks alike and is sound."""

import re
from pathlib import Path

import pytest

from benchmarks.made_papers import paper
from benchmarks.quality_codes import CODES, found_codes, measure
from flows.reasons import MEANINGS
from ingest.clean import check_paper, itemise
from ingest.clean.checks import TOLERABLE
from ingest.clean.garbled import is_garbled
from schemas.question import Draft, Label, Option, Part, PrintedForm
from schemas.settings import CleanSettings

LABEL = Label(discipline="d08", confidence=0.9)
QUALITY = Path(__file__).parents[2] / "docs" / "quality.md"
SHORT = PrintedForm.SHORT_ANSWER


def draft(stem, **fields):
    return Draft.model_validate(
        {"source": "a.docx", "sha256": "1" * 64, "printed": stem, "stem": stem, **fields}
    )


def flags(stem, **fields):
    fields.setdefault("form", SHORT)
    items = itemise(draft(stem, **fields), LABEL, CleanSettings())
    return {flag for item in items for flag in item.flags}


def test_faults_planted_in_clean_papers_are_found():
    for code, (total, right, false) in measure(papers=2, seed=3).items():
        assert right >= 0.8 * total - 1, code
        assert right >= 0.9 * (right + false) - 1, code


def test_clean_papers_have_no_code_that_needs_a_person():
    for seed in range(5):
        assert not set().union(*found_codes(paper(seed))) - TOLERABLE


def test_every_code_has_its_line_and_meaning():
    told = set(re.findall(r"^\| `([a-z_]+)` \|", QUALITY.read_text(encoding="utf-8"), re.MULTILINE))
    assert set(CODES) <= told
    assert told <= MEANINGS.keys() | TOLERABLE
    sources = "".join(path.read_text("utf-8") for path in QUALITY.parents[1].glob("ingest/clean/*.py"))
    given = set(re.findall(r'(?:append\(|flags = \[)"([a-z_]+)"', sources))
    assert given <= told


@pytest.mark.parametrize(
    ("stem", "fields"),
    [
        ("如上图，求电路的总电阻。", {}),
        ("如图3所示，求支座的反力。", {}),
        ("同上题，改用最小二乘法求解。", {}),
        ("利用第2题的结论证明不等式。", {}),
        ("根据材料，说明作者的观点。", {}),
        ("上述观点是否成立？", {}),
        ("如下表所示，计算加权平均数。", {}),
        ("指出下面程序的运行结果。", {}),
        ("简述下列概念。", {}),
        ("According to the passage above, what does the author suggest?", {}),
    ],
)
def test_what_points_outside(stem, fields):
    assert "points_outside" in flags(stem, **fields)


@pytest.mark.parametrize(
    ("stem", "fields"),
    [
        ("国家图书馆的藏书有哪些特点？", {}),
        ("什么是示意图？它由图例和标注构成吗？", {}),
        ("如上图，求总电阻。[图]", {"figures": ("ab",)}),
        ("如下表所示，求平均数。\n| a | b |\n| --- | --- |\n| 1 | 2 |", {}),
        ("年龄在60岁以上的人怎样用药？", {}),
        ("根据材料，说明作者的观点。", {"material": "一段足够长的材料，讲述了作者对城市生活的看法。"}),
        ("有人说读书无用，也有人说读书万能。上述观点是否成立？", {}),
        ("指出下面程序的运行结果。\nint a = 1;\nprintf(a);", {}),
        ("简述下列概念：机会成本、边际效用。", {}),
        ("中国的表意文字与上表现的区别是什么？", {}),
    ],
)
def test_what_holds_all_it_speaks_of(stem, fields):
    assert "points_outside" not in flags(stem, **fields)


@pytest.mark.parametrize(
    "stem",
    [
        "某企业年初购入设备一台，原价为100万元，由于",
        "简述操作系统中虚拟存储器的",
        "说明（以我国",
        "求 $x+1$ 与 $\\frac{1}{x",
        "What is the",
    ],
)
def test_what_breaks_off(stem):
    assert "truncated" in flags(stem)


@pytest.mark.parametrize(
    "stem", ["为什么说人是会思考的？", "什么是“看不见的手”", "计算 $x+1$ 的值", "求 5 美元($5)合多少元？"]
)
def test_what_is_whole(stem):
    assert "truncated" not in flags(stem)


@pytest.mark.parametrize(
    "answer", ["因为需求增加而供给不变，所以", "价格上升，数量增加，", "见《资本论》第一卷（第三"]
)
def test_an_answer_that_breaks_off(answer):
    assert "answer_truncated" in flags("为什么价格上升？", answer=answer)


def test_a_sentence_without_a_stop_among_sentences_with_one():
    asked = [draft(f"请说明第{n}代计算机的主要特点。", section="一", form=SHORT) for n in "一二三四五六"]
    cut = draft("请说明第七代计算机的主", section="一", form=SHORT)
    assert "truncated" in check_paper([*asked, cut])[-1].flags
    bare = [draft(f"请说明第{n}代计算机的主要特点", section="一", form=SHORT) for n in "一二三四五六"]
    assert all(not d.flags for d in check_paper([*bare, cut]))


FACTS = [
    ("栈", "后进先出"),
    ("队列", "先进先出"),
    ("散列表", "按关键字定位"),
    ("二叉树", "每个结点至多两个孩子"),
    ("图", "顶点和边"),
]


@pytest.mark.parametrize("step", [1, -1])
def test_answers_moved_by_one(step):
    asked = [f"简述{name}这种结构的特点。" for name, _ in FACTS]
    said = [f"{name}的特点是{what}。" for name, what in FACTS]
    moved = [*said[1:], None] if step == 1 else [None, *said[:-1]]
    kept = check_paper([draft(q, answer=a) for q, a in zip(asked, said, strict=True)])
    assert all(not d.flags for d in kept)
    shifted = check_paper([draft(q, answer=a) for q, a in zip(asked, moved, strict=True)])
    assert all(("answers_shifted" in d.flags) == (d.answer is not None) for d in shifted)


def test_answers_of_sub_questions_moved_by_one():
    parts = tuple(
        Part(
            number=f"({n})",
            text=f"{FACTS[n][0]}有什么特点？",
            answer=f"{FACTS[(n + 1) % 5][0]}的特点是{FACTS[(n + 1) % 5][1]}。",
        )
        for n in range(5)
    )
    (found,) = check_paper([draft("回答问题。", parts=parts, form=PrintedForm.ANALYSIS)])
    assert "answers_shifted" in found.flags


def test_letters_that_are_no_option_side_by_side():
    options = tuple(Option(label=label, text=label * 3) for label in "ABC")
    closed = [
        draft(f"第{n}问", options=options, form=PrintedForm.MULTIPLE_CHOICE, answer="D") for n in (1, 2)
    ]
    assert all("answers_shifted" in d.flags for d in check_paper(closed))


def test_options_that_differ_in_signs_or_numbers_only_are_not_repeated():
    def choice(*texts):
        options = tuple(Option(label=label, text=text) for label, text in zip("ABCD", texts, strict=False))
        return flags("哪一个正确？（ ）", form=PrintedForm.MULTIPLE_CHOICE, options=options, answer="A")

    assert "options_repeated" not in choice("f(x);", "f(x)}", "F(x);", "13、48")
    assert "options_repeated" not in choice("13、48", "24、48")
    assert "options_repeated" in choice("三次 握手", "三次握手。")


def test_a_verdict_without_its_reason_is_told_and_stays_active():
    found = flags("栈是先进先出的。", form=PrintedForm.TRUE_FALSE, answer="×")
    assert found == {"verdict_only"}
    assert not flags("栈是先进先出的。", form=PrintedForm.TRUE_FALSE, answer="×，栈是后进先出的。")


@pytest.mark.parametrize(
    "wrong",
    [
        "简述操作系统".encode().decode("gbk", "ignore"),
        "简述操作系统".encode("gbk").decode("latin-1"),
        "cafÃ©",
        "锟斤拷",
        "问????题",
    ],
)
def test_garbled(wrong):
    assert is_garbled(wrong)


@pytest.mark.parametrize(
    "right", ["naïve café où l'été", "电话：××××××××", "“……”——", "简述操作系统的特点。", "α≤β÷γ × ÷ ± §"]
)
def test_not_garbled(right):
    assert not is_garbled(right)


def test_a_formula_alone():
    assert "lone_formula" in flags("$\\int_0^1 x\\,dx$")
    assert "lone_formula" not in flags("$\\int_0^1 x\\,dx$", section="三、计算下列积分（每题5分）")


@pytest.mark.parametrize(
    "stem",
    [
        "本试卷共四页，满分100分。",
        "得分：　　评卷人：",
        "重点在前三章，其他章节一般了解即可。",
        "这一制度对后世影响很大，它使农民得到了土地。",
    ],
)
def test_what_asks_nothing(stem):
    assert "non_question" in flags(stem)


@pytest.mark.parametrize(
    "stem",
    [
        "栈的特点",
        "论语的主要思想",
        "发表一下你的看法，说说读书有没有用。",
        "用所学知识说明这一现象，并给出建议。",
        "Describe the stack.",
    ],
)
def test_what_asks(stem):
    assert "non_question" not in flags(stem)
