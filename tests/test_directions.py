"""Leading directions against the whole decomposition."""

import numpy as np
import pytest
from scipy import sparse

from rankcut.directions import leading_directions


@pytest.mark.parametrize("shape", [(60, 25), (25, 60), (4, 3)])
@pytest.mark.parametrize("make", [np.asarray, sparse.csr_array])
def test_they_are_those_of_the_whole_decomposition(shape, make):
    # Sizes fall by half, as far as two directions have a gap after them.
    rng = np.random.default_rng(0)
    rank = min(shape)
    left, right = (np.linalg.qr(rng.normal(size=(n, rank)))[0] for n in shape)
    matrix = left * 0.5 ** np.arange(rank) @ right.T
    sizes, directions = leading_directions(make(matrix), 2, seed=0)
    np.testing.assert_allclose(sizes, [1.0, 0.5], rtol=1e-9)
    np.testing.assert_allclose(np.abs(directions @ right[:, :2]), np.eye(2), atol=1e-7)


def test_signs_do_not_depend_on_the_order_of_rows():
    matrix = np.random.default_rng(1).normal(size=(30, 6))
    _, expected = leading_directions(matrix, 3, seed=0)
    _, turned = leading_directions(matrix[::-1], 3, seed=0)
    np.testing.assert_allclose(turned, expected, atol=1e-9)
    assert (expected[np.arange(3), np.abs(expected).argmax(axis=1)] > 0).all()
    # Of equally large entries, it is the first that is positive.
    _, both = leading_directions(np.array([[1.0, -1.0], [-2.0, 2.0]]), 1, seed=0)
    assert both[0, 0] > 0 > both[0, 1]
