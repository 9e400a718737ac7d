"""The command `exambank`: its commands, and the one place where errors become messages and exit codes."""

from __future__ import annotations

import atexit
import contextlib
import errno
import os
import sys
from collections.abc import Callable, Sequence
from typing import Annotated

import typer

from flows.commands import (
    amend,
    audit,
    bank,
    classify,
    common,
    dedup,
    doctor,
    draw,
    evaluate,
    exchange,
    extract,
    ingest,
    judge,
    judge_check,
    leaderboard,
    ledger,
    read,
    redraw,
    score,
    scores,
    show,
    train,
    upkeep,
    verify,
    versions,
)
from schemas.errors import ExamBankError, UsageError

INTERRUPTED, BROKEN_PIPE = 130, 141
# What is kept as it is done, so that an interrupted command does not begin anew.
_RESUMED = frozenset({"ingest", "evaluate", "judge", "judge-check", "audit"})

app = typer.Typer(
    name="exambank",
    help="Exam papers in, a trusted question bank out, and fair evaluations drawn from it.",
    epilog="Exit codes: 0 done, 1 failed, 2 wrong usage, 3 partly done, 130 interrupted.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO})
_WITHOUT_ARGUMENTS = (
    bank.stats,
    versions.log,
    versions.tag,
    upkeep.check,
    upkeep.compact,
    upkeep.vacuum,
    upkeep.sweep,
    dedup.dedup,
    doctor.doctor,
    train.reclassify,
)
for _function, _epilog in (
    (read.read, read.EPILOG),
    (extract.extract, extract.EPILOG),
    (score.score_extraction, score.EPILOG),
    (ingest.ingest, ingest.EPILOG),
    (classify.classify, classify.EPILOG),
    (train.train, train.TRAIN_EPILOG),
    (train.reclassify, train.RECLASSIFY_EPILOG),
    (show.show, show.EPILOG),
    (bank.stats, bank.STATS_EPILOG),
    (versions.log, versions.LOG_EPILOG),
    (versions.diff, versions.DIFF_EPILOG),
    (versions.tag, versions.TAG_EPILOG),
    (versions.restore, versions.RESTORE_EPILOG),
    (amend.edit, amend.EDIT_EPILOG),
    (amend.approve, amend.APPROVE_EPILOG),
    (amend.reject, amend.REJECT_EPILOG),
    (amend.retire, amend.RETIRE_EPILOG),
    (amend.merge, amend.MERGE_EPILOG),
    (amend.unmerge, amend.UNMERGE_EPILOG),
    (amend.apply, amend.APPLY_EPILOG),
    (upkeep.check, upkeep.CHECK_EPILOG),
    (upkeep.compact, upkeep.COMPACT_EPILOG),
    (upkeep.vacuum, upkeep.VACUUM_EPILOG),
    (upkeep.sweep, upkeep.SWEEP_EPILOG),
    (exchange.import_rows, exchange.IMPORT_EPILOG),
    (exchange.export, exchange.EXPORT_EPILOG),
    (draw.sample, draw.SAMPLE_EPILOG),
    (redraw.redraw, redraw.EPILOG),
    (ledger.ledger, ledger.EPILOG),
    (ledger.retire_exposed, ledger.RETIRE_EPILOG),
    (dedup.dedup, dedup.DEDUP_EPILOG),
    (dedup.compare, dedup.COMPARE_EPILOG),
    (dedup.contamination, dedup.CONTAMINATION_EPILOG),
    (evaluate.evaluate, evaluate.EPILOG),
    (judge.judge, judge.EPILOG),
    (judge_check.judge_check, judge_check.EPILOG),
    (audit.audit, audit.EPILOG),
    (verify.verify, verify.EPILOG),
    (scores.score, scores.EPILOG),
    (leaderboard.leaderboard, leaderboard.EPILOG),
    (doctor.doctor, doctor.EPILOG),
):
    # `import` is no name a function can have.
    _name = "import" if _function is exchange.import_rows else None
    app.command(_name, epilog=_epilog, no_args_is_help=_function not in _WITHOUT_ARGUMENTS)(_function)


def _print_version(wanted: bool) -> None:
    if wanted:
        from flows.stage import distribution

        typer.echo(f"exambank {distribution('exambank') or '(not installed)'}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    del version


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and leave with its exit code; see the epilog for their meaning."""
    given = sys.argv[1:] if arguments is None else arguments
    sys.exit(run(lambda: app(args=arguments, standalone_mode=False), given))


def console() -> None:
    """`main` as a process of its own: what the installed command calls, and nothing else may.

    The process ends after the last of Python's own exit handlers: libraries whose native threads
    are still there when C++ takes itself down would end it with an abort, and another code. Called
    inside another program, it would decide that program's exit code.
    """
    codes = [1]
    atexit.register(_leave, codes)  # the first registered is the last called
    codes[0] = run(lambda: app(standalone_mode=False), sys.argv[1:])
    sys.exit(codes[0])


def _leave(codes: Sequence[int]) -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(codes[0])


def run(command: Callable[[], object], arguments: Sequence[str] = ()) -> int:
    """Call command; its exit code, or that of the error it ended with, told on standard error.

    arguments: the command's own. Where they have --json, the error is told on standard output as well.
    """
    common.EMITTED.clear()
    as_json = "--json" in arguments and arguments[0] != "read"  # there it names a file
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a name that is not valid UTF-8 must not stop a report
            stream.reconfigure(errors="replace")
    try:
        result = command()
        sys.stdout.flush()
    except ExamBankError as error:
        common.say(f"exambank: {error}")
        return _failed(error, as_json)
    except (KeyboardInterrupt, typer.Abort):
        result = INTERRUPTED
    except (BrokenPipeError, SystemExit) as error:
        # Whoever read our output has had enough; the interpreter must not flush into it again.
        if isinstance(error, SystemExit) and not isinstance(error.__context__, BrokenPipeError):
            raise  # what click makes of a broken pipe has it as its context
        common.silence(sys.stdout)
        return BROKEN_PIPE
    except OSError as error:
        if error.filename is not None or error.errno not in _FULL:
            return _told(error, as_json)
        common.silence(sys.stdout)
        common.say(f"exambank: what was to be printed could not be written: {error.strerror} [not_written]")
        return 1
    except Exception as error:
        return _told(error, as_json)
    if result == INTERRUPTED:  # typer makes this of Ctrl-C
        goes_on = not _RESUMED.isdisjoint(sys.argv[1:2])
        how = "goes on where it stopped" if goes_on else "begins anew"
        common.say(f"exambank: interrupted; the same command again {how}")
        _failed(ExamBankError("The command was interrupted.", code="interrupted"), as_json)
    return result if isinstance(result, int) else 0


def _failed(error: ExamBankError, as_json: bool) -> int:
    """The exit code of an error that has been told to people."""
    if as_json:
        with contextlib.suppress(BrokenPipeError):
            common.emit_error(error)
    return error.exit_code


def _told(error: Exception, as_json: bool) -> int:
    """The exit code of an error that is not ours: typer's own of wrong usage, or an unforeseen one."""
    show, code = getattr(error, "show", None), getattr(error, "exit_code", None)
    if callable(show) and isinstance(code, int):
        with contextlib.suppress(BrokenPipeError):
            show()
        _failed(UsageError(str(getattr(error, "message", error))), as_json)
        return code
    if os.environ.get("EXAMBANK_DEBUG"):
        raise error
    text = f"{type(error).__name__}: {error}".strip().rstrip(":")
    common.say(f"exambank: unforeseen failure, {text[:500]} [internal]")
    remedy = "Set EXAMBANK_DEBUG=1 and run it again to see where; please report it."
    common.say(f"  → {remedy}")
    return _failed(ExamBankError(text[:500], code="internal", remedy=remedy), as_json)


if __name__ == "__main__":
    console()
