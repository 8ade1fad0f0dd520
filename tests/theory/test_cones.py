"""Sections 2 and 3 and the appendix, equation by equation: cones, features, isotonic duality."""

import numpy as np
import oracles
import pytest
from functions import CUTS, KINDS, cases, cases_and_partitions, few, make_case, of_each
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import isotonic_regression, linprog
from strategies import ranks_of

from rankcut import GraphCutKernel, SubmodularFeatures
from rankcut.cuts import Modular
from rankcut.theory import BasePolytope, MajorantCone, TangentCone, lovasz_extension

both_cones = pytest.mark.parametrize("kind", [TangentCone, MajorantCone])

# s(B_t) ≤ F(B_t) in one cone, ≥ in the other.
SIDE = {TangentCone: -1, MajorantCone: 1}


def sizes_of(groups):
    return np.array([len(group) for group in groups], dtype=float)


def random_point_of(kind, values, groups, seed):
    """A point of the cone: prefixes lifted or lowered by random amounts, groups disturbed."""
    rng = np.random.default_rng(seed)
    scale = abs(values).max() or 1.0
    sums = values[1:].copy()
    sums[:-1] += SIDE[kind] * scale * rng.exponential(size=len(sums) - 1)
    point = oracles.spread(groups, np.diff(sums, prepend=0.0) / sizes_of(groups))
    for group in groups:
        noise = rng.standard_normal(len(group))
        point[group] += scale * (noise - noise.mean())
    return point


@both_cones
@of_each(KINDS)
def test_cone_is_its_inequalities(family, kind, data):
    # Beside a random case, one item without weights.
    alone = make_case("structured cut", 1, 0), [[0]]
    for case, groups in (data.draw(cases_and_partitions(family)), alone):
        values = oracles.values_along(case.value, groups)
        cone = kind(case.function, groups)
        point = random_point_of(kind, values, groups, data.draw(st.integers(0, 999)))
        assert cone.contains(point)
        if len(groups) > 1:
            worse = values[1:].copy()
            worse[0] -= SIDE[kind] * case.scale
            outside = oracles.spread(groups, np.diff(worse, prepend=0.0) / sizes_of(groups))
            assert not cone.contains(outside)
        assert not cone.contains(point + case.scale)


@of_each(KINDS)
def test_tangent_cone_contains_the_base_polytope(family, data):
    """An outer approximation; it meets the majorant cone in the face of the ordered partition."""
    case, groups = data.draw(cases_and_partitions(family, most=4))
    polytope = BasePolytope(case.function)
    tangent, majorant = TangentCone(case.function, groups), MajorantCone(case.function, groups)
    for vertex in polytope.vertices():
        assert tangent.contains(vertex)
    for vertex in polytope.face(groups).vertices:
        assert majorant.contains(vertex)


@of_each([*CUTS, "mutual information"])
def test_printed_feature_map_vanishes_for_cuts(family, data):
    """The definition as printed: the shortest vector of the tangent cone.

    A symmetric submodular function is never negative, since 2·F(A) = F(A) + F(V∖A) ≥
    F(V) + F(∅) = 0, and it is 0 on V. So s = 0 satisfies s(B_t) ≤ F(B_t) and s(V) = F(V): it lies
    in the tangent cone of every ordered partition, and nothing is shorter. Read literally, every
    ranking has the same features, 0. The algorithm and the figures of the paper use the other
    direction of monotonicity, which is that of the majorant cone.
    """
    case, groups = data.draw(cases_and_partitions(family, least=2))
    printed = TangentCone(case.function, groups)
    assert printed.contains(np.zeros(case.n))
    assert_allclose(printed.min_norm_point(), 0, rtol=0, atol=1e-11 * case.scale)
    values = oracles.values_along(case.value, groups)
    by_solver = oracles.shortest_in_cone(values / case.scale, groups, SIDE[TangentCone])
    assert_allclose(by_solver, 0, rtol=0, atol=1e-6)
    if np.abs(values[1:-1]).max(initial=0.0) > 1e-3 * case.scale:
        used = MajorantCone(case.function, groups).min_norm_point()
        assert np.abs(used).max() > 1e-5 * case.scale


