"""A bank of a million questions beside DuckDB and pandas on plain Parquet, in one run and one table.

    python -m benchmarks.bank_scale                         1,000,000 questions
    python -m benchmarks.bank_scale --rows 100000 --folder DIR --keep

Each operation runs in a process of its own; its seconds are by the clock and leave imports out, its
peak memory is that of the whole process. The three work on the same rows: ours in the bank, theirs in
Parquet files by discipline, as such a bank would be kept without versions.

Three draws: `first`, from a bank that was never drawn from; `draw`, from one that was; `next`, the first one
after ten thousand questions more.
"""

from __future__ import annotations

import argparse
import importlib
import json
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.bank_rows import made, questions

GOALS = {"open": 0.2, "draw": 1.5, "next": 1.5, "append": 1.5, "diff": 4.0}  # seconds, at a million
MOST_MIB, DRAWS = 500.0, ("first", "draw", "next")  # of a draw
ONCE = ("append", "next", "amend")  # each changes what the next would find
BATCH, AMENDED, DRAWN = 10_000, 1_000, 1_000
AT, WHO = "2026-01-01T00:00:00+00:00", "benchmark"
# Arrow loads pandas in the midst of the work where it is there.
IMPORTED = {
    "ours": ("pandas", "pyarrow.dataset", "deltalake", "bank.diff", "bank.draw", "bank.store"),
    "duckdb": ("duckdb", "pandas", "pyarrow.dataset"),
    "pandas": ("pandas", "pyarrow.dataset", "pyarrow.parquet"),
}
AGAIN = [sys.executable, "-m", "benchmarks.bank_scale"]
Work = Callable[[Path], object]


def ours_open(folder: Path) -> object:
    """The bank and its newest version."""
    from bank.store import Bank

    return Bank.open(folder / "bank").version


def ours_first(folder: Path) -> object:
    """The same from a bank nobody has drawn from."""
    shutil.rmtree(folder / "bank" / "cache" / "draw", ignore_errors=True)
    begun = time.perf_counter()
    ours_draw(folder)
    return time.perf_counter() - begun


def ours_draw(folder: Path) -> object:
    """A thousand questions, as many from each discipline."""
    from bank.draw import Request, draw_from
    from bank.store import Bank

    return len(draw_from(Bank.open(folder / "bank"), Request(seed=1, total=DRAWN))[0])


def ours_append(folder: Path) -> object:
    """Ten thousand questions get their ids, those the bank has are told, the others are one version.

    Near-duplicates are left to `dedup`: the others know none, and benchmarks.dedup_scale times them.
    """
    from bank.store import Bank

    added = questions(BATCH, seed=Bank.open(folder / "bank").version)  # others in a bank kept from before
    begun = time.perf_counter()
    bank = Bank.open(folder / "bank")
    report = bank.add(added, batch="benchmark", who=WHO, why="append", now=AT, settle_duplicates=False)
    took = time.perf_counter() - begun
    assert report.added == BATCH, "the bank had them"
    return took


def ours_amend(folder: Path) -> object:
    """A thousand questions of one discipline get a reviewer; only that partition is written."""
    from bank.store import Bank

    bank = Bank.open(folder / "bank")
    before = bank.delta()
    ids = bank.table(["question_id"], {"discipline": "d07"})["question_id"].slice(0, AMENDED).to_pylist()
    begun = time.perf_counter()
    bank.amend(
        {str(name): {"reviewer": "Li"} for name in ids}, seen=bank.version, who=WHO, why="amend", now=AT
    )
    took = time.perf_counter() - begun
    new = set(bank.delta().file_uris()) - set(before.file_uris())
    assert new, "nothing was written"
    assert all("discipline=d07" in uri for uri in new), "other partitions were written anew"
    return took


def ours_diff(folder: Path) -> object:
    """The two newest versions, in numbers and rows."""
    from bank.diff import diff
    from bank.store import Bank

    bank = Bank.open(folder / "bank")
    return sum(1 for _ in diff(bank, bank.version - 1, bank.version).rows())


def duck_open(folder: Path) -> object:
    """A connection that knows the columns."""
    return _duck().sql(f"select * from {_files(folder)} limit 0").columns


def duck_draw(folder: Path) -> object:
    """As many of each discipline by the hash of seed and unit. Its units know siblings alone."""
    return len(
        _duck()
        .sql(
            f"""with fit as (select discipline, original_id, min(question_id) as name from {_files(folder)}
            where status = 'active' and not needs_figure and length(trim(reference_answer)) > 0 group by 1, 2)
            select name from fit qualify row_number() over (partition by discipline order by md5('1' || name))
            <= {DRAWN // 13}"""
        )
        .fetchall()
    )


