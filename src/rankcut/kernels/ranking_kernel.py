"""What all kernels between rankings share: Gram matrices, diagonals and gradients.

A kernel is a class that says how rankings are compared. Called with rankings, an object of it gives
their Gram matrix. Objects are what scikit-learn takes as ``kernel=``: ``SVC(kernel=…)``,
``KernelPCA(kernel=…)`` and ``GaussianProcessClassifier(kernel=…)``, there also as part of a sum or
product such as ``2.0 * MallowsKernel(0.1)``; λ, β and ℓ are hyper-parameters that a Gaussian
process learns by their gradients.

Rankings that leave items unranked, as NaN, have to pass scikit-learn's own checks of X, which come
before the kernel is called:

- ``SVC`` (and ``SVR``, ``NuSVC``, ``OneClassSVM``) with a kernel object does not check: NaN passes.
- ``KernelPCA`` and Gaussian processes refuse NaN. Tell them that the kernel checks X:
  ``with sklearn.config_context(assume_finite=True): model.fit(X, y)``, and the same around
  ``predict`` and ``transform``.
- ``KernelPCA`` and ``SVC`` also take a sparse rank matrix, in which unranked items are absent.
- All that take ``kernel="precomputed"`` take the Gram matrix of any rankings.
"""

from abc import abstractmethod
from collections.abc import Callable, Hashable, Sequence
from inspect import signature
from typing import Any, Protocol, Self, TypeAlias

import numpy as np
from numpy.typing import DTypeLike, NDArray
from sklearn.gaussian_process.kernels import Kernel

from rankcut._loops.pairs import ALL, TWINS, UPPER
from rankcut._loops.types import Floats
from rankcut.errors import InputError, Setting, amount
from rankcut.parameters import KEPT, ROWS_AT_ONCE
from rankcut.rankings import Rankings, Unranked, labels_beside, read_rankings
from rankcut.threads import in_order

Encoder: TypeAlias = Callable[[Rankings, np.dtype[Any]], "Encoding"]
"""Encodes checked rankings, for a Gram matrix of that type."""

Bounds: TypeAlias = tuple[float, float] | str
"""Where a Gaussian process looks for a hyper-parameter; "fixed" learns nothing."""

FLOAT = np.dtype(np.float64)


class Encoding(Protocol):
    """Rankings in the form in which a kernel compares them."""

    side: int
    """Rows and columns of a block."""

    blas: bool
    """Whether blocks are BLAS products, of any type. Loops write contiguous float64."""

    def __len__(self) -> int:
        """Number of rankings."""

    def compare(self, rows: slice, other: Self, columns: slice, pairs: int, out: Any) -> None:
        """Write k of these rows and the columns of ``other`` to ``out``.

        ``pairs`` is ALL. If both are the same rankings, it may be UPPER, to compare each pair
        once, or TWINS, to compare each ranking with itself only and write to ``out[r, 0]``.
        """


class Features:
    """Vectors whose inner products are the kernel.

    ``fill(start, stop)`` computes those rows of a matrix of that shape.
    """

    # Large, because each product waits for all BLAS threads.
    side = 4096
    blas = True

    def __init__(self, shape: tuple[int, ...], fill: Callable[[int, int], NDArray[Any]]) -> None:
        self._n_rows, width = shape
        self._fill = fill
        self._stored = None
        if self._n_rows * width <= KEPT:
            self._stored = fill(0, self._n_rows)
        else:
            self.side = rows_at_once(width, self.side)

    def __len__(self) -> int:
        return self._n_rows

    def rows(self, rows: slice) -> NDArray[Any]:
        """Some rows of the feature matrix."""
        if self._stored is not None:
            return self._stored[rows]
        return self._fill(rows.start, rows.stop)

    def compare(self, rows: slice, other: "Features", columns: slice, pairs: int, out: Any) -> None:
        """Inner products, by BLAS."""
        first = self.rows(rows)
        second = first if pairs != ALL else other.rows(columns)
        if pairs == TWINS:
            np.einsum("rf,rf->r", first, second, out=out[:, 0])
        else:
            np.matmul(first, second.T, out=out)


