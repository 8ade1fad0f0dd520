"""Views of lists by their definition, their evidence by densities, and what they tell."""

import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import approx_fprime
from scipy.stats import multivariate_normal, rankdata
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

from rankcut import (
    GPRegressor,
    GraphCutFeatures,
    ItemGraph,
    NeighborGraph,
    SimilarityGraph,
    ViewFeatures,
    explain,
)
from rankcut.cuts.smoothing import Smoother
from rankcut.errors import InputError
from rankcut.rankings import read_rankings
from rankcut.regression.views import (
    LevelViews,
    View,
    list_views,
    sum_rotated,
    sum_samples,
    weigh_views,
)

NAN = float("nan")
N = 12
WAYS = [sum_samples, sum_rotated]
LOGS = np.log([0.3, 0.1, 0.7])


def by_definition(ranks):
    order, listing, top = (np.zeros(len(ranks)) for _ in range(3))
    listed = np.flatnonzero(~np.isnan(ranks))
    places = rankdata(ranks[listed])
    order[listed] = len(listed) + 1 - 2 * places
    listing[listed] = 1.0
    top[listed] = 1 / places
    return [view / (np.linalg.norm(view) or 1.0) for view in (order, listing, top)]


@pytest.mark.parametrize("as_sparse", [False, True])
def test_order_listing_and_top(as_sparse):
    ranks = np.random.default_rng(1).integers(1, 5, size=(40, 6)).astype(float)
    ranks[np.random.default_rng(2).random(ranks.shape) < 0.4] = np.nan
    expected = [by_definition(row) for row in ranks]
    given = sparse.csr_array(np.nan_to_num(ranks)) if as_sparse else ranks
    views = list_views(read_rankings(given, unranked="anywhere"))
    for place, name in enumerate(("order", "listing", "top")):
        view = views[name].toarray()
        assert view == pytest.approx(np.array([row[place] for row in expected]))


def test_smoothed_views_of_like_items_are_alike():
    graph = ItemGraph(np.array([[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1], [0, 0, 1, 0]]), 4)
    nan = np.nan
    rankings = read_rankings([[1, nan, 2, nan], [nan, 1, nan, 2]], unranked="anywhere")
    views = list_views(rankings, Smoother(graph, 8.0))
    one, other = views["order"].toarray()
    assert one @ other == 0
    one, other = views["smooth order"].toarray()
    assert one @ other == pytest.approx(np.linalg.norm(one) * np.linalg.norm(other))


def test_levels_by_definition():
    stars = np.array([[5.0, 4.0, np.nan], [2.0, np.nan, 4.0]])
    rated = read_rankings(stars, unranked="anywhere")
    views = LevelViews(rated)(rated)
    scores = (stars - np.nanmean(stars)) / np.nanstd(stars)
    np.testing.assert_allclose(views["ratings"].toarray(), np.nan_to_num(scores))
    means = np.nanmean(scores, axis=1)[:, None]
    np.testing.assert_allclose(views["mean level"].toarray(), means, atol=1e-15)
    levels = views["levels"].toarray().reshape(2, 3, 3)  # of each item: 2, 4 and 5
    expected = (stars[:, :, None] == [2.0, 4.0, 5.0]).astype(float)
    np.testing.assert_array_equal(levels, expected)
    # Levels that were not fitted are no level, and many levels have no columns.
    fitted = LevelViews(read_rankings([[1.0, 2.0], [2.0, 1.0]], unranked="anywhere"))
    views = fitted(read_rankings([[1.5, 7.0], [2.0, np.nan]], unranked="anywhere"))
    np.testing.assert_array_equal(views["levels"].toarray(), [[0, 0, 0, 0], [0, 1, 0, 0]])
    numbers = read_rankings(np.arange(20.0).reshape(4, 5), unranked="anywhere")
    assert list(LevelViews(numbers)(numbers)) == ["ratings", "mean level"]


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def some_views(rng, n_samples=12, widths=(4, 3), smoother=None):
    """Sparse views, the last of them smoothed."""
    rows = [rng.normal(size=(n_samples, width)) / np.sqrt(width) for width in widths]
    smoothers = [None] * (len(widths) - 1) + [smoother]
    return [View(sparse.csr_array(each), own) for each, own in zip(rows, smoothers, strict=True)]


def centred(views, counts):
    """The views as arrays, less their means."""
    arrays = [view.toarray() for view in views]
    return [each - np.average(each, axis=0, weights=counts) for each in arrays]


@pytest.fixture
def data(rng):
    smoother = Smoother(NeighborGraph(rng.normal(size=(3, 1)), n_neighbors=1).build(), 1.5)
    return some_views(rng, smoother=smoother), rng.choice([-1.0, 1.0], size=(12, 2))


@pytest.mark.parametrize("way", WAYS)
def test_it_is_the_density_of_the_labels(way, data):
    """With a row that counts as that many rows."""
    views, targets = data
    counts = np.arange(12) % 3 + 1.0
    n = int(counts.sum())
    repeated = [np.repeat(each, counts.astype(int), axis=0) for each in centred(views, counts)]
    covariance = sum(v * z @ z.T for v, z in zip([0.3, 0.1], repeated, strict=True))
    density = multivariate_normal(np.zeros(n), covariance + 0.7 * np.eye(n))
    labels = np.repeat(targets, counts.astype(int), axis=0)
    # But for the constant of the normal density.
    expected = -density.logpdf(labels.T).sum() - n * np.log(2 * np.pi)
    evidence = way(views, targets, counts)
    assert evidence.loss(LOGS)[0] == pytest.approx(expected)
    by_differences = approx_fprime(LOGS, lambda logs: evidence.loss(logs)[0])
    assert evidence.loss(LOGS)[1] == pytest.approx(by_differences, rel=1e-4)


@pytest.mark.parametrize("n_samples", [30, 300])
def test_the_view_that_explains_the_labels_gets_the_variance(n_samples, rng):
    telling, silent = some_views(rng, n_samples, (20, 20))
    labels = np.sign(telling.toarray() @ rng.normal(size=20))[:, None]
    variances, scales = weigh_views({"one": telling, "other": silent}, labels, np.ones(n_samples))
    assert variances["one"] > 5 * variances["other"]
    # Vectors times these scales have a mean square of the variance.
    squares = (centred([telling], np.ones(n_samples))[0] ** 2).sum(axis=1).mean()
    assert scales["one"] ** 2 * squares == pytest.approx(variances["one"])


def test_a_view_that_is_the_same_for_all_has_no_variance(rng):
    same = View(sparse.csr_array(np.full((40, 3), 1 / np.sqrt(3))))
    (other,) = some_views(rng, 40, (3,))
    variances, scales = weigh_views(
        {"same": same, "other": other}, rng.normal(size=(40, 1)), np.ones(40)
    )
    assert variances["same"] == 0
    assert list(scales) == ["other"]


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
