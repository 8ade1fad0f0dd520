"""Graphs as users have them, and what is said of those that are none."""

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from rankcut import GraphCutFeatures, ItemGraph, NeighborGraph, SimilarityGraph, graph_cut_features
from rankcut.graphs import Weights, as_item_graph

WEIGHTS = np.array([[0, 2, 0, 1], [2, 0, 3, 0], [0, 3, 0, 0], [1, 0, 0, 0]], dtype=float)
NAMES = ["uni", "ika", "ebi", "toro"]
RANKS = np.array([[1, 2, 3, 4], [2, 2, 1, 3], [4, 1, 3, 2]])
EXPECTED = graph_cut_features(RANKS, WEIGHTS)


def named(weights):
    return pd.DataFrame(weights, index=NAMES, columns=NAMES)


class TestAccepted:
    @pytest.mark.parametrize(
        "convert",
        [
            lambda w: w,
            lambda w: w.tolist(),
            lambda w: w.astype(np.int32),
            sparse.csr_array,
            sparse.coo_matrix,
            sparse.csc_array,
            nx.from_numpy_array,
            pd.DataFrame,
            named,
            lambda w: pl.DataFrame(w, schema=NAMES),
            as_item_graph,
        ],
    )
    def test_every_form_is_the_same_graph(self, convert):
        graph = as_item_graph(convert(WEIGHTS))
        assert_array_equal(graph.to_dense(), WEIGHTS)
        assert (graph.n_items, graph.n_edges) == (4, 3)
        assert_array_equal(graph.degrees, WEIGHTS.sum(axis=0))
        assert_array_equal(graph_cut_features(RANKS, convert(WEIGHTS)), EXPECTED)

    def test_the_diagonal_is_ignored_and_the_users_matrix_not_changed(self):
        matrix = WEIGHTS + np.diag([1.0, 2, 3, 4])
        for given in (matrix.copy(), sparse.csr_array(matrix)):
            assert_array_equal(as_item_graph(given).to_dense(), WEIGHTS)
            assert_array_equal(sparse.csr_array(given).toarray(), matrix)
        # Rounding of symmetric weights is averaged.
        crooked = WEIGHTS * (1 + 1e-12 * np.arange(16).reshape(4, 4))
        graph = as_item_graph(crooked)
        assert_array_equal(graph.to_dense(), graph.to_dense().T)
        assert_allclose(graph.to_dense(), WEIGHTS, rtol=1e-10)

    def test_isolated_items_and_disconnected_graphs(self):
        weights = np.zeros((5, 5))
        weights[0, 1] = weights[1, 0] = weights[2, 3] = weights[3, 2] = 1
        got = graph_cut_features([[1, 2, 3, 4, 5]], weights)
        # Gains 1, −1, 1, −1, 0: the second and third, and the last two, are pooled.
        assert_array_equal(got, [[1, 0, 0, -0.5, -0.5]])


class TestDamaged:
    """CSR and CSC arrays whose parts do not fit together: loops would go where they point."""

    @pytest.mark.parametrize("form", [sparse.csr_array, sparse.csc_array])
    @pytest.mark.parametrize(
        ("part", "values", "says"),
        [
            ("indices", [1, 3, 0, 2, 1, 4], "indices are not all from 0 to 3"),
            ("indices", [1, 3, 0, 2, -1, 0], "indices are not all from 0 to 3"),
            ("indices", [1, 3, 0, 2, 1, 2**31 - 1], "indices are not all from 0 to 3"),
            ("indices", [1.0, 3.0, 0.0, 2.0, 1.0, 0.0], "indices are float64"),
            ("indices", [[1, 3, 0, 2, 1, 0]], "three arrays of one dimension"),
            ("indptr", [0, 2, 10**9, 5, 6], "indptr does not rise from 0 to 6"),
            ("indptr", [0, 2, 1, 5, 6], "indptr does not rise"),
            ("indptr", [1, 2, 4, 5, 6], "indptr does not rise"),
            ("indptr", [0, 2, 4, 5, 7], "indptr does not rise"),
            ("indptr", [0, 2, 4, 6], "4 rows, 4 starts"),
            ("data", [2.0, 1.0, 2.0], "6 indices and 3 entries"),
        ],
    )
    def test_parts_are_checked(self, form, part, values, says):
        matrix = form(WEIGHTS)
        setattr(matrix, part, np.array(values))
        for use in (as_item_graph, lambda damaged: NeighborGraph(damaged, metric="cosine")):
            with pytest.raises(ValueError, match=f"sparse matrix is damaged: .*{says}"):
                use(matrix)

    def test_a_row_without_entries_that_points_far_away(self):
        matrix = sparse.csr_array((8, 8))
        matrix.indptr[4] = 10**9
        with pytest.raises(ValueError, match="indptr does not rise from 0 to 0"):
            as_item_graph(matrix)
        with pytest.raises(ValueError, match="indptr does not rise from 0 to 0"):
            ItemGraph(Weights(matrix, 1.0), 8)