@both_cones
@of_each(KINDS)
def test_min_norm_point_against_a_qp_solver(family, kind, data):
    case, groups = data.draw(cases_and_partitions(family))
    values = oracles.values_along(case.value, groups)
    expected = case.scale * oracles.shortest_in_cone(values / case.scale, groups, SIDE[kind])
    got = kind(case.function, groups).min_norm_point()
    assert_allclose(got, expected, rtol=0, atol=1e-6 * case.scale)
    if kind is MajorantCone:
        ranks = ranks_of(groups, case.n)[None]
        features = SubmodularFeatures(case.function).fit_transform(ranks)[0]
        assert_allclose(features, got, rtol=0, atol=1e-12 * case.scale)


@both_cones
@of_each(KINDS)
def test_isotonic_problem_has_the_dual_value(family, kind, data):
    """min over monotone v of objective(v) = max over the cone of −½‖s‖², s* = −Σ v*_i·1_{A_i}."""
    case, groups = data.draw(cases_and_partitions(family))
    cone = kind(case.function, groups)
    solution = cone.isotonic()
    assert solution.gap == pytest.approx(0, abs=1e-10 * case.scale**2)
    steps = np.diff(solution.values)
    assert ((steps <= 0) if kind is TangentCone else (steps >= 0)).all()
    assert_array_equal(-oracles.spread(groups, solution.values), cone.min_norm_point())
    # As a weighted isotonic regression of −(F(B_i) − F(B_{i−1})) / |A_i|, by SciPy.
    values = oracles.values_along(case.value, groups)
    slopes = np.diff(values) / sizes_of(groups)
    rising = kind is MajorantCone
    expected = isotonic_regression(-slopes, weights=sizes_of(groups), increasing=rising).x
    assert_allclose(solution.values, expected, rtol=0, atol=1e-10 * case.scale)
    # The gap is never negative: any monotone v and any point s of the cone.
    seed = data.draw(st.integers(0, 999))
    v = case.scale * np.sort(np.random.default_rng(seed).standard_normal(len(groups)))
    if kind is TangentCone:
        v = v[::-1]
    point = random_point_of(kind, values, groups, seed)
    assert cone.objective(v) >= -0.5 * point @ point - 1e-9 * case.scale**2
    assert cone.objective(v) >= solution.primal - 1e-9 * case.scale**2


@of_each(KINDS)
def test_objective_on_compatible_vectors(family, data):
    """f(w) + ½‖w‖² = Σ v_i·(F(B_i) − F(B_{i−1})) + ½ Σ |A_i|·v_i² for v_1 ≥ … ≥ v_l."""
    case, groups = data.draw(cases_and_partitions(family))
    rng = np.random.default_rng(data.draw(st.integers(0, 999)))
    v = np.sort(rng.standard_normal(len(groups)))[::-1]
    w = oracles.spread(groups, v)
    expected = lovasz_extension(case.function, w) + 0.5 * w @ w
    got = TangentCone(case.function, groups).objective(v)
    assert got == pytest.approx(expected, abs=1e-10 * (1 + case.scale))


