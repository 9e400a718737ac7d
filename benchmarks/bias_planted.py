"""A whole study with planted judges: grades, and verdicts on all pairs an audit would ask.

    python -m benchmarks.bias_planted [--models 20] [--prompts 100]

Writes the journals of an audit of 20 judges on 100 prompts, with all equal-quality pairs and all null pairs,
and prints how long `exambank audit report` takes on them and how much memory, against 60 s and 1 GiB. The
exit code is 1 when either is exceeded.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from benchmarks.bias_simulation import logistic, shift
from evaluation.bias.pairs import Mask, mirrored, shown_once
from evaluation.bias.records import Prompt
from evaluation.bias.settings import AuditModel, AuditSettings, Form, Rules
from evaluation.bias.study import JudgePairs, Study, pairs_of
from evaluation.bias.tally import FIRST, NOT_ASKED, SECOND, UNREADABLE, Choices

Floats = npt.NDArray[np.float64]

MOST_SECONDS, MOST_BYTES = 60.0, 2**30
_DIMENSIONS = 5


def planted(
    betas: list[float],
    *,
    prompts: int,
    position: float = 0.1,
    pi: float = 0.9,
    liking: float = 0.8,
    unreadable: float = 0.0,
    dimensions: tuple[float, ...] | None = None,
    rules: Rules | None = None,
    seed: int = 1,
) -> Study:
    """A study with one judge for each β, which favours itself so far in the population.

    position is the share of pairs decided by place, pi the share of high-contrast pairs judged right,
    liking how far what judges like varies beyond the grades, in logits. dimensions adds structured
    verdicts: the push towards oneself in each of five choices, in logits, 0 where a dimension has none.
    """
    random = np.random.default_rng(seed)
    models = len(betas)
    forms: tuple[Form, ...] = ("plain",) if dimensions is None else ("plain", "structured")
    rules = rules or Rules()
    settings = AuditSettings(
        models=tuple(AuditModel(name=f"model-{n}", family=f"house-{n}") for n in range(models)),
        graders=(
            AuditModel(name="grader-a", family="grader-a"),
            AuditModel(name="grader-b", family="grader-b"),
        ),
        rules=rules.model_copy(update={"forms": forms}),
    )
    skill = np.linspace(7.0, 7.4, models)[:, None]
    poor = 3.2 * (random.random((models, prompts)) < 0.15)
    base = skill + random.normal(0, 0.5, prompts) + random.normal(0, 0.2, (models, prompts)) - poor
    grades = np.clip(np.round((base + random.normal(0, 0.2, (2, models, prompts))) * 20) / 20, 0, 10)
    tasks = ("writing", "facts", "explaining")
    texts = [Prompt(prompt_id=f"p{n}", text=f"prompt {n}", task=tasks[n % 3]) for n in range(prompts)]
    study = Study(settings=settings, prompts=texts, grades=grades, replies=models * prompts)
    likes = liking * random.standard_normal((prompts, models))
    for place, beta in enumerate(betas):
        judge = settings.models[place].called
        pairs = _asked(study, judge)
        push = shift(beta, position, liking)
        by_place = _even(random, pairs.contrast.shape) < position
        plain = _verdicts(random, likes, place, push, by_place)
        _contrast(random, plain, pairs.contrast, pi)
        lost = random.random(plain.shape) < unreadable
        study.choices.setdefault("plain", {})[judge] = _only(study, pairs, judge, plain, lost)
        if dimensions is not None:
            votes = sum(_verdicts(random, likes, place, one, by_place).astype(int) for one in dimensions)
            voted = (votes > _DIMENSIONS // 2).astype(np.int8)
            _contrast(random, voted, pairs.contrast, pi)
            study.choices.setdefault("structured", {})[judge] = _only(study, pairs, judge, voted, lost)
    return study


def implied(dimensions: tuple[float, ...], position: float, liking: float) -> float:
    """β in the population of a majority of five choices, each pushed so far towards oneself."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    weights = weights / weights.sum()
    chances = np.ones((1, len(nodes)))
    for push in dimensions:
        one = logistic(push + liking * np.sqrt(2) * nodes)
        chances = np.vstack([chances * (1 - one), np.zeros(len(nodes))]) + np.vstack(
            [np.zeros(len(nodes)), chances * one]
        )
    return float((1 - position) * (weights @ chances[_DIMENSIONS // 2 + 1 :].sum(0) - 0.5))


def _asked(study: Study, judge: str) -> JudgePairs:
    """All pairs at the widest threshold, and those of every other one."""
    every = [pairs_of(study, judge, epsilon) for epsilon in study.settings.rules.curve]
    return JudgePairs(
        own=np.logical_or.reduce([one.own for one in every]),
        null=np.logical_or.reduce([one.null for one in every]),
        contrast=every[0].contrast,
    )


def _even(random: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    """Uniform numbers, the same for a pair in both orders."""
    upper = np.triu(random.random(shape), 1)
    return np.asarray(upper + upper.transpose(0, 2, 1))


def _verdicts(random: np.random.Generator, likes: Floats, judge: int, push: float, by_place: Mask) -> Choices:
    """[q, a, b]: FIRST where a, shown first, is chosen over b."""
    models = likes.shape[1]
    own = np.zeros((models, models))
    own[judge, :], own[:, judge] = push, -push
    with np.errstate(over="ignore"):
        better = logistic(likes[:, :, None] - likes[:, None, :] + own)
    draw = random.random(better.shape)
    upper = np.triu(draw < better, 1)
    lower = np.tril(~upper.transpose(0, 2, 1), -1)
    return np.where(by_place | upper | lower, FIRST, SECOND).astype(np.int8)


def _contrast(random: np.random.Generator, choices: Choices, better: Mask, pi: float) -> None:
    """Judge the high-contrast pairs right in a share pi."""
    hit = _even(random, choices.shape) < pi
    choices[better] = np.where(hit[better], FIRST, SECOND)
    worse = better.transpose(0, 2, 1)
    choices[worse] = np.where(hit[worse], SECOND, FIRST)


def _only(study: Study, pairs: JudgePairs, judge: str, choices: Choices, lost: Mask) -> Choices:
    """The verdicts on what is asked, some of them unreadable."""
    asked = mirrored(np.asarray(pairs.own | pairs.null)) | shown_once(pairs.contrast, study.lots(judge).coin)
    return np.where(asked, np.where(lost, UNREADABLE, choices), NOT_ASKED).astype(np.int8)
