"""What a draw must know of every row of the bank, read from the table or kept from an earlier draw."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from bank.draw.request import Request, kind
from bank.draw.units import smallest_ids, units
from bank.files import write_whole
from schemas.question import QuestionType, Status

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa
    import pyarrow.dataset as pads
    from deltalake import DeltaTable

KEPT = ("discipline", "sub_discipline", "question_type")
_FORMAT = 1  # to be raised when the meaning of a column changes
# A regex that stops at the first sign, rather than a copy of every answer without its spaces.
_SAYS_SOMETHING = r"[^\s\pZ]"
_HEAD = r"(?i)^[\s\pZ（(]*"
_END = r"(?:[\s\pZ，,。.；;：:、)）]|$)"
_SAYS_FALSE = _HEAD + r"(?:×|✗|✘|╳|错|不正确|不对|[x否假f]" + _END + r"|(?:false|no|wrong|incorrect)\b)"
_SAYS_TRUE = _HEAD + r"(?:√|✓|✔|正确(?:[^的]|$)|[对是真t]" + _END + r"|(?:true|yes|right|correct)\b)"


def facts(dataset: pads.Dataset, fields: Sequence[str] = ()) -> pa.Table:
    """One row a question of the whole bank, in no particular order.

    question_id; unit (int32, see `units`); names: its id is the smallest of its unit; live: active;
    fit: may be drawn, that is active, with a reference answer and no need of a figure; false, true:
    a statement whose answer says so; and the fields as texts, '' for none, each a dictionary: KEPT
    and those named.
    """
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    # Column after column, so that no two of the large ones are held at once.
    originals = _codes(scanned(dataset, ["original_id"])["original_id"])
    table = scanned(dataset, ["question_id", "duplicate_of"])
    ids, copies = table["question_id"].combine_chunks(), table["duplicate_of"].combine_chunks()
    del table
    of = units(ids, originals, copies.fill_null(""))
    del originals, copies
    first = np.zeros(len(ids), dtype=bool)
    first[smallest_ids(ids, np.arange(len(ids)), of)] = True
    found = {"question_id": ids, "unit": pa.array(of).cast(pa.int32()), "names": pa.array(first)}
    del of, first
    field = pc.field
    live = field("status") == Status.ACTIVE.value
    answer = field("reference_answer")
    fit = live & ~field("needs_figure") & pc.match_substring_regex(answer, _SAYS_SOMETHING)
    judged = fit & (field("question_type") == QuestionType.TRUE_FALSE.value)
    columns = {
        "live": live,
        "fit": fit,
        "false": judged & pc.match_substring_regex(answer, _SAYS_FALSE),
        "true": judged & pc.match_substring_regex(answer, _SAYS_TRUE),
        **{f"by {name}": _text(name) for name in dict.fromkeys((*KEPT, *fields))},
    }
    table = scanned(dataset, columns)
    for name in table.column_names:
        column = table[name]
        if name.startswith("by "):
            found[name.removeprefix("by ")] = _codes(column)
        else:
            found[name] = column.combine_chunks().fill_null(False)
    return pa.table(found)


def kept(bank: Path, table: DeltaTable, dataset: pads.Dataset, request: Request) -> pa.Table:
    """The facts of a version of a bank, whose rows dataset reads, for this request.

    Reading them takes most of the time of a draw, so those of the newest version drawn from are kept in
    the bank's folder `cache`, which may be deleted at any time.
    """
    import pyarrow as pa

    if not set(request.fields) <= set(KEPT):
        return facts(dataset, request.fields)
    folder = bank / "cache" / "draw"
    path = folder / f"{_content(table)}-{_FORMAT}.arrow"
    with contextlib.suppress(OSError, pa.ArrowInvalid):  # not there, or not whole
        return pa.ipc.open_file(pa.memory_map(str(path))).read_all()
    found = facts(dataset, ())
    sink = pa.BufferOutputStream()
    with pa.ipc.new_file(sink, found.schema) as writer:
        writer.write_table(found)
    with contextlib.suppress(OSError):  # a bank that may only be read is drawn from all the same
        data: Any = memoryview(sink.getvalue())  # no copy of it
        write_whole(path, data)
        for old in folder.glob("*.arrow"):
            if old != path:
                old.unlink(missing_ok=True)
    return found


def _content(table: DeltaTable) -> str:
    """What the table holds, by the names of its files, which no two files share.

    Its version number alone would not do: after a backup was put back, the next change makes another
    version of a number that there was before.
    """
    names = sorted("/".join(uri.rsplit("/", 2)[1:]) for uri in table.file_uris())
    told = "\n".join([str(table.metadata().id), *names])
    return hashlib.blake2b(told.encode(), digest_size=16).hexdigest()


def scanned(dataset: pads.Dataset, columns: Any, only: Any = None) -> pa.Table:  # noqa: ANN401 - expressions
    """Columns (names, or name -> expression) of the rows for which the expression `only` holds."""
    # Reading further ahead costs memory and gains no time.
    return dataset.scanner(columns=columns, filter=only, batch_readahead=1, fragment_readahead=1).to_table()


def _codes(column: pa.ChunkedArray[Any]) -> pa.Array[Any]:
    import pyarrow as pa

    # Put together first: piece by piece, each piece would copy the dictionary of those before.
    texts: Any = column.combine_chunks().cast(pa.string())
    coded: pa.Array[Any] = (texts.fill_null("") if texts.null_count else texts).dictionary_encode()
    return coded


def _text(name: str) -> Any:  # noqa: ANN401 - an Arrow expression
    import pyarrow as pa
    import pyarrow.compute as pc

    return pc.field(name) if pa.types.is_string(kind(name)) else pc.field(name).cast(pa.string())
