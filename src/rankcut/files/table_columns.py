"""Rankings as a table: names and columns, for CSV, TSV, Parquet or a frame."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from rankcut.errors import RankingFileError
from rankcut.files.layouts import is_blank
from rankcut.files.roles import COUNT, RANKING
from rankcut.files.tables import MARK, Layout
from rankcut.parameters import EXACT
from rankcut.rankings.orders import order_texts, parse_order, to_orders
from rankcut.rankings.ranking_set import RankingSet

Columns: TypeAlias = dict[str, Sequence[Any]]


def table_columns(rankings: RankingSet, layout: Layout, name: str) -> Columns:
    """The columns of a table in a layout, None where there is no value.

    >>> votes = RankingSet(np.array([[2.0, 1.0, np.nan]]), ("toro", "uni", "ika"))
    >>> table_columns(votes, "ballots", "votes.csv")
    {'choice 1': ['uni'], 'choice 2': ['toro']}
    >>> table_columns(votes, "long", "votes.csv")
    {'ranking': [0, 0, 0], 'item': ['toro', 'uni', 'ika'], 'rank': [2, 1, None]}
    """
    known = known_columns(rankings)
    if layout == "long":
        return _long(rankings, known, name)
    if layout == "ballots":
        return {**known, **_places(rankings, name)}
    if layout == "orders":
        return {**known, "order": _orders(rankings, known, name)}
    ranks = rankings.dense()
    if layout == "ratings":
        raise RankingFileError("ratings are read, not written; write wide or long ranks", name)
    columns = {str(item): _cells(ranks[:, i]) for i, item in enumerate(rankings.items)}
    taken = [item for item in columns if item in known or item in (RANKING, COUNT)]
    if taken or len(columns) < len(rankings.items):
        raise RankingFileError(
            f"two columns would be called {(taken or ['the same'])[0]!r}; rename the item, or "
            "write another layout",
            name,
        )
    return {**known, **columns}


def marked_columns(rankings: RankingSet, layout: Layout, name: str) -> Columns:
    """The same for a file, with names that mark the items, as in ``rank: toro``."""
    columns = table_columns(rankings, layout, name)
    if layout != "wide":
        return columns
    about = len(columns) - len(rankings.items)
    taken = [each for each in list(columns)[:about] if each.lower().startswith(MARK)]
    if taken:
        raise RankingFileError(f"column {taken[0]!r} is called like an item; rename it", name)
    names = [name if i < about else f"{MARK}{name}" for i, name in enumerate(columns)]
    return dict(zip(names, columns.values(), strict=True))


def known_columns(rankings: RankingSet) -> Columns:
    """The columns about each ranking: its name, its count, its weight, and others."""
    known: Columns = {}
    if rankings.ids is not None:
        known[RANKING] = list(rankings.ids)
    if rankings.counted:
        known[COUNT] = rankings.counts.tolist()
    if rankings.weights is not None:
        known["weight"] = _cells(np.asarray(rankings.weights, dtype=np.float64))
    for column, values in rankings.columns.items():
        known[column] = _cells(values)
    return known


def _cells(values: Any) -> list[Any]:
    """Python values: whole numbers as integers, None for NaN."""
    cells = values.tolist()
    if values.dtype.kind != "f":
        return list(cells)
    return [
        None if cell != cell else int(cell) if cell.is_integer() and abs(cell) < EXACT else cell
        for cell in cells
    ]


def _long(rankings: RankingSet, known: Columns, name: str) -> Columns:
    for usual in ("item", "rank"):
        if usual in known:
            raise RankingFileError(f"a column is called {usual!r} already; rename it", name)
    seen: set[str] = set()
    for row, own in enumerate(rankings.ids or ()):
        if str(own).strip() in seen:
            raise RankingFileError(
                f"row {row}: another ranking is called {own!r} too, and the lines of a long table "
                "go by that name; give each ranking its own, or write the wide layout",
                name,
            )
        seen.add(str(own).strip())
    matrix = rankings.sparse()
    rows = np.repeat(np.arange(len(rankings)), np.diff(matrix.indptr))
    columns, values = matrix.indices, matrix.data
    # A line without a rank keeps what no other line would mention: items that nobody ranks, and
    # rankings that rank nothing.
    silent = np.setdiff1d(np.arange(len(rankings)), rows)
    unseen = np.setdiff1d(np.arange(len(rankings.items)), columns)
    host = int(rows[0]) if len(rows) else 0
    silent_item = int(columns[0]) if len(columns) else 0
    if not len(rows):
        unseen = np.setdiff1d(unseen, [silent_item])
    extra_rows = np.concatenate([silent, np.full(len(unseen), host)])
    extra_columns = np.concatenate([np.full(len(silent), silent_item), unseen])
    rows = np.concatenate([rows, extra_rows]).astype(np.int64)
    columns = np.concatenate([columns, extra_columns]).astype(np.int64)
    values = np.concatenate([values, np.full(len(extra_rows), np.nan)])
    order = np.argsort(rows, kind="stable")
    rows, columns, values = rows[order], columns[order], values[order]
    lines: Columns = {RANKING: rows.tolist()}
    for column, cells in known.items():
        lines[column] = [cells[row] for row in rows.tolist()]
    lines["item"] = [str(rankings.items[column]) for column in columns.tolist()]
    lines["rank"] = _cells(values)
    return lines


def _orders(rankings: RankingSet, known: Columns, name: str) -> list[str | None]:
    if "order" in known:
        raise RankingFileError("a column is called 'order' already; rename it", name)
    labels = [str(item) for item in rankings.items]
    for label in labels:
        if parse_order(label) != [(label,)] or not label:
            raise RankingFileError(
                f"item {label!r} would be misread in an order such as Ann > Bob = Cy; "
                "rename it, or write another layout",
                name,
            )
    return [text or None for text in order_texts(rankings.ranks, labels)]


def _places(rankings: RankingSet, name: str) -> Columns:
    orders = to_orders(rankings.ranks, [str(item) for item in rankings.items])
    for row, order in enumerate(orders):
        if any(isinstance(group, tuple) for group in order):
            raise RankingFileError(
                f"row {row} has ties, and a ballot has one item for each place; write the wide "
                "or the long layout",
                name,
            )
        for item in order:
            if is_blank(item):
                raise RankingFileError(
                    f"row {row}: on a ballot the item {item!r} would be read as a blank; rename "
                    "it, or write the wide or the long layout",
                    name,
                )
    longest = max(1, *map(len, orders)) if orders else 1
    return {
        f"choice {place + 1}": [order[place] if place < len(order) else None for order in orders]
        for place in range(longest)
    }
