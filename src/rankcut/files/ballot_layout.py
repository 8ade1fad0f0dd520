"""The layout of cast vote records: a column for each place, first choice first.

Empty cells, ``skipped`` and ``undervote`` are passed over; at ``overvote`` the ballot ends, since
what was meant from there on is unknown.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankcut.files.columns import Block, is_missing, side_column
from rankcut.files.errors import RankingFileError
from rankcut.files.ranking_set import RankingSet, fitting_ranks
from rankcut.files.table_roles import Roles, TableOptions, counts_of, ids_of, plain, roles_of

_BLANK = frozenset({"", "skipped", "undervote", "blank"})
_OVERVOTE = "overvote"


def is_blank(name: str) -> bool:
    """Whether a ballot's cell with this text names no item."""
    return is_missing(name) or name.strip().lower() in {*_BLANK, _OVERVOTE}


def ballot_rankings(blocks: Iterable[Block], options: TableOptions) -> RankingSet:
    """The rankings of a table of ballots; items in order of appearance."""
    labels: dict[str, int] = {}
    starts, columns, ranks = [0], list[int](), list[float]()
    counts: list[NDArray[np.int64]] = []
    ids: list[Any] = []
    known: dict[str, list[NDArray[Any]]] = {}
    source = ""
    for block in blocks:
        source = block.source
        roles = roles_of(block, options)
        for chosen in _chosen(block, roles):
            columns.extend(labels.setdefault(name, len(labels)) for name in chosen)
            ranks.extend(range(1, len(chosen) + 1))
            starts.append(len(columns))
        times = counts_of(block, roles)
        counts.append(np.ones(len(block), np.int64) if times is None else times)
        ids.extend(ids_of(block, roles) or ())
        for i in roles.columns:
            known.setdefault(block.names[i], []).append(block.objects(i))
    if not labels:
        raise RankingFileError("no ballot names an item", source)
    return RankingSet(
        fitting_ranks(
            np.array(ranks, dtype=np.float64),
            np.array(columns, dtype=np.int64),
            np.array(starts),
            len(labels),
            options.sparse,
        ),
        tuple(labels),
        counts=np.concatenate(counts),
        ids=tuple(ids) or None,
        columns={name: side_column(np.concatenate(parts)) for name, parts in known.items()},
    )


def _chosen(block: Block, roles: Roles) -> Iterable[list[str]]:
    """The items on each ballot, best first."""
    cells = [block.objects(i).tolist() for i in roles.items]
    for row, ballot in enumerate(zip(*cells, strict=True)):
        listed: dict[str, None] = {}
        for place, cell in zip(roles.items, ballot, strict=True):
            name = "" if cell is None else str(plain(cell))
            if name.lower() == _OVERVOTE:
                break
            if name.lower() in _BLANK:
                continue
            if name in listed:
                block.refuse(row, place, f"item {name!r} is chosen twice on this ballot")
            listed[name] = None
        yield list(listed)
