"""Forests, each tree grown on a share of the rows and judged on the others.

Extremely randomised trees split at random places; other trees split at the best ones.

A tree for one item, whose targets are the signs of its pairs, splits where these signs change, or
where the item's score does; each leaf predicts all the signs. A tree for all targets uses what the
items have in common.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankcut._loops.trees import LEAF, add_leaves
from rankcut._loops.types import Floats, Indices
from rankcut.threads import in_order, over_rows

# Each tree leaves out this share of the rows, so that a fifth of the trees predicts each row
# without having seen it.
_LEFT_OUT = 0.2

_ROWS_AT_ONCE = 64


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

        over_rows(add, len(rows), _ROWS_AT_ONCE, n_jobs)
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
    leaf: int,
    tried: float | None,
    splits: Floats | None = None,
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
        The targets that each tree predicts, as many in each group; together they cover all
        targets.
    members : sequence of arrays of rows
        The rows that the trees of each group grow on, at least one.
    n_trees : int
        Number of trees for each group.
    leaf : int
        Least number of rows in a leaf.
    tried : float or None
        Share of the covariates that are tried for a best split; None splits at random places.
    splits : ndarray of shape (n_rows, n_groups) or None
        What the trees of each group split by; None is its targets.
    seed : int
        Seed of the trees.
    n_jobs : int or None
        Number of threads; the result is the same for any number.
    """
    from sklearn.tree import DecisionTreeRegressor, ExtraTreeRegressor

    kind = ExtraTreeRegressor if tried is None else DecisionTreeRegressor
    single = rows.astype(np.float32)
    tasks = list(
        zip(
            np.random.SeedSequence(seed).spawn(n_trees * len(groups)),
            [group for group in range(len(groups)) for _ in range(n_trees)],
            strict=True,
        )
    )

    def grow(
        task: tuple[np.random.SeedSequence, int],
    ) -> tuple[Any, Floats, NDArray[np.intp], Floats]:
        child, group = task
        rng = np.random.default_rng(child)
        order = rng.permutation(members[group])
        n_rows = len(order)
        kept = n_rows if n_rows < 2 else min(n_rows - 1, round((1 - _LEFT_OUT) * n_rows))
        inside, outside = order[:kept], order[kept:]
        tree = kind(
            min_samples_leaf=leaf,
            max_features=tried or 1.0,
            random_state=int(rng.integers(2**31)),
        )
        own = targets[np.ix_(inside, groups[group])]
        # The arrays already have the types that scikit-learn needs: no check for each tree.
        tree.fit(
            single[inside],
            own if splits is None else splits[inside, group],
            sample_weight=weights[inside],
            check_input=False,
        )
        values = (
            tree.tree_.value.reshape(tree.tree_.node_count, -1)
            if splits is None
            else _leaf_means(tree.tree_, single[inside], own, weights[inside])
        )
        return tree, values, outside, values[tree.tree_.apply(single[outside])]

    total, times = np.zeros(targets.shape), np.zeros(targets.shape)
    trees, predicted = [], []
    for (_, group), (tree, values, outside, found) in zip(
        tasks, in_order(grow, tasks, n_jobs), strict=True
    ):
        trees.append((tree.tree_, values))
        predicted.append(groups[group])
        block = np.ix_(outside, groups[group])
        total[block] += found
        times[block] += 1.0
    # A row that no tree left out gets the mean.
    mean = weights @ targets / weights.sum()
    left_out = np.where(times > 0, total / np.maximum(times, 1.0), mean)
    return ForestModel(*flatten(trees), np.array(predicted, dtype=np.uint32), left_out)


def _leaf_means(tree: Any, rows: NDArray[np.float32], targets: Floats, weights: Floats) -> Floats:
    """The mean target of the rows in each leaf, by the number of its node; 0 for other nodes."""
    leaves = tree.apply(rows)
    sums = np.zeros((tree.node_count, targets.shape[1]))
    np.add.at(sums, leaves, weights[:, None] * targets)
    counts = np.bincount(leaves, weights, minlength=tree.node_count)
    return np.asarray(sums / np.where(counts > 0, counts, 1.0)[:, None])


def flatten(
    trees: Sequence[tuple[Any, Floats]],
) -> tuple[Indices, Indices, Indices, Indices, Floats, Floats]:
    """Roots, columns, children, thresholds and leaves of scikit-learn's trees.

    Each comes with the values of its nodes, of which those of leaves are kept.
    """
    parts: list[list[NDArray[Any]]] = [[], [], [], [], [], []]
    n_nodes = n_leaves = 0
    for own, values in trees:
        is_leaf = own.children_left < 0
        left, right = own.children_left + n_nodes, own.children_right + n_nodes
        left[is_leaf] = n_leaves + np.arange(is_leaf.sum())
        right[is_leaf] = 0
        feature = own.feature.astype(np.uint32)
        feature[is_leaf] = LEAF
        leaves = values[is_leaf]
        for part, found in zip(
            parts, ([n_nodes], feature, left, right, own.threshold, leaves), strict=True
        ):
            part.append(np.asarray(found))
        n_nodes += own.node_count
        n_leaves += len(leaves)
    roots, feature, left, right, threshold, values = map(np.concatenate, parts)
    return (
        roots.astype(np.uint32),
        feature.astype(np.uint32),
        left.astype(np.uint32),
        right.astype(np.uint32),
        threshold.astype(np.float64),
        values.astype(np.float64),
    )
