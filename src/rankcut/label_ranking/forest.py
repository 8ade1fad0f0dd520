"""Forests, each tree grown on a share of the rows and judged on the others.

Extremely randomised trees split at random places; other trees split at the best ones, and have
larger leaves. A tree for one item, whose targets are the signs of its pairs, splits where these
signs change; each leaf predicts all the signs.

Fitted trees are flat arrays of our own, because scikit-learn's cannot be checked when they are
read from a file: an index beyond the end would read any memory.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankcut._loops.trees import LEAF, add_leaves
from rankcut._loops.types import Floats, Indices
from rankcut.parameters import ROWS_AT_ONCE
from rankcut.threads import in_order, over_rows

# Each tree leaves out this share of the rows, so that a fifth of the trees predicts each row
# without having seen it.
_LEFT_OUT = 0.2


@dataclass(frozen=True, eq=False)
class ForestModel:
    """Fitted trees, whose mean is the prediction, one after another in flat arrays.

    Attributes
    ----------
    roots : ndarray of shape (n_trees,)
        First node of each tree.
    feature, left, right : ndarrays of shape (n_nodes,)
        Column of a node, and its children; for a leaf LEAF, and its row of ``values``.
    threshold : ndarray of shape (n_nodes,)
        Rows up to this value go to the left.
    values : ndarray of shape (n_leaves, n_columns)
        What a leaf predicts.
    columns : ndarray of shape (n_trees, n_columns)
        The targets that each tree predicts.
    left_out : ndarray of shape (n_rows, n_targets)
        The mean prediction of each training row by the trees that were grown without it.
    """

    roots: Indices
    feature: Indices
    left: Indices
    right: Indices
    threshold: Floats
    values: Floats
    columns: Indices
    left_out: Floats

    def predict(self, rows: Floats, n_jobs: int | None = None) -> Floats:
        """Predicted targets."""
        single = rows.astype(np.float32)
        n_targets = self.left_out.shape[1]
        total = np.zeros((len(rows), n_targets))

        def add(start: int, stop: int) -> None:
            add_leaves(
                single[start:stop],
                self.roots,
                self.feature,
                self.threshold,
                self.left,
                self.right,
                self.values,
                self.columns,
                total[start:stop],
            )

        over_rows(add, len(rows), ROWS_AT_ONCE, n_jobs)
        times = np.bincount(self.columns.ravel(), minlength=n_targets)
        return np.asarray(total / np.maximum(times, 1))

    def check(self, n_columns: int) -> None:
        """Raise ValueError unless every path from a root ends at a leaf: a file may hold anything.

        Children come after their parents, so there are no cycles.
        """
        n_nodes, n_targets = len(self.feature), self.left_out.shape[1]
        numbers = np.arange(n_nodes)
        inner = self.feature != LEAF
        shapes = {self.left.shape, self.right.shape, self.threshold.shape, self.feature.shape}
        well_formed = (
            len(shapes) == 1
            and self.columns.shape == (len(self.roots), self.values.shape[1])
            and len(self.roots) > 0
            and bool((self.roots < n_nodes).all())
            and bool((self.feature[inner] < n_columns).all())
            and bool((self.columns < n_targets).all())
            and bool((self.left[~inner] < len(self.values)).all())
            and all(
                bool(((child > numbers) & (child < n_nodes))[inner].all())
                for child in (self.left, self.right)
            )
        )
        if not well_formed:
            raise ValueError("a tree of the model is damaged")


def fit_forest(
    rows: Floats,
    targets: Floats,
    weights: Floats,
    *,
    groups: Sequence[NDArray[np.intp]],
    members: Sequence[NDArray[np.intp]],
    n_trees: int,
    random: bool,
    seed: int,
    n_jobs: int | None = None,
) -> ForestModel:
    """Grow trees for groups of targets.

    Parameters
    ----------
    rows, targets, weights, groups, members, seed, n_jobs
        As in :func:`~rankcut.label_ranking.combination.fit_combination`; each group has members.
    n_trees : int
        Number of trees for each group.
    random : bool
        Whether trees split at random places, down to single rows, or at the best places of half
        of the covariates, down to five rows (scikit-learn's suggestions for noisy data).
    """
    from sklearn.tree import DecisionTreeRegressor, ExtraTreeRegressor

    single = rows.astype(np.float32)
    # Each group has trees of the same seeds, whatever the order of the items. It still decides
    # between splits that are equally good up to rounding.
    seeds = np.random.SeedSequence(seed).spawn(n_trees)
    tasks = [(child, group) for group in range(len(groups)) for child in seeds]

    def grow(task: tuple[np.random.SeedSequence, int]) -> tuple[Any, NDArray[np.intp], Floats]:
        child, group = task
        rng = np.random.default_rng(child)
        order = rng.permutation(members[group])
        n_rows = len(order)
        kept = n_rows if n_rows < 2 else min(n_rows - 1, round((1 - _LEFT_OUT) * n_rows))
        inside, outside = order[:kept], order[kept:]
        own_seed = int(rng.integers(2**31))
        tree = (
            ExtraTreeRegressor(random_state=own_seed)
            if random
            else DecisionTreeRegressor(min_samples_leaf=5, max_features=0.5, random_state=own_seed)
        )
        # The arrays already have the types that scikit-learn needs: no check for each tree.
        tree.fit(
            single[inside],
            targets[np.ix_(inside, groups[group])],
            sample_weight=weights[inside],
            check_input=False,
        )
        found = np.empty((len(outside), len(groups[group])))
        if len(outside):
            found[:] = tree.predict(single[outside], check_input=False).reshape(found.shape)
        return tree.tree_, outside, found

    total, times = np.zeros(targets.shape), np.zeros(targets.shape)
    trees = []
    for (_, group), (tree, outside, found) in zip(
        tasks, in_order(grow, tasks, n_jobs), strict=True
    ):
        trees.append(tree)
        if len(outside):
            block = np.ix_(outside, groups[group])
            total[block] += found
            times[block] += 1.0
    # A row that no tree left out gets the mean.
    mean = weights @ targets / weights.sum()
    left_out = np.where(times > 0, total / np.maximum(times, 1.0), mean)
    columns = np.repeat(np.array(groups, dtype=np.uint32), n_trees, axis=0)
    return ForestModel(*flatten(trees), columns, left_out)


def flatten(trees: Sequence[Any]) -> tuple[Indices, Indices, Indices, Indices, Floats, Floats]:
    """Roots, columns, children, thresholds and leaves of scikit-learn's trees."""
    parts: list[list[NDArray[Any]]] = [[], [], [], [], [], []]
    n_nodes = n_leaves = 0
    for tree in trees:
        is_leaf = tree.children_left < 0
        left, right = tree.children_left + n_nodes, tree.children_right + n_nodes
        left[is_leaf] = n_leaves + np.arange(is_leaf.sum())
        right[is_leaf] = 0
        feature = tree.feature.astype(np.uint32)
        feature[is_leaf] = LEAF
        leaves = tree.value[is_leaf, :, 0]
        own = ([n_nodes], feature, left, right, tree.threshold, leaves)
        for part, found in zip(parts, own, strict=True):
            part.append(np.asarray(found))
        n_nodes += tree.node_count
        n_leaves += len(leaves)
    roots, feature, left, right, threshold, values = map(np.concatenate, parts)
    indices = (part.astype(np.uint32) for part in (roots, feature, left, right))
    return *indices, threshold.astype(np.float64), values.astype(np.float64)  # type: ignore[return-value]
