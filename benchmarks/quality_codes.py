"""Precision and recall of each quality code on faults planted in clean papers that we made.

Run: python benchmarks/quality_codes.py [--papers 60] [--seed 7]. A paper gets faults of one kind in
about a tenth of the questions that can bear it; every code on any other question is a false alarm, and so
is every code on a paper without faults.
"""

# ruff: noqa: E501 (texts stand on one line)
from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.made_papers import paper
from ingest.clean import check_paper, itemise
from schemas.question import Draft, Label, Option, PrintedForm
from schemas.settings import CleanSettings

LABEL = Label(discipline="d12", sub_discipline="", confidence=0.9, method="made")
Plant = Callable[[Draft, random.Random], Draft | None]
PROSE = {PrintedForm.SHORT_ANSWER, PrintedForm.CALCULATION}


def _stem(draft: Draft, stem: str) -> Draft:
    return draft.model_copy(update={"stem": stem, "printed": draft.printed.replace(draft.stem, stem, 1)})


def truncated(draft: Draft, rng: random.Random) -> Draft | None:
    """The stem cut in its second half, as at the end of a page."""
    if draft.form not in PROSE or len(draft.stem) < 10:
        return None
    return _stem(draft, draft.stem[: rng.randint(len(draft.stem) // 2, len(draft.stem) - 3)])


def answer_truncated(draft: Draft, rng: random.Random) -> Draft | None:
    """The answer cut in its second half."""
    answer = draft.answer or ""
    if draft.form is not PrintedForm.SHORT_ANSWER or len(answer) < 12:
        return None
    return draft.model_copy(update={"answer": answer[: rng.randint(len(answer) // 2, len(answer) - 3)]})


def answer_in_stem(draft: Draft, rng: random.Random) -> Draft | None:
    """The answer left in the stem: marked, without a mark, or as the letter of a choice."""
    if not draft.answer or draft.form is PrintedForm.TRUE_FALSE:
        return None
    if draft.form is PrintedForm.MULTIPLE_CHOICE:
        return _stem(draft, draft.stem.replace("（  ）", f"（ {draft.answer} ）"))
    if len(draft.answer) < 8 or draft.form is PrintedForm.FILL_BLANK:
        return _stem(draft, f"{draft.stem}\n答案：{draft.answer}")
    mark = rng.choice(("\n答：", "\n【答案】", "，即", "\n参考答案："))
    return _stem(draft, f"{draft.stem.rstrip('。')}{mark}{draft.answer}")


_POINTING = (
    "如上图所示，", "根据下图，", "见图3，", "同上题，", "根据上述材料，", "阅读以下案例，", "由上题的结果，", "如下表所示，",
    "针对上面的短文，", "观察右图，", "根据表2.1中的数据，", "下面的程序有错误，", "用第3题的结论，", "结合所给材料，",
)  # fmt: skip


def points_outside(draft: Draft, rng: random.Random) -> Draft | None:
    """A figure, table, program, material or question is spoken of that is not there."""
    if draft.form not in PROSE or len(draft.stem) < 10:
        return None
    return _stem(draft, rng.choice(_POINTING) + draft.stem)


def options_missing(draft: Draft, rng: random.Random) -> Draft | None:
    """An option lost, left empty, or left at the end of another."""
    if not draft.options:
        return None
    at = rng.randrange(1, len(draft.options))
    options = list(draft.options)
    how = rng.randrange(3)
    if how == 0 and at < len(options) - 1:
        del options[at]
    elif how == 1:
        options[at] = Option(label=options[at].label, text="")
    else:
        lost = options.pop(at)
        last = options[at - 1]
        options[at - 1] = Option(label=last.label, text=f"{last.text}\n{lost.label}. {lost.text}")
    return draft.model_copy(update={"options": tuple(options)})


def options_repeated(draft: Draft, rng: random.Random) -> Draft | None:
    """The text of an option given twice."""
    if not draft.options:
        return None
    first, second = rng.sample(range(len(draft.options)), 2)
    options = list(draft.options)
    options[second] = Option(
        label=options[second].label, text=options[first].text + rng.choice(("", "。", " "))
    )
    return draft.model_copy(update={"options": tuple(options)})


def verdict_only(draft: Draft, rng: random.Random) -> Draft | None:
    """The reason of a verdict gone."""
    if draft.form is not PrintedForm.TRUE_FALSE:
        return None
    sign = (draft.answer or "√")[0]
    return draft.model_copy(
        update={"answer": rng.choice((sign, {"√": "对", "×": "错"}[sign], f"（{sign}）"))}
    )


def mojibake(draft: Draft, rng: random.Random) -> Draft | None:
    """A stretch decoded with the wrong table, or characters lost."""
    if len(draft.stem) < 12 or draft.options:
        return None
    begin = rng.randrange(len(draft.stem) - 8)
    piece, rest = draft.stem[begin : begin + 8], draft.stem[begin + 8 :]
    wrong = rng.choice((
        piece.encode().decode("gbk", "ignore"), piece.encode("gbk").decode("latin-1"), piece.encode().decode("latin-1"),
        piece[:3] + "\ufffd\ufffd" + piece[5:], piece[:2] + "锟斤拷" + piece[5:], piece[:4] + "????" + piece[4:],
    ))  # fmt: skip
    return _stem(draft, draft.stem[:begin] + wrong + rest)


def lone_formula(draft: Draft, rng: random.Random) -> Draft | None:
    """Only the formula is left of a question whose heading demands nothing."""
    if draft.form not in PROSE:
        return None
    formula = rng.choice(
        (r"$\int_0^1 x^2\,dx$", r"$a^2+b^2=c^2$", r"$\lim_{x\to 0}\frac{\sin x}{x}$", "$E=mc^2$")
    )
    return _stem(draft, formula + rng.choice(("", "。", "；"))).model_copy(update={"section": "五、"})


_NO_QUESTIONS = (
    "本试卷共6页，满分100分，考试时间120分钟。", "考生须知：请将答案写在答题纸上，写在试卷上无效。", "得分：　　评卷人：", "第2页 共6页",
    "课程的重点在前三章，后两章作一般了解即可。", "以上内容供同学们复习时参考，不代表考试范围。", "这一章的公式很多，不过老师讲得很清楚。",
    "社会的进步离不开科学技术，这是历史的经验。", "平时成绩占三成，期末成绩占七成。", "监考教师应当在开考前十五分钟到场。",
)  # fmt: skip


def non_question(draft: Draft, rng: random.Random) -> Draft | None:
    """A notice of the paper or a remark in the place of a question."""
    if draft.form is not PrintedForm.SHORT_ANSWER:
        return None
    return _stem(draft, rng.choice(_NO_QUESTIONS)).model_copy(update={"answer": None})


_PERSONAL = (
    "（李明 2021034567）", "（联系电话：13800138000）", "（请寄 teacher@example.edu.cn）", "（身份证号 11010519491231002X）",
    "姓名：王小明", "学号：202103456", "准考证号 104878123456789"[:14], "QQ群：123456789", "（微信号：exam_helper01）", "电话 0571-87654321",
)  # fmt: skip


def personal_data(draft: Draft, rng: random.Random) -> Draft | None:
    """A name with a number, a phone, an address or an identity number in the stem."""
    if draft.options or len(draft.stem) < 10:
        return None
    return _stem(draft, f"{draft.stem}{rng.choice(_PERSONAL)}")


PLANTS: tuple[Plant, ...] = (
    truncated, answer_truncated, answer_in_stem, points_outside, options_missing, options_repeated, verdict_only, mojibake,
    lone_formula, non_question, personal_data,
)  # fmt: skip
CODES = (*(plant.__name__ for plant in PLANTS), "answers_shifted")
_EXPECTED = {
    "truncated": {"non_question"},
    "mojibake": {"truncated"},
    "personal_data": {"truncated"},
    "answer_in_stem": {"answer_truncated"},
}
"""Codes that may stand on a planted question beside its own: a cut text asks nothing, what is appended has no stop."""


def answers_shifted(drafts: Sequence[Draft], rng: random.Random) -> tuple[list[Draft], set[int]]:
    """The answers of one section moved by one place from some question on; one is lost, one question has none."""
    section = rng.choice(sorted({d.section for d in drafts if d.section[0] in "一五"}))
    places = [at for at, draft in enumerate(drafts) if draft.section == section]
    step = rng.choice((1, -1))
    begin = rng.randrange(0, len(places) - 3)
    moved = places[begin:]
    answers = [drafts[at].answer for at in moved]
    out = list(drafts)
    shifted = [*answers[1:], None] if step == 1 else [None, *answers[:-1]]
    for at, answer in zip(moved, shifted, strict=True):
        out[at] = out[at].model_copy(update={"answer": answer})
    return out, {at for at, answer in zip(moved, shifted, strict=True) if answer}


def found_codes(drafts: Sequence[Draft]) -> list[set[str]]:
    """The codes of the items of each draft."""
    settings = CleanSettings()
    return [
        {flag for item in itemise(draft, LABEL, settings) for flag in item.flags}
        for draft in check_paper(drafts)
    ]


def planted(code: str, drafts: list[Draft], rng: random.Random) -> tuple[list[Draft], set[int]]:
    """The paper with faults of one code, and their places."""
    if code == "answers_shifted":
        return answers_shifted(drafts, rng)
    plant = next(p for p in PLANTS if p.__name__ == code)
    able = [at for at, draft in enumerate(drafts) if plant(draft, random.Random(0)) is not None]
    places = set(rng.sample(able, min(len(able), max(1, round(len(able) / 10)))))
    return [plant(d, rng) or d if at in places else d for at, d in enumerate(drafts)], places


def measure(papers: int, seed: int) -> dict[str, tuple[int, int, int]]:
    """For each code (planted, planted and found, found where it was not planted)."""
    codes = CODES
    right, total, false = Counter[str](), Counter[str](), Counter[str]()
    for number in range(papers):
        clean = paper(seed * 1000 + number)
        # verdicts of the clean papers that have no reason either
        verdicts = {at for at, told in enumerate(found_codes(clean)) if "verdict_only" in told}
        for code in (*codes, ""):
            rng = random.Random(f"{seed} {number} {code}")
            drafts, places = planted(code, clean, rng) if code else (clean, set())
            for at, got in enumerate(found_codes(drafts)):
                for told in got & set(codes):
                    if told == "verdict_only" and at in verdicts and not (code == told and at in places):
                        continue
                    if told == code and at in places:
                        right[code] += 1
                    elif not (at in places and told in _EXPECTED.get(code, set())):
                        false[told] += 1
            total[code] += len(places)
    return {code: (total[code], right[code], false[code]) for code in codes}


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--papers", type=int, default=60)
    parser.add_argument("--seed", type=int, default=7)
    args = parser.parse_args()
    begin = time.process_time()
    table = measure(args.papers, args.seed)
    print(f"{'code':20} {'planted':>8} {'found':>6} {'false':>6} {'precision':>10} {'recall':>7}")
    for code, (total, right, false) in table.items():
        precision = right / (right + false) if right + false else 1.0
        print(f"{code:20} {total:8} {right:6} {false:6} {precision:10.3f} {right / max(total, 1):7.3f}")
    print(f"{args.papers} papers, {time.process_time() - begin:.0f} s of CPU")


if __name__ == "__main__":
    main()
