"""Forests and kernel models combined, weighted by their predictions of held-out rows.

The weights are those of a least squares regression, without negative weights, of all targets on
the models' held-out predictions (leave-one-out and out-of-bag).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from rankcut._loops.types import Floats
from rankcut.label_ranking.forest import ForestModel, fit_forest
from rankcut.label_ranking.kernel_ridge import (
    KernelModels,
    NormalScale,
    StandardScale,
    fit_kernels,
    fit_scales,
)
from rankcut.threads import in_order

Scale: TypeAlias = StandardScale | NormalScale

# Trees for each item: extremely randomised ones, fully grown, for covariates that determine the
# ranking, and ones with larger leaves for noisy covariates. Fewer if there are many rows, because
# a tree grows with its rows.
_RANDOM_TREES = 40
_BEST_TREES = 20
_FEWER_TREES = 20
_MANY_ROWS = 5000
_BEST_LEAF = 5

# With no more covariates than this, trees with best splits try all of them and split by the item's
# score. With more, half of them and splits by all signs are as good, in less time.
_FEW_COLUMNS = 8
_TRIED = 0.5

# With more items than this, each tree predicts all items, and there are this many times more trees.
_MOST_ITEMS = 16
_MORE_TREES = 4

_NAMES = (
    "random trees",
    "best trees",
    "kernel, standard scores",
    "kernel, normal scores",
)

# More targets than this are replaced by as many principal components for the trees.
_MOST_TARGETS = 64


@dataclass(frozen=True, eq=False)
class Combination:
    """Models and their weights.

    Attributes
    ----------
    forests : list of ForestModel
        Extremely randomised trees, and trees with best splits.
    kernels : list of (scale, KernelModels)
        Kernel models and the scales of their covariates.
    mean : ndarray of shape (n_targets,)
        Mean of the targets.
    basis : ndarray of shape (n_components, n_targets) or None
        What the trees' outputs are multiplied by.
    weights : ndarray of shape (4,)
        Weight of each model, trees first.
    left_out : ndarray of shape (n_rows, n_targets)
        Predictions of training rows by models that did not see them.
    """

    forests: list[ForestModel]
    kernels: list[tuple[Scale, KernelModels]]
    mean: Floats
    basis: Floats | None
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
            kernels=[
                (scale, replace(kernel, left_out=kernel.left_out[:0]))
                for scale, kernel in self.kernels
            ],
            left_out=self.left_out[:0],
        )

    def predict(self, rows: Floats, n_jobs: int | None = None) -> Floats:
        """Predicted targets."""
        found = np.tile(self.mean, (len(rows), 1))
        shares = self.weights.tolist()
        for share, forest in zip(shares[:2], self.forests, strict=True):
            if share > 0:
                reduced = forest.predict(rows, n_jobs)
                found += share * (reduced if self.basis is None else reduced @ self.basis)
        for share, (scale, kernel) in zip(shares[2:], self.kernels, strict=True):
            if share > 0:
                found += share * kernel.predict(scale(rows))
        return found


def fit_combination(
    rows: Floats,
    targets: Floats,
    scores: Floats,
    listed: NDArray[np.bool_],
    weights: Floats,
    is_indicator: NDArray[np.bool_],
    groups: Sequence[NDArray[np.intp]],
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
        What to predict; a target that is not known has its expected value.
    scores : ndarray of shape (n_rows, n_items)
        The scores of the items, which are ordered by them.
    listed : ndarray of bool, of shape (n_rows, n_items)
        Whether a row says anything about an item; nothing is learned about it from other rows.
    weights : ndarray of shape (n_rows,)
        How often each row counts, above 0.
    is_indicator : ndarray of bool, of shape (n_columns,)
        Which columns are 0 or 1 for a category.
    groups : sequence of arrays of columns
        The targets of each item.
    seed : int
        Seed of the trees and landmarks.
    n_jobs : int or None
        Number of threads.
    """
    told = np.zeros(targets.shape, dtype=bool)
    for item, columns in enumerate(groups):
        told[:, columns] |= listed[:, item, None]
    counts = told * weights[:, None]
    mean = (counts * targets).sum(axis=0) / np.maximum(counts.sum(axis=0), 1e-300)
    # What a row does not say is the mean.
    centred = np.where(told, targets - mean, 0.0)
    everything, everyone = [np.arange(targets.shape[1])], [np.arange(len(rows))]
    many = len(groups) > _MOST_ITEMS
    if many:
        groups, members = everything, everyone
    else:
        there = np.flatnonzero(listed.any(axis=0)).tolist()
        members = [np.flatnonzero(listed[:, item]) for item in there]
        groups, scores = [groups[item] for item in there], scores[:, there]
    basis = _principal(centred, weights) if many else None
    outputs = centred if basis is None else centred @ basis.T
    n_random = _RANDOM_TREES if len(rows) <= _MANY_ROWS else _FEWER_TREES
    by_score = not many and rows.shape[1] <= _FEW_COLUMNS
    seeds = np.random.SeedSequence(seed).generate_state(4).tolist()
    forests = [
        fit_forest(
            rows,
            outputs,
            weights,
            groups=groups if basis is None else [np.arange(len(basis))],
            members=members,
            n_trees=n_trees * (_MORE_TREES if many else 1),
            leaf=leaf,
            tried=tried,
            splits=splits,
            seed=own,
            n_jobs=n_jobs,
        )
        for n_trees, leaf, tried, splits, own in (
            (n_random, 1, None, None, seeds[0]),
            (
                _BEST_TREES,
                _BEST_LEAF,
                1.0 if by_score else _TRIED,
                scores if by_score else None,
                seeds[1],
            ),
        )
    ]
    if listed.all():
        # One kernel for all targets is as good, and fitted once.
        groups, members = everything, everyone
    scales: tuple[Scale, Scale] = fit_scales(rows, is_indicator, weights)
    found = in_order(
        lambda task: fit_kernels(task[0](rows), centred, weights, groups, members, task[1]),
        list(zip(scales, seeds[2:], strict=True)),
        n_jobs,
    )
    kernels = list(zip(scales, found, strict=True))
    honest = [forest.left_out if basis is None else forest.left_out @ basis for forest in forests]
    honest += [kernel.left_out for _, kernel in kernels]
    shares = weigh(honest, centred, counts)
    left_out = mean + sum(share * each for share, each in zip(shares, honest, strict=True))
    return Combination(forests, kernels, mean, basis, shares, np.asarray(left_out))


