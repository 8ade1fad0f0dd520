"""How well predicted rankings agree with observed ones, as functions and as scorers.

Each takes ``(ranks, predicted)``, or ``(model, X, ranks)``, as scikit-learn calls a scorer: pass
the function itself as ``scoring=`` of ``cross_val_score`` and ``GridSearchCV``.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankcut._loops.partitions import NOWHERE
from rankcut._loops.types import Floats, Indices
from rankcut.errors import InputError
from rankcut.kernels.groups import read_groups
from rankcut.parameters import check_count, check_counts
from rankcut.rankings import Unranked, read_rankings, weights_of


def kendall_score(
    ranks: Any,
    predicted: Any,
    observed: Any = None,
    *,
    unranked: Unranked = "anywhere",
    sample_weight: ArrayLike | None = None,
) -> float:
    """Kendall's tau: pairs in the right order minus pairs in the wrong order, as a share.

    It is taken over the pairs that an observed ranking orders: both items ranked, not tied. A
    predicted tie counts 0. The score is the mean over rankings; one that orders no pair does not
    count.

    Parameters
    ----------
    ranks, predicted : rank matrices of shape (n_rankings, n_items)
        Observed and predicted rankings. Or, as a scorer, a model and its covariates.
    observed : rank matrix or None
        The observed rankings, as a scorer.
    unranked : {"error", "last", "anywhere"}, default="anywhere"
        Meaning of an item that an observed ranking does not rank: it comes after the ranked ones
        ("last"), or nothing is known about it ("anywhere").
    sample_weight : array of shape (n_rankings,) or None
        How often each ranking counts. None: the counts of a RankingSet, or once.

    Examples
    --------
    >>> kendall_score([[1, 2, 3, 4]], [[1, 2, 4, 3]])
    0.6666666666666666
    >>> nan = float("nan")
    >>> kendall_score([[1, 2, nan]], [[2, 3, 1]]), kendall_score([[1, 2, 3]], [[1, 1, 1]])
    (1.0, 0.0)

    As a scorer:

    >>> from rankcut import RankingRegressor
    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.model_selection import cross_val_score
    >>> X = np.linspace(-1, 1, 40)[:, None]
    >>> ranks = np.where(X > 0, [[1, 2, 3]], [[3, 2, 1]])
    >>> model = RankingRegressor(Ridge())
    >>> cross_val_score(model, X[::-1], ranks[::-1], scoring=kendall_score, cv=2).shape
    (2,)
    """
    truth, found, weights = _both(ranks, predicted, observed, unranked, sample_weight)
    return mean_of_rows(kendall_of_rows(truth, found), weights)


def spearman_score(
    ranks: Any,
    predicted: Any,
    observed: Any = None,
    *,
    unranked: Unranked = "anywhere",
    sample_weight: ArrayLike | None = None,
) -> float:
    """Spearman's rho: the correlation of observed and predicted positions.

    Tied items share the mean of their positions. Items that an observed ranking does not rank are
    left out of it ("anywhere") or tied last ("last"). The score is the mean over rankings; one
    that ties all items does not count.

    Parameters
    ----------
    ranks, predicted, observed, unranked, sample_weight
        As in :func:`kendall_score`.

    Examples
    --------
    >>> spearman_score([[1, 2, 3, 4]], [[1, 2, 4, 3]])
    0.8
    """
    truth, found, weights = _both(ranks, predicted, observed, unranked, sample_weight)
    listed = truth != NOWHERE
    x, y = _positions(truth, listed), _positions(found, listed)
    count = np.maximum(listed.sum(axis=1, keepdims=True), 1)
    x = np.where(listed, x - (count + 1) / 2, 0.0)
    y = np.where(listed, y - (count + 1) / 2, 0.0)
    spread = (x**2).sum(axis=1)
    norms = np.sqrt(spread * (y**2).sum(axis=1))
    # A predicted ranking that ties all items agrees with nothing.
    rows = np.divide((x * y).sum(axis=1), norms, out=np.zeros(len(x)), where=norms > 0)
    return mean_of_rows(np.where(spread > 0, rows, np.nan), weights)


def top_k_overlap(
    ranks: Any,
    predicted: Any,
    observed: Any = None,
    *,
    k: int = 3,
    unranked: Unranked = "anywhere",
    sample_weight: ArrayLike | None = None,
) -> float:
    """The share of the k best items that are among the k predicted best.

    Ties at the border are broken at random, and the score is the mean over all ways to do so. With
    ``unranked="anywhere"`` only items that the observed ranking ranks count; if they are fewer than
    k, all of them do.

    Parameters
    ----------
    ranks, predicted, observed, unranked, sample_weight
        As in :func:`kendall_score`.
    k : int, default=3
        Number of items. For another number in a scorer use ``make_scorer(top_k_overlap, k=5)``.

    Examples
    --------
    >>> top_k_overlap([[1, 2, 3, 4]], [[2, 4, 1, 3]], k=2)
    0.5
    """
    check_count(k, "k")
    truth, found, weights = _both(ranks, predicted, observed, unranked, sample_weight)
    listed = truth != NOWHERE
    shares = _top_shares(truth, listed, k) * _top_shares(found, listed, k)
    size = np.minimum(k, listed.sum(axis=1))
    rows = np.divide(shares.sum(axis=1), size, out=np.full(len(truth), np.nan), where=size > 0)
    return mean_of_rows(rows, weights)


def kendall_of_rows(truth: Indices, found: Indices, item: int | None = None) -> Floats:
    """Kendall's tau of each row, over all pairs or those of one item; NaN where none is ordered."""
    first, second = np.triu_indices(truth.shape[1], 1)
    if item is not None:
        chosen = (first == item) | (second == item)
        first, second = first[chosen], second[chosen]
    right, ordered = np.zeros(len(truth)), np.zeros(len(truth))
    for i, j in zip(first.tolist(), second.tolist(), strict=True):
        signs = _signs(truth[:, i], truth[:, j])
        signs[(truth[:, i] == NOWHERE) | (truth[:, j] == NOWHERE)] = 0
        right += signs * _signs(found[:, i], found[:, j])
        ordered += signs != 0
    tau: Floats = np.divide(right, ordered, out=np.full(len(truth), np.nan), where=ordered > 0)
    return tau


