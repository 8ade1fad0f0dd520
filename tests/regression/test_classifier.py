"""The recommended classifier: what it can learn, and that nothing but the labels matters."""

import numpy as np
import pandas as pd
import pytest
from oracles import is_at_the_maximum, log_evidence
from scipy import sparse

from rankcut import DissimilarityGraph, NeighborGraph, RankingClassifier
from rankcut.cuts.smoothing import Smoother
from rankcut.rankings import read_rankings
from rankcut.regression import views
from rankcut.regression.views import list_views


def lists(n, seed, *, by):
    """Ten of thirty items; the class shows in their order alone, or in which are listed."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, size=n)
    direction = np.repeat([1.0, -1.0], 15)
    chance = np.exp(np.outer(2 * labels - 1, direction) * (0.6 if by == "listing" else 0.0))
    ranks = np.full((n, 30), np.nan)
    for row, weights in enumerate(chance):
        chosen = rng.choice(30, size=10, replace=False, p=weights / weights.sum())
        taste = (2 * labels[row] - 1) * direction[chosen] if by == "order" else 0.0
        ranks[row, chosen] = np.argsort(np.argsort(-(taste + 2.0 * rng.gumbel(size=10)))) + 1
    return ranks, labels


@pytest.mark.parametrize("by", ["order", "listing"])
def test_it_finds_the_view_that_tells(by):
    train, labels = lists(300, 0, by=by)
    model = RankingClassifier(smoothing=0).fit(train, labels)
    silent = "listing" if by == "order" else "order"
    assert model.view_variances_[by] > 2 * model.view_variances_[silent]
    assert model.score(*lists(500, 1, by=by)) > 0.75


def test_with_few_labels_a_graph_of_like_items_helps():
    points = np.repeat([0.0, 5.0], 15)[:, None] + np.arange(30)[:, None] / 30
    graph = NeighborGraph(points, n_neighbors=8)
    scores = np.zeros(2)
    test, truth = lists(500, 99, by="order")
    for seed in range(4):
        train, labels = lists(30, seed, by="order")
        for place, model in enumerate([RankingClassifier(smoothing=0), RankingClassifier(graph)]):
            scores[place] += model.fit(train, labels).score(test, truth) / 4
    assert scores[1] > scores[0] + 0.03


def standardised(views):
    """Each view less its mean, with rows of mean square 1, and how to do the same to others."""
    means = {name: view.mean(axis=0) for name, view in views.items()}
    sizes = {name: np.sqrt((view.var(axis=0)).sum()) for name, view in views.items()}

    def like(others):
        return [(others[name] - means[name]) / sizes[name] for name in views]

    return like


@pytest.fixture(params=[2, 3], ids=["two classes", "three classes"])
def fitted(request):
    """A model of few lists of unlike numbers, its rankings, its labels, and other rankings."""
    ranks, labels = lists(50, 3, by="order")
    labels[:10] = request.param - 1
    graph = NeighborGraph(np.arange(30.0)[:, None], n_neighbors=3)
    model = RankingClassifier(graph, smoothing=2.0).fit(ranks[:36], labels[:36])
    return model, ranks[:36], labels[:36], ranks[36:]


def views_of(model, ranks):
    views = list_views(
        read_rankings(ranks, unranked="anywhere"), Smoother(model.graph_, model.smoothing)
    )
    return {name: view.toarray() for name, view in views.items()}


def test_views_count_as_the_evidence_says(fitted):
    model, ranks, labels, _ = fitted
    views = views_of(model, ranks)
    assert list(model.view_variances_) == list(views)
    targets = np.where(labels[:, None] == model.classes_, 1.0, -1.0)
    if len(model.classes_) == 2:
        targets = targets[:, 1:]
    targets -= targets.mean(axis=0)
    blocks = standardised(views)(views)
    assert is_at_the_maximum(
        lambda variances: log_evidence(blocks, targets, variances),
        np.array(list(model.view_variances_.values())),
    )


def test_scores_are_those_of_the_most_probable_weights(fitted):
    """At the maximum w = (prior variance)·Σ φ·(label − probability), whichever features φ are.

    The prior of a score is twice that of a label ±1, so that its variance is four times that.
    """
    model, ranks, labels, others = fitted
    missed = (labels[:, None] == model.classes_) - model.predict_proba(ranks)
    missed = missed[:, 1] if len(model.classes_) == 2 else missed
    like = standardised(views_of(model, ranks))
    known = like(views_of(model, ranks))

    def constants(rankings):
        """What is left of the scores, the same for all rankings."""
        own, variances = like(views_of(model, rankings)), model.view_variances_.values()
        views = zip(own, known, variances, strict=True)
        kernel = sum(4 * variance * one @ other.T for one, other, variance in views)
        return model.decision_function(rankings) - kernel @ missed

    assert np.ptp(model.decision_function(ranks), axis=0).min() > 1
    expected = constants(ranks).mean(axis=0)
    # Logistic regression ends where slopes are below 1e-4 of the number of rankings.
    for rankings in (ranks, others, others[:1]):
        assert np.abs(constants(rankings) - expected).max() < 0.02


def test_rankings_that_are_all_the_same_say_nothing():
    ranks = np.tile([1.0, 2.0, 3.0], (10, 1))
    model = RankingClassifier().fit(ranks, [0] * 7 + [1] * 3)
    assert model.predict_proba(ranks)[:, 1] == pytest.approx(0.3, abs=1e-3)
    assert set(model.view_variances_.values()) == {0.0}


def test_where_some_rankings_weigh_the_views_they_are_not_the_first_ones(monkeypatch):
    monkeypatch.setattr("rankcut.regression.views.MOST_COMPARED", 90)
    train, labels = lists(500, 0, by="order")
    labels[:90] = np.random.default_rng(1).integers(0, 2, 90)
    model = RankingClassifier(smoothing=0).fit(train, labels)
    assert model.view_variances_["order"] > 4 * model.view_variances_["listing"]


def test_a_graph_may_connect_unlike_items_or_have_their_names():
    like = NeighborGraph(np.arange(30.0)[:, None] ** 2, n_neighbors=3)
    names = [f"item {i}" for i in range(30)]
    weights = pd.DataFrame(like.build().to_dense(), index=names, columns=names)
    train, labels = lists(60, 3, by="order")
    expected = RankingClassifier(like).fit(train, labels).predict_proba(train)
    for graph in (DissimilarityGraph(like), weights.loc[names[::-1], names[::-1]]):
        model = RankingClassifier(graph, items=names).fit(train, labels)
        assert model.predict_proba(train) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("options", "labels", "says"),
    [
        ({"smoothing": None}, [0, 1], "smoothing must be a number of steps from 0 to 1,000; got"),
        ({"ratings": 5}, [0, 1], "ratings must be True or False; got 5"),
    ],
)
def test_mistakes_are_named(options, labels, says):
    with pytest.raises(ValueError, match=says):
        RankingClassifier(**options).fit([[1, 2], [2, 1]], labels)


def test_counts_are_repeated_rows_where_people_are_drawn_at_random(monkeypatch):
    """To find the variances of views."""
    monkeypatch.setattr(views, "MOST_COMPARED", 60)
    ranks, labels = lists(50, 3, by="listing")
    counts = np.random.default_rng(0).integers(0, 4, size=50)
    counted = RankingClassifier().fit(ranks, labels, sample_weight=counts)
    repeated = RankingClassifier().fit(np.repeat(ranks, counts, axis=0), np.repeat(labels, counts))
    # As near as both are to the maximum of the evidence.
    assert counted.view_variances_ == pytest.approx(repeated.view_variances_, rel=1e-7)
    np.testing.assert_allclose(
        counted.predict_proba(ranks), repeated.predict_proba(ranks), atol=1e-8
    )
    np.testing.assert_allclose(counted.graph_.to_dense(), repeated.graph_.to_dense(), atol=1e-12)


def test_rows_that_do_not_count_are_no_rows():
    ranks, labels = lists(20, 3, by="order")
    labels[0] = 7
    counts = np.r_[0.0, np.full(19, 1.5)]
    model = RankingClassifier(smoothing=0).fit(ranks, labels, sample_weight=counts)
    assert model.classes_.tolist() == [0, 1]
    with pytest.raises(ValueError, match="sample_weight is zero for every ranking"):
        model.fit(ranks, labels, sample_weight=np.zeros(20))
    with pytest.raises(ValueError, match="one class, 1; a classifier needs two"):
        model.fit(ranks, np.ones(20, dtype=int))


@pytest.mark.parametrize("counted", [False, True])
@pytest.mark.parametrize("most", [100, 1000])
def test_rows_that_are_filled_block_by_block_say_the_same(monkeypatch, counted, most):
    """With inner products of lists, because there are 180 weights, and without."""
    monkeypatch.setattr(views, "MOST_COMPARED", most)
    ranks, labels = lists(60, 3, by="order")
    counts = np.arange(60) % 3 + 0.5 if counted else None
    at_once = RankingClassifier().fit(ranks, labels, sample_weight=counts)
    monkeypatch.setattr(views, "AT_ONCE", 200)
    blocks = RankingClassifier().fit(ranks, labels, sample_weight=counts)
    assert blocks.view_variances_ == pytest.approx(at_once.view_variances_, rel=1e-6)
    assert blocks.predict_proba(ranks) == pytest.approx(at_once.predict_proba(ranks), rel=1e-6)


def ratings_by_level(n, seed):
    """One class rates everything a level higher, in the same order."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, n)
    stars = rng.integers(1, 5, size=(n, 6)) + labels[:, None] * (rng.random((n, 1)) < 0.9)
    return stars.astype(float), labels


