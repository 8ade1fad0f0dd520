"""Ratings, such as stars given to films or words on a scale; long tables of them, or of ranks."""

from collections.abc import Hashable, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rankcut.errors import InputError, Setting, Text
from rankcut.parameters import EXACT
from rankcut.rankings import as_frame, read_rankings
from rankcut.rankings.orders import LEAVE_OUT, NOT_AMONG, columns_of
from rankcut.rankings.partitions import block_rows
from rankcut.rankings.reading import first_repeat, refuse_collection
from rankcut.rankings.stored import dense_ranks

Scale: TypeAlias = str | Sequence[Any]

_LIST_WORDS: Text = ["list the words from best to worst: ", Setting("scale", "good>fair>bad")]

_MISSING_WORDS = frozenset({"", "na", "n/a", "nan", "null", "none", "."})


def from_ratings(X: Any, *, higher_is_better: bool = True, scale: Scale | None = None) -> Any:
    """A rank matrix from scores: the best score of a row has rank 1, equal scores are tied.

    Parameters
    ----------
    X : array, frame or CSR array of shape (n_rankings, n_items)
        Scores. NaN, null, or absent in a sparse matrix: not rated, and so not ranked. A stored
        zero is a score. Ordered categories of a frame are scores too, the last the highest.
    higher_is_better : bool
        True if the highest score is the best, False if the lowest is.
    scale : str or sequence or None
        For words: the words from best to worst, as in ``"love > like = fine > hate"`` or
        ``["love", ("like", "fine"), "hate"]``; ``higher_is_better`` then does not matter.

    Returns
    -------
    array, frame or csr_array of the same shape and kind as X

    Examples
    --------
    >>> from_ratings([[5, 3, 5], [1, float("nan"), 2]])
    array([[ 1.,  2.,  1.],
           [ 2., nan,  1.]])
    >>> from_ratings([["MEH", "JOY", "DESPAIR"], ["JOY", None, "JOY"]], scale="JOY>MEH>DESPAIR")
    array([[ 2.,  1.,  3.],
           [ 1., nan,  1.]])
    """
    frame = as_frame(X)
    if scale is not None:
        X, higher_is_better = _levels(X, frame, read_scale(scale)), False
    elif frame is not None:
        X = with_category_codes(frame, [*_LIST_WORDS, ", or "])
    elif not sparse.issparse(X):
        _check_no_words(X)
    ratings = read_rankings(X, unranked="anywhere", number="score")
    sign = -1.0 if higher_is_better else 1.0
    if ratings.sparse is not None:
        ranks = sparse.csr_array(ratings.sparse, dtype=np.float64, copy=True)
        rows = np.repeat(np.arange(ranks.shape[0]), np.diff(ranks.indptr))
        ranks.data = _ranks_within(rows, sign * ranks.data)
        return ranks
    n_rows, n_items = ratings.shape
    dense = np.full((n_rows, n_items), np.nan)
    step = block_rows(n_items)
    for start in range(0, n_rows, step):
        scores = ratings.read(start, min(start + step, n_rows))
        rows, columns = np.nonzero(~np.isnan(scores))
        dense[start + rows, columns] = _ranks_within(rows, sign * scores[rows, columns])
    if frame is not None:
        return frame.with_columns(
            nw.new_series(name, dense[:, i], backend=frame.implementation)
            for i, name in enumerate(frame.columns)
        ).to_native()
    return dense


def read_scale(scale: Scale) -> dict[str, float]:
    """The level of each word, 1 the best.

    >>> read_scale("JOY > MEH = SHRUG > DESPAIR")
    {'JOY': 1.0, 'MEH': 2.0, 'SHRUG': 2.0, 'DESPAIR': 3.0}
    """
    groups: Sequence[Any] = scale
    if isinstance(scale, str):
        groups = [tuple(level.split("=")) for level in scale.split(">")]
    tied = [group if isinstance(group, list | tuple) else (group,) for group in groups]
    levels = {str(word).strip(): float(i) for i, words in enumerate(tied, 1) for word in words}
    if len(levels) < max(2, len(list(chain.from_iterable(tied)))) or "" in levels:
        raise InputError(
            f'must list two or more different words, best first, as in "good>fair>bad"; got '
            f"{scale!r}",
            parameter="scale",
        )
    return levels


