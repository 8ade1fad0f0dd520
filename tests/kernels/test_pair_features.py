"""KendallFeatures and WeightedKendallFeatures among scikit-learn's tools."""

import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

from rankcut import make_food
from rankcut.kernels import (
    KendallFeatures,
    WeightedKendallFeatures,
    kendall_features,
    kendall_kernel,
    weighted_kendall_kernel,
)

FOOD = make_food(80, noise=0.3, random_state=0)
TRANSFORMERS = [
    KendallFeatures(),
    KendallFeatures(normalize=True, unranked="last"),
    WeightedKendallFeatures(),
    WeightedKendallFeatures(weights="top-k", k=5),
]


def test_inner_products_are_the_kernels():
    incomplete = make_food(20, kind="incomplete", random_state=0).ranks
    features = KendallFeatures(unranked="anywhere").fit_transform(incomplete)
    assert_allclose(
        features @ features.T, kendall_kernel(incomplete, unranked="anywhere"), atol=1e-14
    )
    options = {"weights": "multiplicative", "unranked": "anywhere"}
    features = WeightedKendallFeatures(**options).fit_transform(incomplete)
    expected = weighted_kendall_kernel(incomplete, **options)
    assert_allclose(features @ features.T, expected, atol=1e-14)


@pytest.mark.parametrize("transformer", TRANSFORMERS)
def test_classifies_and_can_be_copied(transformer):
    model = make_pipeline(transformer, LogisticRegression())
    assert cross_val_score(model, FOOD.ranks, FOOD.target).mean() > 0.8
    fitted = clone(transformer).fit(FOOD.ranks)
    copy = pickle.loads(pickle.dumps(fitted))
    assert_array_equal(copy.transform(FOOD.ranks), fitted.transform(FOOD.ranks))


def test_names(frames):
    frame = frames.DataFrame({"uni": [1.0, 2.0], "toro": [2.0, 1.0], "ika": [3.0, 3.0]})
    transformer = KendallFeatures().set_output(transform=frames.__name__)
    got = transformer.fit_transform(frame)
    assert list(got.columns) == ["uni>toro", "uni>ika", "toro>ika"]
    assert_array_equal(got.to_numpy(), kendall_features(frame))
    names = WeightedKendallFeatures().fit(frame).get_feature_names_out()
    assert names.tolist()[:4] == ["uni>uni", "uni>toro", "uni>ika", "toro>uni"]
    assert KendallFeatures(items=[7, 8]).fit([[1, 2]]).get_feature_names_out() == ["7>8"]
    assert KendallFeatures().fit([[1, 2]]).get_feature_names_out() == ["x0>x1"]


def test_what_was_not_fitted():
    transformer = KendallFeatures(items=["a", "b"]).fit([[1, 2]])
    pd = pytest.importorskip("pandas")
    with pytest.raises(ValueError, match="items differs from the labels"):
        transformer.transform(pd.DataFrame([[1, 2]], columns=["b", "a"]))
    fitted = KendallFeatures().fit(pd.DataFrame([[1, 2]], columns=[10, 20]))
    with pytest.raises(ValueError, match=r"not the items that were fitted.*\(20, 10\)"):
        fitted.transform(pd.DataFrame([[1, 2]], columns=[20, 10]))
    with pytest.raises(ValueError, match="k must be from 1 to 2"):
        WeightedKendallFeatures(weights="top-k", k=3).fit([[1, 2]])
    with pytest.raises(ValueError, match="row 0: item 1 is not ranked"):
        KendallFeatures().fit([[1, np.nan]])
