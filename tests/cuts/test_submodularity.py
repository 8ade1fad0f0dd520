"""check_submodular: proofs, counterexamples, and what it says of them."""

from itertools import product

import numpy as np
import pytest
from functions import FAMILIES, make_case, subsets
from hypothesis import given
from hypothesis import strategies as st

from rankcut.cuts import FromCallable, GaussianEntropy, Modular, check_submodular


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


# A table of all sets is for few items.
@pytest.mark.parametrize("family", [name for name in FAMILIES if name != "cut by table"])
def test_no_counterexample_among_many_items(family):
    check = check_submodular(make_case(family, 30, 0).function, n_trials=2000)
    assert check
    assert not check.proved
    assert check.n_checked == 2000
    assert str(check) == "perhaps submodular: no counterexample in 2,000 random inequalities"


def test_finds_a_counterexample_among_many_items():
    weights = np.random.default_rng(0).random(20)
    good = FromCallable(lambda items: np.sqrt(sum(weights[i] for i in items)), 20)
    bad = FromCallable(lambda items: 0.05 * ({7, 16} <= items), 20)
    assert check_submodular(good, n_trials=500)
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
