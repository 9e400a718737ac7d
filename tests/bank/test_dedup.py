"""What counts as the same question, and that finding it stays cheap."""

from __future__ import annotations

import random
import time
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bank.dedup.bulk import findings
from bank.dedup.candidates import candidates
from bank.dedup.clusters import settle
from bank.dedup.columns import fold
from bank.dedup.grams import grams
from bank.dedup.items import asked
from bank.dedup.verdict import compare
from bank.dedup.words import FILLERS, MISREAD, SYNONYMS
from bank.ids import IdMaker
from schemas.question import Question, Status
from schemas.settings import DedupSettings
from tests.bank.makers import paper, question

LONG = "某机械厂在去年春天购入一台数控机床，价款为80万元，运费为2万元，预计使用10年，按直线法计提折旧。"

SAME = {
    "spaces and width": ("求函数 f(x)=2x+1 的 反函数。", "求函数ｆ（ｘ）＝２ｘ＋１的反函数"),
    "numbering and points": ("三、2. 简述冒泡排序的步骤。（本题6分）", "（5）简述冒泡排序的步骤"),
    "score box": ("得分____ 评卷人____\n简述冒泡排序的步骤。", "简述冒泡排序的步骤。"),
    "traditional": ("簡述資產負債表的結構與內容。", "简述资产负债表的结构与内容。"),
    "wrapped formula": ("化简\\frac{\\sqrt{1\n2}}{\\sqrt{3}}", "化简$\\frac{\\sqrt{12}}{\\sqrt{3}}$"),
    "instruction": ("请简要说明冒泡排序的步骤。", "试述冒泡排序的步骤"),
    "options moved": ("下列属于行星的是（ ）\nA. 月球\nB. 火星\nC. 太阳\nD. 天狼星", "下列属于行星的是____ ①火星  ②月球  ③天狼星  ④太阳"),
    "letter for digit": ("一列火车长2OO米，通过一座桥用了30秒，求火车的速度。", "一列火车长200米，通过一座桥用了30秒，求火车的速度。"),
    "particles": ("马克思的劳动价值理论认为商品具有的两个因素是什么", "马克思劳动价值理论认为，商品具有两个因素是"),
    "numeral": ("计算机网络的体系结构分为七层，请写出各层的名称。", "计算机网络的体系结构分为7层，请写出各层名称。"),
    "unit names": ("一块铁的质量为5千克，体积为600立方厘米，求其密度。", "一块铁的质量为5kg，体积为600cm^3，求其密度。"),
    "superscripts lost": ("已知方程 x^{2}+3x-10=0，求该方程的两个根。", "已知方程 x2+3x-10=0，求该方程的两个根。"),
    "gloss left out": ("国内生产总值（GDP）的核算方法是什么", "国内生产总值的核算方法是什么"),
    "source left out": ("根据合同法规定，承租人转租房屋应当事先取得谁的同意", "承租人转租房屋，应当事先取得谁的同意"),
    "year of a paper": ("（2019年全国卷）简述植物向光性产生的原因。", "简述植物向光性产生的原因。"),
    "name for a pronoun": ("李时珍是明代著名的医药学家，李时珍历时二十七年写成的药物学巨著叫什么名字", "李时珍是明代著名的医药学家，他历时二十七年写成的药物学巨著叫什么名字"),
    "a unit over two lines": ("测得该合金块的质量为54克，体积为20立方\n厘米，求其密度。", "测得该合金块的质量为54克，体积为20立方厘米，求其密度。"),
    "a word misread": ("简述城市化的主要表现以及城市化的组成郡分。", "简述城市化的主要表现以及城市化的组成部分。"),
    "no and lack": ("成熟红细胞与其他体细胞的主要区别在于没有细胞核", "成熟红细胞与其他体细胞的区别在于缺乏细胞核"),
    "a year at the head": ("1687年，英国物理学家（ ）发表的《自然哲学的数学原理》，奠定了经典力学的基础。", "英国物理学家（ ）发表的《自然哲学的数学原理》，奠定了经典力学的基础。"),
    "one radical for another": ("在关系数据库的三层模式结构中，外摸式描述的是什么", "在关系数据库的三层模式结构中，外模式描述的是什么？"),
    "a name said again": ("The router’s ( ) table tells the router where to send each packet of data.", "Which table tells the router where to send each packet of data?"),
    "words put in": ("为了准确地测量一段粗细均匀的金属丝的电阻率，某同学先用螺旋测微器量出它的直径，再接通电路读出电压表和电流表的示数", "为了准确测量一段粗细均匀的金属丝的电阻率，按照老师的要求，某同学先用螺旋测微器细心量出它的直径，再接通电路，读出电压表和电流表的示数"),
    "an order misread": ("什么是量子隧穿？说明它与衰变的关糸，悦明其基本持征。", "什么是量子隧穿？说明它与衰变的关系，说明其基本特征。"),
    "a word in passing": ("北魏时期郦道元所著的综合性地理巨著，详细记述了一千多条河流，这部书是", "北魏郦道元所著的综合性地理著名巨著，详细记述了一千多条河流，这部书是"),
}  # fmt: skip
DIFFERENT = {
    "number": (LONG + "求年折旧额。", LONG.replace("80", "90") + "求年折旧额。"),
    "another year at the head": ("1687年，英国物理学家（ ）发表的著作奠定了经典力学的基础，这部著作是", "1867年，英国物理学家（ ）发表的著作奠定了经典力学的基础，这部著作是"),
    "a number before a story": ("120名学生参加了在市体育馆举行的数学竞赛，求其中获得一等奖的学生所占比例", "学生参加了在市体育馆举行的数学竞赛，求其中获得一等奖的学生所占比例"),
    "decimal": ("已知半径为2.5厘米，求圆的面积。", "已知半径为25厘米，求圆的面积。"),
    "unit": ("一物体质量为5kg，求所受的重力。", "一物体质量为5g，求所受的重力。"),
    "negation": ("下列关于合同的说法，正确的是", "下列关于合同的说法，不正确的是"),
    "polarity": ("下列叙述中错误的是哪一项", "下列叙述中正确的是哪一项"),
    "term": ("名词解释：通货膨胀", "名词解释：通货紧缩"),
    "entity": ("简述急性肾炎的临床表现。", "简述慢性肾炎的临床表现。"),
    "aspect": ("试述辛亥革命爆发的原因。", "试述辛亥革命爆发的影响。"),
    "same story, other question": (LONG + "求该机床的入账价值。", LONG + "编制购入时的会计分录。"),
    "options": ("下列句子没有语病的是\nA. 春天来了。\nB. 他去北京。", "下列句子没有语病的是\nA. 水在流动。\nB. 雪已融化。"),
    "formula": ("求不定积分 $\\int x^{2}\\sin x\\,dx$", "求不定积分 $\\int x^{2}\\cos x\\,dx$"),
    "qualified terms": ("西医诊断在临床治疗中有什么作用？", "中医诊断在临床治疗中有什么作用？"),
    "contrary in a long text": (LONG.replace("上", "").replace("购入", "购入全新") + "求残值。", LONG.replace("购入", "购入全旧") + "求残值。"),
    "exchanged": ("试证明充分条件甲可以推出结论乙，并说明理由。", "试证明充分条件乙可以推出结论甲，并说明理由。"),
}  # fmt: skip


