"""The feature map of any set function as a scikit-learn transformer."""

import warnings
from collections.abc import Hashable, Sequence

from numpy.typing import DTypeLike

from rankcut.cuts.cut_functions import GraphCut
from rankcut.cuts.feature_map import FeatureMap
from rankcut.cuts.options import Completions, MapOptions, Method
from rankcut.cuts.set_function import SetFunction
from rankcut.cuts.submodularity import check_submodular
from rankcut.cuts.transformers import RankingFeatures
from rankcut.graphs import ItemGraph
from rankcut.rankings import Rankings, Unranked

# A function of one's own may be slow: it is called some hundred times when fitted.
_EXHAUSTIVE_ITEMS = 8
_TRIALS = 200


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
    unranked : {"error", "last", "anywhere"}, default="error"
        What an unranked item means: an error; it is tied with the other unranked ones after all
        ranked items (a top-k list); or its place is unknown.
    normalize : bool, default=False
        Scale each vector to unit length. A zero vector stays zero.
    items : sequence or None, default=None
        Labels of the columns, if the rankings are not a frame.
    completions : {"auto", "exact", "sampled", "closed_form"} or Completions, default="auto"
        With ``unranked="anywhere"``: how the mean over the completions of a ranking is found; see
        :class:`~rankcut.Completions`. Only graph cuts have a closed form.
    dtype : float32, float64 or None, default=None
        Type of the vectors; None is float32 for ranks in float32, and float64 otherwise.
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
    found = check_submodular(function, n_trials=_TRIALS, exhaustive_items=_EXHAUSTIVE_ITEMS)
    if not found:
        warnings.warn(
            f"the set function is {found}. Its features are defined, but they are not points of a "
            "base polytope, and its Lovász extension is not convex",
            stacklevel=4,
        )