def level_of(cell: Any, levels: Mapping[str, float]) -> float | None:
    """The level of a cell: NaN if it is missing, None if the scale does not have its word."""
    if cell is None or type(cell).__name__ == "NAType" or cell != cell:
        return np.nan
    word = str(cell).strip()
    if word in levels:
        return levels[word]
    if isinstance(cell, float) and cell.is_integer() and str(int(cell)) in levels:
        return levels[str(int(cell))]
    return np.nan if word.lower() in _MISSING_WORDS else None


def _levels(
    X: Any, frame: nw.DataFrame[Any] | None, levels: Mapping[str, float]
) -> NDArray[np.float64]:
    """The levels of words; an error names the first that is not on the scale."""
    words = np.asarray(X if frame is None else frame.to_numpy(), dtype=object)
    if words.ndim != 2:
        raise InputError(f"ratings are a table of rows and items; got {words.ndim} dimension(s)")
    found = np.empty(words.shape)
    for (row, item), cell in np.ndenumerate(words):
        level = level_of(cell, levels)
        if level is None:
            raise InputError(
                f"is rated {str(cell)[:40]!r}, which is not on the scale {', '.join(levels)}",
                row=row,
                item=item if frame is None else frame.columns[item],
                remedy=["add the word to ", Setting("scale")],
            )
        found[row, item] = level
    return found


def with_category_codes(frame: nw.DataFrame[Any], otherwise: Text = ()) -> Any:
    """The frame with ordered categories replaced by their numbers, the first 0.

    ``otherwise`` begins the remedy for words without an order.

    >>> import pandas as pd
    >>> words = pd.Categorical(["good", "bad"], categories=["bad", "fair", "good"], ordered=True)
    >>> with_category_codes(as_frame(pd.DataFrame({"tea": words})))
       tea
    0  2.0
    1  0.0
    """
    ordered = [name for name, dtype in frame.schema.items() if isinstance(dtype, nw.Enum)]
    for name, dtype in frame.schema.items():
        if dtype == nw.String or (dtype == nw.Categorical and name not in ordered):
            raise InputError(
                f"column {name!r} holds words without an order",
                remedy=[*otherwise, "give all columns the same ordered categories"],
            )
    if not ordered:
        return frame.to_native()
    kinds = {tuple(frame.schema[name].categories) for name in ordered}  # type: ignore[attr-defined]
    if len(kinds) > 1 or len(ordered) < len(frame.columns):
        raise InputError(
            "the columns do not have the same ordered categories, so their ratings cannot be "
            "compared",
            remedy=[*otherwise, "give all columns the same ordered categories"],
        )
    codes = {category: float(i) for i, category in enumerate(kinds.pop())}
    series = []
    for name, column in zip(ordered, frame.iter_columns(), strict=True):
        # What is missing is None or NaN, and no category.
        cells = [codes.get(cell, np.nan) for cell in column.to_list()]
        series.append(nw.new_series(name, np.array(cells), backend=frame.implementation))
    return frame.with_columns(*series).to_native()


def _check_no_words(X: Any) -> None:
    """Raise if an array holds a word."""
    cells = np.asarray(X)
    if cells.dtype.kind not in "OUS":
        return
    for place, cell in np.ndenumerate(cells):
        try:
            float(cell if isinstance(cell, str) else 0)
        except ValueError:
            raise InputError(
                f"is rated {cell[:40]!r}, a word without an order",
                row=place[0],
                item=place[-1],
                remedy=_LIST_WORDS,
            ) from None


def _ranks_within(rows: NDArray[np.intp], scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rank each score within its row, the lowest first; the t-th lowest value has rank t."""
    order = np.lexsort((scores, rows))
    rows, scores = rows[order], scores[order]
    first = np.ones(len(rows), dtype=bool)
    first[1:] = rows[1:] != rows[:-1]
    rises = first.copy()
    rises[1:] |= scores[1:] > scores[:-1]
    level = np.cumsum(rises)
    ranks = np.empty(len(scores))
    # The level before a row's first entry, carried along the row.
    ranks[order] = level - np.maximum.accumulate(np.where(first, level - 1, 0))
    return ranks


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
    return LongRanks(ranks if sparse else dense_ranks(ranks), list(ids), list(labels))


def entries_by_row(
    rows: NDArray[np.int64],
    columns: NDArray[np.int64],
    values: NDArray[np.float64],
    shape: tuple[int, int],
) -> sparse.csr_array:
    """A CSR array with one entry for each line that has a value."""
    there = ~np.isnan(values)
    return sparse.csr_array((values[there], (rows[there], columns[there])), shape=shape)


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
