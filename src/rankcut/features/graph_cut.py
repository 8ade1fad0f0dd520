"""Graph cut features as a plain function, and the graphs that a user may give for them."""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from rankcut.dask import is_lazy, stand_in
from rankcut.features.completions import CompletionOptions, Method
from rankcut.features.feature_map import FeatureMap, SparseOutput, lazy_features
from rankcut.features.sampled import Sampler
from rankcut.features.smoothing import Smoother, check_steps
from rankcut.features.unlisted import UnlistedWeight
from rankcut.graphs import ItemGraph, as_item_graph, is_learned
from rankcut.graphs.derived import joining_like_items
from rankcut.rankings import RankMatrix, Unranked, read_rankings
from rankcut.seeds import seed_from
from rankcut.setfunctions import Algorithm, GraphCut


def graph_cut_features(
    X: Any,
    graph: Any = None,
    *,
    unranked: Unranked = "error",
    unlisted_weight: UnlistedWeight = 1.0,
    normalize: bool = False,
    items: Sequence[Hashable] | None = None,
    completions: Method = "auto",
    sampler: Sampler = "controlled",
    n_draws: int | None = None,
    tolerance: float | None = None,
    random_state: int | np.random.RandomState | None = 0,
    smoothing: float = 0.0,
    smoothing_graph: Any = None,
    algorithm: Algorithm = "auto",
    dtype: DTypeLike | None = None,
    sparse_output: SparseOutput = "auto",
    n_jobs: int | None = None,
) -> Any:
    """Graph cut features of rankings, as a plain function.

    Parameters
    ----------
    X : array, frame or CSR array of shape (n_rankings, n_items)
        Rank matrix: 1 = best, equal = tied, NaN (or absent in a sparse matrix) = not ranked.
        A Dask array or DataFrame of rankings gives one of vectors, block by block.
    graph : None, ItemGraph, recipe, array, sparse matrix, networkx.Graph or frame
        The item graph; None is the complete graph, whose kernel is Spearman's.
    unranked : {"error", "last", "anywhere"}
        What an unranked item means; see :mod:`rankcut.rankings`.
    unlisted_weight : float or "balanced"
        Weight of comparisons with unranked items, beside 1 for those among ranked ones;
        "balanced" is k/n for a ranking of k of n items. See :mod:`rankcut.features.unlisted`.
    normalize : bool
        Scale each vector to unit length. A vector of zeros stays as it is.
    items : sequence or None
        Labels of the columns, if X is not a frame; matched with those of the graph.
    completions : {"auto", "exact", "sampled", "closed_form"}
        With ``unranked="anywhere"``: how the mean over the completions of a ranking is found;
        see :mod:`rankcut.features.completions`.
    sampler : {"controlled", "stratified", "antithetic", "independent"}
        How completions are drawn; see :mod:`rankcut.features.sampled`.
    n_draws, tolerance : int, float or None
        How many completions are drawn, or the relative standard error of a vector at which to
        stop; without either, the tolerance is 0.01.
    random_state : int, RandomState or None
        Seed of the draws. A ranking's vector depends on the ranking, the graph and the seed.
    smoothing : float
        Steps of a lazy random walk over the items by which vectors are smoothed; 0 is none. See
        :mod:`rankcut.features.smoothing`.
    smoothing_graph : graph or recipe
        The graph to walk on, in which like items are joined strongly; None is ``graph`` itself.
    algorithm : {"auto", "complete", "table", "dense", "sparse", "structured"}
        How cuts are computed; see :mod:`rankcut.setfunctions.cuts`. All agree to rounding.
    dtype : float32, float64 or None
        Type of the result; None is that of X if it is float32, and float64 otherwise. The
        arithmetic is in float64.
    sparse_output : bool or "auto"
        In closed form, return a CSR array of what each item has above the constant that most
        items share; "auto" does so if X is sparse, unless the graph has a low-rank part, with
        which no items share any. For a row S of it, φ = S − (sum of S)/n; smoothed, it is S·p(L).
        Neither is better, but a model should see one of them only.
    n_jobs : int or None
        Number of threads, as in scikit-learn. The result is the same bits for any number.

    Returns
    -------
    ndarray or csr_array of shape (n_rankings, n_items)

    See Also
    --------
    GraphCutFeatures : The same as a transformer, which also reports draws and errors.

    Examples
    --------
    >>> graph_cut_features([[1, 2, 3, 4], [2, 2, 1, 4]])
    array([[ 3.,  1., -1., -3.],
           [ 0.,  0.,  3., -3.]])
    >>> chain = [[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]]
    >>> graph_cut_features([[1, 2, 3, 4]], chain)
    array([[ 1.,  0.,  0., -1.]])
    """
    check_learnable(graph, X)
    check_learnable(smoothing_graph, X)
    rankings = read_rankings(stand_in(X), items)
    rankings.check(unranked)
    fitted = fit_graph(graph, rankings)
    walked = fit_smoothing_graph(smoothing, smoothing_graph, graph, fitted, rankings)
    feature_map = FeatureMap(
        GraphCut(fitted, algorithm),
        CompletionOptions(completions, sampler, n_draws, tolerance, seed_from(random_state)),
        unranked=unranked,
        unlisted_weight=unlisted_weight,
        normalize=normalize,
        smoother=None if walked is None else Smoother(walked, smoothing),
        dtype=dtype,
        sparse_output=sparse_output,
        n_jobs=n_jobs,
    )
    if is_lazy(X):
        return lazy_features(feature_map, X, items)
    return feature_map(rankings)[0]


def fit_graph(graph: Any, rankings: RankMatrix) -> ItemGraph:
    """The user's graph, matched with the columns of the rankings, or learned from them."""
    n_items = rankings.shape[1]
    if is_learned(graph):
        learned: ItemGraph = graph.build_from(rankings)
        return learned
    if graph is None:
        return ItemGraph.complete(n_items).aligned(n_items, rankings.items)
    return as_item_graph(graph).aligned(n_items, rankings.items)


def fit_smoothing_graph(
    steps: float, smoothing_graph: Any, graph: Any, fitted: ItemGraph, rankings: RankMatrix
) -> ItemGraph | None:
    """The graph to walk on, if there are steps to take; ``fitted`` is the user's ``graph``."""
    check_steps(steps)
    if not steps:
        return None
    walked = joining_like_items(graph if smoothing_graph is None else smoothing_graph)
    return fitted if walked is graph else fit_graph(walked, rankings)


def check_learnable(graph: Any, X: Any) -> None:
    """Refuse to learn a graph from rankings that are not there yet."""
    if is_lazy(X) and is_learned(graph):
        raise TypeError(
            f"{type(graph).__name__} is learned from rankings, and these are a Dask collection, "
            "which is not computed for that; learn it from some rankings in memory, with its "
            "build_from(), and pass the graph that it returns"
        )
