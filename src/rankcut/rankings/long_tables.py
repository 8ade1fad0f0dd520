"""Long tables: one line for each item that a ranking mentions."""

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from scipy import sparse as sp

from rankcut.errors import InputError, Setting
from rankcut.parameters import EXACT
from rankcut.rankings import as_frame
from rankcut.rankings.orders import LEAVE_OUT, NOT_AMONG, columns_of, spread
from rankcut.rankings.ratings import from_ratings
from rankcut.rankings.reading import first_repeat, refuse_collection


class LongRanks(NamedTuple):
    """A rank matrix, the ids of its rows and the labels of its columns."""

    ranks: Any
    ids: Any
    items: list[Hashable]


def from_long(
    table: Any,
    *,
    ranking: str = "ranking",
    item: str = "item",
    rank: str | None = None,
    score: str | None = None,
    higher_is_better: bool = True,
    items: Sequence[Hashable] | None = None,
    sparse: bool = False,
) -> LongRanks:
    """A rank matrix from a table with a line for each ranking and item.

    Parameters
    ----------
    table : pandas or Polars frame
        Anything that narwhals accepts as an eager frame.
    ranking, item : str
        The columns that say which ranking and which item a line is about.
    rank, score : str
        The column with the ranks, 1 = best, or the one with the scores; give one of the two. A
        line without a value leaves its item unranked.
    higher_is_better : bool
        True if the highest score is the best, False if the lowest is.
    items : sequence or None
        The items that become columns; None takes those that occur, in order of appearance.
    sparse : bool
        Return a CSR array, in which unranked items are absent, instead of a dense array, in
        which they are NaN.

    Returns
    -------
    ranks : ndarray or csr_array of shape (n_rankings, n_items)
    ids : list
        The rankings' ids, in order of appearance: the rows.
    items : list
        The items' labels: the columns.

    Examples
    --------
    >>> import pandas as pd
    >>> votes = pd.DataFrame({"voter": [7, 7, 9], "party": ["a", "b", "b"], "stars": [2, 5, 4]})
    >>> ranks, ids, items = from_long(votes, ranking="voter", item="party", score="stars")
    >>> ranks
    array([[ 2.,  1.],
           [nan,  1.]])
    >>> ids, items
    ([7, 9], ['a', 'b'])
    """
    refuse_collection(table)
    frame = as_frame(table)
    if frame is None:
        raise InputError(f"a long table is a pandas or Polars frame, not {type(table).__name__}")
    if (rank is None) == (score is None):
        raise InputError(
            ["give one of ", Setting("rank"), " and ", Setting("score")],
            remedy="name the column with the ranks, or the one with the scores",
        )
    value = rank if score is None else score
    assert value is not None
    for column in (ranking, item, value):
        if column not in frame.columns:
            raise InputError(
                f"the table has no column {column!r}; its columns are "
                f"{', '.join(map(repr, frame.columns))}"
            )
    if not (frame[value].dtype.is_numeric() or frame[value].dtype == nw.Boolean):
        raise InputError(f"column {value!r} holds {frame[value].dtype}, not numbers")
    if frame.shape[0] == 0:
        raise InputError("the table has no lines")
    ids: dict[Hashable, int] = {}
    rows = _numbered(frame[ranking], ids)
    labels = columns_of(items)
    columns = _numbered(frame[item], labels, grows=items is None)
    values = frame[value].cast(nw.Float64).to_numpy().astype(np.float64)
    if np.isinf(values).any():
        line = int(np.argmax(np.isinf(values)))
        raise InputError(f"column {value!r} is {values[line]}, not a finite number", line=line)
    if frame[value].dtype.is_integer():
        for line in np.flatnonzero(np.abs(values) >= EXACT).tolist():
            if abs(int(frame[value][line])) > EXACT:
                raise InputError(
                    f"column {value!r} is {frame[value][line]}; float64 holds whole numbers up to "
                    "2**53 exactly",
                    line=line,
                    remedy="subtract a constant, or rank them first",
                )
    again = first_repeat(rows, columns)
    if again is not None:
        raise InputError(
            f"ranking {list(ids)[rows[again]]!r} mentions item {list(labels)[columns[again]]!r} a "
            "second time; a ranking ranks each item once",
            line=again,
        )
    ranks = entries_by_row(rows, columns, values, (len(ids), len(labels)))
    if score is not None:
        ranks = from_ratings(ranks, higher_is_better=higher_is_better)
    return LongRanks(ranks if sparse else spread(ranks), list(ids), list(labels))


def entries_by_row(
    rows: NDArray[np.int64],
    columns: NDArray[np.int64],
    values: NDArray[np.float64],
    shape: tuple[int, int],
) -> sp.csr_array:
    """A CSR array with one entry for each line that has a value."""
    there = ~np.isnan(values)
    return sp.csr_array((values[there], (rows[there], columns[there])), shape=shape)


def _numbered(
    column: nw.Series[Any], numbers: dict[Hashable, int], *, grows: bool = True
) -> NDArray[np.int64]:
    """The number of each label; if the numbering ``grows``, new ones in order of appearance."""
    empty = column.is_null()
    if column.dtype.is_float():
        empty = empty | column.is_nan()
    if empty.any():
        line = int(np.argmax(empty.to_numpy()))
        raise InputError(f"column {column.name!r} is empty; each line needs a value", line=line)
    values = column.to_list()
    for line, label in enumerate(() if grows else values):
        if label not in numbers:
            raise InputError(NOT_AMONG, line=line, item=label, remedy=LEAVE_OUT)
    return np.array([numbers.setdefault(label, len(numbers)) for label in values])
