"""Readings: what a table can be.

Each module has one reading: ``recognise`` gives the ways to read a table by some of its columns, or
none where the values fail its checks. Every reading is asked of every table, and the evidence in
the values decides: the order has no meaning. ``LAYOUTS`` are the readings that need none, because
options or the table itself describe its columns.

To add a reading, write its module and name it here; give it a row in the page "Will it read my
file?", and a file in ``tests/files/test_recognising.py``.
"""

from collections.abc import Callable, Sequence
from typing import TypeAlias

from rankcut.files.options import TableOptions
from rankcut.files.readings import (
    ballots,
    long_tables,
    marks,
    maxdiff,
    orders,
    ranks,
    scores,
    surveys,
    tasks,
    votes,
)
from rankcut.files.readings.way import Way
from rankcut.files.tables import Layout, TableBlock

Recognise: TypeAlias = Callable[[TableBlock, Sequence[int]], list[Way]]
"""The ways to read a table by some of its columns, all that may hold rankings."""

READINGS: dict[str, Recognise] = {
    "ballots": ballots.recognise,
    "long": long_tables.recognise,
    "marks": marks.recognise,
    "maxdiff": maxdiff.recognise,
    "orders": orders.recognise,
    "ranks": ranks.recognise,
    "ratings": scores.recognise,
    "surveys": surveys.recognise,
    "tasks": tasks.recognise,
    "votes": votes.recognise,
}

LAYOUTS: dict[Layout, Callable[[TableBlock, TableOptions], Way]] = {
    "wide": ranks.as_wide,
    "transposed": ranks.as_transposed,
    "ratings": scores.as_ratings,
    "long": long_tables.as_long,
    "ballots": ballots.as_ballots,
    "orders": orders.as_orders,
}
