"""The documents against the program: commands, options, examples, links, and the two languages in step."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import typer.main

from flows.cli import app

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [
    ROOT / "README.md",
    ROOT / "README_zh.md",
    ROOT / "CONTRIBUTING.md",
    *sorted(ROOT.glob("docs/**/*.md")),
]
GUIDE = (ROOT / "docs" / "guide" / "cli.md").read_text(encoding="utf-8")
COMMANDS = typer.main.get_command(app).commands  # type: ignore[attr-defined]
FENCE = re.compile(r"^```bash\n(.*?)^```", re.MULTILINE | re.DOTALL)


def chapter(name: str) -> str:
    """The part of the guide about one command."""
    return GUIDE.split(f"\n## {name}\n", 1)[1].split("\n## ", 1)[0]


def calls(text: str) -> list[list[str]]:
    """Every call of exambank in the shell examples of a document, as its words."""
    found = []
    for block in FENCE.findall(text):
        for line in block.replace("\\\n", " ").splitlines():
            for part in line.split("&&"):
                words = shlex.split(part, comments=True)
                if words and Path(words[0]).name == "exambank":
                    found.append(words[1:])
    return found


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_is_documented_with_an_example_and_all_its_options(name: str) -> None:
    assert f"\n## {name}\n" in GUIDE, f"docs/guide/cli.md has no chapter on {name}"
    assert any(call[0] == name for call in calls(chapter(name))), f"no example of {name}"
    told = chapter(name) + GUIDE.split("\n## ", 1)[0]
    for parameter in COMMANDS[name].params:
        if parameter.param_type_name == "option" and parameter.name != "help":
            assert any(option in told for option in parameter.opts), (
                f"{name} {parameter.opts} is not documented"
            )


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_examples_are_calls_the_program_understands(path: Path) -> None:
    for call in calls(path.read_text(encoding="utf-8")):
        command = COMMANDS[call[0]]
        known = {option for p in command.params for option in (*p.opts, *p.secondary_opts)}
        unknown = [word for word in call[1:] if re.match(r"--?[a-z]", word) and word not in known]
        assert not unknown, f"{path.name}: exambank {' '.join(call)} has {unknown}"


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", path.read_text(encoding="utf-8")):
        if "://" not in target:
            assert (path.parent / target).exists(), f"{path.name} → {target}"


def test_both_readmes_give_the_same_commands() -> None:
    def said(name: str) -> list[list[str]]:
        text = re.sub(r"\s*#.*", "", "\n".join(FENCE.findall((ROOT / name).read_text(encoding="utf-8"))))
        return [line.split() for line in text.splitlines() if line.strip()]

    assert said("README.md") == said("README_zh.md")


def test_the_guide_names_only_settings_there_are() -> None:
    import tomllib

    from evaluation.bias.settings import AuditSettings, Rules
    from schemas.settings import Settings

    blocks = re.findall(r"^```toml\n(.*?)^```", GUIDE, re.MULTILINE | re.DOTALL)
    assert blocks
    for block in blocks:
        if "[[graders]]" in block:  # what an audit is made of, with the defaults of its rules
            assert AuditSettings.model_validate(tomllib.loads(block)).rules == Rules()
        else:
            Settings.model_validate(tomllib.loads(block))