def duck_append(folder: Path) -> object:
    """A further file for each discipline."""
    added = _table(questions(BATCH, seed=99))
    begun, duck = time.perf_counter(), _duck()
    duck.register("added", added)
    duck.sql(
        f"copy (select * from added) to '{folder / 'plain'}' (format parquet, partition_by (discipline), "
        "append, filename_pattern 'more-{uuid}')"
    )
    return time.perf_counter() - begun


def duck_amend(folder: Path) -> object:
    """The files of one discipline written anew."""
    duck, target = _duck(), folder / "amended.parquet"
    begun = time.perf_counter()
    duck.sql(
        f"copy (select * replace (case when question_id in (select question_id from {_files(folder)} where "
        f"discipline = 'd07' limit {AMENDED}) then 'Li' else reviewer end as reviewer) from {_files(folder)} "
        f"where discipline = 'd07') to '{target}' (format parquet)"
    )
    return time.perf_counter() - begun


def duck_diff(folder: Path) -> object:
    """Rows of one discipline that the two states do not share; the others are known to be the same files."""
    return len(
        _duck()
        .sql(
            f"select question_id from (select * from read_parquet('{folder}/plain/discipline=d07/*.parquet') "
            f"except select * from read_parquet('{folder}/amended.parquet'))"
        )
        .fetchall()
    )


def pandas_open(folder: Path) -> object:
    """The list of files: pandas opens nothing before it reads."""
    return len(list((folder / "plain").rglob("*.parquet")))


