"""The prompts: the judge's rubric word for word, and the standard way to ask each question type."""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from schemas.errors import UsageError

_PLACEHOLDER = re.compile(r"\{([a-z_]{1,40})\}")


@dataclass(frozen=True)
class JudgePrompt:
    """A judge prompt with placeholders, where it is from, the fence round a reply, the hashes runs record."""

    name: str
    version: int
    source: str
    text: str
    sha256: str
    fence: str
    fence_sha256: str

    def fenced(self, answer: str, mark: str) -> str:
        """The reply between two lines that carry mark, which whoever wrote the reply cannot know."""
        return "\n" + fill(self.fence, {"answer": answer, "mark": mark})

    def fill(self, *, question: str, answer: str, reference: str) -> str:
        """The prompt for one reply. What is filled in is not searched for placeholders again."""
        return fill(self.text, {"question": question, "answer_from_llm": answer, "correct_answer": reference})


@dataclass(frozen=True)
class AskPrompts:
    """The wording for every language and question type, and the hash runs record."""

    version: int
    texts: Mapping[str, Mapping[str, str]]
    sha256: str

    def ask(self, question: str, *, question_type: str, language: str) -> str:
        """What the model is sent for question; English wording for 'en', Chinese for all others."""
        wordings = self.texts["en" if language == "en" else "zh"]
        if question_type not in wordings:
            raise UsageError(
                f"no asking prompt for question type {question_type!r}",
                remedy=f"question types are {', '.join(wordings)}",
            )
        return fill(wordings[question_type], {"question": question})


def fill(template: str, values: Mapping[str, str]) -> str:
    """The template with each {name} of values replaced, in one pass.

    Other braces (JSON, LaTeX) stay as they are, in the template and in the values, so an answer
    holding '{correct_answer}' does not get to see it.
    """
    return _PLACEHOLDER.sub(lambda match: values.get(match[1], match[0]), template)


@cache
def judge_prompt(name: str = "llmeval-fair") -> JudgePrompt:
    """The judge prompt called name, with the hash of its text (without the file's last line end)."""
    folder = files(__package__)
    text = folder.joinpath(f"judge-{name}.txt").read_text(encoding="utf-8").removesuffix("\n")
    fence = folder.joinpath("judge-fence.txt").read_text(encoding="utf-8").removesuffix("\n")
    about = tomllib.loads(folder.joinpath(f"judge-{name}.toml").read_text(encoding="utf-8"))
    return JudgePrompt(
        name=about["name"],
        version=about["version"],
        source=about["source"],
        text=text,
        sha256=_sha256(text),
        fence=fence,
        fence_sha256=_sha256(fence),
    )


@cache
def ask_prompts() -> AskPrompts:
    """The asking prompts, with the hash of the file that holds them."""
    text = files(__package__).joinpath("ask.toml").read_text(encoding="utf-8")
    data = tomllib.loads(text)
    return AskPrompts(
        version=data["version"], texts={"zh": data["zh"], "en": data["en"]}, sha256=_sha256(text)
    )


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