@pytest.mark.parametrize("name", SAME)
def test_the_same_question(name: str) -> None:
    found = compare(*SAME[name])
    assert found.verdict == "duplicate", found


@pytest.mark.parametrize("name", DIFFERENT)
def test_another_question_with_a_reason(name: str) -> None:
    found = compare(*DIFFERENT[name])
    assert found.verdict == "different", found
    assert len(found.evidence) >= 1


DOUBTFUL = {
    "qualifier": ("名词解释：基本矛盾", "名词解释：主要矛盾"),
    "narrower": ("简述肾小球肾炎的临床表现和治疗的原则。", "简述急性肾小球肾炎的临床表现和治疗原则。"),
}


@pytest.mark.parametrize("name", DOUBTFUL)
def test_what_a_curator_must_decide(name: str) -> None:
    assert compare(*DOUBTFUL[name]).verdict == "review"


TEXTS = st.text(st.sampled_from("甲乙丙丁不是的0123456789abAB()（）、.$\\{}^ \n①②"), max_size=60)


@settings(deadline=None)
@given(TEXTS, TEXTS)
def test_comparing_is_symmetric_and_never_fails(a: str, b: str) -> None:
    one, other = compare(a, b), compare(b, a)
    assert one.verdict == other.verdict
    assert 0 <= one.score <= 1


