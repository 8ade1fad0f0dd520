"""Rankings as the targets of a regression, and how well predicted ones agree with observed ones.

With e_ij the expected sign of a pair, +1 where item i is better than item j, the score of item i
is s_i = Σ_j e_ij / (n − 1). On a full ranking the scores are its positions, scaled to [−1, 1].

A pair with the predicted sign e has the raw probability (1 + e)/2 that its first item is
preferred. The calibrated one is p with logit p = a·logit((1 + c·e)/2): c < 1 keeps it off 0 and 1,
and a sharpens or flattens it. Both maximise the likelihood of held-out pairs.
Swapping the items of a pair gives 1 − p.

A score is a function of two rank matrices. ``make_scorer(kendall_score)`` makes it the ``scoring=``
of ``cross_val_score`` and ``GridSearchCV``.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import minimize
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, RegressorMixin, clone
from sklearn.model_selection import KFold
from sklearn.utils import Tags
from sklearn.utils.validation import check_consistent_length, validate_data

from rankcut._loops.pairs import count_agreements, expected_signs
from rankcut._loops.partitions import NOWHERE
from rankcut._loops.types import Floats, Indices
from rankcut.errors import InputError
from rankcut.estimators import of_pairs, take_rows
from rankcut.kernels.kendall import count_pairs
from rankcut.label_ranking.covariates import check_no_side
from rankcut.parameters import check_count, check_size, within_floats
from rankcut.plain_estimators import check_meaning
from rankcut.rankings import Rankings, Unranked, as_frame, read_rankings
from rankcut.rankings.orders import to_ranking
from rankcut.rankings.partitions import block_rows

# Two numbers are fitted, so more pairs than this would add nothing.
_MOST_PAIRS = 200_000


@dataclass(frozen=True, eq=False)
class PairTargets:
    """The sign of each pair of items in each ranking."""

    #: (n_rankings, n_pairs): signs of (0, 1), (0, 2), …, (1, 2), …: +1 if the first is better
    signs: Floats
    both_ranked: NDArray[np.bool_]  #: (n_rankings, n_pairs): whether a ranking ranks both items
    listed: NDArray[np.bool_]  #: (n_rankings, n_items): whether a ranking ranks an item


def pair_targets(rankings: Rankings, n_jobs: int | None = None) -> PairTargets:
    """Expected signs of all pairs, and which of them are known.

    >>> from rankcut.rankings import read_rankings
    >>> targets = pair_targets(read_rankings([[1, 2, np.nan]], unranked="anywhere"))
    >>> targets.signs.round(2).tolist(), targets.both_ranked.tolist()
    ([[1.0, 0.33, -0.33]], [[True, False, False]])
    """
    groups = rankings.groups(n_jobs=n_jobs)
    signs = np.empty((len(groups), count_pairs(groups.shape[1])))
    expected_signs(groups, signs)
    listed = groups != NOWHERE
    first, second = np.triu_indices(groups.shape[1], 1)
    return PairTargets(signs, listed[:, first] & listed[:, second], listed)


def scores_of_pairs(signs: Floats, n_items: int) -> Floats:
    """s_i = Σ_j e_ij / (n − 1) for each item.

    >>> scores_of_pairs(np.array([[1.0, 1.0, -1.0]]), 3)
    array([[ 1., -1.,  0.]])
    """
    first, second = np.triu_indices(n_items, 1)
    spread = np.zeros((len(first), n_items))
    pairs = np.arange(len(first))
    spread[pairs, first] = 1.0
    spread[pairs, second] = -1.0
    return np.asarray(signs @ spread) / max(n_items - 1, 1)


def differences(scores: Floats) -> Floats:
    """s_i − s_j for each pair i < j.

    >>> differences(np.array([[3.0, 1.0, 0.0]]))
    array([[2., 3., 1.]])
    """
    first, second = np.triu_indices(scores.shape[1], 1)
    return np.asarray(scores[:, first] - scores[:, second])


@dataclass(frozen=True)
class Calibration:
    """p with logit p = slope·logit((1 + shrinkage·e)/2).

    >>> Calibration(slope=2.0, shrinkage=0.5).probabilities(np.array([-1.0, 0.0, 1.0]))
    array([0.1, 0.5, 0.9])
    """

    slope: float = 1.0
    shrinkage: float = 0.99

    def probabilities(self, signs: Floats) -> Floats:
        """The probability that the first item of each pair is preferred."""
        return np.asarray(1.0 / (1.0 + np.exp(-_logits(signs, self.slope, self.shrinkage))))


def calibrate(signs: Floats, outcomes: Floats, weights: Floats, seed: int) -> Calibration:
    """The calibration that makes the outcomes of held-out pairs with these signs most likely.

    An outcome is 1 where the first item was preferred, 0 where the second, ½ where they were tied;
    ``weights`` say how often each pair counts. Of very many pairs, ``seed`` draws a sample.
    """
    if len(signs) > _MOST_PAIRS:
        some = np.random.default_rng(seed).choice(len(signs), _MOST_PAIRS, replace=False)
        signs, outcomes, weights = signs[some], outcomes[some], weights[some]
    if not len(signs):
        return Calibration()

    def loss(parameters: Floats) -> float:
        slope, shrinkage = _read(parameters)
        logits = _logits(signs, slope, shrinkage)
        # −log p where preferred, −log(1 − p) where not.
        return float(weights @ (np.logaddexp(0.0, logits) - outcomes * logits) / weights.sum())

    # Wide enough for the log slope and the logit shrinkage of any sample.
    bounds = [(-4.0, 4.0), (-4.0, 9.0)]
    best = minimize(loss, [0.0, 3.0], method="L-BFGS-B", bounds=bounds)
    return Calibration(*_read(best.x))


def _read(parameters: Floats) -> tuple[float, float]:
    """Slope and shrinkage from unconstrained parameters."""
    return float(np.exp(parameters[0])), float(1.0 / (1.0 + np.exp(-parameters[1])))


def _logits(signs: Floats, slope: float, shrinkage: float) -> Floats:
    return np.asarray(2.0 * slope * np.arctanh(shrinkage * np.clip(signs, -1.0, 1.0)))


def kendall_score(
    observed: Any,
    predicted: Any,
    *,
    unranked: Unranked = "error",
    sample_weight: ArrayLike | None = None,
) -> float:
    """Kendall's tau: pairs in the right order minus pairs in the wrong order, as a share.

    It is taken over the pairs that an observed ranking orders: both items ranked, not tied. A
    predicted tie counts 0. The score is the mean over rankings; one that orders no pair does not
    count.

    Parameters
    ----------
    observed, predicted : rank matrices of shape (n_rankings, n_items)
        The rankings; predicted ones rank all items.
    unranked : {"error", "last", "anywhere"}, default="error"
        Meaning of an item that an observed ranking does not rank: it is an error, it comes after
        the ranked ones, or nothing is known about it.
    sample_weight : array of shape (n_rankings,) or None
        How often each ranking counts. None: the counts of a RankingSet, or once.

    Examples
    --------
    >>> kendall_score([[1, 2, 3, 4]], [[1, 2, 4, 3]])
    0.6666666666666666
    >>> kendall_score([[1, 2, np.nan]], [[2, 3, 1]], unranked="anywhere")
    1.0
    >>> kendall_score([[1, 2, 3]], [[1, 1, 1]])
    0.0
    """
    truth, guess, weights = _both(observed, predicted, unranked, sample_weight)
    agreed, ordered = np.zeros((2, len(truth)))
    count_agreements(truth, guess, agreed, ordered)
    return _mean_of_rows(_shares(agreed, ordered), weights)


def spearman_score(
    observed: Any,
    predicted: Any,
    *,
    unranked: Unranked = "error",
    sample_weight: ArrayLike | None = None,
) -> float:
    """Spearman's rho: the correlation of observed and predicted positions.

    Tied items share the mean of their positions. Items that an observed ranking does not rank are
    left out of it ("anywhere") or tied last ("last"). The score is the mean over rankings; one
    that ties all items does not count. Parameters are those of :func:`kendall_score`.

    Examples
    --------
    >>> spearman_score([[1, 2, 3, 4]], [[1, 2, 4, 3]])
    0.8
    """
    truth, guess, weights = _both(observed, predicted, unranked, sample_weight)
    step = block_rows(truth.shape[1])
    rows = [
        _correlations(truth[start : start + step], guess[start : start + step])
        for start in range(0, max(len(truth), 1), step)
    ]
    return _mean_of_rows(np.concatenate(rows), weights)


def _correlations(truth: Indices, guess: Indices) -> Floats:
    """Spearman's rho of each row; NaN if its observed items are all tied."""
    listed = truth != NOWHERE
    middle = (listed.sum(axis=1, keepdims=True) + 1) / 2
    x, y = (np.where(listed, _positions(each, listed) - middle, 0.0) for each in (truth, guess))
    spread = (x**2).sum(axis=1)
    norms = np.sqrt(spread * (y**2).sum(axis=1))
    # A predicted ranking that ties all items agrees with nothing.
    correlations = np.nan_to_num(_shares((x * y).sum(axis=1), norms))
    return np.where(spread > 0, correlations, np.nan)


