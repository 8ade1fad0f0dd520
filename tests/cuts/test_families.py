"""What is particular to a family: relations between families, and input that is refused."""

import numpy as np
import pytest
from functions import make_case
from numpy.testing import assert_allclose, assert_array_equal

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
    SumOfFunctions,
)


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
