"""The feature map of any set function as a scikit-learn transformer."""

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import DTypeLike

from rankcut.estimators.base import RankingFeatures
from rankcut.features.completions import Method
from rankcut.features.feature_map import SparseOutput
from rankcut.features.sampled import Sampler
from rankcut.graphs import ItemGraph
from rankcut.rankings import RankMatrix, Unranked
from rankcut.setfunctions import GraphCut, SetFunction


class SubmodularFeatures(RankingFeatures):
    """Turn rankings into vectors by a submodular function of your own.

    Each ranking becomes the slopes of the least concave majorant of (|B_t|, F(B_t)), where B_t are
    the best t groups of items: the shortest vector s with s(B_t) ≥ F(B_t) and s(V) = F(V). With
    the cut function of a graph in the place of F this is :class:`~rankcut.GraphCutFeatures`.

    What holds for every F, and what only for some:

    - φ is constant on groups and falls along them, always. Relabelling items permutes it, and
      scaling F scales it.
    - Σ φ_i = F(V), which is 0 for symmetric functions. A ranking that ties all items has
      φ = F(V)/n everywhere.
    - Adding c·|A| to F adds c to each coordinate. So F(V) is a constant offset, the same for all
      rankings, and F(A) − F(V)·|A|/n has the features without it.
    - φ(reversed ranking) = −φ̄(ranking), with φ̄ the features of
      F̄(A) = F(V∖A) − F(V) (:class:`~rankcut.Complement`). For symmetric functions F̄ = F, and
      reversing changes the sign. In general it does not: with coverage, the best item of either
      order gets all that it covers.
    - A ranking of which nothing is known, or one group alone, has features 0 if F is symmetric;
      otherwise it has the mean over its completions like any other.
    - Nothing needs F to be submodular. If it is, then before pooling the vectors are points of
      the base polytope, vertices for full rankings: see :class:`~rankcut.BasePolytope`.

    Parameters
    ----------
    function : SetFunction or None, default=None
        The set function; see :mod:`rankcut.setfunctions`. Item i is column i of the rank matrix;
        the items of a graph cut are matched by name where both have names. None is the cut of
        the complete graph.
    unranked : {"error", "last", "anywhere"}, default="error"
        What an item means that a ranking does not rank: that is an error, it is tied with the
        others of its kind after all ranked items (top-k lists), or its place is unknown.
    normalize : bool, default=False
        Scale each vector to unit length. A vector of zeros stays as it is.
    items : sequence or None, default=None
        Labels of the columns, if the rankings are not a frame.
    completions : {"auto", "exact", "sampled", "closed_form"}, default="auto"
        With ``unranked="anywhere"``: how the mean over the completions of a ranking is found.
        See :mod:`rankcut.features.completions`. The closed form is one of graph cuts.
    sampler : {"controlled", "stratified", "antithetic", "independent"}, default="controlled"
        How completions are drawn; see :mod:`rankcut.features.sampled`. Without a closed form
        "controlled" is the same as "stratified".
    n_draws : int or None, default=None
        How many completions are drawn, if sampled.
    tolerance : float or None, default=None
        Draw until the standard error of a vector, relative to its length, is at most this; 0.01
        if ``n_draws`` is None too.
    random_state : int, RandomState or None, default=0
        Seed of the draws. With the same seed the same ranking has the same vector, whichever
        rankings come with it; None draws a seed at each fit.
    dtype : float32, float64 or None, default=None
        Type of the vectors; None is float32 for ranks in float32, and float64 otherwise.
    sparse_output : bool or "auto", default="auto"
        As in :class:`~rankcut.GraphCutFeatures`; vectors are sparse only in closed form.
    n_jobs : int or None, default=None
        Number of threads. The vectors are the same bits for any number.

    Attributes
    ----------
    function_ : SetFunction
        The set function.
    n_features_in_ : int
        Number of items.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        The items' labels, if they are strings given by a frame.

    See Also
    --------
    GraphCutFeatures : The special case of graph cuts.
    check_submodular : Whether a function of your own is submodular.

    Examples
    --------
    >>> from rankcut import Coverage, SubmodularFeatures
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
        completions: Method = "auto",
        sampler: Sampler = "controlled",
        n_draws: int | None = None,
        tolerance: float | None = None,
        random_state: int | np.random.RandomState | None = 0,
        dtype: DTypeLike | None = None,
        sparse_output: SparseOutput = "auto",
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            unranked=unranked,
            normalize=normalize,
            items=items,
            completions=completions,
            sampler=sampler,
            n_draws=n_draws,
            tolerance=tolerance,
            random_state=random_state,
            dtype=dtype,
            sparse_output=sparse_output,
            n_jobs=n_jobs,
        )
        self.function = function

    def _fit_function(self, rankings: RankMatrix) -> None:
        n_items = rankings.shape[1]
        function = self.function
        if function is None:
            function = GraphCut(ItemGraph.complete(n_items))
        if not isinstance(function, SetFunction):
            raise TypeError(
                f"function must be a SetFunction, and it is {function!r}; "
                f"FromCallable(function, {n_items}) makes one of a Python function"
            )
        self.function_ = function.aligned(n_items, rankings.items)

    def _set_function(self) -> SetFunction:
        return self.function_
