"""Word's list number formats: a counter value as it is displayed."""

from __future__ import annotations

from collections.abc import Callable

_DIGITS = "〇一二三四五六七八九"
_LEGAL = "零壹贰叁肆伍陆柒捌玖"
_STEMS = "甲乙丙丁戊己庚辛壬癸"
_BRANCHES = "子丑寅卯辰巳午未申酉戌亥"
_AIUEO = "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン"
_ROMAN = (
    (1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"),
    (50, "l"), (40, "xl"), (10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"),
)  # fmt: skip


def format_number(value: int, kind: str) -> str:
    """The value in one of Word's ST_NumberFormat kinds; unknown kinds are shown in decimal."""
    if kind in {"none", "bullet"}:
        return ""
    if value < 0 or value > 100_000:
        return str(value)
    maker = _MAKERS.get(kind)
    return maker(value) if maker else str(value)


def _letters(value: int) -> str:
    """From a to z, then aa, bb …, as Word repeats letters."""
    if value < 1 or value > 26 * 30:
        return str(value)
    return chr(ord("a") + (value - 1) % 26) * ((value - 1) // 26 + 1)


def _roman(value: int) -> str:
    if not 0 < value < 5000:
        return str(value)
    text = ""
    for amount, sign in _ROMAN:
        count, value = divmod(value, amount)
        text += sign * count
    return text


def _each_digit(value: int, digits: str) -> str:
    return "".join(digits[int(d)] for d in str(value))


def _counting(value: int, digits: str, units: str, *, drop_one: bool, fill: bool = True) -> str:
    """Place-value numerals below 10,000: 一百零五; fill writes the zero, drop_one writes 十 for 一十."""
    if value == 0:
        return digits[0]
    if value >= 10_000:
        high, low = divmod(value, 10_000)
        gap = digits[0] if fill and 0 < low < 1000 else ""
        head = _counting(high, digits, units, drop_one=drop_one, fill=fill)
        return head + "万" + gap + (_counting(low, digits, units, drop_one=False, fill=fill) if low else "")
    text, zero = "", False
    for place in (3, 2, 1, 0):
        digit = value // 10**place % 10
        if digit:
            if zero and fill:
                text += digits[0]
            one = digit == 1 and place > 0 and drop_one and (not text or not fill)
            text += ("" if one else digits[digit]) + (units[place - 1] if place else "")
        zero = bool(text) and not digit
    return text


def _chinese(value: int) -> str:
    """chineseCounting: 一 … 九十九, from 100 on digit by digit."""
    return _thousands(value) if value < 100 else _each_digit(value, _DIGITS)


def _thousands(value: int) -> str:
    """chineseCountingThousand: 一百零五."""
    if value < 20:
        return _counting(value, "零" + _DIGITS[1:], "十百千", drop_one=True)
    return _counting(value, "零" + _DIGITS[1:], "十百千", drop_one=False)


def _japanese(value: int) -> str:
    return _counting(value, _DIGITS, "十百千", drop_one=True, fill=False)


def _legal(value: int) -> str:
    return _counting(value, _LEGAL, "拾佰仟", drop_one=False)


def _enclosed(value: int, ranges: tuple[tuple[int, int, int], ...]) -> str:
    for low, high, first in ranges:
        if low <= value <= high:
            return chr(first + value - low)
    return str(value)


def _circle(value: int) -> str:
    return _enclosed(value, ((1, 20, 0x2460), (21, 35, 0x3251), (36, 50, 0x32B1)))


def _ordinal(value: int) -> str:
    ending = "th" if 10 <= value % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(value % 10, "th")
    return f"{value}{ending}"


def _from(series: str, value: int) -> str:
    return series[(value - 1) % len(series)] if value > 0 else str(value)


_MAKERS: dict[str, Callable[[int], str]] = {
    "decimal": str,
    "decimalHalfWidth": str,
    "decimalZero": lambda n: f"{n:02d}",
    "decimalFullWidth": lambda n: _each_digit(n, "０１２３４５６７８９"),
    "decimalFullWidth2": lambda n: _each_digit(n, "０１２３４５６７８９"),
    "decimalEnclosedCircle": _circle,
    "decimalEnclosedCircleChinese": _circle,
    "decimalEnclosedFullstop": lambda n: _enclosed(n, ((1, 20, 0x2488),)),
    "decimalEnclosedParen": lambda n: _enclosed(n, ((1, 20, 0x2474),)),
    "numberInDash": lambda n: f"- {n} -",
    "ordinal": _ordinal,
    "hex": lambda n: f"{n:X}",
    "upperLetter": lambda n: _letters(n).upper(),
    "lowerLetter": _letters,
    "upperRoman": lambda n: _roman(n).upper(),
    "lowerRoman": _roman,
    "chineseCounting": _chinese,
    "taiwaneseCounting": _chinese,
    "chineseCountingThousand": _thousands,
    "taiwaneseCountingThousand": _thousands,
    "chineseLegalSimplified": _legal,
    "ideographLegalTraditional": lambda n: _counting(n, "零壹貳參肆伍陸柒捌玖", "拾佰仟", drop_one=False),
    "ideographDigital": lambda n: _each_digit(n, _DIGITS),
    "taiwaneseDigital": lambda n: _each_digit(n, "○一二三四五六七八九"),
    "koreanDigital2": lambda n: _each_digit(n, "零一二三四五六七八九"),
    "japaneseCounting": _japanese,
    "japaneseDigitalTenThousand": lambda n: _each_digit(n, _DIGITS),
    "japaneseLegal": lambda n: _counting(n, "〇壱弐参四伍六七八九", "拾百阡", drop_one=False, fill=False),
    "ideographTraditional": lambda n: _from(_STEMS, n) if n <= 10 else str(n),
    "ideographZodiac": lambda n: _from(_BRANCHES, n) if n <= 12 else str(n),
    "ideographZodiacTraditional": lambda n: _from(_STEMS, n) + _from(_BRANCHES, n) if n <= 60 else str(n),
    "ideographEnclosedCircle": lambda n: _enclosed(n, ((1, 10, 0x3280),)),
    "aiueoFullWidth": lambda n: _from(_AIUEO, n),
    "aiueo": lambda n: _from(_AIUEO, n),
}