@settings(deadline=None)
@given(TEXTS.filter(lambda t: any(c.isalnum() for c in t)))
def test_a_text_is_a_duplicate_of_itself(text: str) -> None:
    assert compare(text, text).verdict != "review"


def test_many_at_once_are_judged_as_one_by_one() -> None:
    pairs = [*SAME.values(), *DIFFERENT.values(), *DOUBTFUL.values()]
    pairs += [(a, b) for (a, _), (_, b) in pairwise(pairs)]
    texts = [text for pair in pairs for text in pair]
    folded = fold((text, text, "") for text in texts)
    places = np.arange(len(texts)).reshape(-1, 2)
    told = findings(folded, places, DedupSettings(), lambda some: [texts[n] for n in some])
    found = {number: (str(forth), str(back)) for number, forth, back in told}
    for number, (a, b) in enumerate(pairs):
        forth, back = compare(a, b), compare(b, a)
        if forth.evidence != {"text": "equal"}:
            there = (str(forth), str(back)) if forth.verdict != "different" else None
            assert found.get(number) == there, (a, b)


def test_needed_figures_that_differ_go_to_review() -> None:
    text = "如图所示，求阴影部分的面积。"
    assert compare(text, text, figures=(["a"], ["b"]), needs_figure=True).verdict == "review"
    assert compare(text, text, figures=(["a"], ["a"]), needs_figure=True).verdict == "duplicate"


def test_generated_instructions_do_not_make_terms_alike() -> None:
    prompts = [f"请解释下列名词：\n{term}" for term in ("边际效用", "机会成本", "边际成本")]
    assert [asked(p, p.split("\n")[1])[0] for p in prompts] == ["边际效用", "机会成本", "边际成本"]
    fresh = [question(p, printed=p.split("\n")[1], draft=p) for p in prompts]
    assert all(q.status is Status.ACTIVE for q in settled(fresh))


def settled(fresh: list[Question], bank: list[Question] | None = None) -> list[Question]:
    maker = IdMaker(bytes(32))
    rows = [q.model_dump(mode="json") for q in maker.identify(bank or [])]
    return settle(maker.identify(fresh), rows, DedupSettings())


def test_questions_put_in_added_words_are_not_lost() -> None:
    printed = LONG + "该机床的入账价值是（ ）元。", LONG + "该机床的年折旧额是（ ）元。"
    prompts = (
        LONG + "\n请计算该机床入账的价值是多少元，并说明理由。",
        LONG + "\n请计算该机床每年的折旧额是多少元，并说明理由。",
    )
    fresh = [question(p, printed=q, draft=q) for p, q in zip(prompts, printed, strict=True)]
    assert all(q.status is Status.ACTIVE for q in settled(fresh))


def test_the_bank_keeps_and_the_newcomer_says_why() -> None:
    old = question("简述冒泡排序的步骤。", source="old.pdf")
    (new,) = settled([question("2. 请简述冒泡排序的步骤（6分）", reference_answer="逐个比较")], [old])
    assert new.status is Status.DUPLICATE
    assert new.duplicate_of == IdMaker(bytes(32)).identify([old])[0].question_id == new.cluster_id
    assert new.duplicate_of in new.evidence["dedup"]


