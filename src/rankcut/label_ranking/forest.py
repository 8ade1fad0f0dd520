"""Extremely randomised trees, each grown on a share of the rows and judged on the others."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankcut._loops.types import Floats
from rankcut.threads import in_order

# Each tree leaves out this share of the rows: as many as give each row an honest prediction
# by twenty trees of a hundred.
_LEFT_OUT = 0.2
_N_TREES = 100


@dataclass(frozen=True, eq=False)
class ForestModel:
    """Fitted trees, whose mean is the prediction.

    Attributes
    ----------
    trees : list of sklearn.tree.ExtraTreeRegressor
        The trees.
    left_out : ndarray of shape (n_rows, n_targets)
        The mean prediction of each training row by the trees that were grown without it.
    """

    trees: Sequence[Any]
    left_out: Floats

    def predict(self, rows: Floats, n_jobs: int | None = None) -> Floats:
        """Predicted targets."""
        single = rows.astype(np.float32)
        total = np.zeros((len(rows), self.left_out.shape[1]))
        for found in in_order(lambda tree: _predict(tree, single), self.trees, n_jobs):
            total += found
        return total / len(self.trees)


def fit_forest(
    rows: Floats,
    targets: Floats,
    weights: Floats,
    *,
    leaf: int,
    seed: int,
    n_jobs: int | None = None,
) -> ForestModel:
    """Grow trees with at least ``leaf`` rows in a leaf.

    Parameters
    ----------
    rows : ndarray of shape (n_rows, n_columns)
        Covariates, not NaN.
    targets : ndarray of shape (n_rows, n_targets)
        What to predict.
    weights : ndarray of shape (n_rows,)
        How often each row counts, above 0.
    leaf : int
        Least number of rows in a leaf.
    seed : int
        Seed of the trees.
    n_jobs : int or None
        Number of threads; the result is the same for any number.
    """
    from sklearn.tree import ExtraTreeRegressor

    n_rows = len(rows)
    kept = n_rows if n_rows < 2 else min(n_rows - 1, round((1 - _LEFT_OUT) * n_rows))
    single = rows.astype(np.float32)

    def grow(child: np.random.SeedSequence) -> tuple[Any, NDArray[np.intp], Floats]:
        rng = np.random.default_rng(child)
        order = rng.permutation(n_rows)
        inside, outside = order[:kept], order[kept:]
        tree = ExtraTreeRegressor(min_samples_leaf=leaf, random_state=int(rng.integers(2**31)))
        tree.fit(single[inside], targets[inside], sample_weight=weights[inside])
        return tree, outside, _predict(tree, single[outside])

    total = np.zeros(targets.shape)
    times = np.zeros(n_rows)
    trees = []
    for tree, outside, found in in_order(
        grow, np.random.SeedSequence(seed).spawn(_N_TREES), n_jobs
    ):
        trees.append(tree)
        total[outside] += found
        times[outside] += 1.0
    # A row that no tree left out tells nothing: the mean is what is known of it.
    mean = weights @ targets / weights.sum()
    left_out = np.where(times[:, None] > 0, total / np.maximum(times, 1.0)[:, None], mean)
    return ForestModel(trees, left_out)


def _predict(tree: Any, rows: NDArray[np.float32]) -> Floats:
    if not len(rows):
        return np.zeros((0, tree.n_outputs_))
    return np.asarray(tree.predict(rows)).reshape(len(rows), -1)
