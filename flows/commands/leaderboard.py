"""`exambank leaderboard`: finished runs of one judge as a table, JSON, CSV, and a page that works offline."""

from __future__ import annotations

import tomllib
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from flows.commands import common
from flows.commands.scores import Form, FormOption, figure, reach
from schemas.errors import UsageError
from schemas.shown import label

if TYPE_CHECKING:
    from evaluation.audited import JudgeAudit, Shown
    from evaluation.leaderboard import About, Board, Entry, Pin, Row
    from evaluation.rundir import RunRecord

EPILOG = "Example: exambank leaderboard data/runs --models models.toml --out data/board"
PIN, JSON, CSV, PAGE = "board.json", "leaderboard.json", "leaderboard.csv", "index.html"


def leaderboard(
    runs: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[RUN...]", help="Folders of runs, or folders of such folders.", show_default=False
        ),
    ] = None,
    published: Annotated[
        bool, typer.Option("--published", help="The published board of LLMEval-Fair, December 2025.")
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Folder of the board: its page, JSON and CSV, and what it keeps."),
    ] = None,
    models: Annotated[
        Path | None,
        typer.Option("--models", help="TOML that tells organisation, access and released of each model."),
    ] = None,
    baseline: Annotated[
        str | None,
        typer.Option("--baseline", help="Run that relative scores refer to. [default: that of the board]"),
    ] = None,
    judge: Annotated[
        str | None, typer.Option("--judge", help="Judge, or its version, where the runs have several.")
    ] = None,
    withhold: Annotated[
        list[str] | None,
        typer.Option("--withhold", metavar="RUN=REASON", help="Do not show a run; RUN= shows it again."),
    ] = None,
    audits: Annotated[
        list[Path] | None,
        typer.Option(
            "--audit", help="Folder of an audit, or its audit.json, that has the judge; repeatable."
        ),
    ] = None,
    title: Annotated[str, typer.Option("--title", help="Head of the page.")] = "",
    texts: Annotated[
        bool,
        typer.Option(
            "--texts", help="Put replies, verdicts, with --bank questions too, on the page: private."
        ),
    ] = False,
    bank: Annotated[
        Path | None,
        typer.Option("--bank", help="Check the signatures of runs and audits with this bank's key."),
    ] = None,
    form: FormOption = Form.TABLE,
    as_json: common.JsonOption = False,
    config: common.ConfigOption = None,
) -> int:
    """The leaderboard of finished runs that one judge version scored.

    A run that is not finished, or may not be published, is named and left out; fewer than 1,000
    questions, or less than 98 % of them scored, is shown without a rank. With --out the baseline (the
    best run when the board is first made) and what is withheld are kept for the next time.
    """
    common.settings(config)
    if published == bool(runs):
        raise UsageError(
            "Give runs, or --published." if not runs else "--published takes no runs.",
            remedy="exambank leaderboard data/runs, or exambank leaderboard --published",
        )
    common.check_out(out, folder=True, inputs=(*(runs or ()), models, config), bank=bank)
    left_out: dict[str, str] = {}
    records: dict[str, RunRecord] = {}
    pinned: Pin | None = None
    if published:
        from evaluation.leaderboard import published_board

        board = published_board()
    else:
        from evaluation.leaderboard import build, pin

        entries, left_out, records = _entries(runs or [], _about(models), bank)
        for run, reason in left_out.items():
            common.say(label(f"left out {run}: {reason}"))
        before = _pin(out)
        entries = _of_one_judge(entries, judge, before)
        kept_out = _reasons(withhold or [])
        chosen = _name(baseline) if baseline else ""
        pinned = pin(entries, before, baseline=chosen, withhold=kept_out, left_out=left_out, at=_today())
        board = build(entries, pinned, title=title)
    board, shown = _audited(board, audits or [], bank, records, pinned.audits if pinned else {})
    pinned = pinned.model_copy(update={"audits": shown}) if pinned else None
    if out is not None:
        questions = _questions(bank, records) if texts and bank else {}
        _write(out, board, pinned, records, texts=texts, questions=questions)
    _tell(board, form=Form.JSON if as_json else form)
    if out is not None:
        common.say(f"board in {out}: {PAGE}, {JSON}, {CSV}")
    return 3 if left_out else 0


