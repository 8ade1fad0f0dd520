"""Repeated rows, what a weighted row stands for, and the memory that rows take."""

import tracemalloc

import numpy as np
import pytest
from sklearn.base import clone

from rankcut import GPClassifier, make_food
from rankcut.gp import weight_space
from rankcut.gp.weight_space import LabelledRows, few_distinct, survey_rows


def test_many_distinct_rows_are_left_alone_and_zeros_are_equal(monkeypatch):
    zeros = np.array([[0.0], [-0.0]])
    assert len(few_distinct(zeros, np.zeros(2, dtype=np.intp), None).rows) == 1
    monkeypatch.setattr("rankcut.gp.weight_space.AT_ONCE", 300)
    rows = np.arange(101.0)[:, None].repeat(3, axis=1)
    codes = np.zeros(101, dtype=np.intp)
    assert few_distinct(rows, codes, None) is None
    assert len(few_distinct(rows[:100], codes[:100], None).rows) == 100
    assert len(few_distinct(rows, codes, np.arange(101.0)).rows) == 100


@pytest.mark.parametrize("class_weight", [None, "balanced"])
def test_weights_and_repeated_rows_are_the_same_problem(class_weight):
    food = make_food(60, noise=1.0, random_state=3)
    X, y = food.ranks, food.target
    counts = np.random.default_rng(0).integers(0, 4, size=60)
    index = np.random.default_rng(1).permutation(np.arange(60).repeat(counts))
    model = GPClassifier(class_weight=class_weight)
    weighed = clone(model).fit(X, y, sample_weight=counts)
    repeated = clone(model).fit(X[index], y[index])
    assert weighed.elbo_ == repeated.elbo_
    np.testing.assert_array_equal(weighed.predict_proba(X), repeated.predict_proba(X))


def test_the_mean_square_of_weighted_rows_is_that_of_repeated_ones():
    rng = np.random.default_rng(0)
    X, counts = rng.standard_normal((20, 3)), rng.integers(0, 5, 20)
    labels = np.arange(20) % 3
    weighted = survey_rows(X, labels, counts.astype(float))
    repeated = survey_rows(np.repeat(X, counts, axis=0), np.repeat(labels, counts), None)
    for name in ("totals", "squares"):
        np.testing.assert_allclose(getattr(weighted, name), getattr(repeated, name), rtol=1e-12)
    mean = (np.repeat(X, counts, axis=0) ** 2).sum(axis=1).mean()
    assert weighted.scale == pytest.approx(mean)
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


@pytest.mark.slow
def test_memory_grows_by_a_few_numbers_a_row_and_the_square_of_the_features(monkeypatch):
    # Compilation takes memory of its own.
    peak(100, 3)
    # The table of distinct rows is the constant; a small one shows what grows.
    monkeypatch.setattr(weight_space, "AT_ONCE", 1 << 12)
    few, many = peak(5_000, 20), peak(20_000, 20)
    assert (many - few) / 15_000 < 8 * 8
    assert many < 0.6 * 20_000 * 20 * 8
    # Sites and posteriors of the last steps, each n × n; a Gram matrix would be 400 of them.
    for n in (50, 80):
        assert peak(20 * n, n) < 80 * n**2 * 8