class TestMatchedByName:
    shuffled = (2, 0, 3, 1)

    def ranks(self, frames):
        return frames.DataFrame({name: RANKS[:, i] for i, name in enumerate(NAMES)})

    def test_frame(self, frames):
        names = [NAMES[i] for i in self.shuffled]
        weights = WEIGHTS[np.ix_(self.shuffled, self.shuffled)]
        graph = frames.DataFrame({name: weights[:, i] for i, name in enumerate(names)})
        assert_array_equal(graph_cut_features(self.ranks(frames), graph), EXPECTED)

    def test_rows_of_a_pandas_frame_in_another_order_and_its_names(self):
        graph = named(WEIGHTS).iloc[list(self.shuffled)]
        assert_array_equal(as_item_graph(graph).to_dense(), WEIGHTS)
        names = GraphCutFeatures(graph).fit(RANKS).get_feature_names_out()
        assert names.tolist() == NAMES

    def test_networkx(self, frames):
        graph = nx.Graph()
        for i, j in [(2, 1), (0, 3), (0, 1)]:
            graph.add_edge(NAMES[i], NAMES[j], weight=WEIGHTS[i, j])
        assert_array_equal(graph_cut_features(self.ranks(frames), graph), EXPECTED)
        assert_array_equal(graph_cut_features(RANKS, graph, items=NAMES), EXPECTED)

    def test_numbers_from_0_on_are_positions_in_whichever_order(self):
        graph = nx.path_graph(3)
        shifted = nx.path_graph([10, 11, 12])
        ranks = pd.DataFrame([[1, 2, 3]], columns=[2, 0, 1])
        expected = graph_cut_features(ranks.set_axis([12, 10, 11], axis=1), shifted)
        assert_array_equal(graph_cut_features(ranks, graph), expected)
        assert_array_equal(expected, [[1, 1, -2]])
        weights = pd.DataFrame(nx.to_numpy_array(graph))
        assert_array_equal(graph_cut_features(ranks, weights), expected)

    def test_item_features(self, frames):
        points = np.array([[0.0], [1.0], [3.0], [7.0]])
        expected = graph_cut_features(RANKS, SimilarityGraph(points, scale=False))
        table = frames.DataFrame(
            {"name": [NAMES[i] for i in self.shuffled], "price": points[list(self.shuffled), 0]}
        )
        recipe = SimilarityGraph(table, items="name", scale=False)
        assert_allclose(graph_cut_features(self.ranks(frames), recipe), expected, rtol=1e-12)

    def test_lists_what_is_missing_on_either_side(self, frames):
        names = ["uni", "ika", "tai", "aji"]
        graph = pd.DataFrame(WEIGHTS, index=names, columns=names)
        lacking = r"the graph lack 'ebi', 'toro'; the rankings lack 'tai', 'aji'"
        with pytest.raises(ValueError, match=lacking):
            graph_cut_features(self.ranks(frames), graph)
        # A long list is cut short.
        graph = ItemGraph(None, 9, tuple("abcdefghi"))
        with pytest.raises(ValueError, match=r"'a', 'b', 'c', 'd', 'e' and 4 more"):
            graph_cut_features(RANKS, graph, items=NAMES)


def changed(i, j, value):
    weights = WEIGHTS.copy()
    weights[i, j] = value
    return weights


@pytest.mark.parametrize("convert", [np.array, sparse.csr_array])
@pytest.mark.parametrize(
    ("weights", "message"),
    [
        (changed(1, 2, 9.0), "symmetric: .* from item 1 to 2 is 9.0, but 3.0 the other way; pass"),
        (changed(0, 3, -1.0), r"between items 0 and 3 is -1.0; .* not be negative"),
        (changed(2, 1, np.nan), "items 2 and 1 is nan; weights must be finite"),
        (changed(2, 1, np.inf), "items 2 and 1 is inf; weights must be finite"),
        (WEIGHTS * 1e307, r"the largest weight is 3e\+307, .* divide all weights"),
        (WEIGHTS[:, :3], r"square matrix of weights; got shape \(4, 3\)"),
        (WEIGHTS * 1j, "complex; they must be real"),
    ],
)
def test_weights_that_are_refused(convert, weights, message):
    with pytest.raises(ValueError, match=message):
        as_item_graph(convert(weights))


@pytest.mark.parametrize(
    ("graph", "message"),
    [
        (named(changed(0, 3, -1.0)), r"between items 'uni' and 'toro' is -1.0"),
        (np.array([["a", "b"], ["b", "a"]]), "weights of the graph are not all numbers"),
        (SimilarityGraph, r"the class SimilarityGraph, not a graph; pass SimilarityGraph\(...\)"),
        (nx.Graph([(0, 1, {"weight": "x"})]), "edges' weights are not all numbers"),
        (nx.DiGraph([(0, 1)]), r"directed.*to_undirected"),
        (nx.Graph(), "no nodes"),
        (named(WEIGHTS).set_axis([*"aabc"]), "'a' appears twice in the rows of the graph"),
    ],
)
def test_graphs_that_are_refused(graph, message):
    with pytest.raises(ValueError, match=message):
        as_item_graph(graph)


def test_graphs_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="the graph has 4 items, but the rankings have 3"):
        graph_cut_features([[1, 2, 3]], WEIGHTS)
    with pytest.raises(ValueError, match=r"dtype cannot be float32: .*; rescale the weights"):
        graph_cut_features(RANKS, WEIGHTS * 1e60, dtype=np.float32)
    with pytest.raises(ValueError, match="not be negative"):
        ItemGraph(-WEIGHTS, 4)
    with pytest.raises(ValueError, match="n_items is 3, but the weights are of"):
        ItemGraph(WEIGHTS, 3)


def test_notebooks_show_sizes_and_the_best_connected_items():
    graph = ItemGraph([[0, 2, 0], [2, 0, 1], [0, 1, 0]], 3, ("<uni>", "ika", "ebi"))
    assert graph._repr_html_() == (
        "ItemGraph(3 items, 2 edges)<br>largest degrees: ika 3, &lt;uni&gt; 2, ebi 1"
    )
    complete = ItemGraph.complete(4)
    assert_array_equal(complete.to_dense(), 1 - np.eye(4))
    assert_array_equal(complete.degrees, [3, 3, 3, 3])
    assert repr(complete) == complete._repr_html_() == "ItemGraph(4 items, 6 edges)"
