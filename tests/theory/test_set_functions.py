"""Section 2 of the paper, equation by equation: rankings, submodularity, the Lovász extension."""

from itertools import product

import numpy as np
import pytest
from functions import CUTS, KINDS, cases, of_each, subsets
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import linprog

from rankcut import from_orders, to_orders
from rankcut.cuts import FromCallable, GraphCut, check_submodular
from rankcut.theory import BasePolytope, lovasz_extension, lovasz_subgradient


def extension_by_definition(case, w):
    """Values of F on the prefixes, weighted by the steps of w."""
    order = sorted(range(case.n), key=lambda i: -w[i])
    f = w[order[-1]] * case.value(frozenset(order))
    for k in range(1, case.n):
        f += (w[order[k - 1]] - w[order[k]]) * case.value(frozenset(order[:k]))
    return f


@st.composite
def vectors(draw, n, ties=True):
    """Vectors of n numbers, with ties now and then."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    return rng.standard_normal(n).round(1 if ties else 15)


def test_rankings_are_ordered_partitions():
    """The table of examples: the four kinds of rankings, turned most preferred first."""
    items = [1, 2, 3, 4, 5]
    orders = [
        [5, 4, 3, 1, 2],  # full: 2 ≺ 1 ≺ 3 ≺ 4 ≺ 5
        [3, 2, (1, 4, 5)],  # top-2: {4, 5, 1} ≺ {2} ≺ {3}
        [(3, 4), (2, 5), 1],  # exhaustive: {1} ≺ {2, 5} ≺ {3, 4}
        [4, 1, 2],  # non-exhaustive: {2} ≺ {1} ≺ {4}
    ]
    ranks, _ = from_orders(orders, items)
    assert to_orders(ranks, items) == orders
    assert np.isnan(ranks).sum(axis=1).tolist() == [0, 0, 0, 2]


@of_each(KINDS)
def test_diminishing_returns(family, data):
    """F(A) + F(B) ≥ F(A ∪ B) + F(A ∩ B) for all A and B."""
    case = data.draw(cases(family, most=4))
    value = {items: case.function(items) for items in subsets(case.n)}
    rounding = 1e-11 * case.scale
    for a, b in product(subsets(case.n), repeat=2):
        assert value[a] + value[b] >= value[a | b] + value[a & b] - rounding


@of_each(KINDS)
def test_lovasz_extension_is_its_definition(family, data):
    case = data.draw(cases(family))
    for ties in (True, False):
        w = data.draw(vectors(case.n, ties))
        expected = extension_by_definition(case, w)
        assert lovasz_extension(case.function, w) == pytest.approx(
            expected, abs=1e-10 * case.scale * max(1, abs(w).max())
        )
    # It is tight at the corners.
    corners = np.array([[i in items for i in range(case.n)] for items in subsets(case.n)])
    got = lovasz_extension(case.function, corners.astype(float))
    expected = [case.value(items) for items in subsets(case.n)]
    assert_allclose(got, expected, rtol=0, atol=1e-10 * case.scale)


@of_each(KINDS)
def test_lovasz_extension_is_linear_where_the_order_is_the_same(family, data):
    case = data.draw(cases(family))
    order = data.draw(st.permutations(range(case.n)))
    u, w = (np.sort(data.draw(vectors(case.n)))[::-1][np.argsort(order)] for _ in range(2))
    mixed = lovasz_extension(case.function, 2 * u + 3 * w)
    parts = 2 * lovasz_extension(case.function, u) + 3 * lovasz_extension(case.function, w)
    assert mixed == pytest.approx(parts, abs=1e-9 * case.scale)


@of_each(KINDS)
def test_lovasz_extension_is_convex_and_the_subgradient_supports_it(family, data):
    case = data.draw(cases(family))
    u, w = data.draw(vectors(case.n)), data.draw(vectors(case.n))
    f = lovasz_extension(case.function, np.array([u, w, (u + w) / 2]))
    rounding = 1e-10 * case.scale * (1 + abs(u).sum() + abs(w).sum())
    assert f[2] <= (f[0] + f[1]) / 2 + rounding
    s = lovasz_subgradient(case.function, w)
    assert s @ w == pytest.approx(f[1], abs=rounding)
    assert s @ u <= f[0] + rounding


@given(values=st.lists(st.integers(-3, 3), min_size=7, max_size=7))
def test_lovasz_extension_is_convex_only_for_submodular_functions(values):
    """A pair of sets that breaks submodularity makes f fail at their midpoint."""
    table = dict(zip(subsets(3), [0, *values], strict=True))
    function = FromCallable(table.__getitem__, 3)
    check = check_submodular(function)
    if check:
        return
    sets = check.counterexample.first, check.counterexample.second
    a, b = (np.array([i in items for i in range(3)], dtype=float) for items in sets)
    f = lovasz_extension(function, np.array([a, b, (a + b) / 2]))
    assert f[2] > (f[0] + f[1]) / 2 + 0.1


@of_each(KINDS)
def test_lovasz_extension_is_the_support_function_of_the_base_polytope(family, data):
    """f(w) = max ⟨w, s⟩ over s(A) ≤ F(A) and s(V) = F(V), by a linear program."""
    case = data.draw(cases(family, most=4))
    w = data.draw(vectors(case.n))
    every = subsets(case.n)[1:]
    rows = np.array([[i in items for i in range(case.n)] for items in every], dtype=float)
    limits = np.array([case.value(items) for items in every]) / case.scale
    total = {"A_eq": np.ones((1, case.n)), "b_eq": limits[-1:]}
    program = linprog(-w, A_ub=rows, b_ub=limits, **total, bounds=(None, None))
    assert program.success, program.message
    got = BasePolytope(case.function).support(w)
    assert got == pytest.approx(-program.fun * case.scale, abs=1e-7 * case.scale)


@of_each(CUTS)
def test_graph_cut_counts_edges_between_a_set_and_the_rest(family, data):
    """F(A) = Σ_{i<j} W_ij·|1_{i∈A} − 1_{j∈A}|; the paper prints j ∉ A, which counts the others."""
    case = data.draw(cases(family))
    weights = case.function.graph.to_dense()
    pairs = [(i, j) for i in range(case.n) for j in range(i)]
    for items in subsets(case.n):
        expected = sum(weights[i, j] * abs((i in items) - (j in items)) for i, j in pairs)
        printed = sum(weights[i, j] * abs((i in items) - (j not in items)) for i, j in pairs)
        assert case.function(items) == pytest.approx(expected, abs=1e-11 * case.scale)
        assert printed == pytest.approx(weights.sum() / 2 - expected, abs=1e-11 * case.scale)


@of_each(CUTS)
def test_lovasz_extension_of_a_cut_is_total_variation(family, data):
    """f(w) = Σ_{i<j} W_ij·|w_i − w_j|, from every pair and from the greedy algorithm."""
    case = data.draw(cases(family))
    w = data.draw(vectors(case.n))
    weights = case.function.graph.to_dense()
    expected = (weights * abs(w[:, None] - w)).sum() / 2
    assert lovasz_extension(case.function, w) == pytest.approx(expected, abs=1e-10 * case.scale)
    greedy = w @ lovasz_subgradient(case.function, w)
    assert greedy == pytest.approx(expected, abs=1e-10 * case.scale)


@pytest.mark.parametrize("w", [[1.0], [[1.0, 2.0]], [0.0, 1.0, np.nan], [[[1.0, 2.0, 3.0]]]])
def test_vectors_of_the_wrong_shape(w):
    with pytest.raises(ValueError, match="one finite number for each of the 3 items"):
        lovasz_extension(GraphCut(np.ones((3, 3))), w)
