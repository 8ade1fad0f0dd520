"""Forests and kernel models in one, weighed by predictions of rows that they did not see.

The weights are the least squares regression, without negative weights, of the targets on the
models' honest predictions (leave-one-out and out-of-bag), all targets taken together.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from rankcut._loops.types import Floats
from rankcut.label_ranking.forest import ForestModel, fit_forest
from rankcut.label_ranking.kernel_ridge import KernelModel, fit_kernel
from rankcut.label_ranking.scaling import NormalScale, StandardScale, fit_scales
from rankcut.threads import in_order

Scale: TypeAlias = StandardScale | NormalScale

# Least rows in a leaf: one forest for covariates that tell all, one for noisy ones.
LEAVES = (1, 5)

# Targets that rankings do not tell are filled in by predictions, this many times.
_ROUNDS = 2

# More targets than this are replaced by as many principal components for the trees.
_MOST_TARGETS = 64


@dataclass(frozen=True, eq=False)
class Combination:
    """Models and their weights.

    Attributes
    ----------
    forests : dict of ForestModel
        By the least number of rows in a leaf.
    kernels : list of (scale, KernelModel)
        Kernel models and the scales of their covariates.
    mean : ndarray of shape (n_targets,)
        Mean of the targets.
    basis : ndarray of shape (n_components, n_targets) or None
        What the trees' outputs are multiplied by.
    weights : ndarray of shape (n_models,)
        Weight of each model, forests first.
    left_out : ndarray of shape (n_rows, n_targets)
        The predictions of training rows by models that did not see them.
    """

    forests: dict[int, ForestModel]
    kernels: list[tuple[Scale, KernelModel]]
    mean: Floats
    basis: Floats | None
    weights: Floats
    left_out: Floats

    def named_weights(self) -> dict[str, float]:
        """Weight of each model, by name."""
        names = [f"forest, leaves of {leaf} or more" for leaf in self.forests]
        names += ["kernel, standard scores", "kernel, normal scores"]
        return dict(zip(names, self.weights.tolist(), strict=True))

    def predict(self, rows: Floats, n_jobs: int | None = None) -> Floats:
        """Predicted targets."""
        found = np.tile(self.mean, (len(rows), 1))
        shares = iter(self.weights.tolist())
        for forest in self.forests.values():
            if (share := next(shares)) > 0:
                reduced = forest.predict(rows, n_jobs)
                found += share * (reduced if self.basis is None else reduced @ self.basis)
        for scale, kernel in self.kernels:
            if (share := next(shares)) > 0:
                found += share * (kernel.predict(scale(rows)) - self.mean)
        return found


def fit_combination(
    rows: Floats,
    targets: Floats,
    known: NDArray[np.bool_],
    weights: Floats,
    is_indicator: NDArray[np.bool_],
    *,
    bounded: bool,
    seed: int,
    n_jobs: int | None = None,
) -> Combination:
    """Fit all models and weigh them.

    Parameters
    ----------
    rows : ndarray of shape (n_rows, n_columns)
        Covariates, not NaN.
    targets : ndarray of shape (n_rows, n_targets)
        What to predict; where it is not known, what is expected of it.
    known : ndarray of bool, of shape (n_rows, n_targets)
        Which targets are known. The others are filled in by honest predictions, and all is fitted
        again.
    weights : ndarray of shape (n_rows,)
        How often each row counts, above 0.
    is_indicator : ndarray of bool, of shape (n_columns,)
        Which columns are 0 or 1 for a category.
    bounded : bool
        Whether targets are from −1 to 1, and predictions too.
    seed : int
        Seed of the trees and landmarks.
    n_jobs : int or None
        Number of threads.
    """
    model = _fit_once(rows, targets, known, weights, is_indicator, seed, n_jobs)
    if known.all():
        return model
    for _ in range(_ROUNDS):
        found = np.clip(model.left_out, -1.0, 1.0) if bounded else model.left_out
        filled = np.where(known, targets, found)
        model = _fit_once(rows, filled, known, weights, is_indicator, seed, n_jobs)
    return model


def _fit_once(
    rows: Floats,
    targets: Floats,
    known: NDArray[np.bool_],
    weights: Floats,
    is_indicator: NDArray[np.bool_],
    seed: int,
    n_jobs: int | None,
) -> Combination:
    mean = weights @ targets / weights.sum()
    centred = targets - mean
    basis = _principal(centred, weights)
    outputs = centred if basis is None else centred @ basis.T
    seeds = np.random.SeedSequence(seed).generate_state(len(LEAVES) + 2).tolist()
    forests = {
        leaf: fit_forest(rows, outputs, weights, leaf=leaf, seed=own, n_jobs=n_jobs)
        for leaf, own in zip(LEAVES, seeds, strict=False)
    }
    scales: tuple[Scale, Scale] = fit_scales(rows, is_indicator, weights)
    tasks = list(zip(scales, seeds[len(LEAVES) :], strict=True))
    found = in_order(
        lambda task: fit_kernel(task[0](rows), targets, weights, task[1]), tasks, n_jobs
    )
    kernels = list(zip(scales, found, strict=True))
    honest = [
        forest.left_out if basis is None else forest.left_out @ basis for forest in forests.values()
    ]
    honest += [kernel.left_out - mean for _, kernel in kernels]
    shares = weigh(honest, centred, known * weights[:, None])
    left_out = mean + sum(share * each for share, each in zip(shares, honest, strict=True))
    return Combination(forests, kernels, mean, basis, shares, np.asarray(left_out))


def weigh(predictions: Sequence[Floats], targets: Floats, weights: Floats) -> Floats:
    """The weights ≥ 0 with which the predictions add up to the targets best.

    >>> target = np.array([[1.0], [-1.0]])
    >>> weigh([target, 0 * target], target, np.ones((2, 1)))
    array([1., 0.])
    """
    roots = np.sqrt(weights)
    columns = np.stack([(roots * each).ravel() for each in predictions], axis=1)
    # Normal equations: the fit depends on sums over all targets alone.
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
