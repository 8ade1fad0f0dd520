"""A forest and a kernel model, weighted by their predictions of held-out rows.

The weights are those of a least squares regression, without negative weights, of all targets on
the models' held-out predictions (out-of-bag and leave-one-out): stacking. Extremely randomised
trees suit covariates that determine the ranking, and the kernel smooth relations.

Each tree is grown on a share of the rows and judged on the others. Sums of targets are exact, so
that the order of the items cannot matter.
Fitted trees are flat arrays of our own, because scikit-learn's cannot be checked when they are read
from a file: an index beyond the end would read any memory.

The kernel model is a ridge regression with the Laplacian kernel, ⟨z(x), z(x')⟩ = exp(−‖x − x'‖/ℓ):
its weights minimise Σ_r w_r·‖y_r − Zθ‖² + λ‖θ‖². Without row r its residual would be
(y_r − ŷ_r)/(1 − h_r), with h_r the leverage of one of its w_r copies: every λ and ℓ is judged
without another fit. z is exact where there are few rows, and the Nyström features of some of the
rows (landmarks) otherwise.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls
from scipy.spatial.distance import cdist

from rankcut._loops.trees import LEAF, add_leaves
from rankcut._loops.types import Floats, Indices
from rankcut.kernels.chosen_features import RANK
from rankcut.parameters import EXACT, MOST_COMPARED, ROWS_AT_ONCE
from rankcut.saved_arrays import Saved
from rankcut.threads import in_order, over_rows

# More trees are hardly better (benchmarks/label_ranking/label_ranking.py).
_TREES = 120

# Lengthscales, in units of the root mean square distance of a covariate, and penalties: each
# about a factor of two or three from the next, as far as either end was ever the best
# (benchmarks/label_ranking/label_ranking.py).
_SCALES = (0.35, 0.6, 1.0, 1.8, 3.2, 6.0, 12.0)
_PENALTIES = 10.0 ** np.arange(-5.0, 2.01, 0.5)


@dataclass(frozen=True, eq=False)
class ForestModel:
    """Fitted trees, whose mean is the prediction, one after another in flat arrays."""

    roots: Annotated[Indices, Saved("trees", dtype=np.uint32)]  #: first node of each tree
    #: Column of a node; LEAF for a leaf
    feature: Annotated[Indices, Saved("nodes", dtype=np.uint32)]
    #: Its first child; for a leaf its row of ``values``
    left: Annotated[Indices, Saved("nodes", dtype=np.uint32)]
    right: Annotated[Indices, Saved("nodes", dtype=np.uint32)]  #: its other child
    threshold: Annotated[Floats, Saved("nodes")]  #: rows up to this value go to the left
    values: Annotated[Floats, Saved("leaves", "targets")]  #: what a leaf predicts

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
        well_formed = (
            len(self.roots) > 0
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
    seed: int,
    n_jobs: int | None = None,
) -> tuple[ForestModel, Floats]:
    """Extremely randomised trees, and predictions of each row by trees grown without it."""
    from sklearn.tree import ExtraTreeRegressor

    single, n_rows = rows.astype(np.float32), len(rows)
    largest = weights.sum() * max(float(np.abs(targets).max(initial=0.0)), 1.0)
    finest = np.exp2(np.floor(0.5 * np.log2(EXACT / max(targets.shape[1], 1)) - np.log2(largest)))
    # Multiples of 1/64, or of less as long as that is exact: at least for 10⁵ rows.
    grid = max(64.0, float(finest))
    rounded = np.round(grid * targets) / grid
    # A fifth of the trees predicts each row without having seen it.
    n_inside = n_rows if n_rows < 2 else min(n_rows - 1, round(0.8 * n_rows))

    def grow(child: np.random.SeedSequence) -> tuple[Any, NDArray[np.intp], Floats]:
        rng = np.random.default_rng(child)
        inside, outside = np.split(rng.permutation(n_rows), [n_inside])
        tree = ExtraTreeRegressor(random_state=int(rng.integers(2**31)))
        # The arrays already have the types that scikit-learn needs: no check for each tree.
        tree.fit(single[inside], rounded[inside], sample_weight=weights[inside], check_input=False)
        values = tree.predict(single[outside], check_input=False) if len(outside) else rounded[:0]
        return tree.tree_, outside, values.reshape(len(outside), targets.shape[1])

    total, times, trees = np.zeros(targets.shape), np.zeros((n_rows, 1)), []
    for tree, outside, values in in_order(grow, np.random.SeedSequence(seed).spawn(_TREES), n_jobs):
        trees.append(tree)
        total[outside] += values
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
        arrays = ([n_nodes], feature, left, right, tree.threshold, leaves)
        for part, array in zip(parts, arrays, strict=True):
            part.append(np.asarray(array))
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
class KernelModel:
    """A fitted kernel ridge regression."""

    landmarks: Annotated[Floats, Saved("landmarks", "*")]  #: rows that new ones are compared with
    #: Weights of the kernel's values
    coefficients: Annotated[Floats, Saved("landmarks", "targets")]
    offset: Annotated[Floats, Saved("targets")]  #: what is added
    lengthscale: float  #: ℓ, as found
    penalty: float  #: λ, as found
    loss: float  #: weighted mean square of the residuals of rows left out

    def predict(self, rows: Floats) -> Floats:
        """Predicted targets."""
        kernel = np.exp(cdist(rows, self.landmarks) / -self.lengthscale)
        return np.asarray(self.offset + kernel @ self.coefficients)


def fit_kernel(
    rows: Floats, targets: Floats, weights: Floats, seed: int
) -> tuple[KernelModel, Floats]:
    """The kernel ridge regression with the least leave-one-out error, and rows by those without.

    ``rows`` are covariates, scaled, and ``weights`` say how often each counts, above 0. With many
    rows, the lengthscale is the best of a model of the landmarks alone, which ``seed`` draws.
    """
    if len(rows) > MOST_COMPARED:
        some = np.random.default_rng(seed).permutation(len(rows))[:MOST_COMPARED]
        best, _ = fit_kernel(rows[some], targets[some], weights[some], seed)
        spectrum = landmark_spectrum(rows, weights, rows[some], best.lengthscale)
        return spectrum.fit(targets, weights, _PENALTIES)
    distances = cdist(rows, rows)
    unit = np.sqrt(max(rows.shape[1], 1))
    models = (
        exact_spectrum(rows, distances, weights, unit * scale).fit(targets, weights, _PENALTIES)
        for scale in _SCALES
    )
    return min(models, key=lambda each: each[0].loss)


@dataclass(frozen=True, eq=False)
class Spectrum:
    """Orthogonal directions of a kernel's features: all that a fit needs besides the targets."""

    landmarks: Floats  #: (n_landmarks, n_columns): rows that new ones are compared with
    lengthscale: float  #: ℓ
    vectors: Floats  #: (n_rows, n_directions): V, the rows' coordinates: VᵀWV is diagonal
    values: Floats  #: (n_directions,): the diagonal of VᵀWV
    basis: Floats  #: (n_landmarks, n_directions): from the kernel's values to coordinates
    centre: Floats  #: (n_directions,): the rows' mean coordinates, which V is without

    def fit(
        self, targets: Floats, weights: Floats, penalties: Floats
    ) -> tuple[KernelModel, Floats]:
        """The model of least leave-one-out error, and the predictions without one copy of a row."""
        total = weights.sum()
        mean = weights @ targets / total
        centred = targets - mean
        moments = self.vectors.T @ (weights[:, None] * centred)
        best = np.inf
        for penalty in penalties.tolist():
            shrinkage = 1.0 / (self.values + penalty)
            leverages = self.vectors**2 @ shrinkage + 1.0 / total
            theta = shrinkage[:, None] * moments
            # A row that decides its own prediction says nothing about itself.
            stays = np.maximum(1.0 - leverages, 1e-6)
            residuals = (centred - self.vectors @ theta) / stays[:, None]
            loss = float(weights @ (residuals**2).mean(axis=1) / total) if residuals.size else 0.0
            if loss < best:
                best, solution = loss, (penalty, theta, targets - residuals)
        penalty, theta, left_out = solution
        coefficients, offset = self.basis @ theta, mean - self.centre @ theta
        model = KernelModel(self.landmarks, coefficients, offset, self.lengthscale, penalty, best)
        return model, left_out


