"""Small tables for comparing questions: words without content, words that deny, look-alike characters."""

from __future__ import annotations

import unicodedata

# Characters and words that carry grammar rather than content.
LIGHT = frozenset(
    "的了着过是在于和与及其这那该此各有所以为对从被把将就都也还又要而则即之者地得一个些种"
    "等请试问来里你我他她它们会属并且由向给到应当可时候或称中吗呢吧啊用"
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

# Light as a rule, but a word of their own where one of them stands in place of another character:
# "西医诊断" is not "中医诊断".
WEIGHTY = frozenset("中对向从合会并应当给用被由")

# Words that stand for a name told elsewhere in the text.
PRONOUNS = frozenset("他她它其该此这那")

# Words that come and go with the editor of a longer text. Kept as whole tokens: at the end of a
# question, or in a term, they may be what is asked. Those of the first line begin names of their own
# ("基本矛盾" is not "主要矛盾"), so one of them for another is a doubt.
_QUALIFIERS = "主要 基本 一般 通常 常见 具体 实际 根本 相关 重要 著名 显著"
_FILLERS = (
    "过程 工作 活动 部分 措施 经典 有名 提出 明确 出来 情况 时期 当时 上述 有关 最为 目前 现在 "
    "明显 进行 各种 各类 整个 某些 一定 下列"
)
# What a question may seek, as the one word that stands for all ways of asking it.
SOUGHT = {
    "何人": "是?谁是?|何人|哪[一两几]?[位个]人|哪[一两几]?位(?!置|数|移)",
    "何时": "何时|何年|哪一?年|什么时候|哪个(?:年代|时期|世纪|朝代)",
    "何处": "何地|何处|哪里|哪儿|什么地方",
}
QUALIFIERS = tuple(_QUALIFIERS.split(" "))
FILLERS = QUALIFIERS + tuple(_FILLERS.split(" "))

# Characters of contrary or side-by-side terms: one for the other is another question.
_CONTRASTS = (
    "大小 高低 长短 深浅广 内外 上下 前后 左右 东西南北中 正负反 阴阳 男女 父母 急慢 多少 增减 升降 快慢 "
    "强弱 轻重 软硬 "
    "冷热寒暑 干湿 新旧老 古今 先后 早晚 开关闭 进出入 买卖 收支付 借贷 盈亏 公私 主从客次副 因果 首末尾 "
    "始终 生死 "
    "动静 直曲间 横纵竖 远近 宽窄 厚薄 粗细 明暗 黑白红黄蓝绿青紫 奇偶 单双复多 相绝 显隐 原继 顺逆 凹凸 "
    "酸碱盐 氧氮氢碳 "
    "春夏秋冬 甲乙丙丁戊己 肝肾肺心脾胃肠 国省市县乡 天月年日时秒 实虚 表里 供需 优劣 可必 真假 已未 "
    "铁铝铜锌钠钾钙镁银金铅锰汞 夏商周秦汉隋唐宋元明清 子女兄弟姐妹 雌雄 加减乘除 和差积商 圆方 "
    "盐糖醇酚醛酮酯醚 烷烯炔 油水气 "
    "时空 自因 颐颢 骞謇 颌额 跟距跗 髋髂髌 资贸 膏青 雹雷 木水 波坡 秦泰 蟹鳖 精糟 "
    "鱼鸟兽虫 牛羊猪马鸡鸭 英法德美俄日 京沪津渝 江河湖海 问答 师生 医患 原被 债权 罪罚 动植微 根茎叶花果"
)
CONTRASTS = frozenset((x, y) for g in _CONTRASTS.split(" ") for x in g for y in g if x != y)
# Those that narrow a term they stand before: "(急性)肾炎".
NARROWING = frozenset("急慢阴阳正负反男女左右前后外高低大小单双主次新旧老古公私干湿冷热原继显隐多少奇偶纯")

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
    "己已巳 末未木 本木 万方 日曰目 人入八 大太犬 土士 千干于 的旳 间问闻 今令 白自 力刀 鸟乌 待侍 侯候 "
    "折拆析 兔免 戊戌戍 晴睛 抱拘 治冶 风凤 午牛 田由甲申 王玉主 儿几凡 又叉 圆园 贝见 帐账 象像相 那哪 "
    "他它她 做作 连联 至致 分份 度渡 赋付 部郡 徽微 汆氽 炙灸 天夭 拔拨 辨辩 坐座 底低 须需 订定 即既 "
    "再在 唯惟 筒简 准淮 科料 体休 论沦 性牲 飘漂 籍藉 毕闭 以已 磨摩 练炼 震振 帖贴 历厉 密蜜 竟竞 "
    "幅辐 副付 纪记 建健 蓝篮 荼茶 仓仑 壮状 肓盲 沽估 析祈 纲网 扬杨 场汤 刺剌 钓钩 栗粟 清请情 很根恨狠 "
    "诉拆 "
    "赔陪 枚牧 峰锋 捐损 遣遗 竖坚 壶壸 哀衰 暑署 货贷 阀伐 住往 枝技 材村 柱桂 洗冼 淡谈 环坏 理埋 斑班 "
    "玩球 祖租 "
    "穷究 粒拉 糖塘 缓绶 罚罪 耍要 苦若 菜莱 衷哀 披被 颂讼 诀决 跟跪 迁千 迷述 郊效 洒酒 釆采 预顶 颗颖 "
    "驳驶 "
    "宜宣 壁璧 燥躁 噪操澡 梁粱 蕉焦 侧测则 陡陟 孤弧狐 凝疑 滴摘 债偾 喧暄 载栽裁 崇祟 囗口 "
    "尸户 丁了 乎平 币市 叶叫 庄压 冈刚 尤龙 丈文 "
    # One radical read for another, where the other character makes no term of the same place.
    "摸模 抬枱 扳板 抢枪 抗杭 挡档 抽柚 挑桃 控椌 推椎 扛杠 检捡 拭试 析折 技枝 权杈 构枸 "
    "决泱 净浄 况沉 冷泠 徒陡 径胫 役投 彼波 律津 倍陪 往佳 眼眠 晓哓 明朋 "
    "初衵 补朴 祥样 城域 均钧 坦但 境镜 第弟 等寺 符苻 译泽 识织 调凋 形型 说悦 质贡 "
    "情惰 性牲 组租 给绐 续读 绕统 编偏 越赵 赶赴 道遭 进迸 适话 通逋 端瑞 章草 型刑 "
    "列例 副剐 期斯 服报 完宗 实买 容客 属厲 展屐 届居 系糸 活话 特持 使便 体休 处外 治冶 织炽 "
    "概慨 播插 徵微 获荻 纯钝 饰饬 载戴 辅铺 锻煅 冶治 睹赌 孟盂 候侯 佰伯 曰日 鸣呜 袭龚 肆肄"
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
    "无 没有 缺乏 缺少 不含有 不含",
    "由于 是因为",
    "建立 创立 创建 成立",
    "若 如果 假如 倘若",
    "中国 我国",
    "称为 叫做 叫作 称作 称之为 谓之",
    "既 不仅 不但 不只",
    "不能 不容 不可",
    "为 作为",
    "等于 相当于",
    "应 应该 应当",
    "可 可以",
    "能 能够",
    "作用 功能 功用",
    "病人 患者",
    "区别 差别 差异",
    "英语 英文",
    "汉语 中文",
    "译成 翻译成 翻译为 译为",
    "列举 举出 列出",
    "所有 全部",
    "忽略 不计 不考虑",
    "最近 近来",
)
SYNONYMS = {word: group.split(" ")[0] for group in _SYNONYMS for word in group.split(" ")[1:]}

