"""Learning from reviewed items: a neglected subject is found, no other is lost; files that are none."""

import random
import zipfile

import numpy as np
import pytest

from ingest.classify.filing import file_paper, file_texts
from ingest.classify.learned import ModelFileError, load
from ingest.classify.training import train
from schemas.errors import UsageError

# A craft no list knows, with words made up here, filed under light industry.
CRAFT = [
    "蓝坯皮",
    "揉鼓浴",
    "浸碱槽",
    "削匀刃",
    "粒纹层",
    "松纹面",
    "起绒轮",
    "片坯机",
    "伸幅架",
    "填脂乳",
    "涂浆辊",
    "色花斑",
    "油霜点",
    "复鞣桶",
    "脱灰池",
    "软化浆",
    "皮心层",
    "绷板架",
    "贴膜烫",
    "干酪浆",
    "染透度",
    "崩纹值",
    "去脂浴",
    "压光辊",
    "喷浆台",
    "灰坯皮",
]
ASKED = (
    "简述{}与{}的关系。",
    "{}的目的是什么？",
    "在{}之后为什么要有{}？",
    "{}有何缺陷？",
    "{}和{}有何不同？",
)
OTHERS = (
    ("d07", "求矩阵的特征值与特征向量。"),
    ("d03", "什么是民法中的善意取得？"),
    ("d10", "心力衰竭患者的临床表现是什么？"),
    ("d02", "比较完全竞争与垄断市场的长期均衡。"),
    ("d08", "简述进程与线程的区别，以及死锁的条件。"),
    ("d05", "比较李白、杜甫和苏轼的诗歌。"),
    ("d11", "孙子兵法的军事思想是什么？"),
    ("d13", "什么是蒙太奇和长镜头？"),
)


def crafted(number: int, seed: int) -> list[str]:
    picker = random.Random(seed)
    return [picker.choice(ASKED).format(*picker.sample(CRAFT, 2)) for _ in range(number)]


@pytest.fixture(scope="module")
def learned():
    return train([(text, "d0817") for text in crafted(300, 1)], {"bank_version": 7}, seed=2)


def test_a_neglected_subject_is_learned_and_no_other_lost(learned):
    fresh = crafted(100, 5)
    before = [one.sub_discipline == "d0817" for one in file_texts(fresh)]
    after = [one.sub_discipline == "d0817" for one in file_texts(fresh, learned)]
    assert sum(after) >= sum(before) + 20
    told = learned.about["held_out"]["d0817"]
    assert told["items"] == 60 and told["learned"] >= told["lists"] + 0.2
    assert learned.about["bank_version"] == 7
    texts = [text for _, text in OTHERS]
    assert [one.discipline for one in file_texts(texts, learned)] == [code for code, _ in OTHERS]


def test_the_file_reads_back(learned, tmp_path):
    path = tmp_path / "model.npz"
    path.write_bytes(learned.as_bytes())
    again = load(path)
    assert (again.classes, again.taught, again.trust) == (learned.classes, learned.taught, learned.trust)
    assert path.stat().st_size < 1_000_000
    texts = crafted(20, 9)
    assert file_texts(texts, again) == file_texts(texts, learned)


def test_what_is_no_model_is_refused(learned, tmp_path):
    path = tmp_path / "model.npz"
    with pytest.raises(ModelFileError, match="no such file"):
        load(path)
    path.write_bytes(b"\x80\x04 a pickle, perhaps")
    with pytest.raises(ModelFileError, match="no model file"):
        load(path)
    np.savez(path, about=np.array([{"a": 1}], dtype=object))  # would be a pickle
    with pytest.raises(ModelFileError, match="no model file"):
        load(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("weights.npy", b"")
    with pytest.raises(ModelFileError, match="no model file"):
        load(path)
    cut = learned.as_bytes()
    path.write_bytes(cut[: len(cut) // 2])
    with pytest.raises(ModelFileError):
        load(path)


def test_few_items_or_unknown_codes_teach_nothing():
    with pytest.raises(UsageError, match="30"):
        train([("什么是皮？", "d0817")], {})
    with pytest.raises(UsageError, match="d99"):
        train([(text, "d99") for text in crafted(40, 1)], {})


def test_rows_of_a_paper_vote_and_an_outlier_is_named():
    stems = [f"求矩阵 A 的特征值与特征向量，第 {n} 问" for n in range(8)]
    foreign = "心绞痛与心肌梗死患者的临床表现、诊断和治疗有何不同？"
    filed = file_paper([*stems, "写出你的结果。", foreign])
    assert {one.discipline for one in filed} == {"d07"}
    assert [one.outlier for one in filed] == [""] * 9 + ["d10"]
    assert filed[0].row()["discipline"] == "理学" and filed[0].row()["sub_discipline"] == "数学类"


def test_what_says_nothing_is_left_open():
    row = file_texts(["请写下。"])[0].row()
    assert row["discipline"] is None and row["sub_discipline"] is None and row["question_type"]
