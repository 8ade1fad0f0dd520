"""The feature map: each law of the method, on random graphs and partitions of any scale."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from maps import flat_features, flat_vectors
from numpy.testing import assert_allclose, assert_array_equal
from ranking_sets import stored
from scipy import sparse, stats
from strategies import graphs_and_partitions, partitions, ranks_of, weight_matrices
from tolerances import assert_rounds_to, rounding

from rankcut import (
    Completions,
    ItemGraph,
    NeighborGraph,
    SimilarityGraph,
    SubmodularFeatures,
    graph_cut_features,
)
from rankcut.cuts import Coverage, FromCallable, fastest_algorithm
from rankcut.graphs import as_item_graph
from rankcut.theory import BasePolytope

ALGORITHMS = ["table", "dense", "sparse"]


def tolerance(weights):
    """Rounding, relative to the largest possible feature."""
    return 1e-12 * max(weights.sum(), np.finfo(float).tiny)


def phi(weights, groups, **options):
    return flat_vectors(ranks_of(groups, len(weights))[None], weights, **options)[0]


@given(groups=st.integers(1, 12).flatmap(partitions))
def test_complete_graph_gives_average_ranks(groups):
    n = sum(map(len, groups))
    row = ranks_of(groups, n)
    expected = n + 1 - 2 * stats.rankdata(row)
    assert_array_equal(flat_vectors(row[None])[0], expected)
    for algorithm in ALGORITHMS:
        got = phi(np.ones((n, n)), groups, algorithm=algorithm)
        assert_allclose(got, expected, rtol=0, atol=1e-10)


@pytest.mark.parametrize("n_items", [1, 2, 3, 5, 16, 17, 40, 150])
def test_algorithms_agree(n_items):
    rng = np.random.default_rng(n_items)
    ranks = rng.integers(1, n_items + 1, size=(30, n_items))
    weights = SimilarityGraph(rng.random((n_items, 3)), keep=0.6).build()
    reference = flat_vectors(ranks, weights, algorithm="dense")
    assert_allclose(flat_vectors(ranks, weights), reference, rtol=0, atol=1e-10)
    assert_allclose(flat_vectors(ranks, weights, algorithm="sparse"), reference, rtol=0, atol=1e-10)
    if n_items <= 17:
        assert_allclose(
            flat_vectors(ranks, weights, algorithm="table"), reference, rtol=0, atol=1e-10
        )


class TestOnlyTheOrderMatters:
    ranks = np.array([[3, 1, 2, 2], [0, 5, 4, 1]])

    @pytest.mark.parametrize(
        "change",
        [
            lambda x: x - 1,
            lambda x: x * 1e6,
            lambda x: x / 7 - 3,
            lambda x: np.exp(x),
            lambda x: -1.0 / (x + 1),
            lambda x: x.astype(np.float32),
            lambda x: x.astype(np.uint8),
            lambda x: x.astype(object),
            lambda x: np.asfortranarray(x, dtype=float),
            lambda x: np.repeat(x, 2, axis=1)[:, ::2],
            lambda x: x.tolist(),
        ],
    )
    def test_any_increasing_numbers(self, change):
        expected = flat_vectors(self.ranks)
        assert_array_equal(flat_vectors(change(self.ranks)), expected)

    def test_ranks_are_not_changed(self):
        ranks = np.array([[2.0, 1.0, np.nan]])
        before = ranks.copy()
        flat_vectors(ranks, unranked="last")
        assert_array_equal(ranks, before)


class TestUnrankedLast:
    def test_a_ranking_of_no_item_is_zero(self):
        empty = np.full((1, 3), np.nan)
        assert_array_equal(flat_vectors(empty, unranked="last"), np.zeros((1, 3)))

    @pytest.mark.parametrize("algorithm", ["complete", *ALGORITHMS])
    def test_sparse_ranks_equal_dense_ranks(self, algorithm):
        rng = np.random.default_rng(1)
        n_items = 12
        dense = rng.integers(0, 5, size=(50, n_items)).astype(float)
        dense[rng.random(dense.shape) < 0.6] = np.nan
        ranks = stored(dense)
        graph = None if algorithm == "complete" else rng.random((n_items, n_items))
        graph = None if graph is None else graph + graph.T
        options = {"unranked": "last", "algorithm": algorithm, "sparse_output": False}
        expected = flat_vectors(dense, graph, **options)
        for kind in (sparse.csr_array, sparse.csr_matrix, sparse.csc_array, sparse.coo_array):
            assert_array_equal(flat_vectors(kind(ranks), graph, **options), expected)

    def test_a_stored_nan_in_a_sparse_matrix_is_unranked(self):
        ranks = sparse.csr_array(np.array([[1.0, np.nan, 2.0]]))
        found = flat_vectors(ranks, unranked="last", sparse_output=False)
        assert_array_equal(found, flat_vectors([[1, 3, 2]]))


class TestScale:
    @pytest.mark.parametrize("algorithm", ["complete", *ALGORITHMS])
    def test_one_item(self, algorithm):
        graph = None if algorithm == "complete" else [[0.0]]
        assert_array_equal(flat_vectors([[7]], graph, algorithm=algorithm), [[0.0]])

    @pytest.mark.parametrize("algorithm", ALGORITHMS)
    def test_all_weights_zero(self, algorithm):
        got = flat_vectors([[1, 2, 3]], np.zeros((3, 3)), algorithm=algorithm)
        assert_array_equal(got, np.zeros((1, 3)))

    @given(weights=weight_matrices(7), groups=partitions(7))
    def test_float32_is_float64_rounded_once(self, weights, groups):
        double = phi(weights, groups)
        assert_array_equal(phi(weights, groups, dtype=np.float32), double.astype(np.float32))

    def test_dtype_follows_float32_ranks(self):
        ranks = np.array([[1, 2, 3]])
        assert flat_vectors(ranks.astype(np.float32)).dtype == np.float32
        assert flat_vectors(ranks.astype(np.float32), dtype=float).dtype == np.float64
        assert flat_vectors(ranks).dtype == np.float64


class TestNormalize:
    @given(case=graphs_and_partitions(least=2))
    def test_unit_length_in_the_same_direction(self, case):
        weights, groups = case
        plain, unit = phi(weights, groups), phi(weights, groups, normalize=True)
        norm = np.linalg.norm(plain)
        if not unit.any():
            assert norm <= rounding(len(plain), np.sum(weights))
        else:
            assert np.linalg.norm(unit) == pytest.approx(1, abs=1e-14)
            assert_allclose(unit * norm, plain, rtol=0, atol=1e-12 * norm)

    @pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
    @pytest.mark.parametrize("n_items", [6, 30])
    def test_a_vector_that_is_zero_but_for_rounding_has_no_direction(
        self, n_items, scale, monkeypatch
    ):
        # Two groups that no edge joins: every cut is 0, if not to the last bit.
        rng = np.random.default_rng(0)
        half = n_items // 2
        ranks = np.repeat([1.0, 2.0], half)
        for _ in range(40):
            weights = np.zeros((n_items, n_items))
            for part in (slice(half), slice(half, n_items)):
                upper = np.triu(rng.random((half, half)), 1)
                weights[part, part] = upper + upper.T
            got = flat_vectors([ranks], scale * weights, normalize=True)
            assert_array_equal(got, 0.0)
            # An item without edges may be anywhere: it changes nothing.
            more, row = np.pad(scale * weights, (0, 1)), np.append(ranks, np.nan)
            options = {"unranked": "anywhere", "completions": "exact"}
            got = flat_vectors([row], more, normalize=True, **options)
            assert_array_equal(got, 0.0)
            # A full ranking among those whose means have a closed form.
            both = [row, np.append(ranks, 3.0)]
            with monkeypatch.context() as patch:
                patch.setattr("rankcut.cuts.feature_map.CLOSED_FORM_ITEMS", 5)
                got = flat_vectors(both, more, normalize=True, unranked="anywhere")
            assert_array_equal(got[1], 0.0)
            # One weak edge between them is enough for a direction.
            weights[0, -1] = weights[-1, 0] = 1e-9
            found = flat_vectors([ranks], scale * weights, normalize=True)[0]
            expected = np.repeat([1.0, -1.0], half) / np.sqrt(n_items)
            assert_allclose(found, expected, rtol=0, atol=1e-4)

    def test_vectors_beyond_float32_are_scaled_before_they_are_rounded(self):
        ranks = np.tile([[1.0, 2.0, 3.0, 4.0], [4.0, 1.0, 3.0, 2.0]], (40, 1))
        options = {"normalize": True, "dtype": np.float32}
        for scale in (1e-100, 1e100):
            got = flat_vectors(ranks, scale * (1 - np.eye(4)), **options)
            assert_array_equal(got, flat_vectors(ranks, **options))


@pytest.mark.parametrize(
    ("n_items", "options"),
    [
        *((n_items, {"unranked": "last", "normalize": True}) for n_items in (6, 16, 30, 200)),
        (30, {"unranked": "last", "unlisted_weight": "balanced"}),
        (30, {"unranked": "anywhere", "unlisted_weight": "balanced"}),
        (30, {"unranked": "anywhere", "completions": "sampled", "n_draws": 40}),
        (30, {"unranked": "anywhere", "completions": "sampled", "tolerance": 0.05}),
        (37, {"unranked": "last", "smoothing": 1.5}),
    ],
    ids=str,
)
@pytest.mark.parametrize("form", ["dense", "sparse"])
def test_the_same_bits_for_any_number_of_threads_and_any_batch(n_items, options, form):
    rng = np.random.default_rng(n_items)
    n_rows = 2400 if "completions" in options else 160_000 // n_items
    ranks = rng.permuted(np.tile(np.arange(n_items), (n_rows, 1)), axis=1).astype(float)
    ranks[rng.random(ranks.shape) < rng.choice([0.0, 0.1, 0.8], (n_rows, 1))] = np.nan
    graph = SimilarityGraph(rng.random((n_items, 3)), keep=1.0 if form == "dense" else 0.2).build()
    one = flat_vectors(ranks, graph, **options)
    assert_array_equal(flat_vectors(ranks, graph, n_jobs=2, **options), one)
    pieces = np.split(ranks, [1, 2, n_rows // 3, n_rows - 5])
    assert_array_equal(np.vstack([flat_vectors(piece, graph, **options) for piece in pieces]), one)
    assert_array_equal(flat_vectors(ranks[::-1], graph, **options)[::-1], one)
    # The same order in other numbers.
    assert_array_equal(flat_vectors(ranks[:99] * 3 - 1, graph, **options), one[:99])
    if form == "sparse" and "n_draws" not in options and "tolerance" not in options:
        lists = stored(ranks + 1)
        whole = flat_vectors(lists, graph, n_jobs=2, **options)
        halves = [flat_vectors(half, graph, **options) for half in (lists[:777], lists[777:])]
        if sparse.issparse(whole):
            whole, halves = whole.toarray(), [half.toarray() for half in halves]
        assert_array_equal(np.vstack(halves), whole)


class TestChoiceOfAlgorithm:
    """By cost: the number of items, and of edges."""

    @pytest.mark.parametrize(
        ("graph", "expected"),
        [
            (ItemGraph.complete(50), "complete"),
            (as_item_graph(1 - np.eye(16)), "table"),
            (as_item_graph(1 - np.eye(17)), "dense"),
            (NeighborGraph(np.arange(1000.0)[:, None], n_neighbors=2), "sparse"),
            (as_item_graph(np.diag(np.ones(49), 1) + np.diag(np.ones(49), -1)), "dense"),
        ],
    )
    def test_auto(self, graph, expected):
        assert fastest_algorithm(as_item_graph(graph)) == expected

    @pytest.mark.parametrize(
        ("algorithm", "message"),
        [("table", "too many for 30 items"), ("complete", "for the complete graph")],
    )
    def test_refused(self, algorithm, message):
        with pytest.raises(ValueError, match=message):
            flat_vectors(np.arange(30)[None], 1 - np.eye(30), algorithm=algorithm)


# Powers of two, so that scaling rounds nothing: about 1e-280, 1e-155, 1e155 and 1e286.
SCALES = [2.0**-930, 2.0**-515, 2.0**515, 2.0**950]

RNG = np.random.default_rng(0)
N = 12
WEIGHTS = np.triu(RNG.random((N, N)) * (RNG.random((N, N)) < 0.6), 1)
WEIGHTS += WEIGHTS.T
RANKS = np.argsort(RNG.random((5, N)), axis=1) + 1.0
LISTS = np.where(RANKS > 4, np.nan, RANKS)

OPTIONS = [
    {"unranked": "last"},
    {"unranked": "last", "normalize": True},
    {"unranked": "last", "unlisted_weight": "balanced"},
    {"unranked": "last", "smoothing": 1.5, "normalize": True},
    {"unranked": "anywhere", "completions": "sampled", "tolerance": 0.05},
    {"unranked": "anywhere", "completions": "sampled", "n_draws": 32, "normalize": True},
    {"unranked": "anywhere", "completions": "closed_form", "normalize": True},
    {"unranked": "anywhere", "completions": "closed_form"},
]


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_vectors_scale_and_no_choice_changes(scale, options, form):
    plain, report = _found(form(WEIGHTS), options)
    scaled, other = _found(form(scale * WEIGHTS), options)
    factor = 1.0 if options.get("normalize") else scale
    if "smoothing" in options:
        # A step divides by √d_i·√d_j, whose roots round in another way: two sums of N terms.
        assert_rounds_to(scaled / factor, plain, n_terms=2 * N)
    else:
        assert_array_equal(scaled / factor, plain)
    assert_array_equal(other.n_draws, report.n_draws)
    assert_array_equal(other.relative_error, report.relative_error)
    if report.standard_error is not None:
        assert_array_equal(other.standard_error / factor, report.standard_error)


def _found(graph, options):
    return flat_features(graph, **options).fit(LISTS).transform_with_report(LISTS)


def test_tiny_weights_take_as_many_draws_as_their_tolerance_needs():
    _, report = _found(1e-200 * WEIGHTS, OPTIONS[4])
    assert (report.n_draws > 16).any()
    assert (report.relative_error > 0).all()


@pytest.mark.parametrize("scale", SCALES)
def test_other_set_functions_scale(scale):
    completions = Completions("sampled", n_draws=16)

    def found(factor):
        function = FromCallable(lambda items: factor * min(len(items), 3), N)
        model = SubmodularFeatures(function, unranked="anywhere", completions=completions)
        return model.fit(LISTS).transform_with_report(LISTS)

    (plain, report), (scaled, other) = found(1.0), found(scale)
    assert_array_equal(scaled / scale, plain)
    assert_array_equal(other.relative_error, report.relative_error)


@pytest.mark.parametrize("normalize", [False, True])
def test_sums_that_overflow_are_refused(normalize):
    with pytest.raises(ValueError, match="large"):
        graph_cut_features(
            LISTS, 1e280 * WEIGHTS, unranked="last", unlisted_weight=1e30, normalize=normalize
        )
    with np.errstate(all="ignore"):
        covered = Coverage([["a"], ["b"], ["a"]], {"a": 1.7e308, "b": 1.7e308})
        with pytest.raises(ValueError, match="large"):
            SubmodularFeatures(covered, normalize=normalize).fit_transform([[1, 2, 3]])


@pytest.mark.parametrize("scale", SCALES)
def test_min_norm_points_scale(scale):
    def point(factor):
        function = FromCallable(lambda items: factor * (min(len(items), 3) + len(items & {1})), 5)
        return BasePolytope(function).min_norm_point()

    assert_array_equal(point(scale) / scale, point(1.0))
