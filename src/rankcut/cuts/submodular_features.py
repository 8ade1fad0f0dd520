"""Vectors of any set function as a transformer, and whether the function is submodular.

F(A) + F(B) ≥ F(A ∪ B) + F(A ∩ B) holds for all sets A and B if and only if it holds for
A = C + i and B = C + j, for every set C and two items i and j outside it. So submodularity is
proved for few items, and a counterexample is searched for many.
"""

import warnings
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import DTypeLike, NDArray

from rankcut._loops.types import Floats
from rankcut.cuts.cut_functions import GraphCut
from rankcut.cuts.feature_map import FeatureMap
from rankcut.cuts.options import Completions, MapOptions, Method
from rankcut.cuts.set_function import SetFunction
from rankcut.cuts.transformers import RankingFeatures
from rankcut.graphs import ItemGraph
from rankcut.rankings import Rankings, Unranked
from rankcut.rankings.value import ROUNDING, block_rows

# Up to this many items all inequalities are checked: 2**14 values and 91 pairs take a fraction of
# a second.
EXHAUSTIVE_ITEMS = 14

# A function of one's own may be slow, so fitting asks it for some hundred values only: those of all
# sets of this many items, or as many random inequalities of more.
_ITEMS_WHEN_FITTED = EXHAUSTIVE_ITEMS // 2


@dataclass(frozen=True)
class Counterexample:
    """Two sets for which F(A) + F(B) < F(A ∪ B) + F(A ∩ B)."""

    first: frozenset[int]
    second: frozenset[int]
    values: tuple[float, float, float, float]

    @property
    def violation(self) -> float:
        """F(A ∪ B) + F(A ∩ B) − F(A) − F(B)."""
        first, second, union, common = self.values
        return union + common - first - second

    def __str__(self) -> str:
        first, second, union, common = self.values
        a, b = self.first, self.second
        f, g, h, k = ("{" + ", ".join(map(str, sorted(s))) + "}" for s in (a, b, a | b, a & b))
        return f"F({f}) + F({g}) = {first + second:.6g} < {union + common:.6g} = F({h}) + F({k})"


@dataclass(frozen=True)
class SubmodularityCheck:
    """What :func:`check_submodular` found; true if it found no counterexample.

    Attributes
    ----------
    proved : bool
        Whether every inequality was checked, so that the answer is certain.
    n_checked : int
        Number of inequalities checked.
    counterexample : Counterexample or None
        The worst that was found.
    """

    proved: bool
    n_checked: int
    counterexample: Counterexample | None

    def __bool__(self) -> bool:
        return self.counterexample is None

    def __str__(self) -> str:
        if self.counterexample is not None:
            return f"not submodular: {self.counterexample}"
        if self.proved:
            return f"submodular: all {self.n_checked:,} inequalities hold"
        return f"perhaps submodular: no counterexample in {self.n_checked:,} random inequalities"


def check_submodular(
    function: SetFunction,
    *,
    n_trials: int = 10_000,
    exhaustive_items: int = EXHAUSTIVE_ITEMS,
) -> SubmodularityCheck:
    """Prove that a set function is submodular, or show two sets for which it is not.

    Parameters
    ----------
    function : SetFunction
        The function.
    n_trials : int
        How many random inequalities to check, if there are too many to check all.
    exhaustive_items : int
        With up to this many items each inequality is checked.

    Examples
    --------
    >>> from rankcut.cuts import FromCallable, GraphCut
    >>> print(check_submodular(GraphCut([[0, 1, 2], [1, 0, 1], [2, 1, 0]])))
    submodular: all 6 inequalities hold
    >>> print(check_submodular(FromCallable(lambda items: len(items) ** 2, 3)))
    not submodular: F({0}) + F({1}) = 2 < 4 = F({0, 1}) + F({})
    """
    n_checked, largest = 0, 0.0
    worst: Counterexample | None = None
    exhaustive = function.n_items <= exhaustive_items
    batches = _all_inequalities(function) if exhaustive else _some(function, n_trials)
    for sets, i, j, values in batches:
        n_checked += values.shape[1]
        if not values.size:
            continue
        largest = max(largest, float(np.abs(values).max()))
        violations = values[2] + values[3] - values[0] - values[1]
        k = int(np.argmax(violations))
        if worst is None or violations[k] > worst.violation:
            common = frozenset(np.flatnonzero(sets[k]).tolist())
            first, second, union, shared = values[:, k].tolist()
            worst = Counterexample(
                common | {int(i[k])}, common | {int(j[k])}, (first, second, union, shared)
            )
    if worst is not None and worst.violation <= ROUNDING * largest:
        worst = None
    return SubmodularityCheck(exhaustive, n_checked, worst)


# A batch of inequalities: sets C as rows of truth values, items i and j, and the values of F on
# C + i, C + j, C + i + j and C.
_Batch = tuple[NDArray[np.bool_], NDArray[np.int64], NDArray[np.int64], Floats]


def _all_inequalities(function: SetFunction) -> Iterator[_Batch]:
    n = function.n_items
    table = function.table()
    masks = np.arange(len(table))
    for i, j in combinations(range(n), 2):
        common = masks[(masks >> i) & 1 | (masks >> j) & 1 == 0]
        values = np.stack([table[common | extra] for extra in (1 << i, 1 << j, 1 << i | 1 << j, 0)])
        sets = (common[:, None] >> np.arange(n)) & 1 == 1
        yield sets, np.full(len(common), i), np.full(len(common), j), values