def rows_at_once(width: int, most: int) -> int:
    """Number of vectors of a given width in a block, so that both sides fit in memory."""
    return min(most, max(1, KEPT // (2 * width)))


def read_both(
    X: Any, Y: Any, items: Sequence[Hashable] | None, unranked: Unranked
) -> tuple[Rankings, Rankings | None]:
    """Two checked rank matrices over the same items; the second is None if Y is None or X."""
    first = read_rankings(X, items, unranked=unranked)
    if Y is None or Y is X:
        return first, None
    second = read_rankings(Y, items, unranked=unranked, or_else=first.unranked)
    if {first.unranked, second.unranked} == {"last", "anywhere"}:
        raise InputError(
            f"unranked items are {first.unranked} in X and {second.unranked} in Y",
            remedy=["say what they mean in both: pass ", Setting("unranked")],
        )
    # What one side says holds for the other, which leaves nothing out.
    return with_same_labels(first.meaning(second.unranked), second)


def with_same_labels(first: Rankings, second: Rankings) -> tuple[Rankings, Rankings]:
    """Both with items in one order, matched by name; labels of one side hold for both."""
    if first.shape[1] != second.shape[1]:
        raise InputError(
            f"X ranks {amount(first.shape[1], 'item')} and Y ranks {second.shape[1]}; a kernel "
            "compares rankings of the same items"
        )
    if labels_beside(first.items, second.items) is None:
        first = first.with_items(second.items)
    return first, second.matched(labels_beside(first.items, second.items), "those of X")


def gram_dtype(
    dtype: DTypeLike | None, out: NDArray[Any] | None, rankings: Rankings
) -> np.dtype[Any]:
    """The given dtype, or that of ``out``, or that of the ranks."""
    if dtype is not None:
        number_type = np.dtype(dtype)
    elif out is not None:
        number_type = out.dtype
    else:
        number_type = np.dtype(np.float32 if rankings.single else np.float64)
    if number_type not in (np.float32, np.float64):
        raise InputError(f"must be float32 or float64; got {number_type}", parameter="dtype")
    return number_type


def fill_gram(
    first: Encoding,
    second: Encoding | None,
    *,
    normalize: bool,
    dtype: np.dtype[Any],
    out: NDArray[Any] | None = None,
    n_jobs: int | None = None,
) -> NDArray[Any]:
    """The kernel of each ranking on the left with each on the right (None: the left again)."""
    other = first if second is None else second
    shape = (len(first), len(other))
    if out is None:
        out = np.empty(shape, dtype=dtype)
    elif not (isinstance(out, np.ndarray) and out.flags.writeable):
        raise InputError("must be a writable NumPy array or memory map", parameter="out")
    elif out.shape != shape or out.dtype != dtype:
        raise InputError(
            f"has shape {out.shape} and dtype {out.dtype}, but the Gram matrix has shape {shape} "
            f"and dtype {dtype}",
            parameter="out",
            remedy=f"make it with np.empty({shape}, dtype={dtype.name!r})",
        )
    result = out
    scales = None
    if normalize:
        rows = unit_scale(first)
        scales = rows, rows if second is None else unit_scale(other)

    def fill(place: tuple[slice, slice]) -> None:
        rows, columns = place
        pairs = UPPER if second is None and rows == columns else ALL
        target = result[rows, columns]
        direct = first.blas or (target.dtype == np.float64 and target.flags.c_contiguous)
        block = target if direct else np.empty(target.shape)
        first.compare(rows, other, columns, pairs, block)
        if scales is not None:
            for part in slices(len(block), ROWS_AT_ONCE):
                # Multiply the scales first: their product is the same for (A, A') and (A', A).
                block[part] *= scales[0][rows][part, np.newaxis] * scales[1][columns]
        if not direct:
            target[:] = block
        if second is None and pairs == ALL:
            for part in slices(len(block), ROWS_AT_ONCE):
                result[columns, rows][:, part] = block[part].T

    blocks = [
        (rows, columns)
        for rows in slices(shape[0], first.side)
        for columns in slices(shape[1], first.side)
        if second is not None or columns.start >= rows.start
    ]
    for _ in in_order(fill, blocks, n_jobs):
        pass
    return out


def squares(encoding: Encoding) -> Floats:
    """k(A, A) of each ranking."""
    out = np.empty((len(encoding), 1), dtype=np.float64)
    for rows in slices(len(encoding), encoding.side):
        encoding.compare(rows, encoding, rows, TWINS, out[rows])
    return out[:, 0]


def unit_scale(encoding: Encoding) -> Floats:
    """1/√k(A, A), or 0 where k(A, A) is 0, as for a ranking that ties all items."""
    norms = np.sqrt(squares(encoding))
    return np.divide(1.0, norms, out=np.zeros_like(norms), where=norms > 0)


def slices(size: int, side: int) -> list[slice]:
    """Cut 0, 1, …, ``size`` − 1 into slices of length ``side``."""
    return [slice(start, min(start + side, size)) for start in range(0, size, side)]


class RankingKernel(Kernel):
    """A kernel between rankings, in scikit-learn's interface for kernels.

    Call it on two rank matrices, or on one for its own Gram matrix. All kernels have the parameters
    of :class:`~rankcut.KendallKernel`.
    """

    def __init__(
        self,
        *,
        unranked: Unranked = "error",
        normalize: bool = False,
        items: Sequence[Hashable] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.unranked = unranked
        self.normalize = normalize
        self.items = items
        self.n_jobs = n_jobs

    @abstractmethod
    def encoder(self, *, derivative: bool = False) -> Encoder:
        """What compares rankings; or their derivative in the hyper-parameter, if there is one."""

    @property
    def to_scale(self) -> bool:
        """Whether values are still to be divided by √(k(A, A)·k(A', A'))."""
        return self.normalize

    def __call__(self, X: Any, Y: Any = None, eval_gradient: bool = False) -> Any:
        """The Gram matrix, as :meth:`gram` in float64.

        With ``eval_gradient`` also its gradient in the logarithm of each hyper-parameter, of shape
        (n_rankings, n_rankings, n_dims).
        """
        gram = self.gram(X, Y, dtype=FLOAT)
        if not eval_gradient:
            return gram
        if Y is not None:
            raise InputError("the gradient is for X with itself: leave Y out")
        if self.n_dims == 0:
            return gram, np.empty((*gram.shape, 0))
        return gram, self._gradient(X, gram)

    def gram(
        self,
        X: Any,
        Y: Any = None,
        *,
        out: NDArray[Any] | None = None,
        dtype: DTypeLike | None = None,
    ) -> NDArray[Any]:
        """k(A, A') for each ranking of X and each of Y.

        Parameters
        ----------
        X, Y : array, frame or CSR array of shape (n_rankings, n_items)
            Rank matrices over the same items: 1 = best, equal = tied, NaN (or absent in a sparse
            matrix) = not ranked. If Y is None, X is compared with itself, each pair once.
        out : ndarray or memmap of shape (n_rankings_x, n_rankings_y) or None
            Array to write the Gram matrix to. None makes a new one.
        dtype : float32, float64 or None
            Type of the result. None means that of ``out``, float32 for ranks in float32, and
            float64 otherwise.

        Examples
        --------
        >>> from math import nan
        >>> from rankcut.kernels import KendallKernel
        >>> KendallKernel(unranked="last").gram([[1, 2, nan, nan]], [[1, 2, 3, 4]]).round(3)
        array([[0.833]])
        >>> KendallKernel(unranked="anywhere").gram([[1, 2, nan, nan]], [[1, 2, 3, 4]]).round(3)
        array([[0.167]])
        """
        encode = self.encoder()
        first, second = read_both(X, Y, self.items, self.unranked)
        result_dtype = gram_dtype(dtype, out, first)
        return fill_gram(
            encode(first, result_dtype),
            None if second is None else encode(second, result_dtype),
            normalize=self.to_scale,
            out=out,
            dtype=result_dtype,
            n_jobs=self.n_jobs,
        )

    def diag(self, X: Any) -> Floats:
        """k(A, A) for each ranking, without the rest of the Gram matrix."""
        squares = self._squares(X, self.encoder())
        return np.where(squares > 0, 1.0, 0.0) if self.normalize else squares

    def is_stationary(self) -> bool:
        """False: rankings are not vectors, so they have no differences."""
        return False

    def _squares(self, X: Any, encode: Encoder) -> Floats:
        return squares(encode(read_both(X, None, self.items, self.unranked)[0], FLOAT))

    def _gradient(self, X: Any, gram: NDArray[Any]) -> NDArray[Any]:
        """∂k/∂ log θ = θ·∂k/∂θ, for the one continuous parameter θ."""
        encode = self.encoder(derivative=True)
        rankings = read_both(X, None, self.items, self.unranked)[0]
        slopes = fill_gram(
            encode(rankings, FLOAT), None, normalize=False, dtype=FLOAT, n_jobs=self.n_jobs
        )
        if self.normalize:
            # A ranking with k(A, A) = 0 keeps 0, and has no slope.
            squares = self._squares(X, self.encoder())
            inverse = np.divide(1.0, squares, out=np.zeros_like(squares), where=squares > 0)
            own_slopes = self._squares(X, encode) * inverse
            slopes *= np.sqrt(np.outer(inverse, inverse))
            slopes -= gram * (own_slopes[:, np.newaxis] + own_slopes) / 2.0
        return np.asarray(np.exp(self.theta[0]) * slopes)[:, :, np.newaxis]

    def __repr__(self) -> str:
        defaults = signature(type(self)).parameters
        values = self.get_params(deep=False)
        texts = [
            f"{name}={value!r}"
            for name, value in values.items()
            if defaults[name].default is not value and np.any(defaults[name].default != value)
        ]
        return f"{type(self).__name__}({', '.join(texts)})"
