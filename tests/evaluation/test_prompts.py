"""Prompts: the judge's word for word, filling that leaves braces alone, a wording for every type."""

from __future__ import annotations

import tomllib
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.prompts import ask_prompts, fill, judge_prompt
from schemas.errors import UsageError
from schemas.question import QuestionType

AS_PUBLISHED = """\
Please evaluate the following response from the LLM regarding a discipline-specific question based on the following criteria. You must score it on a scale of 0, 1, 2 or 3 stars:

Overall Rating:
0 stars indicate wrong answer with a wrong explanation
1 star indicates wrong answer but a partially reasonable explanation
2 stars indicate a correct answer with a partially reasonable explanation
3 stars indicate a correct answer with a reasonable explanation

User: {question}

LLM:{answer_from_llm}

The correct answer to user's question is: {correct_answer}

You must provide your feedback in the following format:
{"Overall Rating":numbers of its stars(int)}"""


def test_the_judge_prompt_is_the_published_one_and_its_hash_is_on_record():
    prompt = judge_prompt()
    assert prompt.text == AS_PUBLISHED
    about = tomllib.loads(files("evaluation.prompts").joinpath("judge-llmeval-fair.toml").read_text("utf-8"))
    assert prompt.sha256 == about["sha256"]
    assert "LLMEval-Fair" in prompt.source


@given(st.text(), st.text(), st.text())
def test_what_is_filled_in_arrives_exactly(question, answer, reference):
    head, rest = AS_PUBLISHED.split("{question}")
    middle, rest = rest.split("{answer_from_llm}")
    before, tail = rest.split("{correct_answer}")
    filled = judge_prompt().fill(question=question, answer=answer, reference=reference)
    assert filled == head + question + middle + answer + before + reference + tail


def test_braces_that_are_no_placeholders_stay():
    assert fill(r"{a} {b} \frac{1}{2} {{a}}", {"a": r"{b}\{a}"}) == r"{b}\{a} {b} \frac{1}{2} {{b}\{a}}"


@pytest.mark.parametrize("language", ["zh", "en", "mixed"])
@pytest.mark.parametrize("question_type", list(QuestionType))
def test_every_type_and_language_has_a_wording(question_type, language):
    question = r"求 $\frac{1}{2}$ {question}"
    asked = ask_prompts().ask(question, question_type=question_type, language=language)
    assert asked.endswith("\n\n" + question)
    assert asked.startswith("请") is (language != "en")


def test_an_unknown_type_is_named():
    with pytest.raises(UsageError, match="multiple_choice"):
        ask_prompts().ask("?", question_type="multiple_choice", language="zh")
