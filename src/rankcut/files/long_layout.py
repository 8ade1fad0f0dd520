"""The long layout: a line for each item that a ranking mentions."""

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankcut.files.columns import Block, is_empty, side_column
from rankcut.files.errors import RankingFileError
from rankcut.files.ranking_set import RankingSet, fitting_ranks
from rankcut.files.table_roles import TableOptions, counts_of, ids_of, one_column, plain, roles_of
from rankcut.long_tables import entries_by_row, first_repeat
from rankcut.rankings import object_array
from rankcut.ratings import from_ratings


def long_rankings(blocks: Iterable[Block], options: TableOptions) -> RankingSet:
    """The rankings of a long table: ids and items in order of appearance.

    What is known of a ranking is read from its first line.
    """
    ids: dict[Any, int] = {}
    labels: dict[Any, int] = {}
    rows, columns, values, lines = [], [], [], []
    counts: list[int] = []
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
            raise RankingFileError(
                "no column says which ranking a line is about; name it (ranking=, or --ranking)",
                source,
                int(block.lines[0]),
            )
        known = known or {names[i]: [] for i in roles.columns}
        found = {name: block.objects(names.index(name)) for name in known}
        times = counts_of(block, roles)
        for at, ranking in enumerate(own):
            if ranking not in ids:
                ids[ranking] = len(ids)
                counts.append(1 if times is None else int(times[at]))
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
    if options.repeats != "error":
        kept = _mentions(row, column, options.repeats)
        row, column, number = row[kept], column[kept], number[kept]
    again = first_repeat(row, column)
    if again is not None:
        raise RankingFileError(
            f"ranking {list(ids)[row[again]]!r} mentions item {list(labels)[column[again]]!r} a "
            "second time; a ranking ranks each item once (repeats= or --repeats, first or last, "
            "chooses which counts)",
            source,
            int(np.concatenate(lines)[again]),
        )
    ranks = entries_by_row(row, column, number, (len(ids), len(labels)))
    if scores:
        ranks = from_ratings(ranks, higher_is_better=options.higher_is_better)
    return RankingSet(
        fitting_ranks(ranks.data, ranks.indices, ranks.indptr, len(labels), options.sparse),
        tuple(map(str, labels)),
        counts=counts,
        ids=tuple(ids),
        columns={name: side_column(object_array(cells)) for name, cells in known.items()},
    )


def _mentions(rows: NDArray[np.int64], columns: NDArray[np.int64], which: str) -> NDArray[np.int64]:
    """The lines that count if those that repeat a ranking and an item do not."""
    lines = np.arange(len(rows)) if which == "first" else np.arange(len(rows))[::-1]
    pairs = np.stack([rows[lines], columns[lines]])
    return np.sort(lines[np.unique(pairs, axis=1, return_index=True)[1]])