# Words that ask or order.
_ASKING = (
    "什么 怎样 如何 为何 哪些 哪个 多少 请问 下列 以下 简述 试述 论述 概述 叙述 阐述 陈述 详述 回答 简答 "
    "介绍 解释 分析 比较 结合 请阐 请说 关系 关于"
)


def _misread() -> dict[str, str]:
    """Words that reading treats in a way of their own as a recogniser may have them, one character wrong."""
    words = {w for group in (*_SYNONYMS, " ".join(FILLERS), _ASKING) for w in group.split(" ") if len(w) > 1}
    others: dict[str, list[str]] = {}
    for right, wrong in sorted(ALIKE):
        others.setdefault(right, []).append(wrong)
    found: dict[str, set[str]] = {}
    for word in words:
        for place, char in enumerate(word):
            for wrong in others.get(char, ()):
                found.setdefault(word[:place] + wrong + word[place + 1 :], set()).add(word)
    # A form that two words have, or that is or holds a word of its own, tells nothing.
    return {
        form: right.pop()
        for form, right in sorted(found.items())
        if len(right) == 1 and not any(word in form for word in words | REAL)
    }


# Words that are one look-alike character from one of those.
REAL = frozenset(["日前", "那个", "那些", "不客"])
MISREAD = _misread()

