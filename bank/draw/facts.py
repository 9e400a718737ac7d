"""What a draw must know of every row of the bank, read from the table or kept from an earlier draw."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from bank.draw.request import Request
from bank.draw.units import extended, smallest_ids, units
from bank.files import whole_file
from schemas.question import QuestionType, Status

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    import pyarrow.dataset as pads
    from deltalake import DeltaTable
    from numpy.typing import NDArray

KEPT = ("discipline", "sub_discipline", "question_type")
_FORMAT = 4  # to be raised when the meaning of a column or of the digest changes
_DIGEST = 32  # bytes of SHA-256 at the end of the file: most processors have it in hardware
_TEXTS = ("question_id", "original_id", "duplicate_of")  # what units are made of
_JUDGED = ("status", "needs_figure", "reference_answer", "question_type")  # what a row may be drawn by
# A regex that stops at the first sign, rather than a copy of every answer without its spaces.
_SAYS_SOMETHING = r"[^\s\pZ]"
_HEAD = r"(?i)^[\s\pZ（(]*"
_END = r"(?:[\s\pZ，,。.；;：:、)）]|$)"
_SAYS_FALSE = _HEAD + r"(?:×|✗|✘|╳|错|不正确|不对|[x否假f]" + _END + r"|(?:false|no|wrong|incorrect)\b)"
_SAYS_TRUE = _HEAD + r"(?:√|✓|✔|正确(?:[^的]|$)|[对是真t]" + _END + r"|(?:true|yes|right|correct)\b)"


def facts(dataset: pads.Dataset, fields: Sequence[str] = (), before: pa.Table | None = None) -> pa.Table:
    """One row a question of the whole bank, file after file in the order of their names.

    file: where the row stands, '' for rows that stand in no file; question_id, original_id, duplicate_of:
    '' for none; live: active; fit: may be drawn, that is active, with a reference answer and no need of a
    figure; false, true: a statement whose answer says so; the fields as texts, '' for none, each a
    dictionary: KEPT and those named; unit (int32, see `units`); names: its id is the smallest of its unit.

    before: facts with the same fields, of another version of the bank. What it tells of a file holds
    for ever, since no file of the table is written twice: only the others are read, and units are looked
    for only where rows came or went.
    """
    import numpy as np
    import pyarrow as pa

    fields = tuple(dict.fromkeys((*KEPT, *fields)))
    there = {_path(fragment) for fragment in dataset.get_fragments()}
    parts: dict[str, list[pa.Table]] = {}
    known, named = np.zeros(0, dtype=np.int64), np.zeros(0, dtype=bool)
    if before is not None:
        parts = {path: [part] for path, part in _by_file(before) if path in there}
        known, named = _standing(before, there)
    old = set(parts)
    for path, batch in batches(only(dataset, there - set(parts)), {*_TEXTS, *_JUDGED, *fields}):
        parts.setdefault(path, []).append(_told(batch, fields))
    files = sorted(parts)
    none = pa.RecordBatch.from_pylist([], schema=dataset.schema)
    pieces = [_told(none, fields), *(part for path in files for part in parts[path])]
    counts = [sum(part.num_rows for part in parts[path]) for path in files]
    told = pa.concat_tables(pieces).unify_dictionaries()
    del before, parts, pieces  # the mapped file of the earlier facts is let go of with them
    file = np.repeat(np.arange(len(files), dtype=np.int32), counts)
    found: dict[str, Any] = {"file": pa.DictionaryArray.from_arrays(file, pa.array(files, pa.string()))}
    for name in told.column_names:  # one after the other, so that no two large ones are held twice at once
        found[name] = told[name].combine_chunks()
        told = told.drop_columns(name)
    pa.default_memory_pool().release_unused()  # what the answers took, as much again as the facts
    ids, originals, duplicates = (found[name] for name in _TEXTS)
    first = np.zeros(len(file), dtype=bool)
    if 2 * np.count_nonzero(known >= 0) < len(file):
        of, rows = units(ids, originals, duplicates), np.arange(len(file))
    else:  # the rows of a file keep their order, and so do the files
        stays = np.isin(file, [place for place, path in enumerate(files) if path in old])
        was = np.full(len(file), -1, dtype=np.int64)
        was[stays], first[stays] = known, named
        of, rows = extended(ids, originals, duplicates, was)
    pa.default_memory_pool().release_unused()
    first[rows] = False
    first[smallest_ids(ids, rows, of)] = True
    return pa.table({**found, "unit": pa.array(of).cast(pa.int32()), "names": pa.array(first)})


def _told(batch: pa.RecordBatch, fields: Sequence[str]) -> pa.Table:
    """What rows tell by themselves."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    def marks(found: Any) -> NDArray[np.bool_]:  # noqa: ANN401 - an Arrow array of booleans
        sure: NDArray[np.bool_] = found.fill_null(False).to_numpy(zero_copy_only=False)
        return sure

    def says(answers: Any, pattern: str) -> NDArray[np.bool_]:  # noqa: ANN401 - an Arrow array of texts
        return marks(pc.match_substring_regex(answers, pattern))

    answer: Any = batch["reference_answer"]
    live = marks(pc.equal(batch["status"], pa.scalar(Status.ACTIVE.value)))
    fit = live & marks(pc.invert(batch["needs_figure"])) & says(answer, _SAYS_SOMETHING)
    statements = marks(pc.equal(batch["question_type"], pa.scalar(QuestionType.TRUE_FALSE.value)))
    judged = np.flatnonzero(fit & statements)
    false, true = np.zeros(len(fit), dtype=bool), np.zeros(len(fit), dtype=bool)
    answer = answer.take(judged)
    false[judged], true[judged] = says(answer, _SAYS_FALSE), says(answer, _SAYS_TRUE)
    told: dict[str, Any] = {name: _text(batch[name]) for name in _TEXTS}
    told |= {"live": live, "fit": fit, "false": false, "true": true}
    return pa.table(told | {name: _text(batch[name]).dictionary_encode() for name in fields})


