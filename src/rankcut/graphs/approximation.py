"""How good an approximate graph is, said on the graph itself."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

# All pairs are looked at if they are at most so many, else as many of them drawn at random.
MOST_PAIRS = 1 << 20


@dataclass(frozen=True)
class LowRankApproximation:
    """How far the weights of a low-rank graph are from those that they stand for.

    Attributes
    ----------
    rank : int
        Number of factors.
    error : float
        Root mean square of the errors of weights.
    relative_error : float
        The same relative to the root mean square of the weights: the relative error in the
        Frobenius norm, without the diagonal. It is 0 of an embedding, which stands for nothing
        but itself.
    smallest_weight : float
        Smallest weight; an approximate one may be a little below 0.
    n_pairs : int
        Number of pairs that this was found from.
    exact : bool
        Whether these were all pairs, and not some drawn at random.
    """

    rank: int
    error: float
    relative_error: float
    smallest_weight: float
    n_pairs: int
    exact: bool

    def __str__(self) -> str:
        found = "all" if self.exact else f"{self.n_pairs:,}"
        return (
            f"rank {self.rank}, relative error {self.relative_error:.2g}, smallest weight "
            f"{self.smallest_weight:.2g} of {found} pairs"
        )


@dataclass(frozen=True)
class NeighborApproximation:
    """How many of the nearest neighbours an approximate search has found.

    Attributes
    ----------
    recall : float
        Fraction of the true nearest neighbours of some items that were found.
    n_items : int
        Number of items, drawn at random, that this was found from.
    """

    recall: float
    n_items: int

    def __str__(self) -> str:
        return f"recall {self.recall:.3f} of the neighbours of {self.n_items:,} items"


def sampled_pairs(n_items: int, seed: int) -> tuple[NDArray[np.intp], NDArray[Any], bool]:
    """Pairs of different items, and whether they are all there are."""
    if n_items * (n_items - 1) // 2 <= MOST_PAIRS:
        return *np.triu_indices(n_items, 1), True
    rng = np.random.default_rng(seed)
    first = rng.integers(n_items, size=MOST_PAIRS)
    second = rng.integers(n_items - 1, size=MOST_PAIRS)
    return first, second + (second >= first), False
