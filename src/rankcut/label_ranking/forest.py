"""Forests, each tree grown on a share of the rows and judged on the others.

Extremely randomised trees split at random places; other trees split at the best ones.

Trees for one item at a time, whose targets are the signs of its pairs, split where that item's
place changes; trees for all targets at once share what the items have in common.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankcut._loops.types import Floats
from rankcut.threads import in_order

# Each tree leaves out this share of the rows, so that each row has an honest prediction by a
# fifth of the trees.
_LEFT_OUT = 0.2


@dataclass(frozen=True, eq=False)
class ForestModel:
    """Fitted trees, whose mean is the prediction.

    Attributes
    ----------
    trees : list of scikit-learn's trees
        The trees.
    columns : list of ndarrays
        The targets that each tree predicts.
    left_out : ndarray of shape (n_rows, n_targets)
        The mean prediction of each training row by the trees that were grown without it.
    """

    trees: Sequence[Any]
    columns: Sequence[NDArray[np.intp]]
    left_out: Floats

    def predict(self, rows: Floats, n_jobs: int | None = None) -> Floats:
        """Predicted targets."""
        single = rows.astype(np.float32)
        total = np.zeros((len(rows), self.left_out.shape[1]))
        times = np.zeros(self.left_out.shape[1])
        found = in_order(lambda tree: _predict(tree, single), self.trees, n_jobs)
        for columns, own in zip(self.columns, found, strict=True):
            total[:, columns] += own
            times[columns] += 1.0
        return np.asarray(total / times)


def fit_forest(
    rows: Floats,
    targets: Floats,
    weights: Floats,
    *,
    groups: Sequence[NDArray[np.intp]],
    n_trees: int,
    leaf: int,
    best: bool,
    seed: int,
    n_jobs: int | None = None,
) -> ForestModel:
    """Grow trees for groups of targets.

    Parameters
    ----------
    rows : ndarray of shape (n_rows, n_columns)
        Covariates, not NaN.
    targets : ndarray of shape (n_rows, n_targets)
        What to predict.
    weights : ndarray of shape (n_rows,)
        How often each row counts, above 0.
    groups : sequence of arrays of columns
        The targets that a tree predicts; together they are all.
    n_trees : int
        Number of trees for each group.
    leaf : int
        Least number of rows in a leaf.
    best : bool
        Whether trees split at the best places; at random ones if not.
    seed : int
        Seed of the trees.
    n_jobs : int or None
        Number of threads; the result is the same for any number.
    """
    from sklearn.tree import DecisionTreeRegressor, ExtraTreeRegressor

    kind = DecisionTreeRegressor if best else ExtraTreeRegressor
    n_rows = len(rows)
    kept = n_rows if n_rows < 2 else min(n_rows - 1, round((1 - _LEFT_OUT) * n_rows))
    single = rows.astype(np.float32)
    tasks = list(
        zip(
            np.random.SeedSequence(seed).spawn(n_trees * len(groups)),
            [columns for columns in groups for _ in range(n_trees)],
            strict=True,
        )
    )

    def grow(
        task: tuple[np.random.SeedSequence, NDArray[np.intp]],
    ) -> tuple[Any, NDArray[np.intp], Floats]:
        child, columns = task
        rng = np.random.default_rng(child)
        order = rng.permutation(n_rows)
        inside, outside = order[:kept], order[kept:]
        tree = kind(min_samples_leaf=leaf, random_state=int(rng.integers(2**31)))
        tree.fit(single[inside], targets[np.ix_(inside, columns)], sample_weight=weights[inside])
        return tree, outside, _predict(tree, single[outside])

    total, times = np.zeros(targets.shape), np.zeros(targets.shape)
    trees = []
    for (_, columns), (tree, outside, found) in zip(
        tasks, in_order(grow, tasks, n_jobs), strict=True
    ):
        trees.append(tree)
        total[np.ix_(outside, columns)] += found
        times[np.ix_(outside, columns)] += 1.0
    # A row that no tree left out tells nothing: the mean is what is known of it.
    mean = weights @ targets / weights.sum()
    left_out = np.where(times > 0, total / np.maximum(times, 1.0), mean)
    return ForestModel(trees, [columns for _, columns in tasks], left_out)


def _predict(tree: Any, rows: NDArray[np.float32]) -> Floats:
    if not len(rows):
        return np.zeros((0, tree.n_outputs_))
    return np.asarray(tree.predict(rows)).reshape(len(rows), -1)
