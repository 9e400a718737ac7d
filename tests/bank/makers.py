"""Questions for the tests of the bank, made by rule so that every process makes the same ones."""

from __future__ import annotations

import hashlib

from schemas.question import PrintedForm, Question, QuestionType

TOPICS = ["光合作用", "货币政策", "刑事责任", "矩阵的秩", "细胞分裂", "操作系统调度", "土壤肥力", "合同解除", "唐代诗歌",
          "气象预报", "心理防御", "建筑抗震", "临床麻醉", "图论算法", "遗传漂变", "税收转嫁", "统计推断", "审美经验"]  # fmt: skip
ASKS = ["简述{}的主要过程，并举一个日常生活里的例子。", "试论{}在实际工作里的意义和局限。", "为什么说{}是这门课程的核心？",
        "画出{}的示意图，并解释每一部分。", "比较{}的两种学说，谈谈你的看法。"]  # fmt: skip


def sha(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()


def question(text: str, **fields: object) -> Question:
    source = str(fields.pop("source", "paper.pdf"))
    draft = str(fields.pop("draft", ""))
    data: dict[str, object] = {
        "prompt": text,
        "printed": text,
        "question_type": QuestionType.SHORT_ANSWER,
        "printed_form": PrintedForm.SHORT_ANSWER,
        "source": source,
        "source_sha256": sha(source),
        "evidence": {"draft_id": draft} if draft else {},
        "discipline": "d08",
        **fields,
    }
    return Question.model_validate(data)


def paper(name: str, count: int = 20, start: int = 0) -> list[Question]:
    """One paper of `count` different questions; other starts give other questions, until 90."""
    out = []
    for n in range(start, start + count):
        text = ASKS[n % len(ASKS)].format(TOPICS[(n // len(ASKS)) % len(TOPICS)])
        out.append(
            question(
                text,
                source=name,
                draft=f"{name}-{n}",
                number=str(n + 1),
                reference_answer=f"要点{n}",
                discipline=f"d{n % 4 + 1:02d}",
            )
        )
    return out
