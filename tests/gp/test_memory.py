"""Weight space takes a constant and O(n²) besides the features and a few numbers for each row."""

import tracemalloc

import numpy as np
import pytest

from rankcut import GPClassifier
from rankcut.gp import weight_space


def peak(n_rows, n_features):
    """The most memory, in bytes, that a fit takes besides its features and labels.

    The least of three fits: what other threads of the process take meanwhile counts too.
    """
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, n_features))
    y = (X[:, 0] + rng.normal(size=n_rows) > 0).astype(int)
    peaks = []
    for _ in range(3):
        tracemalloc.start()
        try:
            GPClassifier(kernel_variance=1.0).fit(X, y)
            peaks.append(tracemalloc.get_traced_memory()[1])
        finally:
            tracemalloc.stop()
    return min(peaks)


@pytest.fixture
def warm():
    """Compilation takes memory of its own."""
    peak(100, 3)


@pytest.mark.slow
def test_memory_grows_by_a_few_numbers_a_row(warm, monkeypatch):
    # The table of distinct rows is the constant; a small one shows what grows.
    monkeypatch.setattr(weight_space, "AT_ONCE", 1 << 12)
    few, many = peak(5_000, 20), peak(20_000, 20)
    assert (many - few) / 15_000 < 8 * 8
    assert many < 0.6 * 20_000 * 20 * 8


@pytest.mark.slow
def test_memory_grows_with_the_square_of_the_features(warm, monkeypatch):
    monkeypatch.setattr(weight_space, "AT_ONCE", 1 << 12)
    # Sites and posteriors of the last steps, each n × n; a Gram matrix would be 400 of them.
    for n in (50, 80):
        assert peak(20 * n, n) < 80 * n**2 * 8
