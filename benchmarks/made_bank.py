"""A bank of invented exam questions with known copies: templates, planted copies, look-alike others."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from bank.dedup.words import ALIKE, NEGATORS

# Frequent characters, for invented terms; none of them denies or counts.
_SIGNS = (
    "的学会生产国经济发展社法理论政治文化历史科技工程数据管教育心地质电力机械材料化合物质量能源环境植动"
    "农林水土气象海洋天星光热声波磁场速度加减压强密温容器药病医护理诊疗血液细胞基因遗传免疫神骨肌皮肤肝"
    "市场价格需求供给货币银行税收资本投利润成本会计审计合同权利义务责任刑民商诉讼证据法官律师语言文字音韵"
    "诗词小说戏剧美术绘画雕塑建筑音乐舞蹈哲思逻辑认识实践矛盾运动空间时网络系统算程序结构图树链表队列栈"
    "军事战争武器指挥训练体育竞赛新闻传播媒介广告公共政策行政组织领导决策信息安全编码协议接口模型检测控制"
)
_ASPECTS = ("基本特征", "产生原因", "主要作用", "发展过程", "分类方法", "适用条件", "组成部分", "评价标准")
_SHAPES = (
    "简述{0}在{1}中的{a}，并结合{2}说明理由。",
    "什么是{0}？它与{1}相比有哪些{a}？试以{2}为例。",
    "根据{0}的理论，分析{1}对{2}的影响及其{a}。",
    "试论{0}和{1}的关系，说明{2}的{a}对{3}有何意义。",
    "某单位在{0}过程中采用了{1}，请指出{2}的{a}。",
    "{0}是{1}的重要内容，请阐述{2}的{a}以及{3}的应用。",
)
_TEMPLATES = (
    "某{0}车间第{n}号{1}每小时加工{m}个零件，合格率为{k}%，求{h}小时内不合格品的数量。",
    "一列火车长{n}米，以每秒{m}米的速度通过长{k}米的{0}，求所需的时间。",
    "设企业购入{0}一台，原价{n}万元，预计使用{m}年，残值{k}万元，用直线法计算年折旧额。",
    "在{0}实验中，测得{1}的质量为{n}克，体积为{m}立方厘米，求其密度（保留{h}位小数）。",
    "已知函数在区间[{h}, {n}]上的平均变化率为{m}，求{0}模型中参数的值，其中常数为{k}。",
)  # fmt: skip
_HEADS = ("", "", "3. ", "12、", "（5）", "第7题 ", "二、1. ")
_TAILS = ("", "", "（5分）", "(本题10分)", "____")


@dataclass
class MadeBank:
    """texts in shuffled order; copies: (place of the copy, place of its origin); family: of a template."""

    texts: list[str] = field(default_factory=list)
    copies: list[tuple[int, int]] = field(default_factory=list)
    family: list[bool] = field(default_factory=list)


def make(size: int, seed: int = 1, families: float = 0.295, planted: float = 0.05) -> MadeBank:
    """A bank of that size: `families` of it in templates, each of up to 2 % of it, `planted` of it copies.

    Every tenth of the others differs from another question by one term alone. A copy gets other
    numbering, points, spaces, and errors in 3 to 8 % of its characters, never in a digit or in a
    word that denies.
    """
    rng = np.random.default_rng(seed)
    terms = _terms(rng, max(3_000, size // 20))
    count = size - int(size * planted)
    in_family = int(size * families)
    texts = _family_texts(rng, in_family, terms)
    family = [True] * len(texts)
    seen = set(texts)
    while len(texts) < count:
        text = _free_text(rng, terms)
        if text not in seen:
            seen.add(text)
            texts.append(text)
            if rng.random() < 0.1 and len(texts) < count:  # another question, one term away
                other = _one_term_away(rng, text, terms)
                if other not in seen:
                    seen.add(other)
                    texts.append(other)
    family += [False] * (len(texts) - len(family))
    origins = rng.choice(len(texts), size=size - count, replace=False)
    pairs = []
    alike = look_alikes()
    for origin in origins.tolist():
        pairs.append((len(texts), origin))
        texts.append(copied(rng, texts[origin], alike))
        family.append(family[origin])
    order = rng.permutation(len(texts))
    place = np.empty(len(texts), dtype=np.int64)
    place[order] = np.arange(len(texts))
    return MadeBank(
        texts=[texts[i] for i in order.tolist()],
        copies=[(int(place[c]), int(place[o])) for c, o in pairs],
        family=[family[i] for i in order.tolist()],
    )


def _terms(rng: np.random.Generator, count: int) -> list[str]:
    signs = np.array(list(dict.fromkeys(_SIGNS)))
    # A few terms stand in many questions and most in few, as in real papers.
    return ["".join(rng.choice(signs, size=int(rng.integers(2, 6)))) for _ in range(count)]


def _term(rng: np.random.Generator, terms: list[str]) -> str:
    return terms[int(len(terms) * rng.random() ** 2)]


def _free_text(rng: np.random.Generator, terms: list[str]) -> str:
    shape = _SHAPES[int(rng.integers(len(_SHAPES)))]
    return shape.format(*(_term(rng, terms) for _ in range(4)), a=_ASPECTS[int(rng.integers(len(_ASPECTS)))])


def _one_term_away(rng: np.random.Generator, text: str, terms: list[str]) -> str:
    aspect = next(a for a in _ASPECTS if a in text)
    return text.replace(aspect, _ASPECTS[(_ASPECTS.index(aspect) + int(rng.integers(1, 8))) % 8], 1)


def _family_texts(rng: np.random.Generator, count: int, terms: list[str]) -> list[str]:
    made: dict[str, None] = {}
    largest = max(20, count // 15)
    while len(made) < count:
        shape = _TEMPLATES[int(rng.integers(len(_TEMPLATES)))]
        names = [_term(rng, terms) for _ in range(2)]
        for _ in range(min(int(rng.pareto(1.0) * 20) + 5, largest, count - len(made))):
            n, m, k, h = (int(x) for x in rng.integers((10, 10, 10, 2), (9_999, 999, 99, 9)))
            made[shape.format(*names, n=n, m=m, k=k, h=h)] = None
    return list(made)


def look_alikes() -> dict[str, list[str]]:
    """The characters that a recogniser takes for each other."""
    found: dict[str, list[str]] = {}
    for a, b in sorted(ALIKE):
        found.setdefault(a, []).append(b)
    return found


def copied(rng: np.random.Generator, text: str, alike: dict[str, list[str]]) -> str:
    """The text as another paper prints it and a recogniser reads it."""
    signs = list(text)
    share = rng.uniform(0.03, 0.08)
    able = [i for i, c in enumerate(signs) if not c.isdigit() and c not in NEGATORS]
    for i in rng.permutation(able)[: max(1, round(share * len(signs)))].tolist():
        char = signs[i]
        if char in alike:
            signs[i] = alike[char][int(rng.integers(len(alike[char])))]
        elif not char.isalnum() and char not in ".%":
            signs[i] = ("", " ", char + "\n", char)[int(rng.integers(4))]
        elif char in "的了是在和与":
            signs[i] = ""
        else:
            signs[i] = char + (" " if rng.random() < 0.5 else "\n")
    body = "".join(signs)
    return _HEADS[int(rng.integers(len(_HEADS)))] + body + _TAILS[int(rng.integers(len(_TAILS)))]
