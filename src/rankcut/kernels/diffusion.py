"""The diffusion kernel on the symmetric group, computed from its characters.

K = exp(−β·L), where L is the Laplacian of the Cayley graph: rankings that differ by a
transposition are neighbours. The value for two full rankings depends only on the cycle type μ of
the permutation between them:

    k(μ) = Σ_λ f_λ·χ_λ(μ)·exp(−β·(n(n − 1)/2 − contents of λ))/n!

The sum is over the partitions λ of n. χ_λ is the character of the irreducible representation λ
and f_λ = χ_λ(1) its dimension. The contents of its cells, column minus row, add up to the
eigenvalue of the transpositions. The characters are tabulated once per n, by the rule of Murnaghan
and Nakayama. After that, comparing two rankings is one walk along the cycles.
"""

from collections.abc import Hashable, Sequence
from functools import cache
from math import factorial, log
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.gaussian_process.kernels import Hyperparameter

from rankcut._loops.permutations import class_function_values
from rankcut._loops.types import Floats, Indices
from rankcut.errors import InputError
from rankcut.kernels.ranking_kernel import Bounds, Encoder, RankingKernel
from rankcut.parameters import check_positive
from rankcut.rankings import Rankings, Unranked

Partition = tuple[int, ...]


class DiffusionKernel(RankingKernel):
    """K = exp(β·(A − n(n − 1)/2·I)), where A joins rankings that differ by one transposition.

    It is for full rankings.

    Parameters
    ----------
    beta : float or None
        β > 0, how far to diffuse, a hyper-parameter with a gradient. None means 2·log(n)/n. With a
        much smaller β, k is close to 0 except for rankings that are almost equal; with a much
        larger one, it is about 1/n! for all rankings.
    beta_bounds : pair of floats or "fixed"
        Where a Gaussian process looks for β, if it is a number.
    unranked, normalize, items, n_jobs
        As in :class:`KendallKernel`, for at most 20 items. All full rankings have the same
        k(A, A), between 1/n! and 1; ``normalize=True`` makes it 1. Values are accurate to about
        1e-16 of k(A, A). If β is small, those of rankings far apart may be nothing but rounding.

    References
    ----------
    R. I. Kondor, J. Lafferty. Diffusion kernels on graphs and other discrete structures. ICML 2002.

    Examples
    --------
    >>> from rankcut.kernels import DiffusionKernel
    >>> DiffusionKernel(0.3, normalize=True)([[1, 2, 3]], [[1, 2, 3], [2, 1, 3]]).round(3)
    array([[1.   , 0.299]])
    """

    def __init__(
        self,
        beta: float | None = None,
        beta_bounds: Bounds = (1e-5, 1e5),
        *,
        unranked: Unranked = "error",
        normalize: bool = False,
        items: Sequence[Hashable] | None = None,
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(unranked=unranked, normalize=normalize, items=items, n_jobs=n_jobs)
        self.beta = beta
        self.beta_bounds = beta_bounds

    @property
    def hyperparameter_beta(self) -> Hyperparameter:
        """β, as scikit-learn describes it."""
        return Hyperparameter("beta", "numeric", "fixed" if self.beta is None else self.beta_bounds)

    def encoder(self, *, derivative: bool = False) -> Encoder:
        """Encode rankings as positions, with a table of values."""
        beta = self.beta
        if beta is not None:
            check_positive(beta, "beta")

        def encode(rankings: Rankings, dtype: np.dtype[Any]) -> DiffusionPositions:
            n_items = rankings.shape[1]
            # 20 items have 627 cycle types. With more, sums of characters lose too many digits.
            if n_items > 20:
                raise InputError(
                    f"the diffusion kernel is for at most 20 items; got {n_items}",
                    remedy="use MallowsKernel, which takes any number",
                )
            groups = rankings.groups(n_jobs=self.n_jobs)
            tied = groups.max(axis=1) != n_items - 1
            if tied.any():
                raise InputError(
                    "the diffusion kernel is for full rankings, and this one is not",
                    row=int(np.argmax(tied)),
                    remedy="use MallowsKernel, which takes any kind",
                )
            # The trivial representation adds 1/n! to all values. The next one, that of the
            # positions of single items, adds at most (n − 1)²·exp(−β·n) times as much.
            even = 2.0 * log(max(n_items, 2)) / max(n_items, 2)
            rate = even if beta is None else float(beta)
            return DiffusionPositions(groups, rate, derivative=derivative)

        return encode


@cache
def partitions_of(n: int) -> tuple[Partition, ...]:
    """The partitions of n, with parts in decreasing order.

    >>> partitions_of(4)
    ((4,), (3, 1), (2, 2), (2, 1, 1), (1, 1, 1, 1))
    """

    def split(rest: int, largest: int) -> list[Partition]:
        if rest == 0:
            return [()]
        return [
            (part, *others)
            for part in range(min(rest, largest), 0, -1)
            for others in split(rest - part, part)
        ]

    return tuple(split(n, n))


@cache
def _strip(shape: Partition, size: int) -> tuple[tuple[Partition, int], ...]:
    """The diagrams left after removing a border strip of a given size, each with its sign.

    With beads at part_i + (number of rows below i), removing a strip moves a bead down to a free
    place. The sign changes with each bead it jumps over.
    """
    n_rows = len(shape)
    beads = [part + n_rows - 1 - i for i, part in enumerate(shape)]
    remaining = []
    for i, bead in enumerate(beads):
        target = bead - size
        if target < 0 or target in beads:
            continue
        jumped = sum(target < other < bead for other in beads)
        moved = sorted([*beads[:i], *beads[i + 1 :], target], reverse=True)
        parts = tuple(place - (n_rows - 1 - row) for row, place in enumerate(moved))
        remaining.append((tuple(part for part in parts if part), (-1) ** jumped))
    return tuple(remaining)


@cache
def _characters_at(cycles: Partition) -> dict[Partition, int]:
    """χ_λ at one cycle type for all λ: the signed sum over all ways to strip its largest cycle."""
    if not cycles:
        return {(): 1}
    smaller = _characters_at(cycles[1:])
    return {
        shape: sum(sign * smaller[rest] for rest, sign in _strip(shape, cycles[0]))
        for shape in partitions_of(sum(cycles))
    }


@cache
def character_table(n: int) -> NDArray[np.float64]:
    """χ_λ(μ), a row for each λ and a column for each μ, in the order of :func:`partitions_of`.

    >>> character_table(3)
    array([[ 1.,  1.,  1.],
           [-1.,  0.,  2.],
           [ 1., -1.,  1.]])
    """
    shapes = partitions_of(n)
    columns = [_characters_at(cycles) for cycles in shapes]
    return np.array([[float(column[shape]) for column in columns] for shape in shapes])


def class_values(n: int, beta: float, *, derivative: bool) -> Floats:
    """k, or its derivative in β, for each cycle type."""
    characters = character_table(n)
    contents = [
        sum(column - row for row, part in enumerate(shape) for column in range(part))
        for shape in partitions_of(n)
    ]
    decay = n * (n - 1) / 2 - np.array(contents, dtype=np.float64)
    dimensions = characters[:, -1]
    spectrum = np.exp(-beta * decay) * dimensions / factorial(n)
    return np.asarray((-decay * spectrum if derivative else spectrum) @ characters)


@cache
def cycle_codes(n: int) -> tuple[Indices, NDArray[np.int64], int]:
    """A code for each cycle length; the sum over a permutation's cycles is its place in a table.

    Returns the codes, the place of each cycle type, and the size of the table. Codes are drawn
    from a fixed seed until no two cycle types share a place.
    """
    rng = np.random.default_rng(0)
    counts = np.array([np.bincount(shape, minlength=n + 1) for shape in partitions_of(n)])
    largest = 8
    while True:
        for _ in range(50):
            codes = rng.integers(1, largest, size=n + 1)
            places = counts @ codes
            if len(np.unique(places)) == len(places):
                return codes.astype(np.uint32), places, int(places.max()) + 1
        largest *= 2


class DiffusionPositions:
    """The items' positions in full rankings, and the kernel's table of values."""

    side = 64
    blas = False

    def __init__(self, positions: Indices, beta: float, *, derivative: bool = False) -> None:
        n_items = positions.shape[1]
        self._positions = positions
        self._codes, places, size = cycle_codes(n_items)
        self._values = np.zeros(size)
        self._values[places] = class_values(n_items, beta, derivative=derivative)

    def __len__(self) -> int:
        return len(self._positions)

    def compare(
        self, rows: slice, other: "DiffusionPositions", columns: slice, pairs: int, out: Any
    ) -> None:
        """The values of the cycle types."""
        ours, theirs = self._positions[rows], other._positions[columns]
        class_function_values(ours, theirs, self._codes, self._values, pairs, out)
