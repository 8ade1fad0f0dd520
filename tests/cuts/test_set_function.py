"""One suite that every set function runs through, and what is particular to a family."""

import copy
import pickle

import numpy as np
import pytest
from functions import FAMILIES, cases, make_case, subsets
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from oracles import values_along
from strategies import partitions

from rankcut import ItemGraph
from rankcut.cuts import (
    Complement,
    ConcaveOfCardinality,
    Coverage,
    Entropy,
    FromCallable,
    GaussianEntropy,
    GraphCut,
    Modular,
    Multiple,
    SetFunction,
    SumOfFunctions,
    check_submodular,
)
from rankcut.rankings.partitions import Partitions

every_family = pytest.mark.parametrize("family", FAMILIES)
few = settings(max_examples=settings().max_examples // 3)


@every_family
@few
@given(data=st.data())
def test_each_set_has_the_value_of_its_definition(family, data):
    case = data.draw(cases(family))
    expected = [case.value(items) for items in subsets(case.n)]
    rounding = 1e-11 * case.scale
    assert_allclose(case.function.table(), expected, rtol=0, atol=rounding)
    one_by_one = [case.function(items) for items in subsets(case.n)]
    assert_allclose(one_by_one, expected, rtol=0, atol=rounding)
    assert case.function([]) == 0
    assert case.function.total == pytest.approx(expected[-1], abs=rounding)


@every_family
@few
@given(data=st.data())
def test_increments_along_a_batch_of_chains(family, data):
    case = data.draw(cases(family))
    chains = data.draw(st.lists(partitions(case.n), min_size=1, max_size=4))
    block = Partitions.of_groups(chains, case.n)
    # Room for more rows than there are, full of what must not matter.
    out = np.full((len(chains) + 1, case.n), np.nan)
    case.function.increments(block, out)
    assert np.isnan(out[-1]).all()
    for row, chain in zip(out, chains, strict=False):
        expected = values_along(case.value, chain)
        assert_allclose(np.cumsum(row[: len(chain)]), expected[1:], rtol=0, atol=1e-11 * case.scale)
        assert_allclose(case.function.along(chain), expected, rtol=0, atol=1e-11 * case.scale)


@every_family
def test_a_chain_is_the_same_bits_in_any_batch(family):
    case = make_case(family, 9, 1)
    orders = np.random.default_rng(2).permuted(np.tile(np.arange(9), (40, 1)), axis=1)
    together = case.function.gains(orders)
    assert_array_equal(np.vstack([case.function.gains(order) for order in orders]), together)


@every_family
@few
@given(data=st.data())
def test_is_submodular_and_says_rightly_whether_it_is_symmetric(family, data):
    case = data.draw(cases(family))
    check = check_submodular(case.function)
    assert check.proved
    assert check, str(check)
    table = case.function.table()
    mirrored = bool((abs(table - table[::-1]) <= 1e-11 * case.scale).all())
    assert mirrored or not case.function.symmetric


@every_family
def test_copies(family):
    case = make_case(family, 6, 3)
    orders = np.random.default_rng(2).permuted(np.tile(np.arange(6), (5, 1)), axis=1)
    expected = case.function.gains(orders)
    for copied in (copy.deepcopy(case.function), pickle.loads(pickle.dumps(case.function))):
        assert_array_equal(copied.gains(orders), expected)


@every_family
def test_magnitude_is_of_the_order_of_the_vectors(family):
    case = make_case(family, 6, 3)
    orders = np.random.default_rng(2).permuted(np.tile(np.arange(6), (50, 1)), axis=1)
    longest = np.linalg.norm(case.function.gains(orders), axis=1).max()
    assert longest / 10 < case.function.magnitude < 10 * longest


class Halves(SetFunction):
    """A family of a user's own: 1 if a set has at least half of the items."""

    def __init__(self, n_items):
        self.n_items = n_items

    def increments(self, partitions, out):
        for row in range(len(partitions)):
            ends = partitions.ends[row, : partitions.n_groups[row]]
            out[row, : len(ends)] = np.diff(2 * ends >= self.n_items, prepend=False)


def test_a_family_of_ones_own_needs_increments_alone():
    halves = Halves(4)
    assert (halves({0}), halves({0, 3}), halves.total) == (0, 1, 1)
    assert (halves + 2.0 * halves)({1, 2, 3}) == 3
    assert not check_submodular(halves)
    with pytest.raises(TypeError, match="unsupported operand"):
        halves + 1


def test_what_is_no_set_order_or_partition():
    function = make_case("modular", 3, 0).function
    with pytest.raises(ValueError, match=r"\[1, 3\] has items that do not exist; .* 0 to 2"):
        function({1, 3})
    with pytest.raises(ValueError, match="lists each of the 3 items once"):
        function.gains([[0, 1, 1]])
    for groups in ([[0], [1]], [[0, 1, 2], [2]], [[0, 1, 2], []]):
        with pytest.raises(ValueError, match="not an ordered partition of 3 items"):
            function.along(groups)
    with pytest.raises(ValueError, match="at most 22 items can be tabulated"):
        make_case("modular", 23, 0).function.table()


def test_the_complete_graph_is_concave_of_cardinality():
    concave = ConcaveOfCardinality(lambda k: k * (7 - k), 7)
    assert concave.symmetric
    assert_array_equal(concave.table(), GraphCut(ItemGraph.complete(7)).table())


def test_entropy_of_independent_items_is_modular():
    variances = np.array([0.01, 1.0, 3.0])
    modular = Modular(0.5 * np.log(2 * np.pi * np.e * variances))
    assert_allclose(GaussianEntropy(np.diag(variances)).table(), modular.table(), atol=1e-14)


def test_the_complement_of_the_complement_is_the_function():
    function = make_case("coverage", 5, 0).function
    twice = Complement(Complement(function))
    assert_allclose(twice.table(), function.table(), rtol=0, atol=1e-13)


def test_a_top_list_pays_for_its_items_alone():
    # A covariance that has no Cholesky factor but that of its head: what comes after the last
    # group but one must not be read.
    entropy = GaussianEntropy(np.eye(4))
    entropy._scaled[3, 3] = -1.0
    assert_allclose(entropy.along([[0], [1], [2, 3]])[:3], np.arange(3) * 1.4189385332046727)


def test_a_sum_is_symmetric_if_its_parts_are():
    cut = GraphCut(np.ones((3, 3)))
    assert (cut + 2.0 * cut).symmetric
    assert not (cut + Modular([1, 2, 3])).symmetric
    assert (cut * 3.0).symmetric
    assert (cut + Modular(np.zeros(3))).symmetric


def test_a_callable_sees_frozensets_of_plain_integers():
    seen = []

    def value(items):
        seen.append(items)
        return 0.0

    FromCallable(value, 3).gains([[2, 0, 1]])
    assert seen == [frozenset(), {2}, {0, 2}, {0, 1, 2}]
    assert {type(item) for items in seen for item in items} == {int}


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: ConcaveOfCardinality(np.sqrt), "pass n_items"),
        (lambda: ConcaveOfCardinality([0, 1, 3]), r"not concave: it rises by 1 to g\(1\) and by 2"),
        (lambda: ConcaveOfCardinality([1, 2]), r"g\(0\) is 1, but F\(∅\) must be 0"),
        (lambda: ConcaveOfCardinality([0, 1], 2), "2 values; 2 items need 3"),
        (lambda: ConcaveOfCardinality([0]), "for 0 items and for 1"),
        (lambda: Coverage([{"a"}, {"b"}], {"a": 1}), "'b' is covered but has no weight"),
        (lambda: Coverage([{"a"}], {"a": -1}), "must not be negative"),
        (lambda: Entropy([1, 2]), r"got shape \(2,\)"),
        (lambda: GaussianEntropy([[1, 2], [0, 1]]), r"not symmetric: entry \(0, 1\) is 2"),
        (lambda: GaussianEntropy([[1, 1], [1, 1]]), "not positive definite: .* Add a small"),
        (lambda: GaussianEntropy([[1, 0]]), "square matrix"),
        (lambda: Modular([1, np.nan]), r"must be finite; entry \(1,\) is nan"),
        (lambda: Multiple(-1, Modular([1])), "factor must be above 0.*got -1"),
        (lambda: SumOfFunctions([Modular([1]), Modular([1, 2])]), r"items are \[1, 2\]"),
        (lambda: FromCallable(lambda items: 3.0, 2), r"F\(∅\) is 3, and it must be 0"),
        (lambda: FromCallable(lambda items: -np.log(1 - len(items)), 1).total, "finite values"),
    ],
)
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()
