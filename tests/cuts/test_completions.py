"""Which method a ranking gets, and matrices that mix all kinds of rankings."""

import numpy as np
import oracles
import pytest
from hypothesis import given
from maps import flat_features, flat_vectors
from numpy.testing import assert_array_equal
from ranking_sets import stored
from scipy import sparse
from strategies import incomplete_cases

from rankcut import NeighborGraph, SimilarityGraph
from rankcut.cuts import all_completions
from rankcut.cuts.feature_map import CLOSED_FORM_ITEMS

# Some of these rankings tie all that they list: their vectors are 0, which is warned of.
NAN = np.nan
MIXED = np.array(
    [
        [1, 2, 3, 4, 5, 6],
        [2, 2, 1, 3, 3, 3],
        [1, NAN, 2, NAN, 3, NAN],
        [NAN, 1, NAN, 1, NAN, 2],
        [NAN, NAN, 5, NAN, NAN, NAN],
        [NAN, NAN, NAN, NAN, NAN, NAN],
    ]
)
GRAPH = SimilarityGraph(np.random.default_rng(0).random((6, 2))).build()


def report_of(ranks, graph, **options):
    transformer = flat_features(graph, unranked="anywhere", **options).fit(ranks)
    return transformer.transform_with_report(ranks)


class TestAuto:
    def test_goes_through_few_completions(self):
        _, report = report_of(MIXED, GRAPH)
        assert report.method.tolist() == ["complete"] * 2 + ["exact"] * 4
        assert report.n_draws.tolist() == [0, 0, 4**3, 3**3, 0, 0]
        assert_array_equal(report.relative_error, 0)
        assert_array_equal(report.standard_error, 0)

    def test_draws_when_there_are_more_completions_than_draws(self):
        _, report = report_of(MIXED, GRAPH, n_draws=40)
        assert report.method.tolist() == ["complete"] * 2 + ["sampled"] + ["exact"] * 3
        assert report.n_draws.tolist() == [0, 0, 40, 27, 0, 0]
        assert (report.relative_error > 0).tolist() == [False, False, True, False, False, False]

    def test_draws_when_there_are_many_completions(self):
        ranks = np.full((1, 30), NAN)
        ranks[0, :5] = np.arange(5)
        graph = SimilarityGraph(np.random.default_rng(1).random((30, 2))).build()
        _, report = report_of(ranks, graph, tolerance=0.05)
        assert report.method.tolist() == ["sampled"]
        assert 0 < report.relative_error[0] <= 0.05

    def test_needs_no_completions_on_the_complete_graph(self):
        _, report = report_of(MIXED, None)
        assert set(report.method) == {"closed_form"}

    def test_needs_no_completions_for_a_large_catalogue(self):
        n_items = CLOSED_FORM_ITEMS + 1
        points = np.random.default_rng(1).random((n_items, 2))
        graph = NeighborGraph(points, n_neighbors=3).build()
        ranks = sparse.csr_array(([1.0, 2.0], ([0, 0], [5, 9])), shape=(1, n_items))
        features, report = report_of(ranks, graph)
        assert report.method.tolist() == ["closed_form"]
        assert features.nnz < 20