def _by_file(known: pa.Table) -> Iterator[tuple[str, pa.Table]]:
    """What facts tell of each file, as `_told` does."""
    import numpy as np

    coded: Any = known["file"].chunk(0)
    told = known.drop_columns(["file", "unit", "names"])
    borders = np.flatnonzero(np.diff(coded.indices.to_numpy(), prepend=-1, append=-1)).tolist()
    for start, end in itertools.pairwise(borders):
        yield coded[start].as_py(), told.slice(start, end - start)


def _standing(known: pa.Table, there: Collection[str]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Of the rows of the files that are still there: unit, -1 where that has lost a row, and `names`."""
    import numpy as np

    coded: Any = known["file"].chunk(0)
    stays = np.array([path in there for path in coded.dictionary.to_pylist()], dtype=bool)[
        coded.indices.to_numpy()
    ]
    unit = known["unit"].chunk(0).to_numpy().astype(np.int64)
    lost = np.zeros(int(unit.max(initial=-1)) + 1, dtype=bool)
    lost[unit[~stays]] = True
    unit[lost[unit]] = -1
    return unit[stays], known["names"].chunk(0).to_numpy(zero_copy_only=False)[stays]


def kept(bank: Path, table: DeltaTable, dataset: pads.Dataset, request: Request) -> pa.Table:
    """The facts of a version of a bank, whose rows dataset reads, for this request.

    Reading them takes most of the time of a draw, so those of the newest version drawn from are kept in
    the bank's folder `cache`, which may be deleted at any time. Those of the next version are made of them
    and of the files it has more.
    """
    folder = bank / "cache" / "draw"
    path = folder / f"{_content(table)}-{_FORMAT}.arrow"
    found = _load(path)
    if found is None:
        others = (_load(other) for other in folder.glob(f"*-{_FORMAT}.arrow"))
        found = facts(dataset, before=next((other for other in others if other is not None), None))
        with contextlib.suppress(OSError):  # a bank that may only be read is drawn from all the same
            _save(path, found)
            found = _mapped(path)  # from here on the system may let go of what is not in use
    for name in dict.fromkeys(request.fields):
        if name not in KEPT:
            found = found.append_column(name, _codes(dataset, name))
    return found


def spoilt(bank: Path) -> list[str]:
    """The files of facts that are not what was written; draws do not read them."""
    found = sorted((bank / "cache" / "draw").glob(f"*-{_FORMAT}.arrow"))
    return [str(path.relative_to(bank)) for path in found if _load(path) is None]


def _load(path: Path) -> pa.Table | None:
    """Facts kept at path; None where there are none, or not what was written.

    What a damaged file says would be drawn by, and its sizes would be believed: so its digest comes first.
    """
    import pyarrow as pa

    with contextlib.suppress(OSError, ValueError, pa.ArrowException):
        with path.open("rb") as file:
            told = _digest(file, path.stat().st_size - _DIGEST)
            whole = told == file.read()
        return _mapped(path) if whole else None
    return None


def _mapped(path: Path) -> pa.Table:
    """The facts in a file that is known to be what was written."""
    import pyarrow as pa

    size = path.stat().st_size - _DIGEST
    return pa.ipc.open_file(pa.memory_map(str(path)).read_buffer(size)).read_all()


def _digest(file: BinaryIO, size: int) -> bytes:
    """SHA-256 of the next bytes of a file. In pieces: mapped, all of it would be held."""
    told = hashlib.sha256()
    while piece := file.read(min(1 << 20, max(0, size))):
        told.update(piece)
        size -= len(piece)
    return told.digest()


def _save(path: Path, found: pa.Table) -> None:
    """Keep facts at path, and no others in its folder: an Arrow file, and the digest of that."""
    import pyarrow as pa

    with whole_file(path) as file:
        with pa.ipc.new_file(file, found.schema) as writer:
            writer.write_table(found)
        file.flush()
        with Path(file.name).open("rb") as written:
            told = _digest(written, file.tell())
        file.write(told)
    for old in path.parent.glob("*.arrow"):
        if old != path:
            old.unlink(missing_ok=True)


def _content(table: DeltaTable) -> str:
    """What the table holds, by the names of its files, which no two files share.

    Its version number alone would not do: after a backup was put back, the next change makes another
    version of a number that there was before.
    """
    names = sorted("/".join(uri.rsplit("/", 2)[1:]) for uri in table.file_uris())
    told = "\n".join([str(table.metadata().id), *names])
    return hashlib.blake2b(told.encode(), digest_size=16).hexdigest()


def only(dataset: pads.Dataset, paths: Collection[str]) -> pads.Dataset:
    """These files of a dataset, in the order of their names; a dataset without files as it is."""
    import pyarrow.dataset as pads

    if not isinstance(dataset, pads.FileSystemDataset):
        return dataset
    chosen = sorted((f for f in dataset.get_fragments() if f.path in paths), key=_path)
    return pads.FileSystemDataset(chosen, dataset.schema, dataset.format, dataset.filesystem)


def batches(dataset: pads.Dataset, columns: Collection[str]) -> Iterator[tuple[str, pa.RecordBatch]]:
    """The rows in the order of the dataset, piece after piece, each with the name of its file."""
    scanner = dataset.scanner(
        columns=sorted(columns), batch_readahead=2, fragment_readahead=2, cache_metadata=False
    )
    for piece in scanner.scan_batches():
        yield _path(piece.fragment), piece.record_batch


def scanned(dataset: pads.Dataset, columns: Any, chosen: Any = None) -> pa.Table:  # noqa: ANN401 - expressions
    """Columns (names, or name -> expression) of the rows for which the expression `chosen` holds."""
    # Reading further ahead costs memory and gains no time.
    return dataset.scanner(
        columns=columns, filter=chosen, batch_readahead=2, fragment_readahead=2, cache_metadata=False
    ).to_table()


def _path(fragment: pads.Fragment) -> str:
    return str(getattr(fragment, "path", ""))


def _text(column: Any) -> Any:  # noqa: ANN401 - Arrow arrays
    import pyarrow as pa

    return column.cast(pa.string()).fill_null("")


def _codes(dataset: pads.Dataset, name: str) -> pa.Array[Any]:
    """A field of every row, in the order of its facts."""
    import pyarrow as pa

    files = only(dataset, {_path(fragment) for fragment in dataset.get_fragments()})
    texts = [_text(batch[name]) for _, batch in batches(files, [name])]
    coded: pa.Array[Any] = pa.chunked_array(texts, pa.string()).combine_chunks().dictionary_encode()
    return coded
