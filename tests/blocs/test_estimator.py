"""Blocs as a scikit-learn estimator."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from ranking_sets import stored
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from rankcut import (
    GraphCutFeatures,
    KendallKernel,
    RankingBlocs,
    RankingSet,
    make_mallows,
    make_plackett_luce,
)
from rankcut.errors import InputError
from rankcut.kernels import KendallFeatures
from rankcut.rankings import read_rankings
from rankcut.sample.counted import CountedPeople
from rankcut.strengths import fit_strengths

CENTERS = [[1, 2, 3, 4, 5, 6], [6, 5, 4, 1, 2, 3]]


def votes(n=120, phi=0.4, seed=0, **options):
    return make_mallows(n, 6, phi=phi, centers=CENTERS, random_state=seed, **options)


@pytest.fixture(scope="module")
def fitted():
    return RankingBlocs(2).fit(votes().ranks)


def assert_same(one, other):
    for name in ("sizes_", "strengths_", "strength_errors_", "rankings_", "rank_intervals_"):
        assert_array_equal(getattr(one, name), getattr(other, name))
    assert one.distinctive_items_ == other.distinctive_items_


def test_blocs_are_those_that_were_planted(fitted):
    assert adjusted_rand_score(fitted.labels_, votes().target) > 0.7
    assert sorted(fitted.rankings_.tolist()) == sorted(CENTERS)


@pytest.mark.parametrize("n_each", [1, 3])
def test_errors_are_those_of_each_bloc_alone_where_blocs_are_plain(n_each):
    strengths = np.exp([[3.0, 2, 1, 0, -1, -2], [-3, -2, 0, -1, 2, 3]])
    data = make_plackett_luce(600, strengths=strengths, random_state=0)
    # Who says the same several times is still one person.
    ranks, people = np.repeat(data.ranks, n_each, axis=0), np.repeat(np.arange(600), n_each)
    model = RankingBlocs(2).fit(ranks, people=people)
    for bloc in range(2):
        own = model.labels_ == bloc
        own = fit_strengths(read_rankings(ranks[own], people=people[own]))
        assert_allclose(model.strengths_[bloc], own.theta, atol=0.1)
        assert_allclose(model.strength_errors_[bloc], own.standard_errors, rtol=0.15)


def test_counts_are_repeated_rows(fitted):
    rows, counts = np.unique(votes().ranks, axis=0, return_counts=True)
    counted = RankingBlocs(2).fit(rows, counts=counts)
    assert_same(counted, fitted)
    assert_array_equal(counted.predict(votes().ranks), fitted.labels_)
    # They are never expanded.
    many = RankingBlocs(2).fit(rows, counts=counts * 25_000_000)
    assert many.n_people_ == many.sizes_.sum() == 3_000_000_000


@settings(max_examples=6, deadline=None)
@given(st.randoms(use_true_random=False), st.sampled_from(["full", "top-k", "incomplete"]))
def test_names_of_items_and_the_order_of_rows_do_not_matter(random, kind):
    """Law: columns and rows in another order give the same blocs, to the last bit."""
    ranks = votes(50, phi=0.5, kind=kind, k=None if kind == "full" else 4).ranks
    rows, columns = list(range(50)), list(range(6))
    random.shuffle(rows)
    random.shuffle(columns)
    unranked = "last" if kind == "top-k" else "anywhere"
    one = RankingBlocs((1, 2), unranked=unranked).fit(ranks)
    other = RankingBlocs((1, 2), unranked=unranked).fit(ranks[rows][:, columns])
    assert one.structure_ == other.structure_
    assert_array_equal(one.strengths_[:, columns], other.strengths_)
    assert_array_equal(one.rank_intervals_[:, columns], other.rank_intervals_)
    assert_array_equal(one.labels_[rows], other.labels_)


def test_what_is_predicted_does_not_depend_on_the_rows_beside_it(fitted):
    ranks = votes(30, seed=5).ranks
    labels, chance = fitted.predict(ranks), fitted.predict_membership(ranks)
    for r in (0, 11, 29):
        assert_array_equal(fitted.predict(ranks[r : r + 1]), labels[r : r + 1])
        assert_array_equal(fitted.predict_membership(ranks[r : r + 1]), chance[r : r + 1])
    assert_array_equal(chance.argmax(axis=1), labels)


def test_what_sets_blocs_apart(fitted):
    table = fitted.distinctive_items_
    # Item 0 is first in one bloc and last in the other.
    row = table["item"].index(0)
    assert abs(table["difference"][row]) > 3
    assert table["low"][row] < table["difference"][row] < table["high"][row]
    assert all(low * high > 0 for low, high in zip(table["low"], table["high"], strict=True))
    inside = [votes().ranks[fitted.labels_ == bloc].mean(axis=0) for bloc in range(2)]
    for bloc, item, place in zip(table["bloc"], table["item"], table["place"], strict=True):
        assert place == pytest.approx(inside[bloc][item], abs=0.35)


def test_probabilities_of_membership_are_calibrated():
    """People of Mallows' model, too, for whom the power was estimated."""
    data = votes(3000, phi=0.6, seed=3)
    model = RankingBlocs(2).fit(data.ranks)
    right = (model.labels_ == data.target) != ((model.labels_ == data.target).mean() < 0.5)
    chance = model.membership_.max(axis=1)
    for low, high in ((0.5, 0.7), (0.7, 0.9), (0.9, 1.0)):
        some = (chance >= low) & (chance <= high)
        assert right[some].mean() == pytest.approx(chance[some].mean(), abs=0.04)
    # People vary as much as the tempered model says, towards the other bloc: choice by choice.
    seen = modelled = 0.0
    for bloc, way in enumerate(model.strengths_[::-1] - model.strengths_):
        ranked = data.ranks.argsort(axis=1)
        mean, square = (
            choice_means(model.strengths_[bloc], ranked, each) for each in (way, way**2)
        )
        score = (way[ranked] - mean).sum(axis=1)
        own = model.membership_[:, bloc]
        seen += own @ score**2
        modelled += own @ (square - mean**2).sum(axis=1)
    assert model._power == pytest.approx(modelled / seen, rel=0.05)
    strengths = np.exp([[1, 0.6, 0.2, -0.2, -0.6, -1], [-1, 0.6, -0.2, 0.2, -0.6, 1]])
    plain = make_plackett_luce(3000, strengths=strengths, random_state=0)
    assert RankingBlocs(2).fit(plain.ranks)._power > 0.95
    # The prior alone is no reason to doubt.
    assert RankingBlocs(2).fit([[1, 2, 3, 4], [4, 3, 2, 1]])._power == 1


