"""The order in which a seed draws: BLAKE2b of the seed and a name, so that no library can change it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ranks = NDArray[np.uint64]

SIZE = 16


def rank(seed: int, what: str, name: str) -> bytes:
    """BLAKE2b-128 of "seed, what, name" on three lines; what keeps units, items and strata apart."""
    return hashlib.blake2b(f"{seed}\n{what}\n{name}".encode(), digest_size=SIZE).digest()


def ranks(seed: int, what: str, names: Iterable[bytes]) -> Ranks:
    """`rank` of many names in UTF-8: one row a name, its upper and its lower 64 bits."""
    import numpy as np

    # What all have in front is hashed once: a copy of that takes less time than a new hash.
    head = hashlib.blake2b(f"{seed}\n{what}\n".encode(), digest_size=SIZE)
    digests = []
    for name in names:
        one = head.copy()
        one.update(name)
        digests.append(one.digest())
    found = b"".join(digests)
    return np.frombuffer(found, dtype=">u8").reshape(-1, 2).astype(np.uint64)


def smallest(found: Ranks, count: int) -> NDArray[np.int64]:
    """The places of the count smallest ranks, smallest first; all of them when there are fewer."""
    import numpy as np

    upper = found[:, 0]
    places = np.arange(len(upper))
    if 0 < count < len(upper):
        places = np.flatnonzero(upper <= np.partition(upper, count - 1)[count - 1])
    order = np.lexsort((found[places, 1], upper[places]))
    first: NDArray[np.int64] = places[order][: max(count, 0)]
    return first
