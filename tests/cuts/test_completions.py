"""Which method an incomplete ranking gets, and means from random completions: unbiased, with errors
that can be trusted.

The statistical tests have fixed seeds. Each states how often it would fail, over seeds, if the
code were right.
"""

from functools import cache

import numpy as np
import oracles
import pytest
from hypothesis import given
from maps import flat_features, flat_vectors
from numpy.testing import assert_array_equal
from ranking_sets import stored
from scipy import sparse, stats
from sklearn.exceptions import ConvergenceWarning
from strategies import incomplete_cases

from rankcut import NeighborGraph, SimilarityGraph
from rankcut.cuts import all_completions
from rankcut.cuts.completions import MOST_DRAWS
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


RNG = np.random.default_rng(0)
SEVEN = SimilarityGraph(RNG.random((7, 2)), keep=0.6).build()
ROW = np.array([[2.0, np.nan, 1.0, np.nan, np.nan, 3.0, np.nan]])
# 262,144 completions, more than are ever drawn.
LONG = (
    SimilarityGraph(RNG.random((12, 2)), keep=0.6).build(),
    np.array([[2.0, 1.0, 3.0, *9 * [np.nan]]]),
)
TRUTH = flat_vectors(ROW, SEVEN, unranked="anywhere", completions="exact")[0]


def sampled(graph, ranks, **options):
    """Vectors from random completions, and how they were found."""
    model = flat_features(graph, unranked="anywhere", completions="sampled", **options)
    return model.fit(ranks).transform_with_report(ranks)


@cache
def estimates(n_seeds, **options):
    """Estimates of one mean vector from many seeds, their standard errors and draws."""
    found = [sampled(SEVEN, ROW, random_state=seed, **options) for seed in range(n_seeds)]
    vectors = np.array([vector[0] for vector, _ in found])
    errors = np.array([report.standard_error[0] for _, report in found])
    return vectors, errors, [int(report.n_draws[0]) for _, report in found]


def test_unbiased_with_standard_errors_of_the_right_size():
    """Fails by chance for three seeds in 1,000: tests for each of 7 coordinates, Bonferroni."""
    n_seeds = 240
    vectors, errors, _ = estimates(n_seeds, n_draws=160)
    assert stats.ttest_1samp(vectors, TRUTH, axis=0).pvalue.min() > 1e-3 / 7
    # Eight replicates leave seven degrees of freedom.
    inside = np.abs(vectors - TRUTH) <= stats.t(7).ppf(0.95) * errors
    for hits in inside.sum(axis=0):
        assert stats.binomtest(int(hits), n_seeds, 0.9).pvalue > 1e-3 / 7
    actual = ((vectors - TRUTH) ** 2).sum(axis=1).mean()
    # 240 seeds give the ratio of the two to about 8 %, a third of what is allowed for.
    assert 0.8 < actual / (errors**2).sum(axis=1).mean() < 1.25


def test_draws_are_far_better_than_independent_ones():
    """Sixty rankings of forty items: errors add up over 2,400 numbers and hardly vary by seed."""
    rng = np.random.default_rng(0)
    n_items, n_draws = 40, 128
    graph = SimilarityGraph(rng.random((n_items, 3)), keep=0.3).build()
    ranks = np.full((60, n_items), np.nan)
    for row in ranks:
        row[rng.permutation(n_items)[:8]] = np.arange(8)
    options = {"unranked": "anywhere", "completions": "sampled"}
    truth = flat_vectors(ranks, graph, n_draws=8192, random_state=1, **options)
    got = flat_vectors(ranks, graph, n_draws=n_draws, random_state=2, **options)
    independent = np.zeros(ranks.shape)
    for _ in range(n_draws):
        gaps = rng.integers(0, 9, ranks.shape) - 0.5
        independent += flat_vectors(np.where(np.isnan(ranks), gaps, ranks), graph) / n_draws
    assert ((independent - truth) ** 2).sum() > 20 * ((got - truth) ** 2).sum()