def choice_means(strengths, ranked, values):
    """The mean of values over what is at choice, by the odds of each, for each choice."""
    worths = np.exp(strengths)[ranked]
    rest, sums = (
        each[:, ::-1].cumsum(axis=1)[:, ::-1] for each in (worths, worths * values[ranked])
    )
    return sums / rest


def test_ties_and_unseen_sizes_of_ties():
    ranks = np.minimum(votes(100).ranks, 5)
    model = RankingBlocs(2).fit(ranks)
    assert adjusted_rand_score(model.labels_, votes(100).target) > 0.8
    both = np.array([[1, 2, 3, 4, 5, 6], [1, 1, 1, 2, 2, 2]])
    assert_array_equal(model.predict_membership(both)[:1], model.predict_membership(both[:1]))


@pytest.mark.parametrize(
    "features",
    [GraphCutFeatures(), KendallFeatures(), KendallKernel(), "mallows", "gaussian"],
    ids=str,
)
def test_other_features_find_the_same_blocs(features):
    data = votes(80, phi=0.1)
    model = RankingBlocs(2, features=features).fit(data.ranks)
    assert adjusted_rand_score(model.labels_, data.target) > 0.9
    assert_array_equal(model.membership_.argmax(axis=1), model.labels_)
    if isinstance(features, KendallFeatures):
        found = KMeans(2, n_init=10, random_state=1).fit(features.fit_transform(data.ranks))
        assert adjusted_rand_score(found.labels_, model.labels_) == 1


def test_length_is_not_taste():
    # People nearly agree, and half of them list two items only.
    ranks = make_mallows(200, 6, phi=0.1, random_state=0).ranks
    ranks[::2] = np.where(ranks[::2] <= 2, ranks[::2], np.nan)
    for unranked in ("last", "anywhere"):
        assert RankingBlocs(unranked=unranked).fit(ranks).structure_ == "crowd"


