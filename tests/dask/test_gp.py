"""Fits from blocks against fits in memory."""

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from tolerances import assert_rounds_to

from rankcut import GPClassifier, GPRegressor
from rankcut.dask import estimators
from rankcut.gp import weight_space

RNG = np.random.default_rng(0)
CODES = RNG.integers(0, 3, 3000)
FEATURES = RNG.normal(size=(3, 4))[CODES] + 2 * RNG.normal(size=(3000, 4))
WEIGHT = RNG.integers(0, 3, 3000).astype(float)
NAMES = np.array(["a", "bb", "c"])


@pytest.fixture
def many(monkeypatch):
    """Even these rows are too many to be fetched."""
    monkeypatch.setattr(weight_space, "AT_ONCE", 100)


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
def test_two_classes(many, options, monkeypatch):
    y = (CODES > 0).astype(int)
    if not options:
        # Blocks are not kept.
        monkeypatch.setattr(estimators, "_SHARE", 0.0)
    model = GPClassifier(**options).fit(da.from_array(FEATURES, chunks=(700, 3)), y)
    assert_same(model, GPClassifier(**options).fit(FEATURES, y))


def test_three_classes_with_weights(many):
    X = da.from_array(FEATURES, chunks=(900, -1))
    y = da.from_array(NAMES[CODES], chunks=700)
    model = GPClassifier().fit(X, y, sample_weight=da.from_array(WEIGHT, chunks=400))
    assert_same(model, GPClassifier().fit(FEATURES, NAMES[CODES], WEIGHT))
    new = FEATURES[:50]
    lazily = da.from_array(new, chunks=20)
    np.testing.assert_array_equal(model.predict(lazily).compute(), model.predict(new))
    size = 1.0 + (np.abs(new) @ np.abs(model.coef_).T + np.abs(model.intercept_)).max()
    for method in ("predict_proba", "decision_function"):
        result = getattr(model, method)(lazily)
        assert result.chunks[0] == (20, 20, 10)
        # In blocks of another size, BLAS may add in another order: five terms, or sums of five.
        expected = getattr(model, method)(new)
        assert_rounds_to(result.compute(), expected, n_terms=5 * 5, size=size)


def test_few_distinct_rows_are_the_same_bits():
    X, y = np.round(FEATURES[:2000]), CODES[:2000]
    model = GPClassifier().fit(da.from_array(X, chunks=(300, -1)), y)
    expected = GPClassifier().fit(X, y)
    np.testing.assert_array_equal(model.coef_, expected.coef_)
    assert model.elbo_ == expected.elbo_


def test_frames_with_empty_partitions(many):
    frame = pd.DataFrame(FEATURES, columns=list("abcd")).assign(y=NAMES[CODES])
    lazily = dd.from_pandas(frame, npartitions=5)
    lazily = lazily.map_partitions(
        lambda part: part[(part.index < 1000) | (part.index >= 2000)], meta=lazily._meta
    )
    model = GPClassifier().fit(lazily[list("abcd")], lazily["y"])
    kept = np.r_[0:1000, 2000:3000]
    expected = GPClassifier().fit(frame.loc[kept, list("abcd")], frame.loc[kept, "y"])
    assert_same(model, expected)
    assert model.feature_names_in_.tolist() == list("abcd")
    result = model.predict(lazily[list("abcd")]).compute()
    np.testing.assert_array_equal(result, expected.predict(frame.loc[kept, list("abcd")]))


def test_what_does_not_fit_together_is_refused():
    X = da.from_array(FEATURES, chunks=(1000, -1))
    unknown = X[X[:, 0] > -1e9]
    with pytest.raises(ValueError, match=r"X has 3,000 rows and y has 2,999"):
        GPClassifier().fit(X, CODES[1:])
    with pytest.raises(ValueError, match=r"X has 3,000 rows and y has 2,999"):
        GPClassifier().fit(X, da.from_array(CODES[1:], chunks=1000))
    with pytest.raises(ValueError, match=r"compute_chunk_sizes\(\) of an array"):
        GPClassifier().fit(unknown, CODES)
    with pytest.raises(ValueError, match="X has 3 blocks and y has 8"):
        GPClassifier().fit(unknown, da.from_array(CODES, chunks=400))
    with pytest.raises(ValueError, match="block 1: X has 1,000 rows and y 999 labels"):
        GPClassifier().fit(unknown, da.from_array(CODES[1:], chunks=((1000, 999, 1000),)))
    with pytest.raises(ValueError, match=r"y has shape \(.*\), and should have one dimension"):
        GPClassifier().fit(X, da.from_array(CODES[:, None], chunks=(700, 1)))
    with pytest.raises(ValueError, match="X is in memory"):
        GPClassifier().fit(FEATURES, da.from_array(CODES, chunks=1000))
    with pytest.raises(ValueError, match="y has one class"):
        GPClassifier().fit(X, np.zeros(3000))
    with pytest.raises(ValueError, match="class 'a' have weight 0"):
        GPClassifier().fit(X, NAMES[CODES], (CODES > 0).astype(float))
    with pytest.raises(ValueError, match="all blocks are empty"):
        GPClassifier().fit(X[X[:, 0] > 1e9], da.from_array(CODES, chunks=1000)[X[:, 0] > 1e9])
    bad = FEATURES.copy()
    bad[1400, 1] = np.nan
    with pytest.raises(ValueError, match="block 1: Input X contains NaN"):
        GPClassifier().fit(da.from_array(bad, chunks=(1000, -1)), CODES)


def test_latent_functions_stay_in_blocks():
    y = CODES[:300]
    X = da.from_array(FEATURES[:300], chunks=(110, -1))
    for labels, width in ((y, (3,)), (y > 0, ())):
        model = GPClassifier().fit(FEATURES[:300], labels)
        lazily = model.predict_latent(X)
        for found, expected in zip(lazily, model.predict_latent(FEATURES[:300]), strict=True):
            assert found.chunks == (X.chunks[0], *((n,) for n in width))
            # Products by BLAS round as its blocks fall.
            np.testing.assert_allclose(found.compute(), expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("model", [GPClassifier(), GPRegressor()])
def test_weights_of_all_blocks_add_up_to_what_is_exact(model):
    X, y = da.from_array(FEATURES, chunks=(1000, -1)), da.from_array(CODES, chunks=1000)
    with pytest.raises(ValueError, match=r"sample_weight adds up to more than 2\*\*53"):
        model.fit(X, y, sample_weight=np.full(3000, 1e13))