@both_cones
@of_each(KINDS)
def test_support_function_of_the_cone(family, kind, data):
    """The Lovász extension on compatible w, infinite elsewhere; by a linear program."""
    case, groups = data.draw(cases_and_partitions(family, most=4))
    rng = np.random.default_rng(data.draw(st.integers(0, 999)))
    values = oracles.values_along(case.value, groups) / case.scale
    cone = kind(case.function, groups)
    falling = np.sort(rng.standard_normal(len(groups)))[::-1]
    candidates = [
        oracles.spread(groups, falling),
        oracles.spread(groups, falling[::-1]),
        rng.standard_normal(case.n),
    ]
    limits = {"A_eq": np.ones((1, case.n)), "b_eq": values[-1:]}
    if len(groups) > 1:
        limits["A_ub"] = -SIDE[kind] * oracles.prefix_rows(groups)[:-1]
        limits["b_ub"] = -SIDE[kind] * values[1:-1]
    for w in candidates:
        program = linprog(-w, **limits, bounds=(None, None))
        got = cone.support(w)
        if np.isfinite(got):
            assert program.status == 0
            assert got == pytest.approx(-program.fun * case.scale, abs=1e-7 * case.scale)
        else:
            # Unbounded; or one of the two, where the solver does not tell which.
            assert program.status in (3, 4)
    if kind is TangentCone:
        expected = lovasz_extension(case.function, candidates[0])
        assert cone.support(candidates[0]) == pytest.approx(expected, abs=1e-10 * case.scale)
        levels = cone.levels(candidates[0])
        assert_array_equal(levels, falling)


def test_levels_are_there_only_for_vectors_constant_on_groups():
    cone = TangentCone(Modular([1, 2, 3]), [[0, 1], [2]])
    assert cone.levels([1.0, 1.0, 5.0]).tolist() == [1, 5]
    assert cone.levels([1.0, 2.0, 5.0]) is None


@both_cones
@of_each(KINDS)
def test_basic_ordered_partition(family, kind, data):
    """Merged groups: strictly monotone, in closed form, and basic in their turn."""
    case, groups = data.draw(cases_and_partitions(family))
    cone = kind(case.function, groups)
    merged = cone.basic_partition()
    again = kind(case.function, merged)
    solution = again.isotonic()
    steps = np.diff(solution.values)
    rounding = 1e-10 * case.scale
    assert ((steps <= rounding) if kind is TangentCone else (steps >= -rounding)).all()
    slopes = np.diff(oracles.values_along(case.value, merged)) / sizes_of(merged)
    assert_allclose(solution.values, -slopes, rtol=0, atol=rounding)
    assert_allclose(again.min_norm_point(), cone.min_norm_point(), rtol=0, atol=rounding)
    flat = [item for group in groups for item in group]
    assert [item for group in merged for item in group] == flat
    assert len(set(cone.isotonic().values.tolist())) == len(merged)


@few
@given(data=st.data())
def test_kernel_is_the_inner_product_of_features(data):
    case, groups = data.draw(cases_and_partitions("dense cut", least=2))
    other = data.draw(st.permutations(range(case.n)))
    ranks = np.array([ranks_of(groups, case.n), ranks_of([[i] for i in other], case.n)])
    features = SubmodularFeatures(case.function).fit_transform(ranks)
    got = GraphCutKernel(case.function.graph)(ranks)
    assert_allclose(got, features @ features.T, rtol=0, atol=1e-9 * case.scale**2)


@of_each(KINDS)
def test_convolution_kernel_is_the_inner_product_of_mean_features(family, data):
    """The mean of k(a, a') over all completions of both rankings, and (l + 1)^u of them."""
    case = data.draw(cases(family, least=2, most=4))
    rng = np.random.default_rng(data.draw(st.integers(0, 999)))
    ranks = rng.permuted(np.tile(np.arange(1.0, case.n + 1), (2, 1)), axis=1)
    ranks[rng.random(ranks.shape) < 0.4] = np.nan
    completed = [list(oracles.completions(row)) for row in ranks]
    for row, chains in zip(ranks, completed, strict=True):
        n_ranked = int((~np.isnan(row)).sum())
        assert len(chains) == (n_ranked + 1) ** (case.n - n_ranked)
    vectors = [
        np.array([oracles.pooled_slopes(oracles.values_along(case.value, c), c) for c in chains])
        for chains in completed
    ]
    convolution = (vectors[0] @ vectors[1].T).mean()
    how = {"unranked": "anywhere", "completions": "exact"}
    means = SubmodularFeatures(case.function, **how).fit_transform(ranks)
    assert means[0] @ means[1] == pytest.approx(convolution, abs=1e-9 * case.scale**2)
