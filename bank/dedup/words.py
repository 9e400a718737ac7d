"""Small tables for comparing questions: words without content, words that deny, look-alike characters."""

from __future__ import annotations

import unicodedata

# Characters and words that carry grammar rather than content.
LIGHT = frozenset(
    "的了着过是在于和与及其这那该此各有所以为对从被把将就都也还又要而则即之者地得一个些种"
    "等请试问来你我他她它们会属并且由向给到应当可时候或称中吗呢吧啊用"
)
LIGHT_WORDS = frozenset(
    [
        "a",
        "an",
        "the",
        "of",
        "in",
        "on",
        "at",
        "to",
        "for",
        "is",
        "are",
        "was",
        "were",
        "be",
        "been",
        "by",
        "and",
        "or",
        "which",
        "what",
        "that",
        "this",
        "these",
        "those",
        "as",
        "with",
        "from",
        "following",
        "please",
        "briefly",
        "describe",
        "explain",
        "state",
        "it",
        "its",
        "do",
        "does",
    ]
)

# Characters and words that deny, and the compounds in which such a character denies nothing.
NEGATORS = frozenset("不没无非未否勿莫错误假伪除") | frozenset(
    [
        "not",
        "no",
        "except",
        "false",
        "incorrect",
        "never",
        "without",
        "neither",
        "nor",
        "least",
        "cannot",
        "wrong",
    ]
)
AFFIRMING = tuple(
    [
        "不仅",
        "不但",
        "不只",
        "不断",
        "不同",
        "是否",
        "能否",
        "可否",
        "非常",
        "无论",
        "不论",
        "不管",
        "未来",
        "不等式",
        "除了",
        "误差",
        "假设",
        "假定",
        "假如",
        "除以",
        "解除",
        "错综",
        "无机",
        "非洲",
        "除此",
    ]
)
NUMERALS = frozenset("零二三四五六七八九十百千万亿半")

# Characters that recognisers take for one another, and letters they take for digits.
_LOOKALIKES = (
    "己已巳 末未木 日曰目 人入八 大太犬 土士 千干于 的旳 间问闻 今令 白自 力刀 鸟乌 待侍 侯候 折拆析 "
    "兔免 戊戌戍 晴睛 抱拘 治冶 风凤 午牛 田由甲申 王玉主 儿几凡 又叉 圆园 贝见 帐账 象像相 那哪 "
    "他它她 做作 连联 至致 分份 度渡 赋付 部郡 徽微 汆氽 炙灸 天夭 拔拨 辨辩 坐座 底低 须需 订定 即既 "
    "再在 唯惟 筒简 准淮 科料 体休 论沦 性牲"
)
ALIKE = frozenset((x, y) for group in _LOOKALIKES.split(" ") for x in group for y in group if x != y)
DIGIT_LOOKALIKES = str.maketrans("oil|szbq", "01115289")
CHINESE_DIGITS = str.maketrans("零一二两三四五六七八九", "01223456789")

# Words of exam language that say the same, each group under its first word.
_SYNONYMS = (
    "说明 表明 显示 反映 体现",
    "提出 认为 指出 主张",
    "创始人 创立者 创建者 创立人 奠基人",
    "特点 特征",
    "包括 包含",
    "小于等于 不大于 不超过 小于或等于",
    "大于等于 不小于 不低于 不少于 大于或等于",
    "因素 方面",
    "缺乏 没有 缺少",
    "作用 功能 功用",
)
SYNONYMS = {word: group.split(" ")[0] for group in _SYNONYMS for word in group.split(" ")[1:]}

# LaTeX commands as the sign they stand for; '' for those that only say how to set a formula.
_GREEK = [
    "alpha",
    "beta",
    "gamma",
    "delta",
    "epsilon",
    "zeta",
    "eta",
    "theta",
    "lambda",
    "mu",
    "nu",
    "xi",
    "pi",
    "rho",
    "sigma",
    "tau",
    "phi",
    "chi",
    "psi",
    "omega",
]
COMMANDS = (
    {
        name: unicodedata.lookup(f"GREEK SMALL LETTER {'LAMDA' if name == 'lambda' else name.upper()}")
        for name in _GREEK
    }
    | {"varphi": "φ", "varepsilon": "ε", "dfrac": "frac", "tfrac": "frac", "cdot": "×", "times": "×"}
    | {"le": "≤", "leq": "≤", "leqslant": "≤", "ge": "≥", "geq": "≥", "geqslant": "≥", "ne": "≠", "neq": "≠"}
    | {"to": "→", "rightarrow": "→", "infty": "∞", "pm": "±", "angle": "∠", "triangle": "△", "circ": "°"}
    | {"mid": "|", "degree": "°", "in": "∈", "sim": "~", "approx": "≈", "div": "÷"}
    | dict.fromkeys(
        [
            "left",
            "right",
            "limits",
            "displaystyle",
            "mathrm",
            "text",
            "rm",
            "mathbf",
            "mathbb",
            "boldsymbol",
            "quad",
            "qquad",
            "underline",
            "big",
            "bigl",
            "bigr",
        ],
        "",
    )
)