def weigh(predictions: Sequence[Floats], targets: Floats, weights: Floats) -> Floats:
    """The weights ≥ 0 whose combination of predictions is nearest to the targets.

    >>> target = np.array([[1.0], [-1.0]])
    >>> weigh([target, 0 * target], target, np.ones((2, 1)))
    array([1., 0.])
    """
    roots = np.sqrt(weights)
    columns = np.stack([(roots * each).ravel() for each in predictions], axis=1)
    # Normal equations: the fit depends only on sums over all targets.
    gram, moments = columns.T @ columns, columns.T @ (roots * targets).ravel()
    if not np.trace(gram) > 0:
        return np.full(len(predictions), 1.0 / len(predictions))
    values, vectors = np.linalg.eigh(gram)
    kept = values > 1e-12 * values[-1]
    root = (vectors[:, kept] * np.sqrt(values[kept])).T
    found, _ = nnls(root, (vectors[:, kept] / np.sqrt(values[kept])).T @ moments)
    return np.asarray(found)


def _principal(centred: Floats, weights: Floats) -> Floats | None:
    """The directions in which many targets vary most; None where there are few."""
    if centred.shape[1] <= _MOST_TARGETS:
        return None
    _, _, directions = np.linalg.svd(np.sqrt(weights)[:, None] * centred, full_matrices=False)
    return np.asarray(directions[:_MOST_TARGETS])