def exact_spectrum(
    rows: Floats, distances: Floats, weights: Floats, lengthscale: float
) -> Spectrum:
    """Directions of the kernel between all rows: the eigenvectors of W^½KW^½, centred."""
    kernel = np.exp(distances / -lengthscale)
    roots = np.sqrt(weights)
    share = weights / weights.sum()
    centre = share @ kernel
    centred = kernel - centre - (centre - centre @ share)[:, None]
    values, vectors = _eigen(roots[:, None] * centred * roots, weights.sum())
    basis = roots[:, None] * vectors / np.sqrt(values)
    vectors *= np.sqrt(values) / roots[:, None]
    return Spectrum(rows, lengthscale, vectors, values, basis, centre @ basis)


def landmark_spectrum(
    rows: Floats, weights: Floats, landmarks: Floats, lengthscale: float
) -> Spectrum:
    """Directions of the Nyström features of the kernel."""
    kernel = np.exp(cdist(rows, landmarks) / -lengthscale)
    between = np.exp(cdist(landmarks, landmarks) / -lengthscale)
    share = weights / weights.sum()
    values, vectors = _eigen(between, len(landmarks))
    whitener = vectors / np.sqrt(values)
    features = kernel @ whitener
    features -= share @ features
    scaled = np.sqrt(weights)[:, None] * features
    values, rotation = np.linalg.eigh(scaled.T @ scaled)
    basis = whitener @ rotation
    return Spectrum(
        landmarks,
        lengthscale,
        features @ rotation,
        np.maximum(values, 0.0),
        basis,
        share @ kernel @ basis,
    )