def top_k_overlap(
    observed: Any,
    predicted: Any,
    *,
    k: int = 3,
    unranked: Unranked = "error",
    sample_weight: ArrayLike | None = None,
) -> float:
    """The share of the k best items that are among the k predicted best.

    Ties at the border are broken at random, and the score is the mean over all ways to do so. With
    ``unranked="anywhere"`` only items that the observed ranking ranks count; if they are fewer than
    k, all of them do. The other parameters are those of :func:`kendall_score`.

    Examples
    --------
    >>> top_k_overlap([[1, 2, 3, 4]], [[2, 4, 1, 3]], k=2)
    0.5
    """
    check_count(k, "k")
    truth, guess, weights = _both(observed, predicted, unranked, sample_weight)
    listed = truth != NOWHERE
    both = _chances_of_top(truth, listed, k) * _chances_of_top(guess, listed, k)
    return _mean_of_rows(_shares(both.sum(axis=1), np.minimum(k, listed.sum(axis=1))), weights)


def _both(
    observed: Any, predicted: Any, unranked: Unranked, sample_weight: ArrayLike | None
) -> tuple[Indices, Indices, Floats]:
    """The groups of the items in observed and predicted rankings, and the weights."""
    truth = read_rankings(observed, unranked=unranked, sample_weight=sample_weight)
    guess = read_rankings(predicted).matched(truth.items, "the observed ones")
    if truth.shape != guess.shape:
        raise InputError(
            f"observed rankings have the shape {truth.shape}, predicted ones {guess.shape}"
        )
    return truth.groups(), guess.groups(), truth.counts


