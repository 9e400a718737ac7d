"""Filing: what decides, in which order, how surely; and the type of a question."""

import time

import pytest

from ingest.classify import classify, question_type
from ingest.classify.filing import file_texts
from ingest.classify.match import Matcher, prepare
from ingest.classify.names import find_names, name_evidence
from ingest.classify.tokens import Segmenter
from ingest.classify.vote import text_evidence
from schemas.errors import UsageError
from schemas.question import Draft, Extraction, PrintedForm, QuestionType
from schemas.settings import ClassifySettings
from schemas.taxonomy import taxonomy

SETTINGS = ClassifySettings()


def paper(*stems, title="", source="a.pdf", **fields):
    drafts = tuple(Draft(source=source, stem=s, printed=s, **fields) for s in stems)
    return Extraction(source=source, sha256="0" * 64, pages=1, ocr_pages=0, drafts=drafts, title=title)


def label(*stems, folder="", settings=SETTINGS, **fields):
    return classify(paper(*stems, **fields), folder, settings)[0]


@pytest.mark.parametrize(
    ("title", "course"),
    [
        ("2023学年第一学期《线性代数》期末考试试卷（A卷）", "linear-algebra"),
        ("东海大学数学科学学院 数学分析(II) 期中考试", "mathematical-analysis"),
        ("东海大学数学分析期中试题", "mathematical-analysis"),
        ("大学物理 期末试题", "college-physics"),
        ("西山中医药大学 有机化学 期末考试", "organic-chemistry"),
        ("计算机学院 操作系统 A卷", "operating-systems"),
        ("医学统计学 案例", "health-statistics"),
        ("Data Structures, final examination", "data-structures"),
        ("2020年研究生入学考试 408", "comprehensive-foundations-of-computer-science"),
    ],
)
def test_title_decides(title, course):
    found = label("第一题", title=title)
    assert found.course == course
    assert found.confidence > 0.8
    assert found.method.startswith("title:")
    assert found.sub_discipline == taxonomy().courses[course].sub_discipline


def test_order_of_evidence():
    assert label("x", title="宏观经济学", source="线性代数.pdf", folder="操作系统").course == "macroeconomics"
    assert label("x", source="线性代数期末.pdf", folder="操作系统").course == "linear-algebra"
    assert label("x", folder="专业课/操作系统/历年试卷").course == "operating-systems"


def test_a_long_text_does_not_outvote_the_title():
    stem = "回归分析、方差分析、置信区间、假设检验、卡方检验与抽样误差" * 5
    assert label(stem, title="医学统计学").course == "health-statistics"
    assert label(stem).sub_discipline == "d0712"


def test_batch_settings_decide_over_all():
    found = label("栈和队列", title="数据结构", settings=ClassifySettings(course="民法"))
    assert (found.course, found.confidence) == ("civil-law", 1.0)
    assert found.method.startswith("batch:")
    fixed = label("什么是操作系统的进程？", title="数据结构", settings=ClassifySettings(discipline="医学"))
    assert fixed.discipline == "d10" and fixed.confidence == 1.0
    with pytest.raises(UsageError):
        label("x", settings=ClassifySettings(discipline="占星学"))


def test_title_stops_where_the_paper_begins():
    assert not [
        e for e in name_evidence("期末试卷 一、简答 1. 什么是操作系统？", "a.pdf", "") if e.where == "title"
    ]


@pytest.mark.parametrize(
    ("text", "discipline"),
    [
        ("求矩阵的特征值与特征向量，并判断它能否对角化。", "d07"),
        ("简述进程与线程的区别，并说明死锁产生的必要条件。", "d08"),
        ("试述合同无效的情形与善意取得的构成要件。", "d03"),
        ("比较完全竞争与垄断竞争市场的长期均衡，说明边际成本的作用。", "d02"),
        ("心力衰竭患者的临床表现与治疗原则是什么？", "d10"),
        ("论述李白与杜甫诗歌的艺术风格。", "d05"),
        ("Explain the marginal cost of a monopoly and its demand curve.", "d02"),
    ],
)
def test_words_decide_without_names(text, discipline):
    found = label(text)
    assert found.discipline == discipline
    assert found.method.startswith("text:")


def test_nothing_known_is_said_to_be_unknown():
    found = label("请写下你的想法。")
    assert (found.discipline, found.confidence, found.method) == ("d00", 0.0, "none")


def test_more_evidence_more_confidence():
    one = label("关于变化率的问题")
    more = label("导数、微分与不定积分的关系，以及牛顿-莱布尼茨公式的证明")
    assert more.discipline == "d07"
    assert one.confidence < SETTINGS.min_confidence < more.confidence <= 0.99


def test_one_paper_one_label():
    labels = classify(
        paper("求极限", "什么是民法中的善意取得？", "计算定积分", title="高等数学"), "", SETTINGS
    )
    assert len(labels) == 3 and len(set(labels)) == 1