class TestMixedRows:
    @pytest.mark.parametrize(("normalize", "dense_graph"), [(False, True), (True, False)])
    def test_complete_rows_of_a_large_catalogue_are_pooled_all_the_same(
        self, normalize, dense_graph
    ):
        n_items = CLOSED_FORM_ITEMS + 1
        rng = np.random.default_rng(0)
        graph = NeighborGraph(rng.random((n_items, 2)), n_neighbors=3).build()
        if dense_graph:
            graph = graph.to_dense()
        short = np.full(n_items, NAN)
        short[[5, 9]] = 1.0, 2.0
        ranks = np.array([short, rng.permutation(n_items), rng.integers(1, 50, n_items), short])
        expected = flat_vectors(ranks[1:3], graph, normalize=normalize)
        for matrix in (ranks, stored(ranks + 1)):
            got, report = report_of(matrix, graph, normalize=normalize)
            rows = got.toarray() if sparse.issparse(got) else got
            assert_array_equal(rows[1:3], expected)
            assert report.method.tolist() == ["closed_form", "complete", "complete", "closed_form"]
            named, report = report_of(matrix, graph, normalize=normalize, completions="closed_form")
            assert set(report.method) == {"closed_form"}
            by_name = named.toarray() if sparse.issparse(named) else named
            assert_array_equal(by_name[[0, 3]], rows[[0, 3]])
            assert not np.allclose(by_name[1:3], expected)

    @pytest.mark.parametrize("normalize", [False, True])
    @pytest.mark.parametrize("graph", [None, GRAPH])
    @pytest.mark.parametrize("options", [{}, {"n_draws": 8}, {"completions": "sampled"}])
    def test_complete_rows_are_the_same_bits_as_without_incomplete_ones(
        self, graph, normalize, options
    ):
        got = flat_vectors(MIXED, graph, unranked="anywhere", normalize=normalize, **options)
        assert_array_equal(got[:2], flat_vectors(MIXED[:2], graph, normalize=normalize))

    def test_nothing_known_is_zero(self):
        for options in ({}, {"completions": "closed_form"}, {"completions": "sampled"}):
            got = flat_vectors(MIXED, GRAPH, unranked="anywhere", normalize=True, **options)
            assert_array_equal(got[5], np.zeros(6))
        assert_array_equal(flat_vectors(MIXED, GRAPH, unranked="anywhere")[4], np.zeros(6))

    def test_unit_length(self):
        got, report = report_of(MIXED, GRAPH, normalize=True, n_draws=40)
        plain, raw = report_of(MIXED, GRAPH, n_draws=40)
        norms = np.linalg.norm(plain, axis=1)
        norms[norms == 0] = 1
        np.testing.assert_allclose(got, plain / norms[:, None], rtol=1e-12)
        np.testing.assert_allclose(
            report.standard_error, raw.standard_error / norms[:, None], rtol=1e-12
        )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"completions": "guess"}, 'completions must be "auto", "exact"'),
        ({"n_draws": 10, "tolerance": 0.1}, "n_draws and tolerance are both given"),
        ({"n_draws": 0}, "n_draws must be an even number from 2 to"),
        ({"n_draws": 2.5}, "n_draws must be an even number"),
        ({"algorithm": "fast"}, "algorithm must be "),
        ({"sparse_output": "yes"}, "sparse_output must be True or False"),
        ({"normalize": "no"}, "normalize must be True or False"),
        ({"dtype": "int8"}, "float32 or float64"),
        ({"n_draws": 7}, "because draws come in mirrored pairs; got 7"),
        ({"tolerance": 0}, "tolerance must be a finite number above 0"),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ValueError, match=message):
        flat_vectors(MIXED, GRAPH, unranked="anywhere", **options)
    with pytest.raises(ValueError, match=message):
        flat_features(GRAPH, unranked="anywhere", **options).fit(MIXED)


def test_too_many_completions_are_refused():
    ranks = np.full((3, 40), np.nan)
    ranks[:2] = np.arange(40)
    ranks[1, 39] = np.nan  # few completions, and the next has many
    ranks[2, :10] = np.arange(10)
    with pytest.raises(ValueError, match=r"row 2: there are about 10\^31 completions, too many"):
        flat_vectors(ranks, np.ones((40, 40)), unranked="anywhere", completions="exact")


@given(case=incomplete_cases(most=5))
def test_all_completions_are_those_of_the_definition(case):
    _, row = case
    (found,) = all_completions(row[None])
    got = {tuple(tuple(np.flatnonzero(ranks == t)) for t in range(1, 6)) for ranks in found}
    expected = [tuple(map(tuple, map(sorted, groups))) for groups in oracles.completions(row)]
    assert len(found) == len(got) == len(expected)
    assert got == {groups + ((),) * (5 - len(groups)) for groups in expected}


def test_too_many_completions_to_list():
    with pytest.raises(ValueError, match="row 1: has too many completions to list"):
        all_completions([np.arange(40.0), [*range(20), *[NAN] * 20]])