class TestTolerance:
    n_items = 9
    graph = SimilarityGraph(np.random.default_rng(3).random((9, 2))).build()

    def ranks(self):
        rng = np.random.default_rng(4)
        ranks = np.array([rng.permutation(self.n_items) for _ in range(200)], dtype=float)
        for row in ranks:
            row[rng.permutation(self.n_items)[: rng.integers(1, 5)]] = np.nan
        return ranks

    @pytest.mark.parametrize("tolerance", [0.1, 0.02, 0.002])
    def test_is_respected_ranking_by_ranking(self, tolerance):
        ranks = self.ranks()
        features, report = sampled(self.graph, ranks, tolerance=tolerance)
        assert (report.relative_error <= tolerance).all()
        truth = flat_vectors(ranks, self.graph, unranked="anywhere", completions="exact")
        error = np.linalg.norm(features - truth, axis=1) / np.linalg.norm(truth, axis=1)
        assert np.sqrt((error**2).mean()) < tolerance
        assert error.max() < 4 * tolerance

    @pytest.mark.parametrize("options", [{"tolerance": 0.2}, {"n_draws": 4}, {"n_draws": 64}])
    def test_few_completions_are_not_left_to_chance(self, options):
        # Four completions: eight pairs of draws are equal for one seed in a hundred.
        row = np.array([[3.0, 1.0, 2.0, np.nan]])
        graph = SimilarityGraph(np.array([[0.0], [0.5], [1.0], [0.2]]))
        vector, report = sampled(graph, row, **options)
        assert report.method.tolist() == ["exact"]
        assert report.n_draws.tolist() == [4]
        truth = flat_vectors(row, graph, unranked="anywhere", completions="exact")
        assert_array_equal(vector, truth)

    def test_more_is_drawn_where_it_is_harder(self):
        ranks = self.ranks()
        drawn = [
            sampled(self.graph, ranks, tolerance=tolerance)[1].n_draws for tolerance in (0.1, 0.003)
        ]
        assert len(np.unique(drawn[1])) > 3
        assert drawn[1].mean() > 3 * drawn[0].mean()

    def test_standard_errors_over_stages_have_the_right_size(self):
        """Fails by chance for fewer than one seed in 1,000; stopping early favours small errors."""
        vectors, errors, drawn = estimates(200, tolerance=0.01)
        assert len(set(drawn)) > 20
        actual = ((vectors - TRUTH) ** 2).sum(axis=1).mean()
        assert 0.7 < actual / (errors**2).sum(axis=1).mean() < 1.5

    def test_just_missed_warns(self):
        # What more draws than allowed would reach, and nothing less.
        _, report = sampled(*LONG, n_draws=MOST_DRAWS)
        with pytest.warns(ConvergenceWarning, match="1 of 1 rankings did not reach.* row 0"):
            sampled(*LONG, tolerance=0.7 * report.relative_error[0])


def test_two_draws_cannot_tell_their_error():
    _, report = sampled(SEVEN, ROW, n_draws=2)
    assert_array_equal(report.relative_error, [np.inf])


def test_weights_of_many_sizes_do_not_spoil_the_mean():
    """The factor of a control variate is learned from few draws, which may hardly differ."""
    rng = np.random.default_rng(5)
    sizes = rng.choice([1.0, 1e-6, 1e4], (5, 5))
    weights = np.triu(rng.random((5, 5)) * (rng.random((5, 5)) < 0.6) * sizes, 1)
    graph = weights + weights.T
    ranks = rng.permuted(np.tile(np.arange(1.0, 6.0), (300, 1)), axis=1)
    ranks[ranks > rng.integers(2, 5, (300, 1))] = np.nan
    truth = flat_vectors(ranks, graph, unranked="anywhere", completions="exact")
    found, _ = sampled(graph, ranks, n_draws=30, random_state=0)
    # No mean of vectors is longer than the longest of them.
    longest = np.linalg.norm(graph.sum(axis=0))
    assert np.abs(found - truth).max() < longest


def test_a_vector_of_zeros_has_no_error():
    vectors, report = sampled(np.zeros((7, 7)), ROW, tolerance=0.1)
    assert_array_equal(vectors, np.zeros((1, 7)))
    assert_array_equal(report.relative_error, [0.0])


def test_more_draws_than_a_block_of_completions():
    vector, report = sampled(*LONG, n_draws=50_000)
    assert report.n_draws.tolist() == [50_000]
    truth = flat_vectors(LONG[1], LONG[0], unranked="anywhere", completions="exact")
    assert (np.abs(vector - truth) < 5 * report.standard_error).all()
