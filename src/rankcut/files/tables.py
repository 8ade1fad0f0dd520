"""Tables of rankings: wide, ratings, long or ballots, as CSV, TSV, Parquet or a frame.

========== =====================================================================================
layout     what a row is
========== =====================================================================================
wide       a ranking: a column for each item, with its rank; empty = not ranked
ratings    the same with scores instead of ranks
long       one item of one ranking: columns for the ranking, the item, and the rank or score
ballots    a ranking: a column for each place, first choice first, with the item's name
========== =====================================================================================

A column ``ranking`` names the rankings, a column ``count`` says how many each row stands for, and
other columns are kept as what is known of each ranking: in a wide table those that hold text in
the first rows, and those named by ``columns``.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain

import numpy as np

from rankcut.files.ballot_layout import ballot_rankings
from rankcut.files.columns import Block, meeting, side_column
from rankcut.files.long_layout import long_rankings
from rankcut.files.ranking_set import RankingSet
from rankcut.files.table_roles import TableOptions, counts_of, ids_of, roles_of
from rankcut.ratings import from_ratings

# A column that is empty in the first rows is followed for about this many cells of the table.
_LOOKAHEAD_CELLS = 1 << 20


def table_rankings(blocks: Iterable[Block], options: TableOptions) -> RankingSet:
    """All rankings of a table."""
    block, blocks = _first(meeting(blocks, options.where))
    layout = options.fitting(block.names)
    if layout == "long":
        return long_rankings(blocks, options)
    if layout == "ballots":
        return ballot_rankings(blocks, options)
    whole = joined(list(_wide(blocks, options)))
    return replace(whole, ranks=whole.sparse()) if options.sparse else whole


def table_pieces(blocks: Iterable[Block], options: TableOptions) -> Iterator[RankingSet]:
    """The rankings of a table a block at a time, where the layout allows; else all at once."""
    block, blocks = _first(meeting(blocks, options.where))
    if options.fitting(block.names) in ("wide", "ratings"):
        yield from _wide(blocks, options)
    else:
        yield table_rankings(blocks, options)


def _first(blocks: Iterable[Block]) -> tuple[Block, Iterable[Block]]:
    every = iter(blocks)
    block = next(every)
    return block, chain([block], every)


def _wide(blocks: Iterable[Block], options: TableOptions) -> Iterator[RankingSet]:
    every = iter(blocks)
    held = _until_each_column_has_a_value(every)
    roles = roles_of(Block.joined(held), options)
    for block in chain(held, every):
        ratings = options.fitting(block.names) == "ratings"
        what = "the score" if ratings else "the rank"
        ranks = np.column_stack([block.numbers(i, what) for i in roles.items])
        yield RankingSet(
            from_ratings(ranks, higher_is_better=options.higher_is_better) if ratings else ranks,
            tuple(block.names[i] for i in roles.items),
            counts=counts_of(block, roles),
            counted=roles.count is not None,
            ids=ids_of(block, roles),
            columns={block.names[i]: block.objects(i) for i in roles.columns},
        )


def _until_each_column_has_a_value(blocks: Iterator[Block]) -> list[Block]:
    """The first block, and more while a column is empty, which does not say what it is."""
    held = [next(blocks)]
    empty = held[0].empty_columns()
    n_cells = len(held[0]) * len(held[0].names)
    while empty and n_cells < _LOOKAHEAD_CELLS and (block := next(blocks, None)) is not None:
        held.append(block)
        empty &= block.empty_columns()
        n_cells += len(block) * len(block.names)
    return held


def joined(pieces: list[RankingSet]) -> RankingSet:
    """The rankings of several pieces of one table as one."""
    first = pieces[0]
    ids = None
    if first.ids is not None:
        ids = tuple(chain.from_iterable(piece.ids or () for piece in pieces))
    return RankingSet(
        np.concatenate([piece.ranks for piece in pieces]),
        first.items,
        counts=np.concatenate([piece.counts for piece in pieces]),
        ids=ids,
        columns={
            name: side_column(np.concatenate([piece.columns[name] for piece in pieces]))
            for name in first.columns
        },
    )
