"""Kendall's kernel, agreement on the order of pairs of items, and the Gaussian one of its distance.

The sign of a pair i, j is +1 if i is better, −1 if j is, and 0 if they are tied. With unranked
items, it is the expected sign over all full rankings that agree with the ranking, in closed form:
an unranked item is better than the one at mean position p among k ranked items with probability
p/(k + 1).

Without unranked items, the signs of all pairs are bits in a few words. Agreement is an exclusive
or and a bit count, which is faster than the BLAS product of the signs for any number of items.
Beyond :data:`BIT_ITEMS` items, an O(n log n) routine compares two rankings. With unranked items,
the expected signs would be vectors of n(n − 1)/2 coordinates; their inner product follows from the
items that both rankings list, however large the catalogue is.
"""

from collections.abc import Hashable, Sequence
from itertools import combinations
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray
from sklearn.base import TransformerMixin
from sklearn.gaussian_process.kernels import Hyperparameter
from sklearn.utils import Tags

from rankcut._loops.lists import shared_signs
from rankcut._loops.pairs import (
    ALL,
    TWINS,
    agreement_by_tree,
    agreement_of_strict,
    agreement_of_tied,
    expected_signs,
    pack_signs,
)
from rankcut._loops.types import Floats, Indices, Words
from rankcut.errors import InputError
from rankcut.estimators import NamesItems, TakesRankings
from rankcut.kernels.lists import ComparedLists, ListGroups
from rankcut.kernels.ranking_kernel import (
    FLOAT,
    Bounds,
    Encoder,
    Encoding,
    RankingKernel,
    gram_dtype,
    squares,
)
from rankcut.parameters import LARGEST, ROUNDING, SIDE
from rankcut.rankings import Rankings, Unranked

# With more items, the O(n log n) routine is faster than making and reading n²/2 bits. Measured
# for a pair of rankings: 13 µs by bits and 28 µs by the routine for 1,024 items, 54 and 67 µs for
# 2,048, 167 and 141 µs for 4,096.
BIT_ITEMS = SIDE


class KendallKernel(RankingKernel):
    """k(A, A') = 2/(n(n − 1)) · Σ_{i<j} e_ij e'_ij, where e_ij is the expected sign of a pair.

    On full rankings it is Kendall's τ: concordant minus discordant pairs, over all pairs. With
    ties it is τ-a, or τ-b with ``normalize=True``. For top-k lists and incomplete rankings, it is
    the mean of τ over all full rankings that agree with A and with A': the convolution kernel of
    Jiao & Vert (2015), at the cost of one evaluation.

    Parameters
    ----------
    unranked : {"error", "last", "anywhere"}
        What an unranked item means; see :mod:`rankcut.rankings`.
    normalize : bool
        Divide by √(k(A, A)·k(A', A')). Where that is 0, as for a ranking that ties all items, k
        is 0.
    items : sequence or None
        Labels of the columns, if the rankings are not frames.
    n_jobs : int or None
        Number of threads. The result is the same to the last bit for any number.

    References
    ----------
    Y. Jiao, J.-P. Vert. The Kendall and Mallows kernels for permutations. ICML 2015.

    Examples
    --------
    >>> from sklearn.decomposition import KernelPCA
    >>> from rankcut import KendallKernel, make_food
    >>> food = make_food(50, random_state=0)
    >>> KernelPCA(2, kernel=KendallKernel()).fit_transform(food.ranks).shape
    (50, 2)
    """

    def encoder(self, *, derivative: bool = False) -> Encoder:
        """Encode rankings as bits; as lists if their unranked items may be anywhere."""

        def encode(rankings: Rankings, dtype: np.dtype[Any]) -> GroupedItems | ComparedLists:
            if rankings.unranked == "anywhere":
                return ComparedLists.of(rankings, _lean, shared_signs)
            return GroupedItems(rankings.groups(n_jobs=self.n_jobs))

        return encode


def _lean(groups: ListGroups) -> Floats:
    """The expected sign of a group's items against an unlisted item."""
    ahead = groups.lengths - 2 * groups.above - groups.sizes
    return np.asarray(ahead / (groups.lengths + 1))


