"""Rows in memory: what a weighted row stands for."""

import numpy as np
import pytest

from rankcut.gp.weight_space import LabelledRows, survey_rows


def test_the_mean_square_of_weighted_rows_is_that_of_repeated_ones():
    rng = np.random.default_rng(0)
    X, counts = rng.standard_normal((20, 3)), rng.integers(0, 5, 20)
    labels = np.arange(20) % 3
    weighted = survey_rows(X, labels, counts.astype(float))
    repeated = survey_rows(np.repeat(X, counts, axis=0), np.repeat(labels, counts), None)
    for one, other in zip(weighted[2:4], repeated[2:4], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)
    mean = (np.repeat(X, counts, axis=0) ** 2).sum(axis=1).mean()
    assert weighted.scale == pytest.approx(np.ldexp(mean, -2 * weighted.exponent))
    assert survey_rows(np.zeros((4, 2)), np.zeros(4), None).scale == 1.0


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