def _eigen(matrix: Floats, trace: float) -> tuple[Floats, Floats]:
    """Eigenvalues and eigenvectors of a kernel's matrix, without those that are rounding."""
    values, vectors = np.linalg.eigh(matrix)
    large = values > RANK * trace
    return values[large], vectors[:, large]


@dataclass(frozen=True, eq=False)
class Combination:
    """Trees and kernel, the mean of the targets, and the weights of both."""

    forest: ForestModel
    kernel: KernelModel
    mean: Annotated[Floats, Saved("targets")]
    weights: Annotated[Floats, Saved("*")]

    def predict(self, rows: Floats, n_jobs: int | None = None) -> Floats:
        """Predicted targets."""
        by_trees, by_kernel = self.weights.tolist()
        predictions = (1.0 - by_trees - by_kernel) * self.mean
        predictions = predictions + by_trees * self.forest.predict(rows, n_jobs)
        return np.asarray(predictions + by_kernel * self.kernel.predict(rows))


def fit_combination(
    rows: Floats,
    targets: Floats,
    observed: NDArray[np.bool_],
    weights: Floats,
    *,
    seed: int,
    n_jobs: int | None = None,
) -> tuple[Combination, Floats]:
    """Fit both models and their weights; also predictions of rows by models without them.

    ``rows`` are covariates without NaN, ``observed`` says whether a row says anything about each of
    its ``targets``, and ``weights`` how often it counts, above 0.
    """
    counts = observed * weights[:, None]
    mean = (counts * targets).sum(axis=0) / np.maximum(counts.sum(axis=0), 1e-300)
    # What a row does not say is the mean.
    filled = np.where(observed, targets, mean)
    forest, by_trees = fit_forest(rows, filled, weights, seed=seed, n_jobs=n_jobs)
    kernel, by_kernel = fit_kernel(rows, filled, weights, seed)
    honest = [by_trees - mean, by_kernel - mean]
    shares = weigh(honest, filled - mean, counts)
    left_out = mean + sum(share * each for share, each in zip(shares, honest, strict=True))
    return Combination(forest, kernel, mean, shares), np.asarray(left_out)


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
