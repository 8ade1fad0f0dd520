"""Graph cut features as a plain function, and the graphs that a user may give for them."""

from collections.abc import Hashable, Sequence
from typing import Any

from numpy.typing import ArrayLike

from rankcut.cuts import GraphCut
from rankcut.cuts.feature_map import FeatureMap, MapOptions
from rankcut.cuts.smoothing import Smoother, as_smoothing
from rankcut.graphs import ItemGraph
from rankcut.graphs.derived import joining_like_items
from rankcut.graphs.item_graph import fit_graph
from rankcut.rankings import Rankings, read_rankings
from rankcut.rankings.collections import takes_collections


@takes_collections
def graph_cut_features(
    X: Any, graph: Any = None, *, items: Sequence[Hashable] | None = None, **options: Any
) -> Any:
    """Graph cut features of rankings, as a plain function.

    Parameters
    ----------
    X : array, frame or CSR array of shape (n_rankings, n_items)
        Rank matrix: 1 = best, equal = tied, NaN (or absent in a sparse matrix) = not ranked.
        A Dask array or DataFrame of rankings gives one of vectors, block by block.
    graph : None, ItemGraph, recipe, array, sparse matrix, networkx.Graph or frame
        The item graph; None is the complete graph, whose kernel is Spearman's.
    items : sequence or None
        Labels of the columns, if X is not a frame; matched with those of the graph.
    **options
        ``unranked``, ``unlisted_weight``, ``normalize``, ``completions``, ``smoothing``, ``dtype``,
        ``sparse_output`` and ``n_jobs``, as in :class:`~rankcut.GraphCutFeatures`.

    Returns
    -------
    ndarray or UncentredRows of shape (n_rankings, n_items)
        Sparse for CSR rankings with ``unranked="last"`` or in closed form, on a sparse or complete
        graph; see ``sparse_output``.

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
    chosen = MapOptions(**options)
    rankings = read_rankings(X, items)
    rankings.check(chosen.unranked)
    return fit_map(graph, rankings, chosen)(rankings)[0]


def fit_map(graph: Any, rankings: Rankings, options: MapOptions) -> FeatureMap:
    """The feature map of the user's graph, for rankings of these items."""
    fitted = fit_graph(graph, rankings)
    return make_map(fitted, fit_smoothing_graph(graph, fitted, rankings, options), options)


def make_map(
    graph: ItemGraph,
    smoothing_graph: ItemGraph | None,
    options: MapOptions,
    seed: int | None = None,
) -> FeatureMap:
    """The feature map of graphs that are matched with the rankings."""
    smoother = None
    if smoothing_graph is not None:
        smoother = Smoother(smoothing_graph, as_smoothing(options.smoothing).steps)
    return FeatureMap(GraphCut(graph), options, smoother=smoother, seed=seed)


def fit_smoothing_graph(
    graph: Any,
    fitted: ItemGraph,
    rankings: Rankings,
    options: MapOptions,
    sample_weight: ArrayLike | None = None,
) -> ItemGraph | None:
    """The graph to walk on, if there are steps to take; ``fitted`` is the user's ``graph``."""
    smoothing = as_smoothing(options.smoothing)
    if not smoothing.steps:
        return None
    walked = joining_like_items(graph if smoothing.graph is None else smoothing.graph)
    return fitted if walked is graph else fit_graph(walked, rankings, sample_weight)
