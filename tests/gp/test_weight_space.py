"""Rows in memory: what a weighted row stands for."""

import numpy as np
import pytest

from rankcut.gp.weight_space import LabelledRows, mean_square


def test_the_mean_square_of_weighted_rows_is_that_of_repeated_ones():
    rng = np.random.default_rng(0)
    X, counts = rng.standard_normal((20, 3)), rng.integers(0, 5, 20)
    weighted = mean_square(X, counts.astype(float), 1)
    assert weighted == pytest.approx(mean_square(np.repeat(X, counts, axis=0), None, 1), rel=1e-12)
    assert weighted == pytest.approx((np.repeat(X, counts, axis=0) ** 2).sum(axis=1).mean() / 4)
    assert mean_square(np.zeros((4, 2)), None, 0) == 1.0


@pytest.mark.parametrize("weighted", [False, True])
def test_a_sample_to_start_from_stands_for_all_rows_of_each_class(weighted):
    n_rows = 20_000
    X = np.arange(2.0 * n_rows).reshape(n_rows, 2)
    positive = np.arange(n_rows) % 4 == 0
    weight = np.where(positive, 2.0, 3.0) if weighted else None
    sample = LabelledRows(X, positive, weight).sample()
    assert len(sample.positive) < n_rows / 2
    for label, times in ((True, 2.0), (False, 3.0)):
        there = sample.positive == label
        total = (positive == label).sum() * (times if weighted else 1.0)
        assert sample.weight[there].sum() == pytest.approx(total)
    assert LabelledRows(X[:100], positive[:100], None).sample() is None
