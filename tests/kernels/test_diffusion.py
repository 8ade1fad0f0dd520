"""The diffusion kernel against the matrix exponential, and characters against known tables."""

from collections import Counter
from itertools import permutations
from math import factorial, log, prod

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.linalg import expm

from rankcut.kernels import DiffusionKernel
from rankcut.kernels.diffusion import character_table, class_values, cycle_codes, partitions_of


def heat(n, beta):
    """All rankings of n items, and exp(−β·L) of the graph of transpositions between them."""
    rankings = list(permutations(range(1, n + 1)))
    place = {ranking: i for i, ranking in enumerate(rankings)}
    adjacency = np.zeros((len(rankings), len(rankings)))
    for ranking in rankings:
        for i in range(n):
            for j in range(i):
                swapped = list(ranking)
                swapped[i], swapped[j] = swapped[j], swapped[i]
                adjacency[place[ranking], place[tuple(swapped)]] = 1
    return place, expm(beta * (adjacency - n * (n - 1) / 2 * np.eye(len(rankings))))


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("beta", [0.01, 0.2, 2.0])
def test_is_the_matrix_exponential(n, beta):
    place, expected = heat(n, beta)
    got = DiffusionKernel(beta)(np.array(list(place)))
    assert_allclose(got, expected, atol=1e-15, rtol=1e-11)


def test_characters_of_four_items():
    # Rows: trivial, standard, (2, 2), standard with signs, signs; columns: 4, 31, 22, 211, 1111.
    assert_array_equal(
        character_table(4),
        [
            [1, 1, 1, 1, 1],
            [-1, 0, -1, 1, 3],
            [0, -1, 2, 0, 2],
            [1, 0, -1, -1, 3],
            [-1, 1, 1, -1, 1],
        ],
    )


def class_sizes(n):
    """How many rankings have each cycle type."""
    sizes = []
    for shape in partitions_of(n):
        counts = Counter(shape)
        centralizer = prod(part**count * factorial(count) for part, count in counts.items())
        sizes.append(factorial(n) / centralizer)
    return sizes


@pytest.mark.parametrize("n", [6, 9])
def test_characters_are_orthogonal(n):
    table = character_table(n)
    assert_allclose(table * class_sizes(n) @ table.T, factorial(n) * np.eye(len(table)), atol=1e-6)
    assert (table[:, -1] ** 2).sum() == factorial(n)


@pytest.mark.parametrize("n", [2, 7, 12, 20])
def test_each_cycle_type_has_its_place(n):
    codes, places, size = cycle_codes(n)
    assert len(set(places.tolist())) == len(partitions_of(n))
    assert places.max() < size
    assert_array_equal(
        places, [sum(int(codes[part]) for part in shape) for shape in partitions_of(n)]
    )


def test_twenty_items():
    # The values of all rankings add up to 1, whatever β is: it is a probability.
    values = class_values(20, 0.05, derivative=False)
    assert_allclose(values @ class_sizes(20), 1, rtol=1e-6)
    rng = np.random.default_rng(0)
    ranks = np.array([rng.permutation(20) for _ in range(30)])
    got = DiffusionKernel(normalize=True)(ranks)
    assert_allclose(np.diag(got), 1, rtol=1e-14)
    assert np.linalg.eigvalsh(got).min() > -1e-13


def test_the_default_rate():
    ranks = [[1, 2, 3, 4], [2, 1, 3, 4]]
    assert_array_equal(DiffusionKernel()(ranks), DiffusionKernel(log(4) / 2)(ranks))


def test_parameters_that_do_not_fit():
    with pytest.raises(ValueError, match=r"at most 20 items; got 21.*MallowsKernel"):
        DiffusionKernel()(np.arange(21.0)[None])
    with pytest.raises(ValueError, match=r"row 1: .*for full rankings.*use MallowsKernel"):
        DiffusionKernel()([[1, 2], [1, 1]])
    with pytest.raises(ValueError, match="beta must be a finite number above 0"):
        DiffusionKernel(0)([[1, 2]])
