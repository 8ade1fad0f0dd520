"""Two forests and a kernel model combined, weighted by their predictions of held-out rows.

The weights are those of a least squares regression, without negative weights, of all targets on
the models' held-out predictions (out-of-bag and leave-one-out). Extremely randomised trees, fully
grown, suit covariates that determine the ranking, trees with larger leaves noisy ones, and the
kernel smooth relations.

Each tree is grown on a share of the rows and judged on the others. A tree for one item, whose
targets are the signs of its pairs, splits where these signs change; each leaf predicts all the
signs. Fitted trees are flat arrays of our own, because scikit-learn's cannot be checked when they
are read from a file: an index beyond the end would read any memory.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from rankcut._loops.trees import LEAF, add_leaves
from rankcut._loops.types import Floats, Indices
from rankcut.label_ranking.kernel_ridge import KernelModels, fit_kernels
from rankcut.parameters import ROWS_AT_ONCE
from rankcut.threads import in_order, over_rows

# Trees of each forest for a group of targets; with one group, as many times more, because there
# are as many for all items.
_TREES, _MORE_TREES = 30, 4

# Each tree leaves out this share of the rows, so that a fifth of the trees predicts each row
# without having seen it.
_LEFT_OUT = 0.2

_NAMES = ("random trees", "best trees", "kernel")


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
        As in :func:`fit_combination`; each group has members.
    n_trees : int
        Number of trees for each group.
    random : bool
        Whether trees split at random places, down to single rows, or at the best places of half
        of the covariates, down to five rows (scikit-learn's suggestions for noisy data).
    """
    from sklearn.tree import DecisionTreeRegressor, ExtraTreeRegressor

    single = rows.astype(np.float32)
    # Each group has trees of the same seeds, and its targets in an order of their own: splits that
    # are equally good are then decided in the same way, whatever the order of the items.
    groups = [group[order_of_contents(targets[:, group])] for group in groups]
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


def order_of_contents(columns: Floats) -> NDArray[np.intp]:
    """An order of columns that depends on nothing but their numbers; their signs do not matter.

    >>> order_of_contents(np.array([[3.0, -1.0, 0.0], [0.0, 2.0, 2.0]])).tolist()
    [2, 1, 0]
    """
    first = columns[(columns != 0).argmax(axis=0), np.arange(columns.shape[1])]
    # Adding 0 turns −0 into 0.
    same = np.where(first < 0, -columns, columns) + 0.0
    return np.lexsort(same[::-1])


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
