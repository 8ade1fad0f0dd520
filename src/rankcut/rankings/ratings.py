"""Ratings: a matrix of scores, such as stars given to films, or of words on a scale."""

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, TypeAlias

import narwhals as nw
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from rankcut.errors import InputError, Setting, Text
from rankcut.rankings import as_frame, read_rankings
from rankcut.rankings.value import block_rows

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
        levels = read_scale(scale)
        X = _frame_levels(frame, levels) if frame is not None else _array_levels(X, levels)
        higher_is_better = False
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
    if cell is None or cell != cell or type(cell).__name__ == "NAType":
        return np.nan
    word = str(cell).strip()
    if word in levels:
        return levels[word]
    if isinstance(cell, float) and cell.is_integer() and str(int(cell)) in levels:
        return levels[str(int(cell))]
    return np.nan if word.lower() in _MISSING_WORDS else None


def _array_levels(X: Any, levels: Mapping[str, float]) -> NDArray[np.float64]:
    words = np.asarray(X, dtype=object)
    if words.ndim != 2:
        raise InputError(f"ratings are a table of rows and items; got {words.ndim} dimension(s)")
    found = np.empty(words.shape)
    for (row, item), cell in np.ndenumerate(words):
        found[row, item] = _known_level(cell, levels, row, item)
    return found


def _frame_levels(frame: nw.DataFrame[Any], levels: Mapping[str, float]) -> Any:
    return frame.with_columns(
        nw.new_series(
            name,
            np.array(
                [_known_level(cell, levels, row, name) for row, cell in enumerate(column.to_list())]
            ),
            backend=frame.implementation,
        )
        # Not frame[name]: the columns of a pandas frame may be called 0, 1, …
        for name, column in zip(frame.columns, frame.iter_columns(), strict=True)
    ).to_native()


def _known_level(cell: Any, levels: Mapping[str, float], row: int, item: Any) -> float:
    level = level_of(cell, levels)
    if level is None:
        raise InputError(
            f"is rated {str(cell)[:40]!r}, which is not on the scale {', '.join(levels)}",
            row=row,
            item=item,
            remedy=["add the word to ", Setting("scale")],
        )
    return level


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