def _some(function: SetFunction, n_trials: int) -> Iterator[_Batch]:
    """Random sets of all sizes, each with two random items outside."""
    n = function.n_items
    rng = np.random.default_rng(0)
    step = block_rows(n)
    for start in range(0, n_trials, step):
        m = min(step, n_trials - start)
        orders = rng.permuted(np.tile(np.arange(n), (m, 1)), axis=1)
        sizes = rng.integers(0, n - 1, m)
        rows = np.arange(m)
        i, j = orders[rows, sizes], orders[rows, sizes + 1]
        common = np.zeros((m, n), dtype=bool)
        np.put_along_axis(common, orders, np.arange(n) < sizes[:, None], axis=1)
        values = np.empty((4, m))
        for k, extra in enumerate(((i,), (j,), (i, j), ())):
            inside = common.copy()
            for item in extra:
                inside[rows, item] = True
            values[k] = function.of_sets(inside)
        yield common, i, j, values


class SubmodularFeatures(RankingFeatures):
    """Turn rankings into vectors by a submodular function of your own.

    Each ranking becomes the slopes of the least concave majorant of (|B_t|, F(B_t)), where B_t are
    the best t groups of items: the shortest vector s with s(B_t) ≥ F(B_t) and s(V) = F(V). With
    the cut function of a graph as F this is :class:`~rankcut.GraphCutFeatures`.

    What holds for every F, and what only for some:

    - φ is constant on groups and falls along them, always. Relabelling items permutes it, and
      scaling F scales it.
    - Σ φ_i = F(V), which is 0 for symmetric functions. A ranking that ties all items has
      φ = F(V)/n everywhere.
    - Adding c·|A| to F adds c to each coordinate. So F(V) is a constant offset, the same for all
      rankings, and F(A) − F(V)·|A|/n has the features without it.
    - φ(reversed ranking) = −φ̄(ranking), with φ̄ the features of
      F̄(A) = F(V∖A) − F(V) (:class:`~rankcut.cuts.Complement`). For symmetric functions
      F̄ = F, and reversing changes the sign. In general it does not: with coverage, the best item
      in either order gets all the weight it covers.
    - A ranking about which nothing is known, or with a single group, has features 0 if F is
      symmetric; otherwise it has the mean over its completions like any other.
    - Nothing needs F to be submodular. If it is, then before pooling the vectors are points of
      the base polytope, vertices for full rankings: see :class:`rankcut.theory.BasePolytope`. If a
      function that is not known to be submodular is not, fitting warns with a counterexample;
      functions of many items are tried on random sets.

    Parameters
    ----------
    function : SetFunction or None, default=None
        The set function; see :mod:`rankcut.cuts`. Item i is column i of the rank matrix;
        the items of a graph cut are matched by name where both have names. None is the cut of
        the complete graph.
    unranked, normalize, items, completions, dtype, n_jobs
        As in :class:`~rankcut.GraphCutFeatures`. Only graph cuts have a closed form.

    Attributes
    ----------
    function_ : SetFunction
        The set function.
    n_features_in_, feature_names_in_
        As in :class:`~rankcut.GraphCutFeatures`.

    See Also
    --------
    GraphCutFeatures : The special case of graph cuts.
    rankcut.cuts.check_submodular : Whether a function of your own is submodular.

    Examples
    --------
    >>> from rankcut import SubmodularFeatures
    >>> from rankcut.cuts import Coverage
    >>> topics = Coverage([{"fish", "raw"}, {"fish"}, {"rice"}])
    >>> SubmodularFeatures(topics).fit_transform([[1, 2, 3], [3, 2, 1]])
    array([[2. , 0.5, 0.5],
           [1. , 1. , 1. ]])
    """

    def __init__(
        self,
        function: SetFunction | None = None,
        *,
        unranked: Unranked = "error",
        normalize: bool = False,
        items: Sequence[Hashable] | None = None,
        completions: Method | Completions = "auto",
        dtype: DTypeLike | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.function = function
        self.unranked = unranked
        self.normalize = normalize
        self.items = items
        self.completions = completions
        self.dtype = dtype
        self.n_jobs = n_jobs

    def _fit_map(self, rankings: Rankings, options: MapOptions) -> FeatureMap:
        n_items = rankings.shape[1]
        function = self.function
        if function is None:
            function = GraphCut(ItemGraph.complete(n_items))
        if not isinstance(function, SetFunction):
            raise TypeError(
                f"function must be a SetFunction; got {function!r}. "
                f"FromCallable(function, {n_items}) makes one from a Python function"
            )
        self.function_ = function.aligned(n_items, rankings.items)
        if not function.submodular:
            _warn_unless_submodular(function)
        return FeatureMap(self.function_, options)


def _warn_unless_submodular(function: SetFunction) -> None:
    """Look for a counterexample: among all inequalities of a few items, or some of many."""
    found = check_submodular(
        function, n_trials=1 << _ITEMS_WHEN_FITTED, exhaustive_items=_ITEMS_WHEN_FITTED
    )
    if not found:
        warnings.warn(
            f"the set function is {found}. Its features are defined, but they are not points of a "
            "base polytope, and its Lovász extension is not convex",
            stacklevel=4,
        )
