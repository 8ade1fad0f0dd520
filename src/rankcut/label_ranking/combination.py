"""Two forests and a kernel model, weighted by their predictions of held-out rows.

The weights are those of a least squares regression, without negative weights, of all targets on
the models' held-out predictions (out-of-bag and leave-one-out): stacking. Extremely randomised
trees, fully grown, suit covariates that determine the ranking, a random forest with larger leaves
noisy ones, and the kernel smooth relations.

Each tree is grown on a share of the rows and judged on the others. It splits where the targets are
best told apart, by sums of them: these are exact, so that the order of the items cannot matter.
Fitted trees are flat arrays of our own, because scikit-learn's cannot be checked when they are read
from a file: an index beyond the end would read any memory.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from rankcut._loops.trees import LEAF, add_leaves
from rankcut._loops.types import Floats, Indices
from rankcut.label_ranking.kernel_ridge import KernelModel, fit_kernel
from rankcut.parameters import EXACT, ROWS_AT_ONCE
from rankcut.threads import in_order, over_rows

# More trees are hardly better (benchmarks/label_ranking.py).
_TREES = 120

# Each tree leaves out this share of the rows, so that a fifth of the trees predicts each row
# without having seen it.
_LEFT_OUT = 0.2

# Targets of trees are multiples of 1/64, or of less as long as sums of squares of sums are exact:
# at least for 10⁵ rows.
_COARSEST = 64.0


@dataclass(frozen=True, eq=False)
class ForestModel:
    """Fitted trees, whose mean is the prediction, one after another in flat arrays."""

    roots: Indices  #: (n_trees,): first node of each tree
    feature: Indices  #: (n_nodes,): column of a node; LEAF for a leaf
    left: Indices  #: (n_nodes,): its first child; for a leaf its row of ``values``
    right: Indices  #: (n_nodes,): its other child
    threshold: Floats  #: (n_nodes,): rows up to this value go to the left
    values: Floats  #: (n_leaves, n_targets): what a leaf predicts

    def predict(self, rows: Floats, n_jobs: int | None = None) -> Floats:
        """Predicted targets."""
        single = rows.astype(np.float32)
        total = np.zeros((len(rows), self.values.shape[1]))

        def add(start: int, stop: int) -> None:
            add_leaves(
                single[start:stop],
                self.roots,
                self.feature,
                self.threshold,
                self.left,
                self.right,
                self.values,
                total[start:stop],
            )

        over_rows(add, len(rows), ROWS_AT_ONCE, n_jobs)
        return total / len(self.roots)

    def check(self, n_columns: int) -> None:
        """Raise ValueError unless every path from a root ends at a leaf: a file may hold anything.

        Children come after their parents, so there are no cycles.
        """
        n_nodes = len(self.feature)
        numbers = np.arange(n_nodes)
        inner = self.feature != LEAF
        shapes = {self.left.shape, self.right.shape, self.threshold.shape, self.feature.shape}
        well_formed = (
            len(shapes) == 1
            and len(self.roots) > 0
            and bool((self.roots < n_nodes).all())
            and bool((self.feature[inner] < n_columns).all())
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
    random: bool,
    seed: int,
    n_jobs: int | None = None,
) -> tuple[ForestModel, Floats]:
    """Trees, and predictions of each row by trees grown without it.

    They split at random places, down to single rows; or at the best places of half of the
    covariates, down to five rows (scikit-learn's suggestions for noisy data).
    """
    from sklearn.tree import DecisionTreeRegressor, ExtraTreeRegressor

    single, n_rows = rows.astype(np.float32), len(rows)
    largest = weights.sum() * max(float(np.abs(targets).max(initial=0.0)), 1.0)
    finest = np.exp2(np.floor(0.5 * np.log2(EXACT / max(targets.shape[1], 1)) - np.log2(largest)))
    grid = max(_COARSEST, float(finest))
    rounded = np.round(grid * targets) / grid
    kept = n_rows if n_rows < 2 else min(n_rows - 1, round((1 - _LEFT_OUT) * n_rows))

    def grow(child: np.random.SeedSequence) -> tuple[Any, NDArray[np.intp], Floats]:
        rng = np.random.default_rng(child)
        inside, outside = np.split(rng.permutation(n_rows), [kept])
        own = int(rng.integers(2**31))
        tree = (
            ExtraTreeRegressor(random_state=own)
            if random
            else DecisionTreeRegressor(min_samples_leaf=5, max_features=0.5, random_state=own)
        )
        # The arrays already have the types that scikit-learn needs: no check for each tree.
        tree.fit(single[inside], rounded[inside], sample_weight=weights[inside], check_input=False)
        found = tree.predict(single[outside], check_input=False) if len(outside) else rounded[:0]
        return tree.tree_, outside, found.reshape(len(outside), targets.shape[1])

    total, times, trees = np.zeros(targets.shape), np.zeros((n_rows, 1)), []
    for tree, outside, found in in_order(grow, np.random.SeedSequence(seed).spawn(_TREES), n_jobs):
        trees.append(tree)
        total[outside] += found
        times[outside] += 1.0
    # A row that no tree left out gets the mean.
    mean = weights @ targets / weights.sum()
    return flatten(trees), np.where(times > 0, total / np.maximum(times, 1.0), mean)


def flatten(trees: Sequence[Any]) -> ForestModel:
    """scikit-learn's trees one after another."""
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
    return ForestModel(
        roots.astype(np.uint32),
        feature,
        left.astype(np.uint32),
        right.astype(np.uint32),
        threshold.astype(np.float64),
        values.astype(np.float64),
    )


@dataclass(frozen=True, eq=False)
class Combination:
    """Random trees, best trees and kernel, the mean of the targets, and the weights of all."""

    forests: list[ForestModel]
    kernel: KernelModel
    mean: Floats
    weights: Floats

    def predict(self, rows: Floats, n_jobs: int | None = None) -> Floats:
        """Predicted targets."""
        found = (1.0 - self.weights.sum()) * self.mean + self.weights[2] * self.kernel.predict(rows)
        for share, forest in zip(self.weights[:2].tolist(), self.forests, strict=True):
            found += share * forest.predict(rows, n_jobs)
        return np.asarray(found)


def fit_combination(
    rows: Floats,
    targets: Floats,
    told: NDArray[np.bool_],
    weights: Floats,
    *,
    seed: int,
    n_jobs: int | None = None,
) -> tuple[Combination, Floats]:
    """Fit all models and their weights; also predictions of rows by models without them.

    ``rows`` are covariates without NaN, ``told`` says whether a row says anything about each of its
    ``targets``, and ``weights`` how often it counts, above 0.
    """
    counts = told * weights[:, None]
    mean = (counts * targets).sum(axis=0) / np.maximum(counts.sum(axis=0), 1e-300)
    # What a row does not say is the mean.
    filled = np.where(told, targets, mean)
    forests = [
        fit_forest(rows, filled, weights, random=random, seed=seed, n_jobs=n_jobs)
        for random in (True, False)
    ]
    kernel, by_kernel = fit_kernel(rows, filled, weights, seed)
    honest = [*(by_trees - mean for _, by_trees in forests), by_kernel - mean]
    shares = weigh(honest, filled - mean, counts)
    left_out = mean + sum(share * each for share, each in zip(shares, honest, strict=True))
    fitted = Combination([forest for forest, _ in forests], kernel, mean, shares)
    return fitted, np.asarray(left_out)


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
