"""Verifying a finished run: its logs as signed, every verdict read again, every figure computed again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evaluation import overlap
from evaluation.journal import Entry, check_chain, parse
from evaluation.judge import OverlapJudge, judged_text, read_rating, vote
from evaluation.run import items_hash, references_hash, score_record
from evaluation.rundir import VERDICTS, RunRecord, chains_of, read_record
from evaluation.signing import SEAL, SEALED_FILES, Signer, read_seal
from evaluation.verdict import MalformedError
from schemas.errors import ExamBankError
from schemas.evaluation import ReplyState, SampleItem, Score, Verdict

SCORES = SEALED_FILES[0]
# What a relative score needs and a run alone does not hold; checked by itself.
_OF_BASELINE = {"relative", "relative_to", "baseline_absolute"}
_MAX_SHOWN = 20


@dataclass
class Report:
    """What was found: problems, empty for a run that holds up, and how much was looked at."""

    problems: list[str] = field(default_factory=list)
    lines: int = 0
    verdicts: int = 0
    score: Score | None = None

    def wrong(self, problem: str) -> None:
        """Note one problem; of very many the first are enough."""
        if len(self.problems) < _MAX_SHOWN:
            self.problems.append(problem)


def verify(
    run_dir: Path,
    signer: Signer,
    references: Mapping[str, str],
    items: Mapping[str, SampleItem] | None = None,
) -> Report:
    """Look whether the run is as it was written and its scores follow from its replies.

    references gives the bank's reference answers, items what was asked where it is at hand: without
    it, ratings by overlap are taken as signed. Raises UsageError when run_dir is no run.
    """
    report = Report()
    record = read_record(run_dir)
    if not record.manifest.get("fixed", {}).get("signed"):
        report.wrong("the run was not signed: nothing shows that its logs are as they were written")
    else:
        _check_logs(run_dir, signer, report)
        _check_seal(run_dir, signer, report)
    try:
        _check_inputs(record, references, items, report)
        _check_verdicts(run_dir, record, references, items, report)
        report.score = score_record(record)
        _check_scores(run_dir / SCORES, report.score, report)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        report.wrong(f"the scores cannot be computed again: something is missing ({type(error).__name__})")
    return report


def _check_logs(run_dir: Path, signer: Signer, report: Report) -> None:
    for name, chain in chains_of(run_dir, signer).items():
        path = run_dir / name
        data = path.read_bytes() if path.exists() else b""
        try:
            good = parse(data, path)[1]
            if good < len(data):
                report.wrong(f"{name} ends with a line that is not whole")
            check_chain(data[:good], chain, path)
        except ExamBankError as error:
            report.wrong(error.message)
        report.lines += chain.lines


def _check_seal(run_dir: Path, signer: Signer, report: Report) -> None:
    try:
        sealed = read_seal(run_dir, signer)
    except ExamBankError as error:
        report.wrong(error.message)
        return
    if sealed is None:
        report.wrong(f"there is no {SEAL}: the run has not come to its end, or its end was taken away")
        return
    for name, end in sealed["logs"].items():
        path = run_dir / name
        lines = path.read_bytes().count(b"\n") if path.exists() else 0
        if lines != end["lines"]:
            report.wrong(f"{name} has {lines} lines and was sealed with {end['lines']}")
    for name in SEALED_FILES:
        path, said = run_dir / name, sealed["files"].get(name)
        found = hashlib.sha256(path.read_bytes()).hexdigest() if path.exists() else None
        if found != said:
            report.wrong(f"{name} is not as it was sealed")


def _check_inputs(
    record: RunRecord,
    references: Mapping[str, str],
    items: Mapping[str, SampleItem] | None,
    report: Report,
) -> None:
    fixed, asked = record.manifest["fixed"], list(record.disciplines)
    if references_hash(references, asked) != fixed["references_sha256"]:
        report.wrong("the reference answers of the bank are not those the replies were judged by")
    if items is not None:
        missing = [q for q in asked if q not in items]
        if missing or items_hash([items[q] for q in asked]) != fixed["items_sha256"]:
            report.wrong("the sample is not the one that was asked")


def _check_verdicts(
    run_dir: Path,
    record: RunRecord,
    references: Mapping[str, str],
    items: Mapping[str, SampleItem] | None,
    report: Report,
) -> None:
    by_question: dict[str, dict[str, int | None]] = {}
    for entry in _entries(run_dir / VERDICTS):
        said = Verdict.model_validate(entry["verdict"])
        question = said.question_id
        if not entry["final"]:
            continue
        report.verdicts += 1
        if entry.get("vote"):
            by_question.setdefault(question, {})[said.judge] = said.stars
        if said.stars is None:
            continue
        reply = record.replies.get(question)
        if question not in record.disciplines:
            report.wrong(f"{question} has a verdict and was not asked")
        elif reply is None or reply.state is not ReplyState.OK:
            report.wrong(f"{question} has stars without a reply")
        elif not _follows(entry, said, record, judged_text(reply), references, items, by_question):
            report.wrong(f"{question}: {said.stars} stars do not follow from what {said.judge} wrote")


def _follows(
    entry: Entry,
    said: Verdict,
    record: RunRecord,
    answer: str,
    references: Mapping[str, str],
    items: Mapping[str, SampleItem] | None,
    votes: Mapping[str, Mapping[str, int | None]],
) -> bool:
    """Whether the stars of a final verdict are what its evidence gives."""
    judge: dict[str, Any] = record.manifest["fixed"]["judge"]
    if entry["exchange"] is not None:
        try:
            return read_rating(said.raw, answer) == said.stars
        except MalformedError:
            return False
    if "members" in judge and not entry.get("vote"):
        given = votes.get(said.question_id, {})
        return vote([given.get(one["name"]) for one in judge["members"]]).stars == said.stars
    if said.judge != OverlapJudge.name:
        return False
    if items is None or OverlapJudge().identity() not in (judge, *judge.get("members", ())):
        return True  # judged by another version of overlap, or the questions are not at hand
    prompt = items[said.question_id].prompt if said.question_id in items else ""
    return overlap.stars(answer, references.get(said.question_id, ""), prompt) == said.stars


def _check_scores(path: Path, score: Score, report: Report) -> None:
    try:
        said = json.loads(path.read_bytes())
        stored = Score.model_validate(said)
    except FileNotFoundError:
        report.wrong(f"there is no {path.name}: the run has not come to its end")
        return
    except ValueError:
        report.wrong(f"{path.name} cannot be read as a score")
        return
    now, then = (json.loads(one.model_dump_json(exclude=_OF_BASELINE)) for one in (score, stored))
    for name in now:
        if now[name] != then[name]:
            told = f"{name} is {_short(then[name])}, its verdicts give {_short(now[name])}"
            report.wrong(f"{path.name}: {told}")
    if stored.relative is not None:
        base = stored.baseline_absolute
        if not base or score.absolute is None or stored.relative != 100 * score.absolute / base:
            report.wrong(f"{path.name}: the relative score is not 100 x absolute / baseline")


def _short(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else text[:79] + "…"


def _entries(path: Path) -> list[Entry]:
    return parse(path.read_bytes(), path)[0] if path.exists() else []