def test_inside_a_batch_the_fullest_answer_is_kept() -> None:
    text = "简述冒泡排序的步骤。"
    rows = settled(
        [question(text, source="a"), question(text, source="b", reference_answer="短"),
         question(text, source="c", reference_answer="长一些的答案"), question(text, source="d")]
    )  # fmt: skip
    assert [q.status.value for q in rows] == ["duplicate", "duplicate", "active", "duplicate"]
    assert {q.duplicate_of for q in rows if q.duplicate_of} == {rows[2].question_id}
    assert {q.cluster_id for q in rows} == {rows[2].question_id}
    assert rows[1].evidence["dedup_answers"]


def test_a_duplicate_of_a_duplicate_names_the_keeper() -> None:
    maker = IdMaker(bytes(32))
    keeper, copy = maker.identify(
        [question("简述冒泡排序的步骤。", source="a"), question("简述冒泡排序步骤", source="b")]
    )
    copy = copy.model_copy(update={"status": Status.DUPLICATE, "duplicate_of": keeper.question_id})
    rows = [copy.model_dump(mode="json"), keeper.model_dump(mode="json")]
    (new,) = settle(maker.identify([question("简述冒泡排序步骤", source="c")]), rows, DedupSettings())
    assert new.duplicate_of == keeper.question_id


def test_siblings_are_never_duplicates_of_one_another() -> None:
    printed = "判断：①水是由氢和氧组成的化合物 ②水是由氢和氧组成的混合物"
    siblings = [question("水是由氢和氧组成的化合物", printed=printed, draft="d"),
                question("水是由氢和氧组成的化合物。", printed=printed, draft="d", material="先读材料")]  # fmt: skip
    assert [q.status for q in settled(siblings)] == [Status.ACTIVE, Status.ACTIVE]


def test_doubt_goes_to_review_with_its_reason() -> None:
    old = question("简述数据库事务的四个特性。", source="old.pdf")
    (new,) = settled([question("简述数据库系统事务的四个特性。")], [old])
    assert new.status is Status.REVIEW
    assert new.status_reason.startswith("near_duplicate: ")


def test_other_material_is_another_question() -> None:
    ask = "请概括这段材料的主要观点。"
    material = [
        "近年来城市里的共享单车数量增长很快，管理却没有跟上。",
        "河流改道使下游的村庄失去了灌溉用水，收成大减。",
    ]
    rows = settled([question(ask, source=m, material=m) for m in material])
    assert [q.status for q in rows] == [Status.ACTIVE, Status.ACTIVE]


def test_the_settled_set_does_not_depend_on_the_order_of_files() -> None:
    one, two = (
        paper("a.pdf", 30),
        [q.model_copy(update={"reference_answer": None}) for q in paper("b.pdf", 30)],
    )
    first = {q.question_id: q.duplicate_of for q in settled([*one, *two])}
    second = {q.question_id: q.duplicate_of for q in settled([*two, *one])}
    assert first == second
    assert sum(bool(v) for v in first.values()) == 30


def test_no_word_of_its_own_is_taken_for_a_misreading() -> None:
    listed = {w for group in (*SYNONYMS.items(), tuple(FILLERS)) for w in group}
    assert not [form for form, word in MISREAD.items() if form in listed or len(form) != len(word)]
    assert not {"日前", "那些", "那个"} & MISREAD.keys()


def test_a_copy_is_found_where_every_pair_of_characters_is_common() -> None:
    signs = "金木水火土风雷电山石田禾竹"
    rng = random.Random(7)
    texts = ["".join(rng.choice(signs) for _ in range(28)) for _ in range(4000)]
    texts.append(texts[5][:14] + texts[5][15:])
    assert [5, 4000] in candidates(texts, [True] * len(texts), DedupSettings()).tolist()


def test_grams_by_kind_of_character() -> None:
    hashes, owner = grams(["汉字汉字", "12345", "abcdef", "", "汉"])
    assert np.bincount(owner, minlength=5).tolist() == [2 + 2, 3, 2, 0, 1]  # Han by two and by three
    again, _ = grams(["12345"])
    assert set(again.tolist()) == set(hashes[owner == 1].tolist())


