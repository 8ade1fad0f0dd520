"""Rankings as tables: wide, a column for each item, or long, a line for each item of a ranking.

A wide table marks the names of item columns, as in ``rank: toro``.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankcut.errors import RankingFileError
from rankcut.files.options import COUNT, RANKING
from rankcut.files.tables import MARK, Columns, Layout, plain_cells
from rankcut.rankings import object_array
from rankcut.rankings.ranking_set import RankingSet


def table_columns(rankings: RankingSet, layout: Layout, name: str) -> Columns:
    """The columns of a table in a layout, None where there is no value.

    >>> votes = RankingSet(np.array([[2.0, 1.0, np.nan]]), ("toro", "uni", "ika"))
    >>> table_columns(votes, "long", "votes.csv")
    {'ranking': [0, 0, 0], 'item': ['toro', 'uni', 'ika'], 'rank': [2, 1, None]}
    """
    columns = _columns(rankings, layout, name)
    return {each: plain_cells(cells) for each, cells in columns.items()}


def _columns(rankings: RankingSet, layout: Layout, name: str) -> dict[str, NDArray[Any]]:
    beside = _beside(rankings)
    check_names([*beside, *map(str, rankings.items)], name)
    if layout == "long":
        return _long(rankings, beside, name)
    if layout != "wide":
        raise RankingFileError(f"{layout} are read, not written; write wide or long ranks", name)
    ranks = rankings.dense()
    columns = {str(item): ranks[:, i] for i, item in enumerate(rankings.items)}
    doubled = [item for item in columns if item in beside or item in (RANKING, COUNT)]
    if doubled or len(columns) < len(rankings.items):
        raise RankingFileError(
            f"two columns would be called {(doubled or ['the same'])[0]!r}; rename the item, or "
            "write the long layout",
            name,
        )
    return {**beside, **columns}


def check_names(names: list[str], file: str) -> None:
    """Refuse names that no file can hold: a half of a pair of surrogates is no character."""
    for name in names:
        if "\0" in name:
            raise RankingFileError(f"the name {name!r} has a zero byte; rename it", file)
        try:
            name.encode()
        except UnicodeEncodeError:
            raise RankingFileError(
                f"the name {name!r} has half of a character, which no file holds; rename it", file
            ) from None


def marked_columns(rankings: RankingSet, layout: Layout, name: str) -> Columns:
    """The columns for a file, as arrays, with names that mark the items, as in ``rank: toro``."""
    columns = _columns(rankings, layout, name)
    if layout != "wide":
        return dict(columns)
    about = len(columns) - len(rankings.items)
    confusing = [each for each in list(columns)[:about] if each.lower().startswith(MARK)]
    if confusing:
        raise RankingFileError(f"column {confusing[0]!r} is called like an item; rename it", name)
    names = [name if i < about else f"{MARK}{name}" for i, name in enumerate(columns)]
    return dict(zip(names, columns.values(), strict=True))


def columns_beside(rankings: RankingSet) -> Columns:
    """The columns about each ranking: its name, its count, its weight, and others."""
    return {each: plain_cells(cells) for each, cells in _beside(rankings).items()}


def _beside(rankings: RankingSet) -> dict[str, NDArray[Any]]:
    columns: dict[str, NDArray[Any]] = {}
    if rankings.ids is not None:
        columns[RANKING] = object_array(rankings.ids)
    if rankings.counted:
        columns[COUNT] = rankings.counts
    if rankings.weights is not None:
        columns["weight"] = np.asarray(rankings.weights, dtype=np.float64)
    return columns | dict(rankings.columns)


def _long(
    rankings: RankingSet, beside: dict[str, NDArray[Any]], name: str
) -> dict[str, NDArray[Any]]:
    for usual in ("item", "rank"):
        if usual in beside:
            raise RankingFileError(f"a column is called {usual!r} already; rename it", name)
    names = [str(each).strip() for each in rankings.ids or ()]
    if len({*names}) < len(names):
        again = next(i for i, each in enumerate(names) if each in names[:i])
        raise RankingFileError(
            f"row {again}: another ranking is called {names[again]!r} too, and the lines of a long "
            "table go by that name; give each ranking its own, or write the wide layout",
            name,
        )
    odd = [item for item in map(str, rankings.items) if item != item.strip() or not item]
    if odd:
        raise RankingFileError(
            f"an item is called {odd[0]!r}, and cells of a long table lose blanks at their ends; "
            "rename it, or write the wide layout",
            name,
        )
    matrix = rankings.sparse().tocoo()
    row, column = (np.asarray(part, dtype=np.int64) for part in matrix.coords)
    rank = np.asarray(matrix.data, dtype=np.float64)
    # A line without a rank keeps what no other line would mention: items that nobody ranks, and
    # rankings that rank nothing.
    host, guest = (int(row[0]), int(column[0])) if len(row) else (0, 0)
    silent = np.setdiff1d(np.arange(len(rankings)), row)
    unseen = np.setdiff1d(np.arange(len(rankings.items)), [guest, *column.tolist()])
    row = np.concatenate([row, silent, np.full(len(unseen), host)])
    column = np.concatenate([column, np.full(len(silent), guest), unseen])
    rank = np.concatenate([rank, np.full(len(silent) + len(unseen), np.nan)])
    order = np.argsort(row, kind="stable")
    row, column, rank = row[order], column[order], rank[order]
    items = object_array([str(item) for item in rankings.items])
    lines: dict[str, NDArray[Any]] = {RANKING: row}
    lines |= {each: cells[row] for each, cells in beside.items()}
    return lines | {"item": items[column], "rank": rank}
