"""What an audit is made of: the models, the graders, and the rules, as its TOML file tells them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Literal, Self

from pydantic import Field, ValidationError, field_validator, model_validator

from evaluation.bias.classes import Bounds
from evaluation.bias.pairs import PairSettings
from evaluation.families import families, plain, refuse_kin
from schemas.document import Frozen
from schemas.errors import ModelError, UsageError
from schemas.settings import ModelSettings

Form = Literal["plain", "reasoned", "structured"]


class AuditModel(ModelSettings):
    """A model of the study. label tells apart several settings of one model; '' is its name.

    judges: whether it is audited as a judge, too; pointwise: whether it also rates replies 0-3 against
    the reference answers, as a board's judge does.
    """

    label: str = ""
    temperature: float | None = 0.0
    top_p: float | None = Field(default=1.0, gt=0, le=1)
    judges: bool = True
    pointwise: bool = False
    json_schema: Literal["auto", "always", "never"] = "auto"

    @field_validator("temperature", "top_p", mode="before")
    @classmethod
    def _unset(cls, value: object) -> object:
        """TOML has no null: 'none' sends nothing, for endpoints that refuse the field."""
        return None if value == "none" else value

    @property
    def called(self) -> str:
        """The name it goes by in the study."""
        return self.label or self.name


class Rules(Frozen):
    """Pairs, forms of the verdict and bounds. See pairs.PairSettings and classes.Bounds.

    epsilons are the thresholds of the curve: pairs are asked up to the largest of them and of epsilon.
    """

    epsilon: float = Field(default=0.25, ge=0, le=2)
    epsilons: tuple[float, ...] = (0.0, 0.125, 0.25, 0.5, 0.75)
    gap: float = Field(default=2.5, gt=0, le=10)
    own_per_prompt: int = Field(default=0, ge=0)
    null_per_prompt: int = Field(default=10, ge=0)
    contrast: int = Field(default=100, ge=0)
    seed: int = Field(default=0, ge=0)
    forms: tuple[Form, ...] = ("plain",)
    pi: float = Field(default=0.8, ge=0, le=1)
    beta: float = Field(default=0.08, ge=0, le=1)

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if "plain" not in self.forms:
            raise ValueError("forms must hold 'plain': the others are compared with it")
        if any(not 0 <= one <= 2 for one in self.epsilons):
            raise ValueError("epsilons are differences of grades from 0 to 2")
        if self.widest >= self.gap:
            raise ValueError("gap must be above epsilon and all epsilons")
        return self

    @property
    def widest(self) -> float:
        """The largest difference of grades at which pairs are asked."""
        return max(self.epsilon, *self.epsilons)

    @property
    def curve(self) -> tuple[float, ...]:
        """The thresholds of the curve in order, epsilon among them."""
        return tuple(sorted({self.epsilon, *self.epsilons}))

    @property
    def bounds(self) -> Bounds:
        """The bounds of the classes."""
        return Bounds(self.pi, self.beta)

    def pairs(self, epsilon: float | None = None) -> PairSettings:
        """How pairs are taken at this threshold, by default the one of the audit."""
        return PairSettings(
            epsilon=self.epsilon if epsilon is None else epsilon,
            gap=self.gap,
            own_per_prompt=self.own_per_prompt,
            null_per_prompt=self.null_per_prompt,
            contrast=self.contrast,
            seed=self.seed,
        )


class AuditSettings(Frozen):
    """The whole of an audit but its prompts."""

    models: tuple[AuditModel, ...] = Field(min_length=3, description="two others are needed for null pairs")
    graders: tuple[AuditModel, ...] = Field(min_length=1)
    rules: Rules = Rules()

    @model_validator(mode="after")
    def _names(self) -> Self:
        for group in (self.models, self.graders):
            names = [one.called for one in group]
            if len(set(names)) < len(names):
                raise ValueError("two models have one name: give each a label of its own")
        if not any(one.judges for one in self.models):
            raise ValueError("no model judges: there is nothing to audit")
        return self


def read_settings(path: Path) -> AuditSettings:
    """The audit that a TOML file describes. UsageError where it is none."""
    try:
        return AuditSettings.model_validate(tomllib.loads(path.read_text(encoding="utf-8-sig")))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise UsageError(
            f"{path} cannot be read: {error}", remedy="see `audit plan` in docs/guide/cli.md for an example"
        ) from None
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise UsageError(
            f"{path}: {place + ': ' if place else ''}{first['msg']}",
            remedy="see `audit plan` in docs/guide/cli.md for an example",
        ) from None


Ids = Mapping[str, Iterable[str]]
_NONE: Ids = MappingProxyType({})


def refuse_kin_graders(settings: AuditSettings, models: Ids = _NONE, graders: Ids = _NONE) -> None:
    """Raise ModelError `grader_kin` where a grader is of the family of a model, or is one.

    models and graders give, by label, the ids that endpoints returned: these count as the names do.
    """
    try:
        refuse_kin(_known(settings.models, models), _known(settings.graders, graders))
    except ModelError as error:
        raise ModelError(
            error.message.replace("the judge", "the grader"),
            remedy="name graders of other makers, or give --allow-kin (no judge is then found fit)",
            code="grader_kin",
        ) from None


def _known(group: Iterable[AuditModel], returned: Ids) -> list[tuple[str, str]]:
    """(name, family) of models and of what endpoints call them; a family of the settings is of the name."""
    return [
        (name, one.family if plain(name) == plain(one.name) else "")
        for one in group
        for name in (one.name, *sorted(returned.get(one.called, ())))
    ]


def families_of(model: AuditModel, returned: Ids = _NONE) -> frozenset[str]:
    """The families of a model, by its settings and by the ids its endpoint returned."""
    return frozenset().union(*(families(*known) for known in _known([model], returned)))


def kinship(models: Sequence[AuditModel], returned: Ids = _NONE) -> list[list[bool]]:
    """Which two different models are of one family: [a][b]. Settings of one model are kin, too."""
    own = [families_of(one, returned) for one in models]
    names = [{plain(name) for name, _ in _known([one], returned)} for one in models]
    places = range(len(models))
    return [[a != b and bool(own[a] & own[b] or names[a] & names[b]) for b in places] for a in places]