def _shares(parts: Floats, wholes: Floats) -> Floats:
    """Parts of wholes; NaN where the whole is 0."""
    empty = np.full(len(parts), np.nan)
    return np.asarray(np.divide(parts, wholes, out=empty, where=wholes > 0))


def _mean_of_rows(rows: Floats, weights: Floats) -> float:
    """The weighted mean of the rows that are not NaN; 0 if all are: all predictions are as good."""
    counted = ~np.isnan(rows) & (weights > 0)
    return float(np.average(rows[counted], weights=weights[counted])) if counted.any() else 0.0


def _better_and_tied(groups: Indices, listed: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """How many listed items are better than each one, and how many are tied with it."""
    n_rows, n_items = groups.shape
    # A column for each group, and one for what is in none.
    group = np.minimum(groups, n_items).astype(np.int64)
    cells = group + (n_items + 1) * np.arange(n_rows)[:, None]
    counts = np.bincount(cells[listed], minlength=n_rows * (n_items + 1)).reshape(n_rows, -1)
    tied = np.take_along_axis(counts, group, axis=1)
    better = np.take_along_axis(np.cumsum(counts, axis=1), group, axis=1) - tied
    return better.astype(np.float64), tied.astype(np.float64)


def _positions(groups: Indices, listed: NDArray[np.bool_]) -> Floats:
    """Mean position of each item among those that are listed."""
    better, tied = _better_and_tied(groups, listed)
    return np.asarray(better + (tied + 1) / 2)


def _chances_of_top(groups: Indices, listed: NDArray[np.bool_], k: int) -> Floats:
    """The probability that each item is among the k best, ties broken at random."""
    better, tied = _better_and_tied(groups, listed)
    chances = np.clip((k - better) / np.maximum(tied, 1.0), 0.0, 1.0)
    return np.where(listed, chances, 0.0)


class PredictsRankings(RegressorMixin, BaseEstimator):
    """What estimators share that predict a ranking from covariates."""

    unranked: Unranked
    _meaning: Unranked  #: of unranked items of the rankings that were fitted
    items_: tuple[Hashable, ...] | None

    def check_restored(self) -> None:
        """Raise ValueError if a model that was read from a file is damaged."""
        raise NotImplementedError

    def _read_both(self, X: Any, y: Any, **options: Any) -> tuple[Any, Rankings]:
        """Covariates as an array of numbers or a frame, and the rankings of these rows."""
        table = self._check_covariates(X, reset=True)
        if y is None:
            raise InputError(
                "requires y to be passed, but the target y is None", parameter=type(self).__name__
            )
        rankings = read_rankings(y, unranked=self.unranked, **options)
        self._meaning = rankings.unranked
        check_consistent_length(table, y)
        check_no_side(table, y)
        return table, rankings

    def _check_covariates(self, X: Any, *, reset: bool, **checks: Any) -> Any:
        """Covariates as an array of numbers or a frame; ``checks`` are scikit-learn's of arrays."""
        if as_frame(X) is not None:
            validate_data(self, X, reset=reset, skip_check_array=True)
            if not len(X):
                raise InputError("Found array with 0 sample(s): there are no rows of covariates")
            return X
        with within_floats("X"):
            numbers = validate_data(self, X, reset=reset, **({"dtype": np.float64} | checks))
        if numbers.dtype.kind == "f":
            check_size(numbers.tocoo().data if issparse(numbers) else numbers, "the covariates")
        return numbers

    def predict_scores(self, X: Any) -> Floats:
        """The scores that items are ordered by: larger = preferred."""
        raise NotImplementedError

    def _pair_matrices(self, X: Any) -> Floats:
        """The probability that each item is preferred to each other one."""
        raise NotImplementedError

    def predict_pairs(
        self, X: Any, pairs: Sequence[tuple[Hashable, Hashable]] | None = None
    ) -> Floats:
        """The probability that one item is preferred to another, for each row of covariates.

        ``pairs`` of items, by label or by column, have a column each. None is all pairs: then
        ``[r, i, j]`` is the probability that row r prefers i to j.
        """
        return of_pairs(self._pair_matrices(X), pairs, self.items_)

    def predict(self, X: Any) -> Floats:
        """The predicted ranks for each row of covariates.

        1 is best; items with equal scores share the best of their places.
        """
        return to_ranking(self.predict_scores(X)).astype(np.float64)

    def score(self, X: Any, y: Any, *, sample_weight: ArrayLike | None = None) -> float:
        """Kendall's tau of the predicted rankings (:func:`~rankcut.label_ranking.kendall_score`).

        ``X``, ``y`` and ``sample_weight`` are those of :meth:`fit`.
        """
        rankings = read_rankings(
            y, unranked=self.unranked, or_else=self._meaning, sample_weight=sample_weight
        )
        check_meaning(rankings, self._meaning)
        return kendall_score(rankings.matched(self.items_), self.predict(X))

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = False
        tags.regressor_tags.poor_score = True
        return tags


@dataclass(frozen=True)
class RankingScore:
    """The scores of a method that predicts rankings."""

    method: str  #: its name
    kendall: float  #: mean correlation of observed and predicted rankings
    spearman: float  #: the same of their positions
    top_overlap: float  #: share of the best items among those predicted; see :func:`n_best`


def n_best(n_items: int) -> int:
    """How many best items are compared: three, or half of fewer than six.

    >>> [n_best(n) for n in (1, 3, 4, 10)]
    [1, 1, 2, 3]
    """
    return max(1, min(3, n_items // 2))


def cross_validate_rankings(
    model: Any, covariates: Any, ranks: Floats, *, name: str, folds: int, seed: int = 0
) -> list[RankingScore]:
    """Scores of a model, and of one ranking for all, on held-out people."""
    n_rows, n_items = ranks.shape
    held_out = {name: np.empty(ranks.shape), "one ranking for all": np.empty(ranks.shape)}
    for train, test in KFold(folds, shuffle=True, random_state=seed).split(np.arange(n_rows)):
        fitted = clone(model).fit(take_rows(covariates, train), ranks[train])
        held_out[name][test] = fitted.predict(take_rows(covariates, test))
        signs = pair_targets(read_rankings(ranks[train], unranked=model.unranked)).signs
        same = to_ranking(scores_of_pairs(signs.sum(axis=0)[None], n_items)[0])
        held_out["one ranking for all"][test] = same
    unranked = model.unranked
    return [
        RankingScore(
            method,
            kendall_score(ranks, predicted, unranked=unranked),
            spearman_score(ranks, predicted, unranked=unranked),
            top_k_overlap(ranks, predicted, k=n_best(n_items), unranked=unranked),
        )
        for method, predicted in held_out.items()
    ]
