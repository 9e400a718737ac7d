"""`exambank sample`: draws from the bank."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.commands import common

if TYPE_CHECKING:
    from bank.draw.request import Request
    from bank.ledger import Ledger
    from bank.store import Bank
    from schemas.evaluation import Manifest, SampleItem
    from schemas.settings import SampleSettings

SAMPLE_EPILOG = "Example: exambank sample -n 3 --seed 1 --bank data/bank --out data/runs/paper"
MOST = 10_000_000  # questions per stratum of a draw; more is a slip of the hand
ITEMS, MANIFEST = "items.jsonl", "manifest.json"

CountOption = Annotated[
    int | None, typer.Option("-n", "--count", min=1, max=MOST, help="Questions from each stratum.")
]
TotalOption = Annotated[
    int | None, typer.Option("--total", min=1, max=MOST, help="Questions in all, in place of -n.")
]
ByOption = Annotated[
    str,
    typer.Option("--by", help="Fields whose values make a stratum: discipline, sub_discipline …"),
]
AllocationOption = Annotated[
    str,
    typer.Option(
        "--allocation", help="equal, proportional to the bank, or a JSON or CSV file with a number a stratum."
    ),
]
FilterOption = Annotated[
    list[str] | None,
    typer.Option("--filter", help="field=value: draw only questions that have it; repeatable."),
]
DisciplinesOption = Annotated[
    str | None,
    typer.Option("--disciplines", help="scored (the ten of the published paper), all, or names or codes."),
]


def sample(
    seed: Annotated[int, typer.Option("--seed", help="The same seed draws the same questions.")],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="Folder for the draw.", show_default=False)
    ] = None,
    count: CountOption = None,
    total: TotalOption = None,
    by: ByOption = "discipline",
    allocation: AllocationOption = "equal",
    filters: FilterOption = None,
    disciplines: DisciplinesOption = None,
    balance_verdicts: Annotated[
        bool, typer.Option("--balance-verdicts", help="As many true statements as false ones.")
    ] = False,
    allow_short: Annotated[
        bool, typer.Option("--allow-short", help="Take what there is where a stratum has fewer.")
    ] = False,
    institution: Annotated[
        str | None, typer.Option("--institution", help="Draw nothing this institution has been given before.")
    ] = None,
    run: Annotated[
        str | None, typer.Option("--run", help="Name of the draw in the ledger, with --institution.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Tell what would be drawn; write and reserve nothing.")
    ] = False,
    bank: common.BankOption = common.DEFAULT_BANK,
    as_json: common.JsonOption = False,
) -> int:
    """Draw questions from the strata of the bank, without their answers.

    With neither -n nor --total the paper of the published scores: 100 from each of ten disciplines.
    """
    from bank.draw.drawing import draw_from
    from bank.store import Bank
    from schemas.errors import UsageError

    settings = common.settings(None).sample
    if (institution is None) != (run is None):
        raise UsageError("--institution and --run go together.")
    if out is None and not dry_run:
        raise UsageError("Name the folder for the draw with --out, or look only with --dry-run.")
    common.check_out(out, folder=True, bank=bank)
    request = request_of(
        settings, seed=seed, count=count, total=total, by=by, allocation=allocation, filters=filters,
        disciplines=disciplines, balance_verdicts=balance_verdicts, allow_short=allow_short,
    )  # fmt: skip
    opened = Bank.open(bank)
    if dry_run:
        items, manifest = _looked(opened, request, institution)
    elif institution is None or run is None:
        items, manifest = draw_from(opened, request)
    else:
        items, manifest = _reserved(opened, request, institution, run, out)
    if not dry_run and out is not None:
        write(out, items, manifest)
        if institution is not None and run is not None:
            ledger_of(opened).record(institution, run)
    if as_json:
        told = {"out": str(out) if out is not None and not dry_run else None, "dry_run": dry_run}
        common.emit({**told, **manifest.model_dump(mode="json")})
    else:
        _tell(manifest, None if dry_run else out)
    return 0


def request_of(
    settings: SampleSettings,
    *,
    seed: int,
    count: int | None,
    total: int | None,
    by: str,
    allocation: str,
    filters: Sequence[str] | None,
    disciplines: str | None,
    balance_verdicts: bool = False,
    allow_short: bool = False,
) -> Request:
    """The draw these options ask for; the paper of the settings where they do not say how many."""
    from bank.draw.request import Request, checked, filters_of
    from schemas.errors import UsageError

    fields = tuple(name.strip() for name in by.split(",") if name.strip())
    chosen = filters_of(filters or [])
    given = {} if allocation in ("equal", "proportional") else _given(Path(allocation), fields)
    if given and (count is not None or total is not None):
        raise UsageError("The file of the allocation says how many; leave out -n and --total.")
    if disciplines is not None or (count is None and total is None and not given):
        if "discipline" in chosen:
            raise UsageError(
                "The paper names its disciplines, and so does a filter.",
                remedy="Say how many with -n or --total, or use --disciplines in place of the filter.",
            )
        chosen["discipline"] = _disciplines(settings.disciplines if disciplines is None else disciplines)
        if count is None and total is None and not given:
            if fields == ("discipline",) and allocation == "equal":
                count = settings.per_discipline
            else:
                total = settings.per_discipline * len(chosen["discipline"])
    return checked(
        Request.model_validate(
            {
                "seed": seed,
                "by": fields,
                "allocation": "given" if given else allocation,
                "per_stratum": count,
                "total": total,
                "given": given,
                "filters": chosen,
                "balance_verdicts": balance_verdicts,
                "allow_short": allow_short,
            }
        )
    )


def write(out: Path, items: list[SampleItem], manifest: Manifest) -> None:
    """The two files of a draw; UsageError when the folder holds another."""
    from bank.draw.drawing import encode
    from schemas.errors import UsageError

    data = manifest.model_dump_json(indent=1).encode() + b"\n"
    target = out / MANIFEST
    if target.exists() and target.read_bytes() != data:
        raise UsageError(
            f"{out} holds another draw.",
            code="draw_exists",
            remedy="Name a new folder: a sample that was used must not change under a run.",
        )
    common.write_whole(out / ITEMS, encode(items))
    common.write_whole(target, data)


def discipline_names() -> dict[str, str]:
    """What a stratum of one discipline is called in tables."""
    from schemas.taxonomy import taxonomy

    return {code: f"{code} {node.zh} {node.en}" for code, node in taxonomy().disciplines.items()}


def _reserved(
    bank: Bank, request: Request, institution: str, run: str, out: Path | None
) -> tuple[list[SampleItem], Manifest]:
    """The draw, set aside in the ledger; drawn again when this run has been reserved before."""
    from bank.draw.reserved import draw_for
    from schemas.errors import UsageError

    there = out / MANIFEST if out is not None else None
    if there is not None and there.exists():  # to be told before anything is reserved
        old = read_manifest(there)
        if (old.institution, old.run, old.seed) != (institution, run, request.seed):
            raise UsageError(
                f"{out} holds another draw.",
                code="draw_exists",
                remedy="Name a new folder: a sample that was used must not change under a run.",
            )
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return draw_for(bank, ledger_of(bank), request, institution=institution, run=run, at=now)


def _looked(bank: Bank, request: Request, institution: str | None) -> tuple[list[SampleItem], Manifest]:
    from bank.draw.drawing import draw_from

    if institution is None:
        return draw_from(bank, request)
    given = ledger_of(bank).given(institution)
    return draw_from(bank, request, given.ids, given.words)


def ledger_of(bank: Bank) -> Ledger:
    """The ledger of a bank."""
    from bank.ledger import Ledger

    return Ledger(bank.path)


def _disciplines(text: str) -> tuple[str, ...]:
    from schemas.taxonomy import SCORED, UNKNOWN, require_discipline, taxonomy

    known = {"scored": SCORED, "all": tuple(code for code in taxonomy().disciplines if code != UNKNOWN)}
    found: dict[str, None] = {}
    for name in text.split(","):
        codes = known.get(name.strip()) or (require_discipline(name.strip()).code,)
        found |= dict.fromkeys(codes)
    return tuple(found)


def _given(path: Path, fields: tuple[str, ...]) -> dict[str, int]:
    """Numbers by stratum from a JSON object, or a CSV with a column a field and the column count."""
    from bank.draw.request import stratum_name, value
    from schemas.errors import UsageError

    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise UsageError(
            f"{str(path)!r} is no allocation and no file.",
            code="allocation",
            remedy="Say equal or proportional, or name a JSON or CSV file.",
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} cannot be read: {error}.", code="allocation") from None
    found: dict[str, int] = {}
    try:
        if path.suffix.lower() == ".json":
            if not text.strip():
                raise ValueError("it is empty")
            told = json.loads(text, object_pairs_hook=_once)
            rows = [(str(name), number) for name, number in told.items()]
            if len(fields) == 1:
                rows = [(stratum_name([value(fields[0], name)]), number) for name, number in rows]
        else:
            mark = max(",;\t", key=text.split("\n", 1)[0].count)  # semicolons are what Excel writes in places
            reader = csv.DictReader(io.StringIO(text), restkey="", delimiter=mark)
            heads = [head.strip() for head in reader.fieldnames or ()]
            if sorted(heads) != sorted([*fields, "count"]):
                raise ValueError(f"its columns are {', '.join(heads) or 'none'}")
            reader.fieldnames = heads
            rows = [
                (stratum_name([value(field, row[field].strip()) for field in fields]), _whole(row["count"]))
                for row in map(_as_wide, reader)
            ]
    except (ValueError, KeyError, AttributeError, TypeError) as error:
        columns = ", ".join([*fields, "count"])
        raise UsageError(
            f"{path} gives no numbers by stratum: {error if isinstance(error, ValueError) else repr(error)}.",
            code="allocation",
            remedy=f'Write {{"d02": 100, …}} as JSON, or a CSV with the columns {columns}.',
        ) from None
    for name, number in rows:
        if name in found or not isinstance(number, int) or isinstance(number, bool) or number < 0:
            raise UsageError(
                f"{path}: {name} is named twice." if name in found else f"{path}: {name} needs a number.",
                code="allocation",
                remedy="" if name in found else "Write a whole number from 0 on, without quotes.",
            )
        found[name] = number
    if not sum(found.values()):
        raise UsageError(f"{path} asks for no question.", code="allocation")
    return found


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    twice = sorted({name for name, _ in pairs if sum(name == other for other, _ in pairs) > 1})
    if twice:
        raise ValueError(f"{', '.join(twice)} is named twice")
    return dict(pairs)


def _whole(cell: str) -> int:
    if not (cell.strip().isascii() and cell.strip().isdigit()) or len(cell) > 12:
        raise ValueError(f"the count {cell.strip()[:20]!r} is no whole number")
    return int(cell)


def _as_wide(row: dict[str, str]) -> dict[str, str]:
    if "" in row:  # csv's place for cells under no column
        raise ValueError(f"a row has more cells than columns: {', '.join(map(str, row.values()))}")
    return row


def read_manifest(path: Path) -> Manifest:
    """The manifest of a draw; UsageError for a file that is none."""
    from pydantic import ValidationError

    from schemas.errors import UsageError
    from schemas.evaluation import Manifest

    try:
        return Manifest.model_validate_json(path.read_bytes())
    except OSError as error:
        reason = str(error.strerror)
    except ValidationError as error:
        reason = str(error.errors()[0]["msg"])
    raise UsageError(
        f"{path} is no manifest of a draw: {reason}.",
        code="no_sample",
        remedy="Name the folder that `exambank sample` wrote.",
    )


def _tell(manifest: Manifest, out: Path | None) -> None:
    names = discipline_names()
    heads = [" / ".join(manifest.strata_fields), "eligible", "wanted", "drawn"]
    if manifest.institution or any(s.exposed for s in manifest.strata):
        heads.insert(2, "given before")
    if manifest.balance_verdicts:
        heads += ["true", "false"]
    rows = []
    for s in manifest.strata:
        row: list[object] = [names.get(s.name, s.name), s.eligible, s.wanted, s.drawn]
        if "given before" in heads:
            row.insert(2, s.exposed)
        if manifest.balance_verdicts:
            row += list(s.verdicts or (0, 0))
        rows.append(row)
    common.table("", heads, rows)
    drawn = f"{common.counted(len(manifest.ids), 'question')} of version {manifest.bank_version}"
    common.tell(f"{drawn} in {out}" if out is not None else f"would draw {drawn}; nothing written")
