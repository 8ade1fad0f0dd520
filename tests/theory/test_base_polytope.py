"""The base polytope: vertices, faces, membership, shortest point."""

from itertools import permutations

import numpy as np
import oracles
import pytest
from functions import KINDS, cases, make_case, of_each, subsets
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.spatial import ConvexHull

from rankcut.cuts import GraphCut, Modular
from rankcut.theory import BasePolytope, ordered_partitions


def membership_by_sets(case, s):
    """s(A) − F(A) of each set, by its definition."""
    return {items: s[sorted(items)].sum() - case.value(items) for items in subsets(case.n)}


@of_each(KINDS)
def test_vertices_are_points_of_the_polytope_and_tight_along_their_chain(family, data):
    case = data.draw(cases(family))
    order = data.draw(st.permutations(range(case.n)))
    vertex = BasePolytope(case.function).vertex(order)
    excess = membership_by_sets(case, vertex)
    rounding = 1e-10 * case.scale
    assert max(excess.values()) <= rounding
    for size in range(case.n + 1):
        assert abs(excess[frozenset(order[:size])]) <= rounding


@of_each(KINDS)
def test_membership_agrees_with_all_sets_and_shows_a_violated_one(family, data):
    case = data.draw(cases(family))
    polytope = BasePolytope(case.function)
    rng = np.random.default_rng(data.draw(st.integers(0, 999)))
    vertices = polytope.vertices()
    inside = rng.dirichlet(np.ones(len(vertices))) @ vertices
    assert polytope.contains(inside)
    push = rng.standard_normal(case.n)
    moved = inside + case.scale * (push - push.mean())
    excess = membership_by_sets(case, moved)
    found = polytope.contains(moved)
    assert bool(found) == (max(excess.values()) <= 1e-8 * case.scale)
    if not found:
        assert excess[found.violated] == pytest.approx(found.excess, abs=1e-9 * case.scale)
        assert found.excess == pytest.approx(max(excess.values()), abs=1e-6 * case.scale)


def test_membership_of_many_items():
    case = make_case("dense cut", 60, 0)
    polytope = BasePolytope(case.function)
    orders = np.random.default_rng(0).permuted(np.tile(np.arange(60), (30, 1)), axis=1)
    inside = case.function.gains(orders).mean(axis=0)
    assert polytope.contains(inside)
    outside = inside.copy()
    outside[3] += 3 * case.function({3})
    outside[4] -= 3 * case.function({3})
    found = polytope.contains(outside)
    assert not found
    violated = sorted(found.violated)
    assert outside[violated].sum() > case.function(violated)
    assert found.excess == pytest.approx(outside[violated].sum() - case.function(violated))


def test_a_point_beside_the_plane_is_outside():
    polytope = BasePolytope(Modular([1, 2]))
    assert polytope.contains([1, 2])
    for point in ([1, 1], [1, 3]):
        found = polytope.contains(point)
        assert found.violated == {0, 1}
        assert found.excess == sum(point) - 3
    with pytest.raises(ValueError, match="for each of the 2 items"):
        polytope.contains([1, 2, 3])


@of_each(KINDS)
def test_shortest_point_against_a_qp_solver(family, data):
    case = data.draw(cases(family, most=4))
    proper = [items for items in subsets(case.n) if 0 < len(items) < case.n]
    rows = np.array([[i in items for i in range(case.n)] for items in proper], dtype=float)
    limits = np.array([case.value(items) for items in proper]) / case.scale
    total = case.value(frozenset(range(case.n))) / case.scale
    expected = case.scale * oracles.shortest(rows.reshape(-1, case.n), limits, -1, total, case.n)
    got = BasePolytope(case.function).min_norm_point()
    assert_allclose(got, expected, rtol=0, atol=1e-6 * case.scale)


def test_ordered_partitions_are_the_faces_of_the_permutohedron():
    """On the complete graph each one of l groups is a face of dimension n − l."""
    for n, count in enumerate([1, 3, 13, 75, 541], start=1):
        found = list(ordered_partitions(n))
        assert len(found) == len(set(found)) == count
        assert {tuple(sorted(sum(groups, ()))) for groups in found} == {tuple(range(n))}
    polytope = BasePolytope(GraphCut(np.ones((4, 4))))
    faces = list(polytope.faces())
    assert [face.dimension for face in faces] == [4 - len(face.groups) for face in faces]
    assert len(polytope.vertices()) == 24
    flat = polytope.vertices()[:, :3]
    assert len(ConvexHull(flat).vertices) == 24


@of_each(KINDS)
def test_a_face_is_where_its_prefixes_are_tight(family, data):
    case = data.draw(cases(family, most=4))
    polytope = BasePolytope(case.function)
    vertices = polytope.vertices()
    everything = {tuple(np.round(v / case.scale, 7) + 0.0) for v in vertices}
    by_order = {
        tuple(np.round(polytope.vertex(order) / case.scale, 7) + 0.0)
        for order in permutations(range(case.n))
    }
    assert everything == by_order
    for face in polytope.faces():
        prefixes = oracles.prefix_rows(face.groups)
        values = oracles.values_along(case.value, face.groups)[1:]
        tight = (abs(vertices @ prefixes.T - values) <= 1e-9 * case.scale).all(axis=1)
        assert len(face.vertices) == tight.sum()


def test_too_many_items_to_list():
    polytope = BasePolytope(Modular(np.ones(9)))
    with pytest.raises(ValueError, match="9 items have too many orders"):
        polytope.vertices()
    with pytest.raises(ValueError, match="vertex, support and contains work for any number"):
        polytope.faces()