def pandas_draw(folder: Path) -> object:
    """As many of each discipline by pandas' own random numbers. Its units know siblings alone."""
    import pandas as pd

    names = ["question_id", "original_id", "status", "needs_figure", "reference_answer", "discipline"]
    data = pd.read_parquet(folder / "plain", columns=names)
    fit = data[
        (data.status == "active") & ~data.needs_figure & data.reference_answer.fillna("").str.strip().ne("")
    ]
    fit = fit.drop_duplicates("original_id")
    return len(fit.groupby("discipline", observed=True).sample(DRAWN // 13, random_state=1))


def pandas_append(folder: Path) -> object:
    """A further file for each discipline."""
    data = _table(questions(BATCH, seed=99)).to_pandas()
    begun = time.perf_counter()
    for code, part in data.groupby("discipline"):
        # A folder of its own: pandas writes maps in a form that DuckDB does not read beside the others.
        (folder / "more" / f"discipline={code}").mkdir(parents=True, exist_ok=True)
        part.drop(columns="discipline").to_parquet(folder / "more" / f"discipline={code}" / "pandas.parquet")
    return time.perf_counter() - begun


def pandas_amend(folder: Path) -> object:
    """The files of one discipline written anew."""
    import pandas as pd

    begun = time.perf_counter()
    data = pd.read_parquet(folder / "plain" / "discipline=d07")
    data.loc[data.index[:AMENDED], "reviewer"] = "Li"
    data.to_parquet(folder / "amended-pandas.parquet")
    return time.perf_counter() - begun


def pandas_diff(folder: Path) -> object:
    """Rows of one discipline that the two states do not share, told by their reviewer alone."""
    import pandas as pd

    one = pd.read_parquet(folder / "plain" / "discipline=d07", columns=["question_id", "reviewer"])
    two = pd.read_parquet(folder / "amended-pandas.parquet", columns=["question_id", "reviewer"])
    return len(pd.concat([one, two]).drop_duplicates(keep=False))


WORK: Mapping[str, tuple[Work, Work, Work]] = {
    "open": (ours_open, duck_open, pandas_open),
    "first": (ours_first, duck_draw, pandas_draw),
    "draw": (ours_draw, duck_draw, pandas_draw),
    "append": (ours_append, duck_append, pandas_append),
    "next": (ours_draw, duck_draw, pandas_draw),
    "amend": (ours_amend, duck_amend, pandas_amend),
    "diff": (ours_diff, duck_diff, pandas_diff),
}
WHOSE = ("ours", "duckdb", "pandas")


def _duck() -> Any:  # noqa: ANN401 - a connection; the library has no types of its own for it
    import duckdb

    return duckdb.connect()


def _files(folder: Path) -> str:
    return f"read_parquet('{folder}/plain/**/*.parquet', hive_partitioning=true)"


def _table(given: list[Any]) -> Any:  # noqa: ANN401 - an Arrow table
    from bank.rows import to_table

    return to_table(given)


def make(folder: Path, count: int) -> None:
    """The bank with its versions, and the same rows as plain Parquet."""
    import pyarrow.dataset as pads

    from bank import commits
    from bank.store import Bank

    bank = Bank.create(folder / "bank", bytes(range(32)))
    rng = np.random.default_rng(1)
    for number, table in enumerate(made(count, rng)):
        commits.append(
            bank.path / "questions",
            table,
            commits.metadata(WHO, "made", f"b{number}", AT, {"added": len(table)}),
        )
        print(
            f"\rmade {min((number + 1) * 100_000, count):,} of {count:,}", end="", file=sys.stderr, flush=True
        )
    print(file=sys.stderr)
    pads.write_dataset(
        bank.delta().to_pyarrow_dataset(),
        folder / "plain",
        format="parquet",
        partitioning=pads.partitioning(_partition(), flavor="hive"),
        max_rows_per_group=100_000,
        max_open_files=32,
    )


def _partition() -> Any:  # noqa: ANN401 - an Arrow schema
    import pyarrow as pa

    return pa.schema([("discipline", pa.string())])


def one(folder: Path, name: str, who: str) -> None:
    """Run one operation in this process; prints its seconds and the peak MiB of the process."""
    for module in IMPORTED[who]:
        importlib.import_module(module)
    work = WORK[name][WHOSE.index(who)]
    begun = time.perf_counter()
    told = work(folder)
    took = told if isinstance(told, float) else time.perf_counter() - begun
    print(json.dumps([took, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))


def measured(folder: Path, name: str, who: str, rounds: int) -> tuple[float, float]:
    """The least seconds and the largest MiB of some runs."""
    found = []
    for _ in range(rounds):
        command = [*AGAIN, "--folder", str(folder), "--one", name, who]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"{name} by {who} failed:\n{done.stderr}")
        found.append(json.loads(done.stdout.splitlines()[-1]))
    return min(f[0] for f in found), max(f[1] for f in found)


def main() -> int:
    """The command line; 1 when a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument(
        "--folder", type=Path, help="where the banks are made; a temporary folder if left out"
    )
    parser.add_argument("--keep", action="store_true", help="leave the folder, or use the one that is there")
    parser.add_argument("--rounds", type=int, default=3, help="runs of open, draw and diff")
    parser.add_argument("--one", nargs=2, metavar=("NAME", "WHO"), help=argparse.SUPPRESS)
    parser.add_argument("--make", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.make:
        make(given.folder, given.rows)
        return 0
    if given.one:
        one(given.folder, *given.one)
        return 0
    folder = given.folder or Path(tempfile.mkdtemp(prefix="bank-scale-"))
    try:
        if not (folder / "plain").exists():  # in a process of its own: a child's peak counts what we hold
            subprocess.run([*AGAIN, "--folder", str(folder), "--rows", str(given.rows), "--make"], check=True)
        return report(folder, given.rows, given.rounds)
    finally:
        if not given.keep:
            shutil.rmtree(folder, ignore_errors=True)


def report(folder: Path, rows: int, rounds: int) -> int:
    """Measure and print the table."""
    missed = 0
    print(f"{rows:,} questions; seconds (peak MiB of the process), ours and the others'")
    print(f"{'':8}{'ours':>18}{'duckdb':>18}{'pandas':>18}  ours/duckdb  ours/pandas  goal")
    for name in WORK:
        found = [measured(folder, name, who, 1 if name in ONCE else rounds) for who in WHOSE]
        cells = "".join(f"{took:9.3f} ({peak:5.0f})" + " " for took, peak in found)
        goal = GOALS.get(name)
        late = goal is not None and found[0][0] > goal
        fat = name in DRAWS and found[0][1] > MOST_MIB
        missed += late or fat
        goals = ([f"≤ {goal:g} s"] if goal else []) + ([f"≤ {MOST_MIB:g} MiB"] if name in DRAWS else [])
        told = f"{', '.join(goals)}  {'MISSED' if late or fat else 'met'}" if goals else ""
        ratios = "".join(f"{found[0][0] / max(took, 1e-9):13.1f}" for took, _ in found[1:])
        print(f"{name:8}{cells}{ratios}  {told}", flush=True)
    print("amend: the one partition alone is written anew (checked in the run)")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
