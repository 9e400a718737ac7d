"""The questions that are kept: versions, ids, duplicates, draws, exposures. `from bank import Bank`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bank.store import Bank

__all__ = ["Bank"]


def __getattr__(name: str) -> Any:  # noqa: ANN401 - loaded when asked for, since it takes its time
    if name == "Bank":
        from bank.store import Bank

        return Bank
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
