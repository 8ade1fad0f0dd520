"""SubmodularFeatures: all kinds of rankings under every set function, and which laws hold."""

from itertools import product

import numpy as np
import oracles
import pytest
from functions import FAMILIES, KINDS, cases_and_partitions, make_case, subsets
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from sklearn.exceptions import ConvergenceWarning
from strategies import ranks_of

from rankcut import Completions, GraphCutFeatures, SimilarityGraph, SubmodularFeatures, make_food
from rankcut.cuts import (
    Complement,
    FeatureMap,
    FromCallable,
    GaussianEntropy,
    GraphCut,
    MapOptions,
    Modular,
    check_submodular,
)
from rankcut.rankings import read_rankings

# Some of these rankings tie all that they list: their vectors are 0, which is warned of.
NAN = np.nan
every_family = pytest.mark.parametrize("family", FAMILIES)
every_kind = pytest.mark.parametrize("family", KINDS)
few = settings(max_examples=settings().max_examples // 3)


def phi(function, row, **options):
    return SubmodularFeatures(function, **options).fit_transform(np.atleast_2d(row))[0]


def phi_of_groups(function, groups, **options):
    return phi(function, ranks_of(groups, function.n_items), **options)


def features_by_definition(case, groups):
    return oracles.pooled_slopes(oracles.values_along(case.value, groups), groups)


def mean_by_enumeration(case, row):
    return np.mean([features_by_definition(case, g) for g in oracles.completions(row)], axis=0)


@every_family
@few
@given(data=st.data())
def test_full_tied_and_top_rankings(family, data):
    case, groups = data.draw(cases_and_partitions(family))
    rounding = 1e-10 * case.scale
    expected = features_by_definition(case, groups)
    assert_allclose(phi_of_groups(case.function, groups), expected, rtol=0, atol=rounding)
    top = ranks_of(groups[:-1], case.n)
    got = phi(case.function, top, unranked="last")
    assert_allclose(got, expected, rtol=0, atol=rounding)


@every_family
@few
@given(data=st.data())
def test_incomplete_rankings_equal_the_enumerated_mean(family, data):
    """One group alone, and nothing at all, among them."""
    case, groups = data.draw(cases_and_partitions(family, most=4))
    row = ranks_of(groups, case.n)
    row[data.draw(st.lists(st.sampled_from(range(case.n)), unique=True))] = np.nan
    got = phi(case.function, row, unranked="anywhere", completions="exact")
    assert_allclose(got, mean_by_enumeration(case, row), rtol=0, atol=1e-10 * case.scale)


@pytest.mark.parametrize("row", [[NAN] * 4, [NAN, 1, NAN, NAN], [2, NAN, 2, NAN]])
@pytest.mark.parametrize("completions", ["auto", "exact", "sampled"])
def test_one_group_alone_is_not_zero_unless_the_function_is_symmetric(row, completions):
    case = make_case("coverage", 4, 1)
    options = {"unranked": "anywhere", "completions": Completions(completions, tolerance=1e-3)}
    got = phi(case.function, row, **options)
    expected = mean_by_enumeration(case, np.array(row))
    assert_allclose(got, expected, rtol=0, atol=0.01 * case.scale)
    assert np.abs(expected).max() > 0.1 * case.scale
    symmetric = case.function + Complement(case.function)
    assert not symmetric.symmetric
    declared = FromCallable(symmetric, 4, symmetric=True)
    assert_array_equal(phi(declared, row, **options), np.zeros(4))
    assert_allclose(phi(symmetric, row, **options), 0, rtol=0, atol=0.01 * case.scale)


@pytest.mark.parametrize("family", ["coverage", "gaussian entropy", "sum"])
def test_samples_are_unbiased_with_errors_that_cover(family):
    """Fails by chance for one seed in 1,000 at each of two tests of 6 coordinates."""
    case = make_case(family, 6, 5)
    row = np.array([[2.0, NAN, 1.0, NAN, 3.0, NAN]])
    truth = phi(case.function, row, unranked="anywhere", completions="exact")
    vectors, errors = [], []
    for seed in range(200):
        completions = Completions("sampled", n_draws=32, random_state=seed)
        options = MapOptions(unranked="anywhere", completions=completions)
        vector, report = FeatureMap(case.function, options).with_report(
            read_rankings(row, unranked="anywhere")
        )
        assert report.method.tolist() == ["sampled"]
        vectors.append(vector[0])
        errors.append(report.standard_error[0])
    vectors, errors = np.array(vectors), np.array(errors)
    assert stats.ttest_1samp(vectors, truth, axis=0).pvalue.min() > 1e-3 / 6
    inside = np.abs(vectors - truth) <= stats.t(7).ppf(0.95) * errors
    # Draws of a Latin hypercube are not normal: their intervals may cover too often, never
    # too seldom.
    for hits in inside.sum(axis=0):
        assert stats.binomtest(int(hits), 200, 0.9, alternative="less").pvalue > 1e-3 / 6


class TestLaws:
    @every_kind
    @few
    @given(data=st.data())
    def test_is_constant_on_groups_and_falls_along_them(self, family, data):
        case, groups = data.draw(cases_and_partitions(family))
        vector = phi_of_groups(case.function, groups)
        levels = [set(vector[group]) for group in groups]
        assert all(len(level) == 1 for level in levels)
        values = [level.pop() for level in levels]
        assert values == sorted(values, reverse=True)

    @every_kind
    @few
    @given(data=st.data())
    def test_reversed_ranking_has_the_opposite_vector_of_the_complement(self, family, data):
        case, groups = data.draw(cases_and_partitions(family))
        backward = phi_of_groups(case.function, groups[::-1])
        opposite = -phi_of_groups(Complement(case.function), groups)
        assert_allclose(backward, opposite, rtol=0, atol=1e-10 * case.scale)
        if case.function.symmetric:
            forward = phi_of_groups(case.function, groups)
            assert_allclose(backward, -forward, rtol=0, atol=1e-10 * case.scale)


class TestSpecialCase:
    food = make_food(60, kind="incomplete", noise=0.3, random_state=0)
    graph = SimilarityGraph(food.item_features).build()

    @pytest.mark.parametrize(
        "options",
        [
            {"unranked": "last"},
            {"unranked": "last", "normalize": True, "dtype": np.float32},
            {"unranked": "anywhere"},
            {
                "unranked": "anywhere",
                "completions": Completions("sampled", n_draws=16, random_state=3),
            },
            {"unranked": "anywhere", "completions": "closed_form"},
        ],
    )
    def test_graph_cuts_are_the_same_bits(self, options):
        expected = GraphCutFeatures(self.graph, **options).fit_transform(self.food.ranks)
        got = SubmodularFeatures(GraphCut(self.graph), **options).fit_transform(self.food.ranks)
        assert_array_equal(got, expected)
        assert got.dtype == expected.dtype

    def test_without_a_function_it_is_the_cut_of_the_complete_graph(self):
        ranks = make_food(9, random_state=0).ranks
        assert_array_equal(
            SubmodularFeatures().fit_transform(ranks), GraphCutFeatures().fit_transform(ranks)
        )


@pytest.mark.parametrize(
    ("function", "options", "message"),
    [
        (
            Modular([1, 2, 3]),
            {"unranked": "anywhere", "completions": "closed_form"},
            "for graph cuts; the set function is a Modular",
        ),
        (Modular([1, 2]), {"unranked": "last"}, "has 2 items, but the rankings have 3"),
        (len, {"unranked": "last"}, r"FromCallable\(function, 3\) makes one"),
    ],
)
def test_what_is_refused(function, options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        SubmodularFeatures(function, **options).fit(np.array([[1.0, 2.0, NAN]]))


def test_a_tolerance_out_of_reach_says_nothing_of_closed_forms():
    model = SubmodularFeatures(
        make_case("coverage", 7, 0).function,
        unranked="anywhere",
        completions=Completions("sampled", tolerance=1e-7),
    )
    with pytest.warns(ConvergenceWarning, match="raise the tolerance$"):
        model.fit_transform([[2.0, NAN, 1.0, NAN, NAN, 3.0, NAN]])


def test_cuts_inside_other_functions_are_matched_by_name_too():
    pd = pytest.importorskip("pandas")
    names = list("abc")
    graph = pd.DataFrame([[0, 4, 1], [4, 0, 2], [1, 2, 0]], index=names, columns=names)
    X = pd.DataFrame([[1, 2, 3]], columns=list("cba"))
    cut = GraphCut(graph)
    expected = SubmodularFeatures(cut).fit_transform(X)
    assert_allclose(SubmodularFeatures(2.0 * cut).fit_transform(X), 2 * expected)
    for function in (cut + Modular([0, 0, 0]), Complement(cut)):
        assert_allclose(SubmodularFeatures(function).fit_transform(X), expected, atol=1e-12)


@pytest.mark.parametrize("n_items", [5, 20])
def test_a_function_that_is_not_submodular_is_reported_with_a_counterexample(n_items):
    function = FromCallable(lambda items: len(items) ** 2, n_items)
    ranks = np.arange(1.0, n_items + 1)[None]
    with pytest.warns(UserWarning, match=r"not submodular: F\(\{.*\) = .* < .* = F\("):
        SubmodularFeatures(function).fit(ranks)


def test_a_submodular_function_of_ones_own_is_taken_without_a_word():
    SubmodularFeatures(FromCallable(lambda items: min(len(items), 2), 5)).fit([[1, 2, 3, 4, 5]])


@given(values=st.lists(st.integers(-3, 3), min_size=15, max_size=15))
def test_agrees_with_all_pairs_of_sets(values):
    table = dict(zip(subsets(4), [0, *values], strict=True))
    check = check_submodular(FromCallable(table.__getitem__, 4))
    truth = all(
        table[a] + table[b] >= table[a | b] + table[a & b] for a, b in product(subsets(4), repeat=2)
    )
    assert bool(check) == truth
    assert check.proved
    if not truth:
        a, b = check.counterexample.first, check.counterexample.second
        assert check.counterexample.values == (table[a], table[b], table[a | b], table[a & b])
        assert table[a] + table[b] < table[a | b] + table[a & b]


def test_finds_a_counterexample_among_many_items():
    weights = np.random.default_rng(0).random(20)
    good = FromCallable(lambda items: np.sqrt(sum(weights[i] for i in items)), 20)
    bad = FromCallable(lambda items: 0.05 * ({7, 16} <= items), 20)
    check = check_submodular(good, n_trials=500)
    assert check
    assert not check.proved
    assert str(check) == "perhaps submodular: no counterexample in 500 random inequalities"
    # A trial is about these two items once in 190 times.
    check = check_submodular(good + bad, n_trials=3000)
    assert not check
    assert not check.proved
    shown = check.counterexample
    assert {7, 16} <= shown.first ^ shown.second
    assert shown.violation > 0
    assert str(check).startswith("not submodular: F({")


def test_says_what_it_proved():
    check = check_submodular(Modular([1, 2, 3]))
    assert str(check) == "submodular: all 6 inequalities hold"
    assert check_submodular(Modular([1])).n_checked == 0


def test_rounding_is_no_counterexample():
    nearly_independent = np.eye(6) + 1e-9
    assert check_submodular(1e6 * GaussianEntropy(nearly_independent))
