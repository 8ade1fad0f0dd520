"""What a user may choose of the feature map, checked once.

An incomplete ranking of l groups that leaves u items unranked has (l + 1)^u completions: each
unranked item may fall into any of the gaps before, between and after the groups. Its vector is the
mean over them. :class:`Completions` says how that is found:

``"exact"``
    enumerates all completions;
``"sampled"``
    draws some, and knows its standard error; see :mod:`rankcut.cuts.completions`. A ranking with no
    more completions than draws has all of them;
``"closed_form"``
    is exact and needs no completions, but it is the mean of the slopes *before* pooling: a kernel
    of its own, and the one for large catalogues. If asked for by name, it is used for every ranking
    of the matrix, complete ones included. Only graph cuts have it;
``"auto"``
    is the closed form on the complete graph, where there is nothing to pool, where comparisons with
    unlisted items have a weight of their own, and for catalogues of more than 2,048 items, where
    sampling a ranking costs hundreds of times its closed form; a ranking of all items has its
    pooled vector there too. Otherwise it enumerates the completions of a ranking if there are at
    most 1,024, or no more than ``n_draws``, and samples if there are more.

**Unlisted items.** In a catalogue of n items, the comparisons of a list of k items with the n − k
others swamp those among the k. With a weight γ, two listed items count W_ij, and a pair with an
unlisted item counts γ·W_ij. γ = k/n, ``"balanced"``, gives the order of the list and what it lists
about the same say; on the complete graph it is, give or take an item, the smallest weight under
which the last item of a top-k list is still better than those not listed.
"""

from dataclasses import dataclass, fields
from math import inf
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import DTypeLike

from rankcut.errors import InputError
from rankcut.parameters import (
    WithParameters,
    check_choice,
    check_draws,
    check_learned,
    is_real,
)
from rankcut.rankings import Unranked

Method: TypeAlias = Literal["auto", "exact", "sampled", "closed_form"]

UnlistedWeight: TypeAlias = float | Literal["balanced"]


class Completions(WithParameters):
    """How the mean over the completions of an incomplete ranking is found.

    Parameters
    ----------
    method : {"auto", "exact", "sampled", "closed_form"}, default="auto"
        See :mod:`rankcut.cuts.options`.
    tolerance : float or None, default=None
        If sampled: draw until the standard error of a vector, relative to its length, is at most
        this; 0.01 if ``n_draws`` is None too.
    n_draws : int or None, default=None
        If sampled: how many completions are drawn. They come in pairs, so it is even.
    random_state : int, RandomState or None, default=0
        Seed of the draws. With the same seed the same ranking has the same vector in any
        batch; None draws a seed at each fit.

    Examples
    --------
    >>> from rankcut import Completions, graph_cut_features
    >>> path = [[0, 1, 0], [1, 0, 2], [0, 2, 0]]
    >>> sampled = Completions("sampled", n_draws=64)
    >>> graph_cut_features([[1, 2, float("nan")]], path, unranked="anywhere",
    ...                    completions=sampled).round(1)
    array([[ 1.2, -1.7,  0.5]])
    """

    def __init__(
        self,
        method: Method = "auto",
        *,
        tolerance: float | None = None,
        n_draws: int | None = None,
        random_state: int | np.random.RandomState | None = 0,
    ) -> None:
        self.method = method
        self.tolerance = tolerance
        self.n_draws = n_draws
        self.random_state = random_state

    def check(self) -> None:
        """Raise unless each parameter is one that it may be."""
        check_choice(self.method, get_args(Method), "completions")
        if self.n_draws is not None and self.tolerance is not None:
            raise InputError(
                "and tolerance are both given; each of them says how much to draw",
                parameter="n_draws",
                remedy="leave one of them out",
            )
        if self.n_draws is not None:
            check_draws(self.n_draws, "n_draws")
        check_learned(self.tolerance, "tolerance")


class Smoothing(WithParameters):
    """How vectors are smoothed: for how many steps, on which graph.

    Parameters
    ----------
    steps : float, default=2.0
        Steps of a lazy random walk over the items, from 0, which changes nothing, to 1,000, by
        which the walk over a well-connected graph has converged. 1.5 is a step and a half.
    graph : graph or recipe, default=None
        The graph to walk on, which connects similar items strongly; None is the graph of the
        features. For a :class:`~rankcut.DissimilarityGraph`, it is the similarity graph inside.
        Its parameters can be searched as ``smoothing__graph__n_neighbors`` and so on.

    Examples
    --------
    >>> from rankcut import GraphCutFeatures, NeighborGraph, Smoothing, make_food
    >>> food = make_food(3, kind="top-k", random_state=0)
    >>> near = NeighborGraph(food.item_features, n_neighbors=2)
    >>> smoothed = GraphCutFeatures(unranked="last", smoothing=Smoothing(2, near))
    >>> smoothed.fit_transform(food.ranks).shape
    (3, 8)
    """

    def __init__(self, steps: float = 2.0, graph: Any = None) -> None:
        self.steps = steps
        self.graph = graph


@dataclass(frozen=True, kw_only=True)
class MapOptions:
    """The options of the feature map, checked; :class:`~rankcut.GraphCutFeatures` explains them.

    A word for ``completions`` and a number for ``smoothing`` become the objects they stand for.
    """

    unranked: Unranked = "error"
    unlisted_weight: UnlistedWeight = 1.0
    normalize: bool = False
    completions: Completions = Completions()  # noqa: RUF009
    smoothing: Smoothing = Smoothing(0.0)  # noqa: RUF009
    dtype: DTypeLike | None = None
    sparse_output: bool = True
    n_jobs: int | None = None

    def __post_init__(self) -> None:
        for name in ("normalize", "sparse_output"):
            if getattr(self, name) not in (True, False):
                raise InputError(
                    f"must be True or False; got {getattr(self, name)!r}", parameter=name
                )
        if self.dtype is not None and np.dtype(self.dtype) not in (np.float32, np.float64):
            raise InputError(
                f"must be float32 or float64, or None; got {self.dtype}", parameter="dtype"
            )
        weight = self.unlisted_weight
        if not (is_real(weight) or (isinstance(weight, str) and weight == "balanced")):
            raise InputError(
                f'must be "balanced" or a number from 0 on; got {weight!r}',
                parameter="unlisted_weight",
            )
        if not isinstance(self.completions, Completions):
            object.__setattr__(self, "completions", Completions(self.completions))
        self.completions.check()
        if not isinstance(self.smoothing, Smoothing):
            object.__setattr__(self, "smoothing", Smoothing(self.smoothing))
        check_steps(self.smoothing.steps)

    @classmethod
    def of(cls, estimator: Any) -> "MapOptions":
        """The options among the parameters of an estimator or a kernel."""
        names = [field.name for field in fields(cls) if hasattr(estimator, field.name)]
        return cls(**{name: getattr(estimator, name) for name in names})


def check_steps(steps: Any) -> None:
    """Raise unless it is a number of steps."""
    # Each takes a product with the graph; on a well-connected one the walk has converged by then.
    most = 1000
    if not is_real(steps, most=most):
        raise InputError(
            f"must be a number of steps from 0 to {most:,}; got {steps!r}",
            parameter="smoothing",
            remedy="on a well-connected graph the walk has converged by then, and more steps "
            "change nothing; to smooth more, connect each item to more neighbours"
            if is_real(steps, most, inf)
            else "",
        )
