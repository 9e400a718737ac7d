"""What an audit is made of: the TOML file, the prompts, who may grade, and the verdict's rules."""

from __future__ import annotations

import pytest

from evaluation.bias.settings import (
    AuditModel,
    AuditSettings,
    families_of,
    kinship,
    read_settings,
    refuse_kin_graders,
)
from evaluation.bias.sources import from_items, read_prompts
from schemas.errors import ModelError, UsageError
from schemas.evaluation import SampleItem

URL = 'base_url = "http://127.0.0.1:1/v1"\n'


def toml(models=("a", "b", "c"), graders=("g",), more=""):
    tables = [f'[[models]]\nname = "{one}"\n{URL}' for one in models]
    tables += [f'[[graders]]\nname = "{one}"\n{URL}' for one in graders]
    return "\n".join([*tables, more])


def test_a_model_is_asked_at_temperature_0_unless_set(tmp_path):
    path = tmp_path / "s.toml"
    path.write_text(toml().replace('name = "b"', 'name = "b"\ntemperature = 0.7\ntop_p = "none"'))
    first, second, _ = read_settings(path).models
    assert (first.temperature, first.top_p) == (0, 1)
    assert (second.temperature, second.top_p) == (0.7, None)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (toml(models=("a", "b")), "at least 3"),
        (toml(models=("a", "a", "b")), "label"),
        (toml(more='[rules]\nforms = ["structured"]'), "plain"),
        (toml(more="[rules]\ngap = 0.5"), "gap"),
        (toml(more="[rules]\nepsilons = [3]"), "epsilons"),
        (toml(more="[rules]\ncolour = 1"), "rules.colour"),
        (toml(models=()), "models"),
        ("[[models", "cannot be read"),
    ],
)
def test_slips_are_told(text, word, tmp_path):
    path = tmp_path / "s.toml"
    path.write_text(text)
    with pytest.raises(UsageError, match=word):
        read_settings(path)


def settings(models, graders=("claude-9",), **family):
    return AuditSettings(
        models=tuple(AuditModel(name=one, label=str(n), **family) for n, one in enumerate(models)),
        graders=tuple(AuditModel(name=one) for one in graders),
    )


def test_graders_of_a_models_family_are_refused():
    refuse_kin_graders(settings(("gpt-4o", "qwen3", "glm-4")))
    with pytest.raises(ModelError) as found:
        refuse_kin_graders(settings(("gpt-4o", "gemma-3-27b", "glm-4"), ("gemini-2.5-pro",)))
    assert found.value.code == "grader_kin" and "grader" in found.value.message


def test_kin_are_of_one_family_and_never_oneself():
    kin = kinship(settings(("qwen3-8b", "qwen2-72b", "glm-4", "house/mine", "house/mine")).models)
    assert kin[0] == [False, True, False, False, False]
    assert kin[2] == [False] * 5
    assert kin[3][4] and not kin[3][3]
    returned = {"2": {"qwen3-32b"}}
    assert kinship(settings(("qwen3-8b", "glm-4", "alias")).models, returned)[0] == [False, False, True]


def test_a_family_of_the_settings_is_of_the_name_alone():
    """What an endpoint calls another model is told by that name, whatever the settings say."""
    one = settings(("mine", "b", "c"), family="house").models[0]
    assert families_of(one) == families_of(one, {"0": {"mine-2025-01-01"}}) == {"house"}
    assert families_of(one, {"0": {"gpt-4o"}}) == {"house", "openai"}
    with pytest.raises(ModelError, match="claude-4"):
        refuse_kin_graders(settings(("mine", "b", "c"), family="house"), {"0": {"claude-4"}})
    with pytest.raises(ModelError, match="gpt-9"):
        refuse_kin_graders(settings(("gpt-4o", "b", "c")), {}, {"claude-9": {"gpt-9"}})


def test_prompts_of_a_file_and_of_a_draw(tmp_path):
    path = tmp_path / "p.jsonl"
    path.write_text(
        '{"prompt": "写一首诗", "task": "写作"}\n\n{"prompt": "2+2?", "id": "x", "reference": "4"}\n'
    )
    first, second = read_prompts(path)
    assert (first.prompt_id, first.task, first.shown) == ("p1", "写作", "写一首诗")
    assert (second.prompt_id, second.reference) == ("x", "4")
    path.write_text('\ufeff{"prompt": "a\u2028b\u0085c"}\r\n', encoding="utf-8", newline="")
    assert [one.text for one in read_prompts(path)] == ["a\u2028b\u0085c"]
    path.write_text("\ufeff" + toml(), encoding="utf-8")
    assert len(read_settings(path).models) == 3
    for bad in (
        '{"prompt": "half \\ud83d"}',
        '{"prompt": "a", "task": "\\udc00"}',
        '{"prompt": ""}',
        "[]",
        '{"prompt": "a", "id": "x"}\n{"prompt": "b", "id": "x"}',
        "",
    ):
        path.write_text(bad)
        with pytest.raises(UsageError):
            read_prompts(path)
    item = SampleItem(question_id="q", discipline="d02", question_type="essay", language="en", prompt="Why?")
    (one,) = from_items([item], {"q": "Because."})
    assert one.shown == "Why?" and "Why?" in one.text != "Why?" and one.task == "d02"
