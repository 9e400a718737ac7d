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
    fill_numbered: str
    choose: str
    by_number: str
    outline: str
    expound: str
    analyse: str
    compute: str
    prove: str
    program: str
    run: str
    draw: str
    correct: str
    translate: str
    to_chinese: str
    to_english: str
    write: str
    question: str
    option: str
    all_options: str
    right: str
    wrong: str
    right_option: str
    reason: str
    joiner: str
    gap: str
    stop: str


CHINESE = Wording(
    judge="请判断下列说法是否正确，并说明理由。",
    judge_option="请判断所给选项对下面的问题来说是否正确，并说明理由。",
    discuss="请辨析下列说法，并说明理由。",
    explain="请解释下列术语：",
    fill="请填写下面空白处（____）的内容。",
    fill_numbered="请填写下面编号空白处（【】）的内容。",
    by_number="请回答下面的问题，用题中的编号作答，并说明理由。",
    outline="请简述：",
    expound="请论述：",
    analyse="请分析下面的内容，并说明理由。",
    compute="请计算：",
    prove="请证明：",
    program="请编写程序，完成下面的要求。",
    run="请写出下面程序的运行结果。",
    draw="请按要求作图：",
    correct="请指出下面的错误并改正。",
    translate="请翻译下面的内容。",
    to_chinese="请将下面的内容译成汉语。",
    to_english="请将下面的内容译成英语。",
    write="请按下面的要求写作。",
    choose="请从所给选项中选出正确的选项，并说明理由。",
    question="问题：",
    option="所给选项：",
    all_options="全部选项：",
    right="正确。",
    wrong="错误。",
    right_option="该题的正确选项是：",
    reason="理由：",
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
    fill_numbered="Fill in the numbered blanks (【】) below.",
    by_number="Answer the question below with the numbers given in it, and give the reason.",
    outline="Explain briefly: ",
    expound="Discuss: ",
    analyse="Analyse the following, and give reasons.",
    compute="Calculate: ",
    prove="Prove: ",
    program="Write a program that does the following.",
    run="Write down the output of the program below.",
    draw="Draw as asked: ",
    correct="Point out the errors below and correct them.",
    translate="Translate the following.",
    to_chinese="Translate the following into Chinese.",
    to_english="Translate the following into English.",
    write="Write as asked below.",
    choose="Choose the correct option or options below, and give the reason.",
    question="Question: ",
    option="Given option: ",
    all_options="All options:",
    right="True.",
    wrong="False.",
    right_option="The correct option is: ",
    reason="Reason: ",
    joiner="; ",
    gap=" ",
    stop=".",
)


def without_instruction(prompt: str) -> str:
    """A prompt without the instruction of ours that it begins with."""
    for words in (CHINESE, ENGLISH):
        for name in _INSTRUCTIONS:
            said = str(getattr(words, name))
            if prompt.startswith(said.strip()):
                return prompt[len(said.strip()) :].lstrip()
    return prompt


# They ask for nothing but what is printed: whether one stands before a question or not, it is the same one.
_PLAIN = ("judge", "discuss", "explain", "fill", "fill_numbered", "choose", "by_number", "outline", "expound",
          "analyse")  # fmt: skip
PLAIN_INSTRUCTIONS = frozenset(str(getattr(words, name)) for words in (CHINESE, ENGLISH) for name in _PLAIN)

_INSTRUCTIONS = (
    "judge", "judge_option", "discuss", "explain", "fill", "fill_numbered", "choose", "by_number", "outline",
    "expound", "analyse", "compute", "prove", "program", "run", "draw", "correct", "translate", "to_chinese",
    "to_english", "write",
)  # fmt: skip
