"""The literal procedures agree with the library: each is the other's oracle."""

import numpy as np
import pytest

from rankcut import SimilarityGraph, graph_cut_features
from rankcut.kernels import kendall_kernel, mallows_kernel
from reproduction.literal import (
    coherent_partitions,
    convolved,
    count_full_orders,
    cut_oracle,
    expected_kendall,
    full_orders,
    groups_of,
    kendall_tau,
    mallows,
    pool_literally,
)

NAN = np.nan
ROWS = [
    [1.0, 2.0, 3.0, 4.0, 5.0],
    [1.0, 1.0, 2.0, 3.0, 3.0],
    [2.0, NAN, 1.0, NAN, 3.0],
    [1.0, NAN, 1.0, 2.0, NAN],
]


@pytest.fixture
def graph():
    return SimilarityGraph(np.random.default_rng(0).random((5, 2))).build()


@pytest.mark.parametrize("remember", [True, False])
@pytest.mark.parametrize("row", ROWS[:2])
def test_the_algorithm_box_gives_the_features(graph, row, remember):
    values = pool_literally(groups_of(-np.array(row)), cut_oracle(graph), remember=remember)
    np.testing.assert_allclose(
        [values[item] for item in range(5)], graph_cut_features([row], graph)[0]
    )


@pytest.mark.parametrize("row", ROWS)
def test_the_mean_over_coherent_partitions_is_the_mean_feature(graph, row):
    cut = cut_oracle(graph)
    vectors = []
    for groups in coherent_partitions(np.array(row)):
        values = pool_literally(groups[::-1], cut, remember=True)
        vectors.append([values[item] for item in range(5)])
    ours = graph_cut_features([row], graph, unranked="anywhere", completions="exact")[0]
    np.testing.assert_allclose(np.mean(vectors, axis=0), ours, atol=1e-12)


@pytest.mark.parametrize("row", ROWS)
def test_full_orders_are_counted_right_and_differ(row):
    orders = list(full_orders(np.array(row)))
    assert len(orders) == len(set(orders)) == count_full_orders(np.array(row))


@pytest.mark.parametrize("one", ROWS)
@pytest.mark.parametrize("other", ROWS)
def test_convolution_kernels(one, other):
    first, second = (list(full_orders(np.array(row))) for row in (one, other))
    np.testing.assert_allclose(
        convolved(kendall_tau, first, second),
        kendall_kernel([one], [other], unranked="anywhere")[0, 0],
        atol=1e-12,
    )
    np.testing.assert_allclose(
        convolved(lambda a, b: mallows(a, b, 0.3), first, second),
        mallows_kernel([one], [other], lam=0.3, unranked="anywhere", n_draws=120)[0, 0],
        atol=1e-12,
    )


def test_the_closed_form_of_kendall_is_the_mean_over_full_orders():
    rng = np.random.default_rng(0)
    for _ in range(8):
        rows = np.array([rng.permutation(5) + 1.0 for _ in range(2)])
        rows[rng.random((2, 5)) < 0.4] = NAN
        one, other = (list(full_orders(row)) for row in rows)
        expected = convolved(kendall_tau, one, other)
        assert expected_kendall(*rows) == pytest.approx(expected, abs=1e-12)
