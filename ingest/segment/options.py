"""Options of a multiple-choice question, wherever on the lines they stand."""

from __future__ import annotations

import re

from schemas.question import Option

_UPPER = re.compile(
    r"(?:(?<![A-Za-z0-9$\\{_^])|(?<=[\s\u3000]))[（(【\[]?\s?([A-H])\s?(?:[)）】\]]\s*[.、．]?|[.．、:：,，](?!\w{0,3}\())\s*"
)
FORMULA = re.compile(r"\$[^$\n]+\$")
_ASKS_AFTER = re.compile(r"\n[^\n]{8,}[?？:：]\s*(?:\n|$)")
_POINTS = re.compile(r"[(（\[]\s*\d+\s*(?:分|points?|marks?|pts?)\s*[)）\]]", re.IGNORECASE)
_SHORT = 40
_LOWER = re.compile(r"(?:(?<=[\s\u3000])|^|(?<=[：:]))[（(]?([a-h])\s?[)）、，.．]\s*", re.MULTILINE)

# A vacuum / B water / C glass: labels without a sign, each at the start of a line or after a gap
_BARE = re.compile(r"(?:(?<=\n)|(?<=[ \u3000]{2})|(?<=\t))([A-H])[ \t\u3000]+(?=[^\s.．、=])")
# A真空 B水 C玻璃 D铜: labels close to Chinese text; 约为A 25 B 30 C 35 D 40: labels between single blanks
_CLOSE = re.compile(r"(?<![A-Za-z0-9])([A-H])(?=[\u3400-\u9fff])")
_BLANKED = re.compile(r"(?:(?<=[\u3400-\u9fff\n？?。：:）)])(?=A)|(?<= )(?=[B-H]))([A-H]) (?=[^\s.．、=])")
_PART = re.compile(
    r"[?？]\s*$|^(?:find|compute|calculate|what|why|how|explain|show|prove|describe|determine|give|state|draw|write|derive|discuss"
    r"|list|define|estimate|evaluate|suggest|sketch|use|compare|identify|construct|verify|if|solve|name|outline)\b"
    r"|^(?:求|计算|证明|写出|说明|试|问|画出|给出|分析|解释|简述|指出)",
    re.IGNORECASE,
)


def split_options(text: str) -> tuple[str, tuple[Option, ...]]:
    """Stem and options of `text`; no options when labels do not run A, B, … in order.

    The last run that starts with A is taken, since a stem may itself name «A、B、C 三种».
    """
    # the (A) of $r(A)$ is no label: formulas are hidden from the search, at their own length
    shown = FORMULA.sub(lambda m: "$" * len(m.group()), text)
    for pattern in (_UPPER, _LOWER, _BARE, _CLOSE, _BLANKED):
        places = _run(shown, pattern)
        if len(places) < 2:
            continue
        stem = text[: places[0][0]].rstrip()
        options = []
        for number, (_, end, label) in enumerate(places):
            stop = places[number + 1][0] if number + 1 < len(places) else len(text)
            options.append(Option(label=label, text=text[end:stop].strip(" \t\n\u3000；")))
        filled = sum(1 for option in options if option.text)
        if filled < 2:
            continue
        if _ASKS_AFTER.search(options[-1].text):
            continue  # a list inside the question: it goes on asking after the last label
        if pattern is not _BARE and any(_POINTS.search(option.text) for option in options):
            continue  # what has points of its own is a sub-question
        if pattern is _LOWER and 2 * sum(bool(_PART.search(o.text)) for o in options) >= len(options):
            continue  # a. Find …  b. What …? are sub-questions
        if pattern is _BARE and len(places) < 3:
            continue
        if pattern in (_CLOSE, _BLANKED) and (len(places) < 4 or _named(options)):
            continue
        if pattern is _LOWER and max(len(option.text) for option in options) > _SHORT:
            continue  # a. b. c. over whole sentences are sub-questions
        return stem, tuple(options)
    return text, ()


def _named(options: list[Option]) -> bool:
    """Whether the letters are names in a sentence («A公司向B公司…»), which goes on with a sign or a word."""
    return (
        max(len(option.text) for option in options) > _SHORT
        or len({option.text[:1] for option in options}) < len(options) / 2 + 1
        or any(
            option.text.endswith(("、", "，", "和", "与", "向", "给", "对", "、及"))
            for option in options[:-1]
        )
    )


def _run(text: str, pattern: re.Pattern[str]) -> list[tuple[int, int, str]]:
    """Start, end and label of the last run of labels that starts at A and never goes back."""
    best: list[tuple[int, int, str]] = []
    run: list[tuple[int, int, str]] = []
    for found in pattern.finditer(text):
        label = found.group(1).upper()
        if label == "A":
            if len(run) >= 2 and len(run) >= len(best):
                best = run
            run = [(found.start(), found.end(), label)]
        elif run and label == chr(ord(run[-1][2]) + 1):
            run.append((found.start(), found.end(), label))
        elif run and label == run[-1][2] and len(run) >= 3 and _stands_alone(text, found.start()):
            # a label printed twice (C, C): the typist's slip, not the end of the options
            run.append((found.start(), found.end(), chr(ord(label) + 1)))
    return run if len(run) >= max(2, len(best)) else best


def _stands_alone(text: str, at: int) -> bool:
    """Whether a place begins the text, a line or a cell."""
    return text.endswith(("\n", "\t", "  "), 0, at) or not text[:at].strip()