MIXED = (
    "什么是操作系统的进程、线程与死锁？",
    "简述民法中的善意取得、不当得利和无因管理。",
    "心绞痛与心肌梗死患者的临床表现有何不同？",
    "比较李白、杜甫和苏轼的诗歌。",
    "国内生产总值、通货膨胀与失业率之间有什么关系？",
    "牧草、苜蓿与载畜量、放牧的关系。",
    "孙子兵法、克劳塞维茨战争论与人民战争。",
    "极限、导数与定积分的定义。",
    "蒙太奇、长镜头与场面调度。",
    "杜威、夸美纽斯与赫尔巴特的教育思想。",
)


def test_a_collection_is_filed_question_by_question():
    labels = classify(paper(*MIXED), "", SETTINGS)
    found = [x.discipline for x in labels]
    assert found == ["d08", "d03", "d10", "d05", "d02", "d09", "d11", "d07", "d13", "d04"]


def test_instructions_are_no_subject():
    assert not text_evidence("名词解释题：\n一、判断题\n二、程序设计题").scores


def test_matcher_takes_the_longest_and_whole_words():
    matcher = Matcher(["统计", "医学统计学", "stack", "os", "\\frac"])
    assert [h.word for h in matcher.find("医学统计学")] == ["医学统计学"]
    assert [h.word for h in matcher.find("two stacks, a haystack, stacked; macos os")] == ["stack", "os"]
    assert [h.word for h in matcher.find(prepare("ＳＴＡＣＫ $\\frac{1}{2}$"))] == ["stack", "\\frac"]


def test_file_names_are_taken_apart():
    assert find_names("file", "linear_algebra2-final")[0].course == "linear-algebra"
    assert not find_names("file", "IMG_20190101")


def test_a_long_text_is_no_trap():
    begin = time.perf_counter()
    label("（" * 50_000 + "线性" * 50_000 + "a " * 50_000 + "_ " * 50_000)
    assert time.perf_counter() - begin < 20


@pytest.mark.parametrize(
    ("stem", "fields", "kind"),
    [
        ("栈是先进先出的线性表。", {"form": PrintedForm.TRUE_FALSE}, "true_false"),
        ("栈是先进先出的线性表。", {"section": "二、判断题（每题2分）"}, "true_false"),
        ("水的沸点在任何高度都是一百度。", {}, "true_false"),
        ("什么是栈？", {"section": "三、简答题"}, "short_answer"),
        ("求 $x^2=4$ 的解", {"section": "四、计算题"}, "calculation"),
        ("求函数 $y=x^2$ 在 $[0,1]$ 上的平均值", {}, "calculation"),
        ("证明：$\\sqrt 2$ 不是有理数", {}, "calculation"),
        ("编写一个函数，求数组的最大值。", {}, "calculation"),
        ("论述改革的意义。", {}, "essay"),
        ("甲把车卖给乙。问题：合同有效吗？", {"material": "某年某月，甲与乙订立合同。"}, "analysis"),
        ("试分析该企业失败的原因。", {"section": "五、案例分析题"}, "analysis"),
        ("简述三种调度算法。", {}, "short_answer"),
        ("How many ways are there to seat 5 guests?", {}, "calculation"),
        ("Discuss the causes of the war.", {}, "essay"),
        ("Is every continuous function differentiable?", {}, "true_false"),
        ("两数之和是多少", {"form": PrintedForm.MULTIPLE_CHOICE}, "short_answer"),
        ("计算 3+4 的值为", {"form": PrintedForm.FILL_BLANK}, "calculation"),
    ],
)
def test_question_types(stem, fields, kind):
    assert question_type(Draft(source="a.pdf", stem=stem, printed=stem, **fields), "d07") is QuestionType(
        kind
    )


def test_proof_in_law_is_no_calculation():
    draft = Draft(source="a.pdf", stem="民事诉讼中由谁承担证明责任？", printed="")
    assert question_type(draft, "d03") is QuestionType.SHORT_ANSWER


def test_the_paper_corrects_its_questions_and_an_outlier_is_flagged():
    stems = [f"求矩阵 A 的特征值与特征向量，第 {n} 问" for n in range(8)]
    foreign = "心绞痛与心肌梗死患者的临床表现、诊断和治疗有何不同？"
    labels = classify(paper(*stems, "写出你的结果。", foreign, title="线性代数"), "", SETTINGS)
    assert {x.course for x in labels} == {"linear-algebra"}
    assert [x.flags for x in labels] == [()] * 9 + [("outside_paper",)]


def test_words_are_not_found_across_two_others():
    assert text_evidence("它的基本原理以下属官").words == ()


def test_no_word_is_found_in_a_decimal_number():
    cut = Segmenter(["5s", "rna"]).cut
    assert cut("推行5s管理") and cut("1.rna是什么")
    assert not cut("开环传递函数为1/(0.5s+1)")


def test_what_several_disciplines_teach_names_the_others_too():
    sure, both = file_texts(["求矩阵的特征值与特征向量，并判断它能否对角化。", "矩阵与善意取得"])
    assert sure.row()["alternatives"] == []
    assert {both.row()["discipline"], *both.row()["alternatives"]} == {"理学", "法学"}


def test_traditional_characters_are_filed_as_simplified_ones():
    texts = ["求函数的极限与导数，并计算其值。", "论述合同的成立条件与违约责任。"]
    written = ["求函數的極限與導數，並計算其值。", "論述合同的成立條件與違約責任。"]
    assert file_texts(written) == file_texts(texts)