def _signs(one: NDArray[np.uint32], other: NDArray[np.uint32]) -> NDArray[np.int8]:
    return (one < other).astype(np.int8) - (one > other).astype(np.int8)


def read_both(ranks: Any, predicted: Any, unranked: Unranked) -> tuple[Indices, Indices]:
    """The groups of the items in observed and predicted rankings."""
    observed, found = read_rankings(ranks), read_rankings(predicted)
    if observed.shape != found.shape:
        raise InputError(
            f"observed rankings have the shape {observed.shape}, predicted ones {found.shape}"
        )
    observed.check(unranked)
    found.check("error")
    return read_groups(observed, unranked, None), read_groups(found, "error", None)


def _both(
    ranks: Any,
    predicted: Any,
    observed: Any,
    unranked: Unranked,
    sample_weight: ArrayLike | None,
) -> tuple[Indices, Indices, Floats]:
    """The groups of the items in observed and predicted rankings, and the weights."""
    if hasattr(ranks, "predict"):
        # As a scorer: a model, its covariates and the observed rankings.
        ranks, predicted = observed, ranks.predict(predicted)
    elif observed is not None:
        raise InputError(
            "with three arguments the first is a model", remedy="pass two rank matrices"
        )
    truth, found = read_both(ranks, predicted, unranked)
    return truth, found, check_counts(weights_of(ranks, sample_weight), len(truth))


def mean_of_rows(rows: Floats, weights: Floats) -> float:
    """The weighted mean of the rows that are not NaN; 0 if all are."""
    counted = ~np.isnan(rows) & (weights > 0)
    if not counted.any():
        # Rankings of one item, or all tied: every prediction is as good.
        return 0.0
    return float(np.average(rows[counted], weights=weights[counted]))


def _better_and_tied(groups: Indices, listed: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """How many listed items are better than each one, and how many are tied with it."""
    better, tied = np.zeros(groups.shape), np.zeros(groups.shape)
    for j in range(groups.shape[1]):
        other, there = groups[:, j : j + 1], listed[:, j : j + 1]
        better += there & (other < groups)
        tied += there & (other == groups)
    return better, tied


def _positions(groups: Indices, listed: NDArray[np.bool_]) -> Floats:
    """Mean position of each item among those that are listed."""
    better, tied = _better_and_tied(groups, listed)
    return np.asarray(better + (tied + 1) / 2)


def _top_shares(groups: Indices, listed: NDArray[np.bool_], k: int) -> Floats:
    """The probability that each item is among the k best, ties broken at random."""
    better, tied = _better_and_tied(groups, listed)
    shares = np.clip((k - better) / np.maximum(tied, 1.0), 0.0, 1.0)
    return np.where(listed, shares, 0.0)