def test_sparse_rankings_are_the_same():
    ranks = votes(60, kind="top-k", k=3).ranks
    for unranked in ("last", "anywhere"):
        one, other = (RankingBlocs(2, unranked=unranked).fit(X) for X in (ranks, stored(ranks)))
        assert_array_equal(one.labels_, other.labels_)
        assert_array_equal(one.membership_, other.membership_)


def test_weights_that_are_no_counts():
    ranks = votes(60).ranks
    weights = np.random.default_rng(0).uniform(0.5, 2, size=60)
    model = RankingBlocs(2).fit(ranks, sample_weight=weights)
    assert_allclose(model.sizes_.sum(), weights.sum(), rtol=1e-12)
    assert model.n_people_ == 60
    assert_allclose(model.certainty_, weights @ model.membership_.max(axis=1) / weights.sum())
    looked = RankingBlocs((2, 3)).fit(ranks, sample_weight=weights)
    assert looked.n_blocs_ == 2


def test_survey_weights_are_no_evidence_for_camps():
    """One crowd, one of whom has a fifth of all weight, and weights of any scale."""
    ranks = make_mallows(300, 8, phi=0.5, centers=[np.arange(1.0, 9)], random_state=0).ranks
    weights = np.ones(300)
    weights[0] = 75.0
    ranks[0] = np.arange(8.0, 0, -1)
    model = RankingBlocs().fit(ranks, sample_weight=weights)
    assert model.structure_ == "crowd"
    assert (model.n_people_, model.sizes_.tolist()) == (300, [374.0])
    tiny = RankingBlocs(2).fit(ranks, sample_weight=1e-300 * weights)
    assert_allclose(tiny.strengths_, RankingBlocs(2).fit(ranks, sample_weight=weights).strengths_)


def test_people_who_weigh_more_are_trimmed_to_one_person():
    ranks, weights = votes(30).ranks, np.random.default_rng(0).lognormal(0, 1.5, 30)
    people = CountedPeople.of(read_rankings(ranks, sample_weight=weights))
    assert_allclose(people.n_effective, weights.sum() ** 2 / (weights**2).sum())
    assert_allclose(people.by_evidence.counts.sum(), people.n_effective)
    each = np.minimum(weights / weights.sum() * people.n_effective, 1.0)
    assert_allclose(people.trimmed.counts.sum(), each.sum())
    # Whose rankings they are makes no difference where each person has one.
    named = CountedPeople.of(read_rankings(ranks, sample_weight=weights, people=np.arange(30)))
    assert_allclose(named.trimmed.counts.sum(), each.sum())


def test_blocs_are_a_result():
    names = ["ann", "bob", "cy", "dan", "eve", "fay"]
    model = RankingBlocs((2, 3), items=names).fit(votes().ranks)
    tables = model.tables()
    assert list(tables) == ["blocs", "distinctive"]
    places = tables["blocs"]
    assert len(places) == 12
    for row in places:
        bloc, item = row["bloc"] - 1, names.index(row["item"])
        assert row["place"] == model.rankings_[bloc, item]
        assert [row["best"], row["worst"]] == model.rank_intervals_[bloc, item].tolist()
    lines = model.lines(2)
    assert lines[0] == "People fall into 2 camps."
    assert lines[1].startswith("Bloc 1 (64 people, 53 %): dan > eve > …")
    assert "Bloc 2" in model.page("Votes")
    assert model.to_dict()["n_blocs"] == 2
    legend = {shape.words for part in model.picture().legends for shape in part.keys}
    assert legend == {"bloc 1 (64)", "bloc 2 (56)"}


def test_a_list_of_one_item_says_nothing():
    ranks = votes(60).ranks
    ranks[0] = [1, *[np.nan] * 5]
    model = RankingBlocs(2, unranked="anywhere").fit(ranks)
    assert "1 ranking compares no two items" in " ".join(model.notes_)
    assert_allclose(model.membership_[0], model._shares[:2])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_blocs": 0}, "n_blocs must be a whole number from 1"),
        ({"n_blocs": (3, 2)}, "n_blocs must be"),
        ({"confidence": 1}, "confidence must be"),
        ({"features": "word"}, 'must be None, "mallows"'),
    ],
)
def test_bad_parameters_are_named(options, message):
    with pytest.raises(InputError, match=message):
        RankingBlocs(**{"n_blocs": 2, **options}).fit(votes(20).ranks)


