"""Characters that readers take for one another, put right only where what stands around decides."""

from __future__ import annotations

import re
from collections.abc import Callable

_ALWAYS = """
口期 日期  节口 节日  星期口 星期日  抗口战 抗日战  中口战争 中日战争  口光 日光  昨口 昨日
自已 自己  己知 已知  异已 异己  末知 未知  周未 周末  未端 末端  未尾 末尾  末必 未必  末成年 未成年
若千 若干  千扰 干扰  千预 干预  千部 干部  骨千 骨干  千燥 干燥  树千 树干  千旱 干旱
护土 护士  战土 战士  女土 女士  土兵 士兵  烈土 烈士  博土学位 博士学位  博土生 博士生  硕土 硕士
时侯 时候  气侯 气候  诸候 诸侯  侯选 候选  症侯 症候  戊戍 戊戌  戌戊变法 戊戌变法
瞬问 瞬间  疑间 疑问  提间 提问  访间 访问  矩阼 矩阵  涵数 函数  慨率 概率  慨念 概念  辨证唯物 辩证唯物
"""
"""Wrong and right words in pairs: the wrong one is no word and arises from no two right ones."""

_UNLESS: dict[str, tuple[str, str, str]] = {
    "己经": ("已经", "自知异", "济营历典"),
    "而己": ("而已", "律克", ""),
    "期未": ("期末", "年学分", "能来必定满到"),
    "年未": ("年末", "", "来能必成满到"),
    "末来": ("未来", "期周年月季始", ""),
    "时问": ("时间", "小课学及", "题卷世答及候"),
    "空问": ("空间", "", "题卷"),
    "区问": ("区间", "地社校", "题卷"),
    "期问": ("期间", "学定", "题卷"),
    "间题": ("问题", "", "材目库"),
    "今口": ("今日", "", "腔"),
    "端日": ("端口", "", "志期本常子"),
    "接日": ("接口", "连", "志期本常子军"),
    "窗日": ("窗口", "", "子"),
    "进出日": ("进出口", "", ""),
}
"""Wrong word: the right one, and characters it must not follow or precede: there it is two right words."""

_WHERE: dict[str, tuple[str, str]] = {
    "口本": ("日本", "人国军语战侵企帝"),
    "人日": ("人口", "增总老普密数流红结"),
    "中问": ("中间", "件层变值体商"),
    "输人": ("输入", "输信数的变端电值一，、："),
    "引人": ("引入", "变参概函坐"),
    "代人": ("代入", "上下原方公得式"),
    "收人": ("收入", "水分的与和弹差增，、。"),
}
"""Wrong word: the right one, and the characters of which one must follow it."""

_PAIRS = _ALWAYS.split()
_RIGHT = {
    **dict(zip(_PAIRS[::2], _PAIRS[1::2], strict=True)),
    **{wrong: rule[0] for wrong, rule in _UNLESS.items()},
    **{wrong: rule[0] for wrong, rule in _WHERE.items()},
}


def _alternatives() -> list[str]:
    found = list(_PAIRS[::2])
    for wrong, (_, before, after) in _UNLESS.items():
        found.append((f"(?<![{before}])" if before else "") + wrong + (f"(?![{after}])" if after else ""))
    found += [f"{wrong}(?=[{after}])" for wrong, (_, after) in _WHERE.items()]
    return found


_WRONG = re.compile("|".join(_alternatives()))
_TYPOS_ASKED = re.compile(r"错别字|错字|别字|字形|书写|改错|错误.{0,6}(?:字|词)|读音|拼音")
"""A question about wrong characters is to keep them."""

_UNIT = r"[年月日号%℃元万亿千百分米吨个人次章节条届期岁名位]"
# l, I, O for 1 and 0: before a unit beside a digit, and inside a longer number. 2O2 may be oxygen.
_NUMBERS = re.compile(
    rf"(?<![A-Za-z0-9.$\\])(?:(?![IO])(?=[lIO]{{0,4}}\d)(?=\d{{0,7}}[lIO])[\dlIO]{{2,8}}(?=\s?{_UNIT})"
    r"|(?=\d{1,9}[lIO]{1,2}\d)[1-9][\dlIO]{3,11}(?![A-Za-z0-9])|(?<=第)l(?=[章节题条次卷课]))"
)
_DIGITS = str.maketrans("lIO", "110")
_DECLARED = re.compile(r"\b(?:int|long|short|float|double|char)\s[^;()\n]{0,80}")
_LONE_L = re.compile(r"(?<=[=,+*/<>(\[-])(\s?)l(?=\s?[,;)\]+*/<>-])")
_GIVEN_L = re.compile(r"=\s?l(?=\s?[,;])")
_L_NAMED = re.compile(
    r"\b(?:int|long|short|float|double|char)\s+\*?l\b|,\s?\*?l\s?[,;=]|\bl\s?(?:\+\+|--|->|\.|\[)"
)


def repaired(text: str) -> tuple[str, tuple[str, ...]]:
    """The text with confused characters put right, and every change once as 'wrong>right'.

    Formulas are left alone, and so is a question that asks for wrong characters. A word that can be
    right anywhere is changed only beside what decides.
    """
    if _TYPOS_ASKED.search(text):
        return text, ()
    changes: list[str] = []

    def change(right: Callable[[str], str]) -> Callable[[re.Match[str]], str]:
        def put(found: re.Match[str]) -> str:
            new = right(found[0])
            changes.append(f"{found[0].strip()}>{new.strip()}")
            return new

        return put

    pieces = re.split(r"(\$[^$]*\$)", text)
    for at in range(0, len(pieces), 2):
        piece = _WRONG.sub(change(_RIGHT.__getitem__), pieces[at])
        piece = _NUMBERS.sub(change(lambda found: found.translate(_DIGITS)), piece)
        declared = "".join(_DECLARED.findall(piece))
        if _GIVEN_L.search(declared) and not _L_NAMED.search(piece):
            # int a=l; where no l is declared is a misread 1
            piece = _LONE_L.sub(change(lambda found: found.replace("l", "1")), piece)
        pieces[at] = piece
    return "".join(pieces), tuple(dict.fromkeys(changes))