def test_ratings_keep_their_level():
    train, labels = ratings_by_level(200, 0)
    test, truth = ratings_by_level(300, 1)
    rated = RankingClassifier(ratings=True).fit(train, labels)
    ranked = RankingClassifier().fit(-train, labels)
    assert rated.score(test, truth) > ranked.score(-test, truth) + 0.1
    assert {"ratings", "mean level", "levels"} < set(rated.view_variances_)
    stored = sparse.csr_array(test)
    assert rated.predict_proba(stored) == pytest.approx(rated.predict_proba(test))
    words = pd.DataFrame(np.array(list("abcde"))[test.astype(int) - 1])
    with pytest.raises(ValueError, match="holds words without an order; give all columns"):
        rated.predict(words)
    likert = words.astype(pd.CategoricalDtype(list("abcde"), ordered=True))
    same = RankingClassifier(ratings=True).fit(likert, truth).predict_proba(likert)
    expected = RankingClassifier(ratings=True).fit(test - 1, truth).predict_proba(test - 1)
    np.testing.assert_array_equal(same, expected)


def test_higher_ratings_come_first():
    ranks, labels = lists(60, 3, by="order")
    rated = RankingClassifier(ratings=True)
    views = rated.fit(11.0 - ranks, labels)._views(read_rankings(11.0 - ranks, unranked="anywhere"))
    expected = list_views(read_rankings(ranks, unranked="anywhere"))
    for name in ("order", "top"):
        np.testing.assert_allclose(views[name].toarray(), expected[name].toarray(), atol=1e-15)
