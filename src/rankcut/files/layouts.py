"""Tables of rankings: wide, ratings, long or ballots; and wide or long ones made of rankings.

========== =====================================================================================
layout     what a row is
========== =====================================================================================
wide       a ranking: a column for each item, with its rank; empty = not ranked
ratings    the same with scores instead of ranks
long       one item of one ranking: columns for the ranking, the item, and the rank or score
ballots    a ranking: a column for each place, first choice first, with the item's name
orders     a ranking: a column with its order as text, ``toro > uni = ika``
========== =====================================================================================

A column ``ranking`` names the rankings, a column ``count`` says how many each row stands for, and
other columns are kept as descriptions of the rankings: in a wide table those that hold text in the
first rows, and those named by ``columns``.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankcut.errors import RankingFileError, Setting, Text, amount
from rankcut.files.guessing import BLANK, OVERVOTE, as_option, places_of_ballots
from rankcut.files.roles import (
    COUNT,
    RANKING,
    Roles,
    TableOptions,
    counts_of,
    ids_of,
    meeting,
    one_column,
    plain,
    positions,
    roles_of,
    weights_of,
)
from rankcut.files.tables import (
    BLOCK_CELLS,
    MARK,
    Columns,
    Layout,
    TableBlock,
    is_empty,
    shown,
    side_column,
)
from rankcut.parameters import EXACT
from rankcut.rankings import object_array
from rankcut.rankings.orders import from_orders, parse_order
from rankcut.rankings.ranking_set import RankingSet, fitting_ranks
from rankcut.rankings.ratings import entries_by_row, from_ratings
from rankcut.rankings.reading import first_repeat

# What columns are is judged by this many rows or more, and by further ones while a column is
# empty, up to a block of cells.
JUDGED_ROWS = 512


def table_rankings(blocks: Iterable[TableBlock], options: TableOptions) -> RankingSet:
    """All rankings of a table."""
    block, blocks = _first(_wanted(blocks, options))
    layout = options.fitting(block)
    options = replace(options, layout=layout)
    if layout == "long":
        return _long_rankings(blocks, options)
    if layout == "ratings" and options.item is not None:
        block = TableBlock.joined(list(blocks))
        blocks = [transposed(block, positions([options.item], block.names, block.source)[0])]
        options = replace(options, item=None, ranking=RANKING)
        return replace(joined(list(_wide(blocks, options))), lines=None)
    if layout in ("ballots", "orders"):
        read = _ballot_rankings if layout == "ballots" else _order_rankings
        return read(TableBlock.joined(list(blocks)), options)
    return joined(list(_wide(blocks, options)))


def table_blocks(blocks: Iterable[TableBlock], options: TableOptions) -> Iterator[RankingSet]:
    """The rankings of a table a block at a time, where the layout allows; else all at once."""
    block, blocks = _first(_wanted(blocks, options))
    if options.fitting(block) in ("wide", "ratings"):
        yield from _wide(blocks, options)
    else:
        yield table_rankings(blocks, options)


def _wanted(blocks: Iterable[TableBlock], options: TableOptions) -> Iterator[TableBlock]:
    """The blocks with the rows that are wanted, and no codes for missing values."""
    missing = options.missing.split(",") if isinstance(options.missing, str) else options.missing
    codes = {code.strip() for code in missing}
    return meeting((block.without(codes) if codes else block for block in blocks), options.where)


def transposed(block: TableBlock, item: int) -> TableBlock:
    """A table whose rows are items as one whose columns are, with a ranking for each column."""
    numbers = [i for i in range(len(block.names)) if i != item and block.is_numeric(i)]
    values = np.array([block.numbers(i, "the score") for i in numbers])
    return replace(
        block,
        names=[RANKING, *(shown(cell) for cell in block.objects(item))],
        columns=[tuple(block.names[i] for i in numbers), *values.T],
        lines=np.full(len(numbers), int(block.lines[0])),
        repeats={},
    )


def _first(blocks: Iterable[TableBlock]) -> tuple[TableBlock, Iterable[TableBlock]]:
    every = iter(blocks)
    block = next(every)
    return block, chain([block], every)


def _wide(blocks: Iterable[TableBlock], options: TableOptions) -> Iterator[RankingSet]:
    every = iter(blocks)
    held = enough_to_judge(every)
    roles = roles_of(TableBlock.joined(held), options)
    scale = options.levels()
    for block in chain(held, every):
        if scale is not None:
            words = np.column_stack([block.levels(i, scale) for i in roles.items])
            ranks = from_ratings(words, higher_is_better=False)
        elif options.fitting(block) == "ratings":
            scores = np.column_stack([block.numbers(i, "the score") for i in roles.items])
            ranks = from_ratings(scores, higher_is_better=options.higher_is_better is not False)
        else:
            ranks = np.column_stack([block.numbers(i, "the rank") for i in roles.items])
        yield RankingSet(
            ranks,
            roles.labels,
            counted=roles.count is not None,
            **_description(block, roles),
        )


def _description(block: TableBlock, roles: Roles) -> dict[str, Any]:
    """What the columns beside the items say about each ranking, as arguments of a RankingSet."""
    return {
        "counts": counts_of(block, roles),
        "weights": weights_of(block, roles),
        "ids": ids_of(block, roles),
        "columns": {block.names[i]: block.objects(i) for i in roles.columns},
        "lines": block.lines,
    }


def enough_to_judge(blocks: Iterator[TableBlock]) -> list[TableBlock]:
    """The first blocks, until each column has a value and rows are many enough to compare."""
    held = [next(blocks)]
    empty = held[0].empty_columns()
    n_rows, width = len(held[0]), len(held[0].names)
    while (empty or n_rows < JUDGED_ROWS) and n_rows * width < BLOCK_CELLS:
        block = next(blocks, None)
        if block is None:
            break
        held.append(block)
        empty &= block.empty_columns()
        n_rows += len(block)
    return held


def joined(blocks: list[RankingSet]) -> RankingSet:
    """The rankings of several blocks of one table as one."""
    first = blocks[0]
    ids = None
    if first.ids is not None:
        ids = tuple(chain.from_iterable(block.ids or () for block in blocks))
    return RankingSet(
        np.concatenate([block.ranks for block in blocks]),
        first.items,
        counts=np.concatenate([block.counts for block in blocks]),
        counted=first.counted,
        ids=ids,
        weights=None if first.weights is None else np.concatenate([b.weights for b in blocks]),
        lines=None if first.lines is None else np.concatenate([b.lines for b in blocks]),
        columns={
            name: side_column(np.concatenate([block.columns[name] for block in blocks]))
            for name in first.columns
        },
    )


def _long_rankings(blocks: Iterable[TableBlock], options: TableOptions) -> RankingSet:
    """The rankings of a long table: ids and items in order of appearance.

    Other columns of a ranking are read from its first line.
    """
    ids: dict[Any, int] = {}
    labels: dict[Any, int] = {}
    rows, columns, values, lines = [], [], [], []
    counts: list[int] = []
    weights: list[float] = []
    starts: list[int] = []
    known: dict[str, list[Any]] = {}
    source = ""
    scores = options.score is not None
    for block in blocks:
        names, source = block.names, block.source
        item = one_column(options.item, "item", names, source)
        scores = scores or (options.rank is None and "rank" not in names)
        value = one_column(
            options.score if scores else options.rank, "score" if scores else "rank", names, source
        )
        roles = roles_of(block, options, used=(item, value))
        own = ids_of(block, roles)
        if own is None:
            remedy: Text = ["name it with ", Setting("ranking")]
            raise block.mistake("no column says which ranking a line is about", remedy)
        known = known or {names[i]: [] for i in roles.columns}
        found = {name: block.objects(names.index(name)) for name in known}
        times, weighing = counts_of(block, roles), weights_of(block, roles)
        for at, ranking in enumerate(own):
            if ranking not in ids:
                ids[ranking] = len(ids)
                starts.append(int(block.lines[at]))
                counts.append(1 if times is None else int(times[at]))
                if weighing is not None:
                    weights.append(float(weighing[at]))
                for name, cells in found.items():
                    known[name].append(cells[at])
        items = block.objects(item, is_empty).tolist()
        if None in items:
            block.refuse(items.index(None), item, "each line needs an item")
        rows.append(np.array([ids[ranking] for ranking in own]))
        columns.append(np.array([labels.setdefault(plain(i), len(labels)) for i in items]))
        values.append(block.numbers(value, "the score" if scores else "the rank"))
        lines.append(block.lines)
    row, column, number = (np.concatenate(parts) for parts in (rows, columns, values))
    if options.repeats in ("first", "last"):
        kept = _mentions(row, column, options.repeats)
        row, column, number = row[kept], column[kept], number[kept]
    again = first_repeat(row, column)
    if again is not None:
        raise RankingFileError(
            f"ranking {list(ids)[row[again]]!r} mentions item {list(labels)[column[again]]!r} a "
            "second time; a ranking ranks each item once",
            source,
            int(np.concatenate(lines)[again]),
            remedy=[
                *("pass ", Setting("repeats", "first"), " or ", Setting("repeats", "last")),
                " to choose a mention",
            ],
        )
    ranks = entries_by_row(row, column, number, (len(ids), len(labels)))
    if scores:
        ranks = from_ratings(ranks, higher_is_better=options.higher_is_better is not False)
    return RankingSet(
        fitting_ranks(ranks),
        tuple(map(str, labels)),
        counts=counts,
        weights=np.array(weights) if weights else None,
        ids=tuple(ids),
        lines=np.array(starts),
        columns={name: side_column(object_array(cells)) for name, cells in known.items()},
    )


def _mentions(rows: NDArray[np.int64], columns: NDArray[np.int64], which: str) -> NDArray[np.int64]:
    """Row numbers left after dropping repeated (ranking, item) pairs."""
    lines = np.arange(len(rows)) if which == "first" else np.arange(len(rows))[::-1]
    pairs = np.stack([rows[lines], columns[lines]])
    return np.sort(lines[np.unique(pairs, axis=1, return_index=True)[1]])


def _ballot_rankings(block: TableBlock, options: TableOptions) -> RankingSet:
    """The rankings of a table of ballots; items in order of appearance."""
    roles = roles_of(block, options)
    if options.item_columns is None and not places_of_ballots(block.names):
        _check_shared(block, roles.items)
    orders, repeated = _chosen(block, roles, options.repeats or "first")
    found = _ordered(orders, block, roles, "no ballot names an item")
    if repeated and options.repeats is None:
        note = f"{amount(repeated, 'ballot')} with a repeated choice: the first counts"
        found = replace(found, notes=(*found.notes, note))
    return found


def _check_shared(block: TableBlock, columns: Sequence[int]) -> None:
    """Refuse a column whose cells no other has: it names people or answers, and not items."""
    cells = [{cell for cell in block.objects(i) if cell is not None} for i in columns]
    for own, i in zip(cells, columns, strict=True):
        others = set().union(*(each for each in cells if each is not own))
        if len(block) > 1 and own and not own & others:
            option = Setting("columns", as_option([i], block.names))
            raise block.mistake(
                f"column {block.names[i]!r} shares no item with the other columns, so it is not a "
                "place on a ballot",
                [
                    *("if it is not one, pass ", option),
                    *("; otherwise name the places with ", Setting("item_columns")),
                ],
                column=i,
            )


def _order_rankings(block: TableBlock, options: TableOptions) -> RankingSet:
    """The rankings of a column of orders; items in order of appearance."""
    column = one_column(options.order, "order", block.names, block.source)
    orders: list[list[tuple[str, ...]]] = []
    for row, cell in enumerate(block.objects(column, is_empty)):
        order = [] if cell is None else parse_order(str(cell))
        listed = [label for group in order for label in group]
        if "" in listed:
            block.refuse(
                row, column, f"{str(cell)[:40]!r} leaves out an item", "write Ann > Bob = Cy"
            )
        if len(set(listed)) < len(listed):
            if options.repeats in (None, "error"):
                twice = next(label for i, label in enumerate(listed) if label in listed[:i])
                block.refuse(
                    row,
                    column,
                    f"item {twice!r} appears twice",
                    ["pass ", Setting("repeats", "first"), " to count the first mention"],
                )
            order = _mentioned_once(order, options.repeats)
        orders.append(order)
    roles = roles_of(block, options, used=(column,))
    return _ordered(orders, block, roles, "no order names an item")


def _mentioned_once(order: list[tuple[str, ...]], repeats: str | None) -> list[tuple[str, ...]]:
    """The order with the first or last mention of each item, or up to the first repetition.

    >>> order = [("Ann",), ("Bob", "Cy"), ("Ann",), ("Dee",)]
    >>> _mentioned_once(order, "last"), _mentioned_once(order, "end")
    ([('Bob', 'Cy'), ('Ann',), ('Dee',)], [('Ann',), ('Bob', 'Cy')])
    """
    seen: set[str] = set()
    kept = []
    for group in reversed(order) if repeats == "last" else order:
        new = tuple(label for label in dict.fromkeys(group) if label not in seen)
        if repeats == "end" and len(new) < len(group):
            break
        seen.update(new)
        if new:
            kept.append(new)
    return kept[::-1] if repeats == "last" else kept


def _ordered(
    orders: Sequence[Sequence[tuple[str, ...]]],
    block: TableBlock,
    roles: Roles,
    nothing: str,
) -> RankingSet:
    if not any(orders):
        raise RankingFileError(nothing, block.source)
    ranks, items = from_orders(orders, sparse=True)
    found = RankingSet(fitting_ranks(ranks), tuple(items), **_description(block, roles))
    return replace(found, columns={name: side_column(own) for name, own in found.columns.items()})


def _chosen(
    block: TableBlock, roles: Roles, repeats: str
) -> tuple[list[list[tuple[str, ...]]], int]:
    """The items on each ballot, best first, and how many ballots choose one again."""
    cells = [block.objects(i).tolist() for i in roles.items]
    ballots, repeated = [], 0
    for row, ballot in enumerate(zip(*cells, strict=True)):
        listed: list[str] = []
        for place, cell in zip(roles.items, ballot, strict=True):
            name = "" if cell is None else str(plain(cell))
            if name.lower() == OVERVOTE:
                break
            if name in listed and repeats == "error":
                block.refuse(
                    row,
                    place,
                    f"item {name!r} is chosen twice on this ballot",
                    ["pass ", Setting("repeats", "first"), " to count the first choice"],
                )
            if name.lower() not in BLANK:
                listed.append(name)
        repeated += len({*listed}) < len(listed)
        ballots.append(_mentioned_once([(name,) for name in listed], repeats))
    return ballots, repeated


# --- rankings as tables -------------------------------------------------------------------------


def table_columns(rankings: RankingSet, layout: Layout, name: str) -> Columns:
    """The columns of a table in a layout, None where there is no value.

    >>> votes = RankingSet(np.array([[2.0, 1.0, np.nan]]), ("toro", "uni", "ika"))
    >>> table_columns(votes, "long", "votes.csv")
    {'ranking': [0, 0, 0], 'item': ['toro', 'uni', 'ika'], 'rank': [2, 1, None]}
    """
    known = known_columns(rankings)
    if layout == "long":
        return _long(rankings, known, name)
    if layout != "wide":
        raise RankingFileError(f"{layout} are read, not written; write wide or long ranks", name)
    ranks = rankings.dense()
    columns = {str(item): _cells(ranks[:, i]) for i, item in enumerate(rankings.items)}
    taken = [item for item in columns if item in known or item in (RANKING, COUNT)]
    if taken or len(columns) < len(rankings.items):
        raise RankingFileError(
            f"two columns would be called {(taken or ['the same'])[0]!r}; rename the item, or "
            "write the long layout",
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
    matrix = rankings.sparse().tocoo()
    entries = list(zip(*map(np.ndarray.tolist, (*matrix.coords, matrix.data)), strict=True))
    # A line without a rank keeps what no other line would mention: items that nobody ranks, and
    # rankings that rank nothing.
    host, guest = entries[0][:2] if entries else (0, 0)
    silent = {*range(len(rankings))} - {row for row, _, _ in entries}
    unseen = {*range(len(rankings.items))} - {guest, *(column for _, column, _ in entries)}
    entries += [(row, guest, np.nan) for row in sorted(silent)]
    entries += [(host, column, np.nan) for column in sorted(unseen)]
    entries.sort(key=lambda entry: entry[0])
    lines: Columns = {RANKING: [row for row, _, _ in entries]}
    for column, cells in known.items():
        lines[column] = [cells[row] for row, _, _ in entries]
    lines["item"] = [str(rankings.items[column]) for _, column, _ in entries]
    lines["rank"] = _cells(np.array([rank for _, _, rank in entries]))
    return lines
