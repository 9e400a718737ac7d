"""What a question asks, what it tells and what it offers: each counts for what it is."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.classify.asked import ASKED, CHOICES, TOLD, parts, task
from ingest.classify.filing import file_texts
from ingest.classify.match import prepare

STORY = (
    "某医院的医生发现，吃药的患者血压下降，心脏病的发病率也随之降低，而没有服药的病人仍然需要手术治疗。" * 3
)


def test_choices_begin_where_three_letters_follow_one_another():
    (asked, choices) = parts(prepare("下列属于金属的是\nA. 铁 B. 硫 C. 碳 D. 磷"))
    assert asked[1] == ASKED and "金属" in asked[0]
    assert choices == ("a. 铁 b. 硫 c. 碳 d. 磷", CHOICES)
    assert parts("维生素a、b的作用") == [("维生素a、b的作用", ASKED)]


def test_of_a_long_question_the_sentence_that_asks_counts_most():
    asked, told = parts(prepare(STORY + "医生的做法是否符合伦理，为什么？"))
    assert asked == ("医生的做法是否符合伦理,为什么?", ASKED) and told[1] == TOLD and "血压" in told[0]


@given(st.text(alphabet="某甲ab.、ABC 下列哪。？!;\n1", max_size=300))
def test_nothing_of_a_question_is_lost(text):
    prepared = prepare(text)
    split = "".join(part for part, _ in parts(prepared))
    assert sorted(split.replace(" ", "")) == sorted(prepared.replace(" ", ""))


@pytest.mark.parametrize("part", ["a.", "a.b.", "如果", "。下列", "根据"])
def test_hostile_text_takes_no_longer_than_its_length(part):
    prepared = prepare(part * 60_000)
    begun = time.process_time()
    parts(prepared), task(prepared)
    assert time.process_time() - begun < 2


@pytest.mark.parametrize(
    "asks",
    [
        "以下哪项如果为真，最能削弱上述结论？",
        "上述论证必须假设以下哪项？",
        "根据以上陈述，可以得出的结论是",
        "下列哪项与上述推理方式最为相似？",
    ],
)
def test_a_logic_test_is_told_by_its_task_whatever_its_story(asks):
    assert task(prepare(STORY + asks)) == "d010102"
    (filed,) = file_texts([STORY + asks])
    assert filed.sub_discipline == "d010102"


@pytest.mark.parametrize(
    "text", ["根据上述材料分析其原因。", "简述最能体现其思想的作品。", "假设检验的步骤是"]
)
def test_other_tasks_name_no_subject(text):
    assert task(prepare(text)) == ""
