"""Which models and judges flags mean, and how a run's time left is told."""

from __future__ import annotations

import pytest

from evaluation.run import Progress
from evaluation.rundir import Tally, Uses
from flows.named import folders, judge, models
from flows.progress import Meter
from schemas.errors import UsageError
from schemas.settings import AskedSettings, JudgeSettings, ModelSettings

URL, OTHER = "https://models.example/v1", "https://other.example/v1"
FILE = AskedSettings(
    name="mine",
    base_url=URL,
    family="mine",
    max_tokens=900,
    price_prompt=1,
    price_reply=2,
    beside=(ModelSettings(name="theirs", base_url=OTHER, api_key_env="THEIRS", temperature=1),),
)


def test_no_flag_means_all_that_the_settings_name() -> None:
    assert [one.name for one in models(FILE, (), None)] == ["mine", "theirs"]
    assert [one.base_url for one in models(FILE, (), OTHER)] == [OTHER, OTHER]


def test_a_named_model_has_its_own_settings_and_an_unknown_one_no_price_or_family_of_another() -> None:
    theirs, new = models(FILE, ("theirs", "new"), None)
    assert theirs == FILE.beside[0]
    assert (new.base_url, new.max_tokens) == (URL, 900)
    assert (new.family, new.price_prompt, new.price_reply) == ("", None, None)
    unnamed = AskedSettings(price_prompt=1, price_reply=2)
    assert models(unnamed, ("new",), URL)[0].price_prompt == 1


def test_a_built_in_is_asked_at_no_address_unless_the_flag_says_so() -> None:
    assert models(FILE, ("reference",), None)[0].base_url == ""
    assert models(FILE, ("reference",), OTHER)[0].base_url == OTHER
    settings = JudgeSettings(name="a", base_url=URL, panel=(JudgeSettings(name="b", api_key_env="B"),))
    panel = judge(settings, ("overlap", "b", "c"), None)
    assert (panel.name, panel.base_url) == ("overlap", "")
    assert [(one.name, one.api_key_env) for one in panel.panel] == [("b", "B"), ("c", "EXAMBANK_API_KEY")]
    assert panel.panel[1].base_url == URL
    assert judge(settings, (), None) == settings
    assert judge(settings, ("a",), None).panel == ()


def test_folders_are_named_after_models_and_never_shared() -> None:
    chosen = [ModelSettings(name=name) for name in ("openai/gpt-4o", "通义 2.5", "..")]
    assert list(folders(chosen)) == ["openai-gpt-4o", "通义-2.5", "model"]
    with pytest.raises(UsageError, match="one name"):
        folders([ModelSettings(name="a/b"), ModelSettings(name="a-b")])


def test_the_time_left_counts_what_this_session_did() -> None:
    now = [0.0]
    priced = ModelSettings(name="m", base_url=URL, price_prompt=1e6, price_reply=0)
    meter = Meter(priced, JudgeSettings(), lambda: now[0])
    uses = Uses(Tally(3, 3, 0))

    def after(seconds: float, done: int, *, fresh: bool) -> float | None:
        now[0] += seconds
        found = meter.sofar(Progress(done, 10, "q", 3, "", fresh, uses))
        assert found.price == 3
        return found.seconds_left

    assert after(1, 1, fresh=False) is None
    assert after(1, 2, fresh=False) is None
    assert after(4, 3, fresh=True) == 28
    assert after(2, 4, fresh=True) == 18
    assert meter.sofar(Progress(4, 10, "q", 3, "", True, uses)).told == "0:00:12 left, price 3.00"
