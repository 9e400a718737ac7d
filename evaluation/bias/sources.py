"""Where the prompts of an audit come from: a draw from the bank, or a file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from evaluation.bias.records import Prompt
from evaluation.prompts import ask_prompts
from schemas.errors import UsageError
from schemas.evaluation import SampleItem


def from_items(items: Iterable[SampleItem], references: Mapping[str, str]) -> tuple[Prompt, ...]:
    """The items of a draw, asked as in a run; the task is the discipline."""
    return tuple(
        Prompt(
            prompt_id=item.question_id,
            text=ask_prompts().ask(item.prompt, question_type=item.question_type, language=item.language),
            task=item.discipline,
            question_type=item.question_type,
            question=item.prompt,
            reference=references.get(item.question_id, ""),
        )
        for item in items
    )


def read_prompts(path: Path) -> tuple[Prompt, ...]:
    """The prompts of a JSON Lines file: `prompt`, and where there are any `id`, `task`, `type`, `reference`.

    A prompt is sent as it stands. UsageError names the line that is none.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")  # JSON may hold other ends of lines
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            f"{path} cannot be read: {error}", remedy="give a JSON Lines file of prompts"
        ) from None
    found: dict[str, Prompt] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
            text = row["prompt"]
            if not isinstance(text, str) or not text.strip():
                raise ValueError("empty")
            name = str(row.get("id") or f"p{number}")
            fields = {key: str(row.get(key) or "") for key in ("task", "type", "reference")}
            "".join((name, text, *fields.values())).encode()  # half a character can be neither kept nor sent
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise UsageError(
                f"{path}: line {number} holds no prompt",
                remedy='a line is {"id": "p1", "prompt": "…", "task": "…"}; only prompt must be there',
            ) from None
        if name in found:
            raise UsageError(f"{path}: line {number} repeats the id {name}", remedy="give each its own id")
        found[name] = Prompt(
            prompt_id=name,
            text=text,
            task=fields["task"],
            question_type=fields["type"],
            reference=fields["reference"],
        )
    if not found:
        raise UsageError(f"{path} holds no prompt", remedy="give a JSON Lines file of prompts")
    return tuple(found.values())
