"""A study in memory: grades and verdicts as arrays, which is all the analysis looks at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from evaluation.bias.pairs import Floats, Lots, Mask, contrast_pairs, null_pairs, own_pairs
from evaluation.bias.records import Grading, Prompt
from evaluation.bias.settings import AuditSettings, Form
from evaluation.bias.tally import Choices, blank


@dataclass
class Study:
    """Prompts, models in the order of the settings, and what is known of them.

    grades has shape (graders, models, prompts), nan where there is none; choices are by form and label of
    the judge, see tally.blank; stars, of judges that rate pointwise, have shape (models, prompts), and rated
    says where there is a rating, readable or not. unanswered is how many prompts a model is still to be
    asked, kin_graders which grader is of a model's family, in words.
    """

    settings: AuditSettings
    prompts: Sequence[Prompt]
    grades: Floats
    choices: dict[Form, dict[str, Choices]] = field(default_factory=dict)
    stars: dict[str, Floats] = field(default_factory=dict)
    model_ids: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    replies: int = 0
    started_at: str = ""
    audit: str = ""
    kin_graders: str = ""
    unanswered: Mapping[str, int] = field(default_factory=dict)
    grading: tuple[Grading, ...] = ()
    rated: dict[str, Mask] = field(default_factory=dict)

    @property
    def labels(self) -> list[str]:
        """The names of the models."""
        return [one.called for one in self.settings.models]

    @property
    def judges(self) -> list[str]:
        """The names of the models that are audited as judges."""
        return [one.called for one in self.settings.models if one.judges]

    @property
    def quality(self) -> Floats:
        """The mean grade by model and prompt; nan where a grader has none."""
        return np.asarray(self.grades.mean(axis=0))

    def place(self, judge: str) -> int:
        """Where a model stands in the list."""
        return self.labels.index(judge)

    def lots(self, judge: str) -> Lots:
        """The lots of a judge, the same as when its pairs were planned."""
        count = len(self.settings.models)
        return Lots.draw(self.settings.rules.seed, self.place(judge), len(self.prompts), count)

    def said(self, form: Form, judge: str) -> Choices:
        """The choices of a judge under one form."""
        known = self.choices.get(form, {}).get(judge)
        return blank(len(self.prompts), len(self.settings.models)) if known is None else known


@dataclass(frozen=True)
class JudgePairs:
    """The pairs of one judge at one threshold, as directional masks."""

    own: Mask
    null: Mask
    contrast: Mask


def pairs_of(study: Study, judge: str, epsilon: float | None = None, lots: Lots | None = None) -> JudgePairs:
    """The pairs of a judge at a threshold, by default the one of the audit."""
    rules, quality, place = study.settings.rules.pairs(epsilon), study.quality, study.place(judge)
    lots = lots or study.lots(judge)
    return JudgePairs(
        own=own_pairs(quality, place, rules, lots),
        null=null_pairs(quality, place, rules, lots),
        contrast=contrast_pairs(quality, place, rules, lots),
    )


def equals_of(study: Study, judge: str) -> Mask:
    """[model, prompt] of the replies of others that a judge's own pairs set beside its own."""
    return np.asarray(pairs_of(study, judge).own[:, study.place(judge), :].T)