class KendallFeatures(NamesItems, TransformerMixin, TakesRankings):
    """e_ij·√(2/(n(n − 1))) for each pair i < j: +, − or 0 as i is better, worse or tied.

    With unranked items it is the expected sign. The inner product of two vectors is Kendall's
    kernel, so a linear model on them is a kernel machine with that kernel. The pairs are in the
    order (0, 1), (0, 2), …, (1, 2), ….

    Parameters
    ----------
    unranked : {"error", "last", "anywhere"}, default="error"
        Meaning of an unranked item.
    normalize : bool, default=False
        Scale each vector to unit length: τ-b instead of τ-a. A zero vector stays zero.
    items : sequence or None, default=None
        Labels of the columns, if the rankings are not a frame.
    dtype : float32, float64 or None, default=None
        Type of the vectors; None is float32 for ranks in float32, and float64 otherwise.
    n_jobs : int or None, default=None
        Number of threads.

    Attributes
    ----------
    n_features_in_ : int
        Number of items.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The items' labels, if they are strings given by a frame.

    See Also
    --------
    KendallKernel : The inner products, computed without the vectors, which is faster.
    GraphCutFeatures : On the complete graph, its default, the vectors of Spearman's kernel.

    Examples
    --------
    >>> from rankcut.kernels import KendallFeatures
    >>> features = KendallFeatures(items=["uni", "toro", "ika"]).fit([[1, 2, 3], [2, 1, 2]])
    >>> features.get_feature_names_out().tolist()
    ['uni>toro', 'uni>ika', 'toro>ika']
    >>> features.transform([[2, 1, 2]]).round(3)
    array([[-0.577,  0.   ,  0.577]])
    """

    def __init__(
        self,
        *,
        unranked: Unranked = "error",
        normalize: bool = False,
        items: Sequence[Hashable] | None = None,
        dtype: DTypeLike | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.unranked = unranked
        self.normalize = normalize
        self.items = items
        self.dtype = dtype
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: ArrayLike | None = None) -> Self:
        """Check the rankings, a rank matrix; nothing is learned from them."""
        self._read(X, reset=True)
        return self

    def transform(self, X: Any) -> NDArray[Any]:
        """Features of rankings of the items that were fitted."""
        return self._features(self._read(X, reset=False))

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[Any]:
        """``a>b`` for the coordinate that is positive where item a is better than item b."""
        names = super().get_feature_names_out(input_features)
        return np.array([f"{a}>{b}" for a, b in combinations(names, 2)], dtype=object)

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_items")

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = ["float64", "float32"]
        return tags

    def _features(self, rankings: Rankings) -> NDArray[Any]:
        groups = rankings.groups(n_jobs=self.n_jobs)
        features = scaled_signs(groups, gram_dtype(self.dtype, None, rankings))
        if self.normalize:
            norms = np.linalg.norm(features, axis=1, keepdims=True)
            np.divide(features, norms, out=features, where=norms > 0)
        return features


def scaled_signs(groups: Indices, dtype: np.dtype[Any]) -> NDArray[Any]:
    """The vectors of Kendall's kernel, not normalised."""
    n_pairs = count_pairs(groups.shape[1])
    features = np.empty((len(groups), n_pairs))
    expected_signs(groups, features)
    features *= np.sqrt(1.0 / max(n_pairs, 1))
    return features.astype(dtype, copy=False)


def count_pairs(n_items: int) -> int:
    """n(n − 1)/2."""
    return n_items * (n_items - 1) // 2


def all_full(groups: Indices) -> bool:
    """Whether each ranking puts each item in a group of its own."""
    return bool((groups.max(axis=1) == groups.shape[1] - 1).all())


class GroupedItems:
    """Rankings without unranked items, compared by bits or by the O(n log n) routine."""

    side = 256
    blas = False

    def __init__(self, groups: Indices) -> None:
        self.groups = groups
        self.full = all_full(groups)

    def __len__(self) -> int:
        return len(self.groups)

    def compare(
        self, rows: slice, other: "GroupedItems", columns: slice, pairs: int, out: Any
    ) -> None:
        """Concordant minus discordant pairs, over all pairs."""
        x, y = self.groups[rows], other.groups[columns]
        n_pairs = count_pairs(x.shape[1])
        if x.shape[1] > BIT_ITEMS:
            agreement_by_tree(x, y, pairs, out)
        else:
            left = signs_as_bits(x)
            right = left if pairs != ALL else signs_as_bits(y)
            if self.full and other.full:
                agreement_of_strict(left[0], right[0], n_pairs, pairs, out)
            else:
                agreement_of_tied(*left, *right, pairs, out)
        out /= max(n_pairs, 1)


