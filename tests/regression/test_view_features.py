"""Views of lists, weighted by what they say about a number."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from rankcut import GPRegressor, GraphCutFeatures, SimilarityGraph, ViewFeatures, explain
from rankcut.errors import InputError
from rankcut.regression.views import SPREAD, USUAL

NAN = float("nan")
N = 12


def lists(n, seed):
    """Lists of four of twelve items, in random order."""
    rng = np.random.default_rng(seed)
    ranks = np.full((n, N), NAN)
    for row in ranks:
        row[rng.choice(N, 4, replace=False)] = rng.permutation(4) + 1.0
    return ranks


def listed(ranks, seed=0):
    """A number that depends on which items are listed."""
    noise = np.random.default_rng(seed).normal(0, 1.0, len(ranks))
    return 40 + 5.0 * (~np.isnan(ranks[:, :3])).sum(axis=1) + noise


def test_what_matters_gets_the_weight():
    ranks = lists(300, 0)
    found = ViewFeatures().fit(ranks, listed(ranks)).view_variances_
    assert found["listing"] + found["smooth listing"] > 10 * (found["order"] + found["top"])


def test_variances_are_those_of_the_most_likely_numbers():
    ranks = lists(60, 1)
    numbers = listed(ranks)
    model = ViewFeatures(smoothing=0).fit(ranks, numbers)
    y = (numbers - numbers.mean()) / numbers.std()
    vectors = model.transform(ranks)
    # The vectors have the variances in them; take each view back to mean square 1.
    views = [block - block.mean(axis=0) for block in np.split(vectors, 4, axis=1)]
    grams = [block @ block.T / (block**2).sum(axis=1).mean() for block in views]

    def log_density(variances, noise):
        covariance = sum(v * gram for v, gram in zip(variances, grams, strict=True))
        evidence = multivariate_normal(cov=covariance + noise * np.eye(60)).logpdf(y)
        return evidence - 0.5 * (((np.log(variances) - np.log(USUAL)) / SPREAD) ** 2).sum()

    best = np.array(list(model.view_variances_.values()))
    noises = np.geomspace(0.01, 1.0, 200)
    noise = max(noises, key=lambda value: log_density(best, value))
    for view in range(4):
        for factor in (0.8, 1.25):
            other = best.copy()
            other[view] *= factor
            assert log_density(other, noise) < log_density(best, noise) + 1e-3


def test_numbers_that_depend_on_the_listing_are_predicted_and_explained():
    train, test = lists(200, 0), lists(200, 1)
    views = make_pipeline(ViewFeatures(), GPRegressor()).fit(train, listed(train))
    features = GraphCutFeatures(unranked="anywhere", completions="closed_form")
    order = make_pipeline(features, GPRegressor())
    order.fit(train, listed(train))
    truth = listed(test, 1)
    assert views.score(test, truth) > 0.7 > 0.3 > order.score(test, truth)
    found = {row["item"]: row["effect"] for row in explain(views, train[:30]).items}
    item = 5
    own = train[:30][~np.isnan(train[:30, item])]
    first, last = own.copy(), own.copy()
    first[:, item], last[:, item] = 0, N + 1
    change = views.predict(first) - views.predict(last)
    assert found[item] == pytest.approx(change.mean(), rel=1e-8, abs=1e-10)


def test_shift_and_unit_of_the_number_do_not_matter():
    ranks = lists(80, 3)
    numbers = listed(ranks)
    one = ViewFeatures().fit(ranks, numbers)
    other = ViewFeatures().fit(ranks, 1000.0 * numbers - 7.0)
    np.testing.assert_allclose(one.transform(ranks), other.transform(ranks), rtol=1e-6)


def test_names_graphs_and_mistakes():
    ranks = lists(40, 4)
    graph = SimilarityGraph(np.random.default_rng(0).normal(size=(N, 2)))
    items = [f"item {i}" for i in range(N)]
    model = ViewFeatures(graph, items=items).fit(ranks, listed(ranks))
    names = model.get_feature_names_out()
    assert len(names) == model.transform(ranks).shape[1] == 6 * N
    assert names[0] == "order of item 0"
    assert clone(model).set_params(smoothing=0).fit(ranks, listed(ranks)).graph_ is None
    # A number that never changes has nothing to explain.
    assert np.isfinite(ViewFeatures().fit(ranks, np.ones(40)).transform(ranks)).all()
    with pytest.raises(InputError, match="smoothing"):
        ViewFeatures(smoothing=-1).fit(ranks, listed(ranks))


def test_equal_rankings_have_zero_vectors_and_the_mean_is_predicted():
    ranks, numbers = np.tile([1.0, 2.0, 3.0], (8, 1)), np.arange(8.0)
    features = ViewFeatures().fit(ranks, numbers)
    assert features.transform(ranks).shape == (8, len(features.get_feature_names_out()))
    assert not features.transform(ranks).any()
    model = make_pipeline(ViewFeatures(), GPRegressor()).fit(ranks, numbers)
    np.testing.assert_allclose(model.predict(ranks), 3.5, atol=0.5)
