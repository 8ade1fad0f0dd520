"""Rank-biased overlap against its definition, depth by depth."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.svm import SVC
from tolerances import assert_rounds_to

from rankcut import compare_groups, make_food
from rankcut._loops import lists as loops
from rankcut.kernels import RBOKernel
from rankcut.kernels import lists as compared


def lists(n_lists, n_items, seed, longest=None):
    """Untied lists of random length, some of them empty."""
    rng = np.random.default_rng(seed)
    ranks = np.full((n_lists, n_items), np.nan)
    for row in ranks:
        length = rng.integers(0, (longest or n_items) + 1)
        row[rng.choice(n_items, length, replace=False)] = np.arange(1, length + 1)
    return ranks


def by_definition(x, y, p):
    """(1 − p)·Σ_d p^(d−1)·|x_1:d ∩ y_1:d|/d; beyond both ends the overlap stays as it is."""
    total, depth, weight = 0.0, 1, 1.0 - p
    while weight > 1e-20:
        common = np.sum((x <= depth) & (y <= depth))
        total += weight * common / depth
        depth, weight = depth + 1, weight * p
    return total


@pytest.mark.parametrize("p", [0.3, 0.9, 0.98])
def test_equals_the_definition(p):
    x, y = lists(6, 9, 0), lists(4, 9, 1)
    expected = [[by_definition(a, b, p) for b in y] for a in x]
    assert_allclose(RBOKernel(p)(x, y), expected, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("p", [1e-3, 0.5, 0.97, 0.981, 0.9995])
def test_weights_of_places(p):
    depths = np.arange(1, int(60 / -np.log(p)) + 1001, dtype=float)
    terms = (1 - p) * p ** (depths - 1) / depths
    expected = np.cumsum(terms[::-1])[::-1]
    for n_places in (1, 30):
        assert_allclose(compared.place_weights(p, n_places), expected[:n_places], rtol=1e-12)


def test_tied_items_share_the_weight_of_their_places():
    g = compared.place_weights(0.9, 4)
    tied, other = [1, 2, 2, 3], [1, 2, 3, 4]
    pair = (g[1] + g[2]) / 2
    expected = g[0] + min(pair, g[1]) + min(pair, g[2]) + g[3]
    assert_allclose(RBOKernel()([tied], [other]), [[expected]], rtol=1e-14)
    # A list shares as much with itself, tied or not.
    assert_allclose(RBOKernel()([tied]), RBOKernel()([other]), rtol=1e-14)


def test_only_the_order_of_ranks_matters():
    assert_array_equal(RBOKernel()([[1, 4, 9]], [[7, 2, 3]]), RBOKernel()([[1, 2, 3]], [[3, 1, 2]]))
    nan = np.nan
    assert_array_equal(RBOKernel(normalize=True)([[nan, nan]], [[nan, nan], [1, 2]]), [[0, 0]])


@pytest.mark.parametrize("p", [0, 1, -0.5, 2, float("nan")])
def test_p_is_between_0_and_1(p):
    with pytest.raises(ValueError, match="p must be between 0 and 1"):
        RBOKernel(p)([[1, 2]])


def test_machine_code_does_what_the_source_says(monkeypatch):
    ranks = np.vstack([lists(6, 8, 5), make_food(3, kind="ties", random_state=0).ranks])
    expected = RBOKernel()(ranks)
    monkeypatch.setattr(compared, "overlap_values", loops.overlap_values.py_func)
    assert_rounds_to(RBOKernel()(ranks), expected, ranks.shape[1], 1.0)


def test_in_models_and_tests():
    food = make_food(80, kind="top-k", k=4, noise=0.3, random_state=0)
    kernel = RBOKernel(normalize=True)
    model = SVC(kernel=kernel).fit(food.ranks[:60], food.target[:60])
    assert model.score(food.ranks[60:], food.target[60:]) >= 0.8
    test = compare_groups(
        food.ranks, food.target, unranked="last", features=kernel, n_permutations=99
    )
    assert test.p_value <= 0.01
    assert "RBOKernel" in repr(kernel)
