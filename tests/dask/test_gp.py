"""Fits from blocks against fits in memory."""

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest

from rankcut import GPClassifier, GPRegressor
from rankcut.dask import add_up, map_rows

RNG = np.random.default_rng(0)
CODES = RNG.integers(0, 3, 3000)
FEATURES = RNG.normal(size=(3, 4))[CODES] + 2 * RNG.normal(size=(3000, 4))
WEIGHT = RNG.integers(0, 3, 3000).astype(float)
NAMES = np.array(["a", "bb", "c"])


def summed(X, *beside):
    return lambda part: add_up(part, X, *beside)


def assert_same(model, expected):
    assert model.classes_.tolist() == expected.classes_.tolist()
    assert model.elbo_ == pytest.approx(expected.elbo_, abs=1e-8)
    for name in ("coef_", "intercept_", "covariance_"):
        np.testing.assert_allclose(getattr(model, name), getattr(expected, name), rtol=0, atol=1e-8)
    # The bound is flat along the variances at its maximum.
    for name in ("kernel_variance_", "constant_variance_"):
        np.testing.assert_allclose(getattr(model, name), getattr(expected, name), rtol=1e-4)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"constant_variance": 0.0},
        {"class_weight": "balanced", "kernel_variance": 0.3},
        {"class_weight": {0: 2.0, 1: 1.0}},
    ],
)
def test_two_classes(options):
    y = (CODES > 0).astype(int)
    model = GPClassifier(**options).fit_sums(summed(da.from_array(FEATURES, chunks=(700, 3)), y))
    assert_same(model, GPClassifier(**options).fit(FEATURES, y))


def test_three_classes_with_weights():
    X = da.from_array(FEATURES, chunks=(900, -1))
    y = da.from_array(NAMES[CODES], chunks=700)
    model = GPClassifier().fit_sums(summed(X, y, da.from_array(WEIGHT, chunks=400)))
    assert_same(model, GPClassifier().fit(FEATURES, NAMES[CODES], sample_weight=WEIGHT))
    new = FEATURES[:50]
    lazily = da.from_array(new, chunks=20)
    predicted = map_rows(model.predict, lazily)
    assert predicted.chunks == ((20, 20, 10),)
    np.testing.assert_array_equal(predicted.compute(), model.predict(new))


def test_numbers():
    y = FEATURES @ [1.0, -1.0, 0.5, 0.0] + np.random.default_rng(1).normal(size=3000)
    model = GPRegressor().fit_sums(summed(da.from_array(FEATURES, chunks=(700, 3)), y, WEIGHT))
    expected = GPRegressor().fit(FEATURES, y, sample_weight=WEIGHT)
    np.testing.assert_allclose(model.coef_, expected.coef_, rtol=1e-8)
    assert model.log_evidence_ == pytest.approx(expected.log_evidence_, rel=1e-10)


def test_frames_with_empty_partitions():
    frame = pd.DataFrame(FEATURES, columns=list("abcd")).assign(y=NAMES[CODES])
    lazily = dd.from_pandas(frame, npartitions=5)
    lazily = lazily.map_partitions(
        lambda part: part[(part.index < 1000) | (part.index >= 2000)], meta=lazily._meta
    )
    model = GPClassifier().fit_sums(summed(lazily[list("abcd")], lazily["y"]))
    rows = np.r_[0:1000, 2000:3000]
    assert_same(model, GPClassifier().fit(FEATURES[rows], frame.loc[rows, "y"]))


def test_what_does_not_fit_together_is_refused():
    X = da.from_array(FEATURES, chunks=(1000, -1))
    unknown = X[X[:, 0] > -1e9]

    def refused(pattern, X, *beside):
        with pytest.raises(ValueError, match=pattern):
            GPClassifier().fit_sums(summed(X, *beside))

    refused("X has 3,000 rows and argument 3 has 2,999", X, CODES[1:])
    refused("X has 3,000 rows and argument 3 has 2,999", X, da.from_array(CODES[1:], chunks=1000))
    refused(r"compute_chunk_sizes\(\) of an array", unknown, CODES)
    refused("X has 3 blocks and argument 3 has 8", unknown, da.from_array(CODES, chunks=400))
    short = da.from_array(CODES[1:], chunks=((1000, 999, 1000),))
    refused("block 1: X has 1,000 rows and argument 3 999", unknown, short)
    column = da.from_array(CODES[:, None], chunks=(700, 1))
    refused(r"argument 3 has shape \(.*\), and should have one dimension", X, column)
    refused("X is in memory", FEATURES, da.from_array(CODES, chunks=1000))
    refused("y has one class", X, np.zeros(3000))
    refused("class 'a' have weight 0", X, NAMES[CODES], (CODES > 0).astype(float))
    none = X[:, 0] > 1e9
    refused("all blocks are empty", X[none], da.from_array(CODES, chunks=1000)[none])
    bad = FEATURES.copy()
    bad[1400, 1] = np.nan
    refused("block 1: Input X contains NaN", da.from_array(bad, chunks=(1000, -1)), CODES)


@pytest.mark.parametrize("model", [GPClassifier(), GPRegressor()])
def test_weights_of_all_blocks_add_up_to_what_is_exact(model):
    X, y = da.from_array(FEATURES, chunks=(1000, -1)), da.from_array(CODES, chunks=1000)
    with pytest.raises(ValueError, match=r"sample_weight adds up to more than 2\*\*53"):
        model.fit_sums(summed(X, y, np.full(3000, 1e13)))