# Units as papers write them, by the sign that stands for the same; only after a number.
UNITS = {
    word: sign
    for sign, words in {
        "mg": "毫克", "t": "吨", "km": "千米 公里", "cm": "厘米",
        "mm": "毫米", "dm": "分米", "nm": "纳米", "μm": "微米", "ml": "毫升", "l": "升",
        "ms": "毫秒", "mpa": "兆帕", "kpa": "千帕",
        "pa": "帕斯卡 帕", "kn": "千牛", "n": "牛顿 牛", "kw": "千瓦", "w": "瓦特 瓦", "kv": "千伏",
        "kj": "千焦", "j": "焦耳 焦", "hz": "赫兹 赫",
        "khz": "千赫", "mhz": "兆赫", "mol": "摩尔", "bit": "比特", "b": "字节", "kb": "千字节",
        "mb": "兆字节", "°c": "摄氏度", "cm^2": "平方厘米", "km^2": "平方千米 平方公里", "m^2": "平方米",
        "cm^3": "立方厘米", "m^3": "立方米", "hm^2": "公顷",
        "ω": "欧姆 欧 ohms ohm", "v": "伏特 伏 volts volt", "a": "安培 安 amperes ampere amps amp",
        "m": "米 metres meters metre meter", "s": "秒钟 秒 seconds second", "h": "小时 hours hour",
        "min": "分钟 minutes minute", "kg": "千克 公斤 kilograms kilogram", "g": "克 grams gram",
    }.items()
    for word in words.split(" ")
}  # fmt: skip


def _as_misread(units: dict[str, str]) -> dict[str, str]:
    """Units in Han characters with one of these misread: "立万厘米"."""
    return {
        word[:place] + wrong + word[place + 1 :]: sign
        for word, sign in units.items()
        for place, char in enumerate(word)
        for right, wrong in sorted(ALIKE)
        if right == char and len(word) > 1
    }


UNITS = _as_misread(UNITS) | UNITS

# Signs that are printed in several ways.
SIGNS = str.maketrans(
    {"−": "-", "﹣": "-", "‒": "-", "⋅": "×", "∙": "×", "∕": "/", "∗": "*", "∼": "~", "≦": "≤", "≧": "≥",
     "⩽": "≤", "⩾": "≥", "‹": "<", "›": ">", "⟶": "→", "∣": "|", "⊊": "⊂"}
    | dict(zip("カニロエタトハ", "力二口工夕卜八", strict=True))  # as a recogniser has the Han characters
)  # fmt: skip

RAISED = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ", "0123456789+-n", strict=True))
LOWERED = dict(zip("₀₁₂₃₄₅₆₇₈₉₊₋", "0123456789+-", strict=True))

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
    | {"varphi": "φ", "varepsilon": "ε", "vartheta": "θ", "cdot": "×", "times": "×"}
    | {"le": "≤", "leq": "≤", "leqslant": "≤", "ge": "≥", "geq": "≥", "geqslant": "≥", "ne": "≠", "neq": "≠"}
    | {"to": "→", "rightarrow": "→", "infty": "∞", "pm": "±", "angle": "∠", "triangle": "△", "circ": "°"}
    | {"mid": "|", "vert": "|", "degree": "°", "in": "∈", "notin": "∉", "sim": "~", "approx": "≈", "div": "÷"}
    | {
        "int": "∫",
        "iint": "∬",
        "oint": "∮",
        "sum": "∑",
        "prod": "∏",
        "partial": "∂",
        "nabla": "∇",
        "sqrt": "√",
    }
    | {"cup": "∪", "cap": "∩", "bigcup": "∪", "bigcap": "∩", "subset": "⊂", "subseteq": "⊆", "supset": "⊃"}
    | {
        "wedge": "∧",
        "land": "∧",
        "vee": "∨",
        "lor": "∨",
        "neg": "¬",
        "lnot": "¬",
        "forall": "∀",
        "exists": "∃",
    }
    | {
        "Rightarrow": "⇒",
        "Leftrightarrow": "⇔",
        "leftarrow": "←",
        "implies": "⇒",
        "rightleftharpoons": "⇌",
        "equiv": "≡",
    }
    | {
        "perp": "⊥",
        "parallel": "∥",
        "oplus": "⊕",
        "otimes": "⊗",
        "emptyset": "∅",
        "varnothing": "∅",
        "mp": "∓",
    }
    | {
        "Omega": "Ω",
        "Delta": "Δ",
        "Sigma": "Σ",
        "Phi": "Φ",
        "Gamma": "Γ",
        "Lambda": "Λ",
        "Theta": "Θ",
        "Pi": "Π",
    }
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
            "vec",
            "overrightarrow",
            "bm",
            "operatorname",
            "big",
            "bigl",
            "bigr",
        ],
        "",
    )
)