@settings(deadline=None, max_examples=50)
@given(
    st.lists(
        st.text(st.sampled_from("甲乙丙丁戊己0123"), min_size=2, max_size=8),
        min_size=2,
        max_size=30,
        unique=True,
    )
)
def test_candidates_are_ordered_pairs_with_a_newcomer(texts: list[str]) -> None:
    new = [i % 2 == 0 for i in range(len(texts))]
    pairs = candidates(texts, new, DedupSettings())
    assert all(i < j and (new[i] or new[j]) for i, j in pairs.tolist())
    assert len(np.unique(pairs, axis=0)) == len(pairs)


def family(size: int) -> list[str]:
    """One template with other numbers, and as many texts that have nothing to do with it."""
    template = [
        f"某工厂第{n}号车间生产{n * 7 % 9973}个零件，合格率为{n * 13 % 97}%，求不合格品的数量。"
        for n in range(size)
    ]
    signs = np.random.default_rng(7).integers(0x4E00, 0x9FA5, size=(size, 18))
    return template + ["".join(map(chr, row)) for row in signs]


def test_a_large_template_family_does_not_blow_up() -> None:
    times, found = [], []
    for size in (1000, 4000):
        texts = family(size)
        started = time.process_time()
        found.append(len(candidates(texts, [True] * len(texts), DedupSettings())))
        times.append(time.process_time() - started)
    # Four times the texts: a quadratic step would take sixteen times as long and find as many pairs.
    assert times[1] < 9 * times[0] + 0.2
    assert found[1] < 6 * found[0] + 4000


def test_a_planted_copy_is_found_among_many() -> None:
    texts = family(1500)
    copies = {len(texts) + k: 1500 + 100 * k for k in range(10)}
    texts += [texts[origin][:9] + "改" + texts[origin][10:] for origin in copies.values()]
    pairs = {
        tuple(p) for p in candidates(texts, [i >= 3000 for i in range(len(texts))], DedupSettings()).tolist()
    }
    assert {(origin, copy) for copy, origin in copies.items()} <= pairs


def test_thousands_of_copies_of_one_question_settle_in_linear_time() -> None:
    texts = ["请默写并翻译下面的句子，再说明其中的修辞手法。"] * 1200
    started = time.process_time()
    rows = settled([question(t, source=f"{n}.pdf") for n, t in enumerate(texts)])
    assert sum(q.status is Status.DUPLICATE for q in rows) == len(texts) - 1
    assert time.process_time() - started < 20


def test_an_option_into_which_the_next_question_ran_is_for_a_curator() -> None:
    clean = "一棵二叉树有100个叶子结点，则度为2的结点有（）个。\nA. 98 B. 99 C. 100 D. 101"
    both = clean + "\n5.高度为5的满二叉树（根的高度为1）共有（）个结点。\nA.15 B.16 C.31 D.32"
    assert compare(clean, clean.replace("D. 101", "D．101。")).verdict == "duplicate"
    for other in (clean, clean.partition("\n")[0]):
        assert compare(both, other).verdict == compare(other, both).verdict == "review"


@pytest.mark.parametrize(
    "order", ["请填写下面空白处（____）的内容。\n", "请简述：", "请判断下列说法是否正确，并说明理由。\n"]
)
def test_an_instruction_of_ours_makes_no_other_question(order: str) -> None:
    one = question("成人腋温的正常范围为℃。", source="scan.pdf", printed="成人腋温的正常范围为℃。")
    other = question(
        f"{order}成人腋温的正常范围为____℃。", source="text.pdf", printed="成人腋温的正常范围为____℃。"
    )
    assert [bool(q.duplicate_of) for q in settled([other, one])].count(True) == 1


def test_a_task_of_ours_does() -> None:
    text = "He who would eat the nut must first crack the shell."
    other = question(f"请将下面的内容译成汉语。\n{text}", source="a.pdf", printed=text)
    one = question(f"请分析下面的内容，并说明理由。\n{text}", source="b.pdf", printed=text)
    assert not any(q.duplicate_of for q in settled([other, one]))