def test_people_with_several_rankings_are_in_one_bloc():
    """What a person says in all their lists decides, and weights of people are those of rows."""
    ranks = np.repeat(votes(60).ranks, 3, axis=0)
    hidden = np.random.default_rng(0).random(ranks.shape).argsort(axis=1) >= 3
    ranks, people = np.where(hidden, np.nan, ranks), np.repeat([f"p{i}" for i in range(60)], 3)
    model = RankingBlocs(2, unranked="anywhere").fit(ranks, people=people)
    assert model.n_people_ == model.sizes_.sum() == 60
    chances, right = np.ones((60, 2)), votes(60).target
    for row, own in enumerate(ranks):
        order = np.argsort(own)[:3]
        for bloc, theta in enumerate(np.exp(model.strengths_)):
            for step in range(2):
                chances[row // 3, bloc] *= theta[order[step]] / theta[order[step:]].sum()
    chances = model._shares[:2] * chances**model._power
    chances /= chances.sum(axis=1, keepdims=True)
    assert_allclose(model.membership_, np.repeat(chances, 3, axis=0), rtol=1e-9)
    alone = RankingBlocs(2, unranked="anywhere").fit(ranks)
    assert adjusted_rand_score(model.labels_[::3], right) > adjusted_rand_score(
        alone.labels_, np.repeat(right, 3)
    )
    # The order of rows, names of people, and counts as repeated rows, change nothing.
    order = np.random.default_rng(1).permutation(180)
    other = RankingBlocs(2, unranked="anywhere").fit(ranks[order], people=people[order])
    assert_same(model, other)
    assert_array_equal(model.labels_[order], other.labels_)
    twice = np.arange(180) % 5 == 0
    counted = RankingBlocs(2, unranked="anywhere").fit(ranks, counts=1 + twice, people=people)
    rows = np.repeat(np.arange(180), 1 + twice)
    repeated = RankingBlocs(2, unranked="anywhere").fit(ranks[rows], people=people[rows])
    assert_same(counted, repeated)
    assert_array_equal(counted.membership_[rows], repeated.membership_)
    each = RankingBlocs(2).fit(votes(60).ranks, people=np.arange(60))
    assert_same(each, RankingBlocs(2).fit(votes(60).ranks))


def test_catalogues_have_errors_by_their_diagonals(monkeypatch):
    """Blocs of too many items for a matrix: errors are nearly the same if few items meet."""
    rng = np.random.default_rng(0)
    strengths = 2 * rng.standard_normal((2, 60))
    ranks = np.full((4000, 60), np.nan)
    for r, row in enumerate(ranks):
        shown = rng.choice(60, 5, replace=False)
        utilities = strengths[r % 2, shown] + rng.gumbel(size=5)
        row[shown] = (-utilities).argsort().argsort() + 1
    dense = RankingBlocs(2, unranked="anywhere").fit(ranks)
    monkeypatch.setattr("rankcut.blocs.descriptions.MOST_DENSE", 100)
    sparse = RankingBlocs(2, unranked="anywhere").fit(ranks)
    assert_array_equal(dense.strengths_, sparse.strengths_)
    ratio = sparse.strength_errors_ / dense.strength_errors_
    assert 0.85 < np.median(ratio) <= 1.1
    one, other = (np.diff(model.rank_intervals_, axis=2).mean() for model in (dense, sparse))
    assert other == pytest.approx(one, rel=0.2)
    with pytest.raises(InputError, match="ties among 60 items are too many for 2 blocs"):
        RankingBlocs(2, unranked="anywhere").fit(np.where(ranks > 2, 2, ranks))


@pytest.mark.parametrize("n_blocs", [2, "auto"])
def test_one_item_makes_no_blocs(n_blocs):
    assert_array_equal(RankingBlocs(n_blocs).fit(np.ones((5, 1))).rankings_, [[1]])


def test_a_ranking_set_counts_its_people():
    votes = RankingSet(np.array([[1.0, 2, 3], [3, 2, 1]]), ("a", "b", "c"), counts=[2, 9])
    model = RankingBlocs(2).fit(votes)
    assert (model.n_people_, model.sizes_.tolist(), model.labels_.tolist()) == (11, [9, 2], [1, 0])
    assert RankingBlocs(2).fit(votes, sample_weight=[1, 1]).n_people_ == 2