def signs_as_bits(groups: Indices) -> tuple[Words, Words]:
    """Whether the first of each pair of items is better, and whether they are not tied."""
    shape = len(groups), -(-count_pairs(groups.shape[1]) // 64)
    better, strict = np.empty(shape, dtype=np.uint64), np.empty(shape, dtype=np.uint64)
    pack_signs(groups, better, strict)
    return better, strict


class GaussianKernel(RankingKernel):
    """k(A, A') = exp(−‖e − e'‖²/(2ℓ²)) with e the vectors of Kendall's kernel.

    ‖e − e'‖² = 2·(1 − τ) on full rankings, and unrelated ones have k ≈ exp(−1/ℓ²). The kernel is
    characteristic: two populations of vectors e have the same mean in its space only if they are
    the same. For other vectors, use scikit-learn's ``RBF`` on those of a transformer.

    Parameters
    ----------
    lengthscale : float
        ℓ > 0, a hyper-parameter with a gradient.
    lengthscale_bounds : pair of floats or "fixed"
        Where a Gaussian process looks for ℓ.
    unranked, items, n_jobs
        As in :class:`KendallKernel`.
    normalize : bool
        Changes nothing: k(A, A) = 1.

    Examples
    --------
    >>> from rankcut.kernels import GaussianKernel
    >>> GaussianKernel(2.0)([[1, 2, 3]], [[1, 3, 2]]).round(3)
    array([[0.846]])
    """

    def __init__(
        self,
        lengthscale: float = 1.0,
        lengthscale_bounds: Bounds = (1e-3, 1e3),
        *,
        unranked: Unranked = "error",
        normalize: bool = False,
        items: Sequence[Hashable] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(unranked=unranked, normalize=normalize, items=items, n_jobs=n_jobs)
        self.lengthscale = lengthscale
        self.lengthscale_bounds = lengthscale_bounds

    @property
    def hyperparameter_lengthscale(self) -> Hyperparameter:
        """ℓ, as scikit-learn describes it."""
        return Hyperparameter("lengthscale", "numeric", self.lengthscale_bounds)

    def encoder(self, *, derivative: bool = False) -> Encoder:
        """Compare rankings by the distance of their vectors in the space of Kendall's kernel."""
        scale = self.lengthscale
        if not 1.0 / LARGEST <= scale <= LARGEST:
            raise InputError(
                f"must be from {1.0 / LARGEST:g} to {LARGEST:g}; got {scale}",
                parameter="lengthscale",
            )
        base = KendallKernel(n_jobs=self.n_jobs).encoder()

        def encode(rankings: Rankings, dtype: np.dtype[Any]) -> Distances:
            return Distances(base(rankings, FLOAT), float(scale), derivative=derivative)

        return encode


class Distances:
    """Rankings that a kernel compares, and the squared length of each one's vector."""

    def __init__(self, base: Encoding, lengthscale: float, *, derivative: bool) -> None:
        self._base = base
        self._lengths = squares(base)
        self._lengthscale = lengthscale
        self._derivative = derivative
        self.side = base.side
        # Differences of inner products cancel, so they are computed in float64 whatever is asked.
        self.blas = False

    def __len__(self) -> int:
        return len(self._base)

    def compare(
        self, rows: slice, other: "Distances", columns: slice, pairs: int, out: Any
    ) -> None:
        """k, or its derivative in ℓ, k·‖e − e'‖²/ℓ³."""
        if pairs == TWINS:
            out[:, 0] = 0.0 if self._derivative else 1.0
            return
        self._base.compare(rows, other._base, columns, pairs, out)
        lengths = self._lengths[rows, np.newaxis] + other._lengths[columns]
        out *= -2.0
        out += lengths
        out[out < ROUNDING * lengths] = 0.0
        distances = out.copy() if self._derivative else None
        out *= -0.5 / self._lengthscale**2
        np.exp(out, out=out)
        if distances is not None:
            out *= distances / self._lengthscale**3
