"""Pairs of questions labelled by hand: what is not the same is not merged, and most copies are found."""

from __future__ import annotations

import json
import time
from collections import Counter
from pathlib import Path

import pytest

from bank.dedup.reading import Reading
from bank.dedup.verdict import compare

PAIRS = Path(__file__).parents[1] / "golden" / "questions" / "pairs.jsonl"


def test_own_pairs() -> None:
    pairs = [json.loads(line) for line in PAIRS.read_text(encoding="utf-8").splitlines()]
    found = Counter((pair["label"], compare(pair["a"], pair["b"]).verdict) for pair in pairs)
    labels = Counter(pair["label"] for pair in pairs)
    assert found["different", "duplicate"] == 0
    assert found["duplicate", "duplicate"] >= 0.83 * labels["duplicate"]
    assert sum(count for (_, verdict), count in found.items() if verdict == "review") <= 0.06 * len(pairs)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("求不定积分 ∫x²dx。", "求不定积分 ∫x⁻²dx。"),
        ("化简 (A∪B)∩C。", "化简 (A∩B)∪C。"),
        ("计算 2*(3+4) 的值。", "计算 2*3+4 的值。"),
        ("求圆在点(3,0)处的切线方程。", "求圆在点(0,3)处的切线方程。"),
        ("求 P(A|B) 的值。", "求 P(B|A) 的值。"),
        ("A⊂B 时二者有何关系？", "B⊂A 时二者有何关系？"),
        ("判断公式 ∀xP(x) 的真假。", "判断公式 ∃xP(x) 的真假。"),
        (
            "写出结果：int s=0; for(i=1;i<10;i++) s+=i; printf(s);",
            "写出结果：int s=0; for(i=1;i<=10;i++) s+=i; printf(s);",
        ),
        ("把中缀表达式转换为后缀表达式的方法是什么？", "把后缀表达式转换为中缀表达式的方法是什么？"),
        ("《岳阳楼记》的作者是谁？", "《岳阳楼记》作于哪一年？"),
        ("分析归并排序算法的时间复杂度。", "分析归并排序算法的空间复杂度。"),
        ("名词解释：光合作用", "简述光合作用的过程。"),
        ("证明：f(x)=x²+1 在 R 上连续。", "计算：f(x)=x²+1 在 R 上连续。"),
    ],
)
def test_signs_order_and_what_is_sought_make_another_question(a: str, b: str) -> None:
    assert compare(a, b).verdict != "duplicate"
    assert compare(b, a).verdict != "duplicate"


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("求 $\\frac{a+b}{2}\\ge\\sqrt{ab}$ 成立的条件。", "求 (a+b)/2≥√(ab) 成立的条件。"),
        ("求 $\\int x^2 dx$ 的值。", "求 ∫x²dx 的值。"),
        ("配平：Fe₂O₃ + CO → Fe + CO₂", "配平：$Fe_2O_3 + CO \\rightarrow Fe + CO_2$"),
        ("名词解释：机会成本", "什么是机会成本？"),
        ("机会成本的定义是什么？", "试给出机会成本的含义。"),
        ("Define osmosis.", "What is osmosis?"),
        ("判断题：物权优先于债权。（ ）", "物权优先于债权。（判断对错）"),
        ("简述遗传密码的特点。", "请根据所学知识回答下列问题：简述遗传密码的特点。"),
        ("Describe the structure of the nephron.", "2. Describe the structure of the nephron. (6 marks)"),
        ("测得体积为494立方厘米，求其密度。", "测得体积为494立万厘米，求其密度。"),
        ("价格上升百分之二十五，求销量的变化。", "价格上升25%，求销量的变化。"),
        ("张某被拘。请回答：①何罪？②为何？③何时？", "张某被拘。请回答：\n①何罪？\n②为何？\n③何时？"),
        ("下列关于细胞的说法错误的是（ ）", "下列关于细胞的说法中不正确的是（ ）"),
        ("试述夸美纽斯《大教学论》的主要教育思想。", "试述夸美纽斯《大敦学论》的主要教育思想。"),
    ],
)
def test_the_same_said_or_printed_otherwise_is_the_same(a: str, b: str) -> None:
    assert compare(a, b).verdict == compare(b, a).verdict == "duplicate"


def test_a_character_drawn_like_another_is_a_misreading_unless_both_name_things_of_one_kind() -> None:
    assert (
        compare("论述新文化运动对现代文学的深远影响。", "论述新文化运动对现代文学的深远影晌。").verdict
        == "duplicate"
    )
    for one, other in (("跟骨", "距骨"), ("氧气", "氮气"), ("程颐", "程颢"), ("防雹", "防雷")):
        a, b = (f"简述{word}的主要作用，并结合实际说明理由。" for word in (one, other))
        assert compare(a, b).verdict != "duplicate"


@pytest.mark.parametrize(
    "piece",
    [
        "1",
        "o",
        "a",
        " ",
        "请根据",
        "比较甲与乙",
        "的定义",
        "百分之十",
        "第1题",
        "I. a ",
        "名词解释",
        "x(a+b",
        "\\frac{",
        "^{",
        "⁻¹",
        "1米/升",
    ],
)
def test_no_text_takes_long_to_read(piece: str) -> None:
    began = time.process_time()
    for text in (piece * 6000, f"what is {piece * 6000}!", f"请按要求{piece * 6000}x"):
        reading = Reading(text)
        assert reading.key is not None
        assert len(reading.tokens) >= 0
    assert time.process_time() - began < 5