def _audited(
    board: Board,
    paths: list[Path],
    bank: Path | None,
    records: dict[str, RunRecord],
    before: dict[str, Shown],
) -> tuple[Board, dict[str, Shown]]:
    """The board with what the audits say of its judges, and what it keeps of that.

    What a reader has to know before it is told; before is what the board kept.
    """
    from evaluation.audited import audits_of, remembered
    from evaluation.bias.reread import read_audit
    from flows.running import signer_of

    signer = signer_of(bank) if bank is not None and paths else None
    shown = [records[row.run] for row in (*board.rows, *board.unranked) if row.run in records]
    ids = {one for record in shown for one in record.judge_ids}
    given = audits_of(board.judge, [read_audit(path, signer) for path in paths], _members(shown), ids)
    found, kept = remembered(given, before)
    for one in found:
        for _, warning in one.warnings:
            common.say(label(f"judge {one.judge}: {warning}"))
    return board.model_copy(update={"audits": found}), kept


def _members(records: list[RunRecord]) -> list[dict[str, Any]]:
    """The judge or a panel's judges as the runs have them; a + in the board's judge may be part of a name."""
    if not records:
        return []
    judge = records[0].manifest["fixed"]["judge"]
    return list(judge.get("members", [judge]))


def _entries(
    paths: list[Path], about: dict[str, About], bank: Path | None
) -> tuple[list[Entry], dict[str, str], dict[str, RunRecord]]:
    """Entries that may come on a board; the others' reasons and all records by run."""
    from evaluation.entries import entry, find_runs
    from evaluation.leaderboard import barred
    from evaluation.rundir import read_record

    entries, left_out, records = [], {}, {}
    for run, path in find_runs(paths).items():
        records[run] = read_record(path)
        one = entry(run, records[run], about)
        reason = barred(one.score) or (_edited(path, records[run], bank) if bank else "")
        if reason:
            left_out[run] = reason
        else:
            entries.append(one)
    return entries, left_out, records


def _edited(path: Path, record: RunRecord, bank: Path) -> str:
    """What `verify` says against a run first; '' when it holds up."""
    from flows import running

    problems = running.verified(path, record, bank, None).problems
    return f"does not hold up: {problems[0]}" if problems else ""


def _of_one_judge(entries: list[Entry], judge: str | None, before: Pin | None) -> list[Entry]:
    """Those of the judge (or judge version) named, else of the board's."""
    wanted = judge or (before.judge_version if before else "")
    if not wanted:
        return entries
    found = [one for one in entries if wanted in {one.score.judge, one.score.judge_version}]
    if entries and not found:
        known = sorted({f"{one.score.judge} {one.score.judge_version}" for one in entries})
        raise UsageError(f"No run was judged by {wanted}.", remedy="There are: " + ", ".join(known))
    return found


def _about(path: Path | None) -> dict[str, About]:
    """What the file tells of the models, by name."""
    from pydantic import ValidationError

    from evaluation.leaderboard import About

    if path is None:
        return {}
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        return {
            name: About.model_validate({key: str(value) for key, value in row.items()})
            for name, row in data.items()
        }
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, AttributeError) as error:
        raise UsageError(
            f"{path} cannot be read: {error}", remedy='A table a model: ["my-model"], organisation = "…"'
        ) from None
    except ValidationError as error:
        raise UsageError(
            f"{path}: {'.'.join(map(str, error.errors()[0]['loc']))}: {error.errors()[0]['msg']}",
            remedy="The keys are organisation, access and released.",
        ) from None


def _pin(out: Path | None) -> Pin | None:
    from pydantic import ValidationError

    from evaluation.leaderboard import Pin

    if out is None or not (out / PIN).exists():
        return None
    try:
        return Pin.model_validate_json((out / PIN).read_bytes())
    except (OSError, ValidationError):
        raise UsageError(
            f"{out / PIN} cannot be read.", remedy="Restore it, or begin a board in another folder."
        ) from None


def _reasons(given: list[str]) -> dict[str, str]:
    found = {}
    for text in given:
        run, sign, reason = text.partition("=")
        if not sign:
            raise UsageError(f"{text} gives no reason.", remedy="--withhold RUN='why it is not shown'")
        found[_name(run)] = reason
    return found


def _name(run: str) -> str:
    """The name of a run, which may be given by its folder."""
    return Path(run).resolve().name


def _today() -> str:
    return datetime.now(UTC).date().isoformat()


