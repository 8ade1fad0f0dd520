"""Two forests and a kernel model combined, weighted by their predictions of held-out rows.

The weights are those of a least squares regression, without negative weights, of all targets on
the models' held-out predictions (out-of-bag and leave-one-out). Extremely randomised trees, fully
grown, suit covariates that determine the ranking, trees with larger leaves noisy ones, and the
kernel smooth relations.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from rankcut._loops.types import Floats
from rankcut.label_ranking.forest import ForestModel, fit_forest
from rankcut.label_ranking.kernel_ridge import KernelModels, fit_kernels

# Trees of each forest for a group of targets; with one group, as many times more, because there
# are as many for all items.
_TREES = 30
_MORE_TREES = 4

_NAMES = ("random trees", "best trees", "kernel")


@dataclass(frozen=True, eq=False)
class Combination:
    """Models and their weights.

    Attributes
    ----------
    forests : list of ForestModel
        Extremely randomised trees, and trees with best splits.
    kernel : KernelModels
        Kernel ridge regressions.
    mean : ndarray of shape (n_targets,)
        Mean of the targets.
    weights : ndarray of shape (3,)
        Weight of each model, trees first.
    left_out : ndarray of shape (n_rows, n_targets)
        Predictions of training rows by models that did not see them.
    """

    forests: list[ForestModel]
    kernel: KernelModels
    mean: Floats
    weights: Floats
    left_out: Floats

    def named_weights(self) -> dict[str, float]:
        """Weight of each model, by name."""
        return dict(zip(_NAMES, self.weights.tolist(), strict=True))

    def without_rows(self) -> "Combination":
        """The same without the predictions of training rows, needed only while fitting."""
        return replace(
            self,
            forests=[replace(each, left_out=each.left_out[:0]) for each in self.forests],
            kernel=replace(self.kernel, left_out=self.kernel.left_out[:0]),
            left_out=self.left_out[:0],
        )

    def predict(self, rows: Floats, n_jobs: int | None = None) -> Floats:
        """Predicted targets."""
        found = np.tile(self.mean, (len(rows), 1))
        for share, forest in zip(self.weights[:2].tolist(), self.forests, strict=True):
            if share > 0:
                found += share * forest.predict(rows, n_jobs)
        if self.weights[2] > 0:
            found += self.weights[2] * self.kernel.predict(rows)
        return found


def fit_combination(
    rows: Floats,
    targets: Floats,
    told: NDArray[np.bool_],
    weights: Floats,
    groups: Sequence[NDArray[np.intp]],
    members: Sequence[NDArray[np.intp]],
    *,
    seed: int,
    n_jobs: int | None = None,
) -> Combination:
    """Fit all models and their weights.

    Parameters
    ----------
    rows : ndarray of shape (n_rows, n_columns)
        Covariates, not NaN.
    targets : ndarray of shape (n_rows, n_targets)
        What to predict.
    told : ndarray of bool, of the same shape
        Whether a row says anything about a target.
    weights : ndarray of shape (n_rows,)
        How often each row counts, above 0.
    groups : sequence of arrays of columns
        The targets that models predict together, as many in each group; a target may be in several.
    members : sequence of arrays of rows
        The rows that say anything about each group; nothing is learned about it from others.
    seed : int
        Seed of the trees and landmarks.
    n_jobs : int or None
        Number of threads.
    """
    counts = told * weights[:, None]
    mean = (counts * targets).sum(axis=0) / np.maximum(counts.sum(axis=0), 1e-300)
    # What a row does not say is the mean.
    centred = np.where(told, targets - mean, 0.0)
    there = [group for group, own in enumerate(members) if len(own)]
    groups, members = [groups[group] for group in there], [members[group] for group in there]
    n_trees = _TREES * (_MORE_TREES if len(groups) == 1 else 1)
    seeds = np.random.SeedSequence(seed).generate_state(3).tolist()
    forests = [
        fit_forest(
            rows,
            centred,
            weights,
            groups=groups,
            members=members,
            n_trees=n_trees,
            random=random,
            seed=own,
            n_jobs=n_jobs,
        )
        for random, own in zip((True, False), seeds[:2], strict=True)
    ]
    if told.all():
        # One kernel for all targets is as good, and fitted once.
        groups, members = [np.arange(targets.shape[1])], [np.arange(len(rows))]
    kernel = fit_kernels(rows, centred, weights, groups, members, seeds[2])
    honest = [*(forest.left_out for forest in forests), kernel.left_out]
    shares = weigh(honest, centred, counts)
    left_out = mean + sum(share * each for share, each in zip(shares, honest, strict=True))
    return Combination(forests, kernel, mean, shares, np.asarray(left_out))


def weigh(predictions: Sequence[Floats], targets: Floats, weights: Floats) -> Floats:
    """The weights ≥ 0 whose combination of predictions is nearest to the targets.

    >>> target = np.array([[1.0], [-1.0]])
    >>> weigh([target, 0 * target], target, np.ones((2, 1)))
    array([1., 0.])
    """
    roots = np.sqrt(weights)
    columns = np.stack([(roots * each).ravel() for each in predictions], axis=1)
    if not columns.any():
        return np.full(len(predictions), 1.0 / len(predictions))
    # With the factor R of QR instead of all rows.
    rotation, factor = np.linalg.qr(columns)
    return np.asarray(nnls(factor, rotation.T @ (roots * targets).ravel())[0])
