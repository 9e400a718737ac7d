"""The instructions put before a question to make it generative, in its own language."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Wording:
    """Instructions and the words of a verdict in one language."""

    judge: str
    judge_option: str
    discuss: str
    explain: str
    fill: str
    choose: str
    question: str
    option: str
    all_options: str
    right: str
    wrong: str
    right_option: str
    joiner: str
    gap: str
    stop: str


CHINESE = Wording(
    judge="请判断下列说法是否正确，并说明理由。",
    judge_option="请判断所给选项对下面的问题来说是否正确，并说明理由。",
    discuss="请辨析下列说法，并说明理由。",
    explain="请解释下列术语：",
    fill="请填写下面空白处（____）的内容。",
    choose="请从所给选项中选出正确的选项，并说明理由。",
    question="问题：",
    option="所给选项：",
    all_options="全部选项：",
    right="正确。",
    wrong="错误。",
    right_option="该题的正确选项是：",
    joiner="；",
    gap="",
    stop="。",
)

ENGLISH = Wording(
    judge="State whether the following statement is true or false, and give the reason.",
    judge_option="State whether the given option is correct for the question below, and give the reason.",
    discuss="Discuss whether the following statement holds, and give reasons.",
    explain="Explain the following term: ",
    fill="Fill in the blank (____) below.",
    choose="Choose the correct option or options below, and give the reason.",
    question="Question: ",
    option="Given option: ",
    all_options="All options:",
    right="True.",
    wrong="False.",
    right_option="The correct option is: ",
    joiner="; ",
    gap=" ",
    stop=".",
)