def _write(
    out: Path,
    board: Board,
    pinned: Pin | None,
    records: dict[str, RunRecord],
    *,
    texts: bool,
    questions: dict[str, tuple[str, str]],
) -> None:
    from evaluation.export import board_csv
    from evaluation.report.board import render_board
    from schemas.taxonomy import taxonomy

    names = {code: (node.zh, node.en) for code, node in taxonomy().disciplines.items()}
    page = render_board(board, names, records, made=_today(), texts=texts, questions=questions)
    common.write_whole(out / PAGE, page.encode())
    common.write_whole(out / JSON, board.model_dump_json(indent=1).encode() + b"\n")
    common.write_whole(out / CSV, board_csv(board).encode())
    if pinned is not None:
        common.write_whole(out / PIN, pinned.model_dump_json(indent=1).encode() + b"\n")


def _questions(bank: Path, records: dict[str, RunRecord]) -> dict[str, tuple[str, str]]:
    """Text and reference answer of the runs' questions, as the newest of their versions has them."""
    from bank.store import Bank
    from schemas.text import fold

    columns = ["question_id", "prompt", "material", "reference_answer"]
    found: dict[str, tuple[str, str]] = {}
    wanted: dict[int | None, set[str]] = {}
    for record in records.values():
        version = (record.manifest.get("sample") or {}).get("bank_version")
        wanted.setdefault(version, set()).update(record.disciplines)
    for version in sorted(wanted, key=lambda one: one or 0):
        table = Bank.open(bank).table(columns, version=version)
        for name, prompt, material, answer in zip(*(table[c].to_pylist() for c in columns), strict=True):
            if name in wanted[version]:
                apart = material and fold(material) not in fold(prompt)
                found[name] = (f"{material}\n\n{prompt}" if apart else prompt, answer or "")
    return found


def _tell(board: Board, *, form: Form) -> None:
    if form is Form.JSON:
        common.emit(board.model_dump(mode="json"))
        return
    if form is Form.CSV:
        from evaluation.export import board_csv

        typer.echo(board_csv(board), nl=False)
        return
    heads = ["rank", "of", "ties", "model", "organisation", "access", "evaluated", "released"]
    heads += ["relative", "absolute", "95 % interval", "scored"]
    common.table(board.title, heads, [_cells(row) for row in (*board.rows, *board.unranked)])
    codes = sorted({code for row in board.rows for code in row.disciplines})
    if codes:
        rows = [(label(row.model), *(figure(row.disciplines.get(c)) for c in codes)) for row in board.rows]
        common.table("", ("of 10", *(_english(code) for code in codes)), rows)
    common.tell(label(f"judge: {board.judge} {board.judge_version}".rstrip()))
    for audited in board.audits:
        common.tell(label(f"audit of {audited.judge}: {_audit(audited)}"))
    if board.baseline:
        common.tell(label(f"relative to {board.baseline.model}, {board.baseline.absolute:.2f}"))
    for row in board.unranked:
        common.tell(label(f"not ranked: {row.model} ({row.run}), {row.unranked}"))
    for one in board.withheld:
        common.tell(label(f"withheld: {one.model} ({one.run}), {one.reason}"))


def _audit(one: JudgeAudit) -> str:
    if not one.verdict:
        return "none"
    beta = "-" if one.beta is None else f"{one.beta:+.3f}"
    reached = "" if one.interval is None else f" ({one.interval[0]:+.3f} – {one.interval[1]:+.3f})"
    pi = "-" if one.pi is None else f"{one.pi:.2f}"
    told = f"{one.verdict.replace('_', ' ')}: {one.model}, beta {beta}{reached}, pi {pi}, bounds {one.limits}"
    return f"{told}, {(one.seal or '').replace('_', ' ')}, {one.prompts} prompts, {one.made_at}"


def _cells(row: Row) -> tuple[str, ...]:
    low, high = row.rank_range or (0, 0)
    return (
        "-" if row.rank is None else str(row.rank),
        "-" if not low else str(low) if low == high else f"{low}-{high}",
        row.groups or "-",
        label(row.model),
        label(row.organisation) or "-",
        label(row.access) or "-",
        label(row.evaluated),
        label(row.released) or "-",
        figure(row.relative),
        figure(row.absolute),
        reach(row.interval),
        f"{row.scored}/{row.asked}",
    )


def _english(code: str) -> str:
    from schemas.taxonomy import taxonomy

    node = taxonomy().disciplines.get(code)
    return node.en if node else code
