"""Blocs as a scikit-learn estimator."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from ranking_sets import stored
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score

from rankcut import (
    Consensus,
    GraphCutFeatures,
    KendallKernel,
    RankingBlocs,
    RankingSet,
    make_mallows,
)
from rankcut.errors import InputError
from rankcut.kernels import KendallFeatures

CENTERS = [[1, 2, 3, 4, 5, 6], [6, 5, 4, 1, 2, 3]]


def votes(n=120, phi=0.4, seed=0, **options):
    return make_mallows(n, 6, phi=phi, centers=CENTERS, random_state=seed, **options)


def quick(k=2, **options):
    return RankingBlocs(k, n_init=3, n_bootstraps=100, **options)


@pytest.fixture(scope="module")
def fitted():
    return quick().fit(votes().ranks)


def test_it_is_k_means_on_pairs_of_items(fitted):
    found = KMeans(2, n_init=10, random_state=1).fit(KendallFeatures().fit_transform(votes().ranks))
    assert adjusted_rand_score(found.labels_, fitted.labels_) == 1
    assert fitted.inertia_ == pytest.approx(15 * found.inertia_, rel=1e-12)


def test_each_bloc_has_the_consensus_of_its_people(fitted):
    for bloc in range(2):
        own = Consensus(n_bootstraps=100).fit(votes().ranks[fitted.labels_ == bloc])
        assert_array_equal(fitted.rankings_[bloc], own.ranking_)
        assert_array_equal(fitted.rank_intervals_[bloc], own.rank_intervals_)
    assert sorted(fitted.rankings_.tolist()) == sorted(CENTERS)


def test_counts_are_repeated_rows(fitted):
    rows, counts = np.unique(votes().ranks, axis=0, return_counts=True)
    counted = quick().fit(rows, sample_weight=counts)
    assert_array_equal(counted.centers_, fitted.centers_)
    assert_array_equal(counted.sizes_, fitted.sizes_)
    assert_array_equal(counted.rank_intervals_, fitted.rank_intervals_)
    assert counted.distinctive_items_ == fitted.distinctive_items_
    assert_array_equal(counted.predict(votes().ranks), fitted.labels_)


def test_the_number_does_not_depend_on_counting_either():
    ranks = votes(80).ranks
    rows, counts = np.unique(ranks, axis=0, return_counts=True)
    one, other = quick((1, 3)).fit(ranks), quick((1, 3)).fit(rows, sample_weight=counts)
    for name, column in one.selection_.items():
        assert_array_equal(column, other.selection_[name])


def test_rows_in_another_order_give_the_same_blocs(fitted):
    order = np.random.default_rng(0).permutation(120)
    again = quick().fit(votes().ranks[order])
    assert_array_equal(again.labels_, fitted.labels_[order])
    assert_array_equal(again.membership_, fitted.membership_[order])


def test_items_in_another_order_give_the_same_blocs():
    order = np.random.default_rng(1).permutation(6)
    ranks = votes(40, phi=0.1).ranks
    one, other = quick().fit(ranks), quick().fit(ranks[:, order])
    assert adjusted_rand_score(one.labels_, other.labels_) == 1
    assert sorted(one.rankings_[:, order].tolist()) == sorted(other.rankings_.tolist())


def test_what_is_predicted_does_not_depend_on_the_rows_beside_it(fitted):
    ranks = votes(30, seed=5).ranks
    labels, chance = fitted.predict(ranks), fitted.predict_membership(ranks)
    for r in (0, 11, 29):
        assert_array_equal(fitted.predict(ranks[r : r + 1]), labels[r : r + 1])
        assert_array_equal(fitted.predict_membership(ranks[r : r + 1]), chance[r : r + 1])
    assert_array_equal(chance.argmax(axis=1), labels)


def test_what_sets_blocs_apart_is_measured_on_other_people(fitted):
    table = fitted.distinctive_items_
    # Item 0 is first in one bloc and last in the other.
    row = table["item"].index(0)
    assert abs(table["difference"][row]) > 3
    assert table["low"][row] < table["difference"][row] < table["high"][row]
    assert all(low * high > 0 for low, high in zip(table["low"], table["high"], strict=True))


def test_people_without_blocs_are_one():
    model = RankingBlocs((1, 3), n_bootstraps=0).fit(make_mallows(300, 6, random_state=1).ranks)
    assert model.n_blocs_ == 1
    assert model.rank_intervals_ is None
    assert model.distinctive_items_["item"] == []
    assert model.summary().startswith("One bloc: people do not divide more than chance would")
    assert_array_equal(model.labels_, 0)
    assert_array_equal(model.membership_, 1.0)


def test_the_number_is_found():
    model = RankingBlocs((1, 4), n_bootstraps=0).fit(votes(300).ranks)
    assert model.n_blocs_ == 2
    assert model.summary().startswith("2 blocs: ")
    assert_array_equal(model.selection_["n_blocs"], [1, 2, 3, 4])


@pytest.mark.parametrize(
    "features", [GraphCutFeatures(), KendallKernel(), "mallows", "gaussian"], ids=str
)
def test_other_features_find_the_same_blocs(features):
    data = votes(80, phi=0.1)
    model = quick(features=features).fit(data.ranks)
    assert adjusted_rand_score(model.labels_, data.target) > 0.9


def test_medoids_are_rankings_of_someone():
    ranks = votes(60).ranks
    model = quick(features="mallows").fit(ranks)
    own = model._encoder.vectors((ranks - 1).astype(np.uint32))
    for centre in model.centers_:
        # Vectors of the same ranking, which sums of another order make equal up to rounding.
        assert np.abs(own - centre).max(axis=1).min() < 1e-9


def test_length_is_told_apart_from_taste():
    # People nearly agree, and half of them list two items only.
    ranks = make_mallows(200, 6, phi=0.1, random_state=0).ranks
    ranks[::2] = np.where(ranks[::2] <= 2, ranks[::2], np.nan)
    by_length = quick(unranked="last").fit(ranks)
    assert by_length.length_share_ > 0.5
    assert "let them be anywhere" in by_length.summary()
    assert quick(unranked="anywhere").fit(ranks).length_share_ < 0.1


def test_sparse_rankings_are_the_same():
    ranks = votes(60, kind="top-k", k=3).ranks
    sparse = stored(ranks)
    for unranked in ("last", "anywhere"):
        one, other = quick(unranked=unranked).fit(ranks), quick(unranked=unranked).fit(sparse)
        assert_array_equal(one.labels_, other.labels_)
        assert_array_equal(one.membership_, other.membership_)


@pytest.mark.parametrize("rows", [7, 50, 120])
def test_dask_gives_the_same_for_any_number_of_blocks(rows, fitted):
    da = pytest.importorskip("dask.array")
    import rankcut.dask  # noqa: F401

    lazy = quick().fit(da.from_array(votes().ranks, chunks=(rows, 6)))
    assert_array_equal(lazy.labels_.compute(), fitted.labels_)
    assert_array_equal(lazy.membership_.compute(), fitted.membership_)
    assert_array_equal(lazy.centers_, fitted.centers_)
    assert lazy.distinctive_items_ == fitted.distinctive_items_


def test_weights_that_are_no_counts():
    ranks = votes(60).ranks
    weights = np.random.default_rng(0).uniform(0.5, 2, size=60)
    model = quick().fit(ranks, sample_weight=weights)
    assert_allclose(model.sizes_.sum(), weights.sum(), rtol=1e-12)
    assert model.n_people_ == 60
    assert_allclose(model.certainty_, weights @ model.membership_.max(axis=1) / weights.sum())
    looked = quick((2, 3)).fit(ranks, sample_weight=weights)
    assert looked.n_blocs_ == 2


def test_short_lists_count_as_much_as_long_ones_where_items_may_be_anywhere():
    ranks = votes(60, kind="incomplete", k=4).ranks
    ranks[::2] = np.where(ranks[::2] <= 2, ranks[::2], np.nan)
    for unranked, unit in (("anywhere", True), ("last", False)):
        chosen = quick(unranked=unranked).fit(ranks)
        same = quick(unranked=unranked, normalize=unit).fit(ranks)
        other = quick(unranked=unranked, normalize=not unit).fit(ranks)
        assert_array_equal(chosen.centers_, same.centers_)
        assert np.abs(chosen.centers_ - other.centers_).max() > 0.1
    alike = votes(60, kind="incomplete", k=4).ranks
    chosen = quick(unranked="anywhere").fit(alike)
    same = quick(unranked="anywhere", normalize=False).fit(alike)
    assert_array_equal(chosen.centers_, same.centers_)


def test_a_list_of_one_item_says_nothing():
    ranks = votes(60).ranks
    ranks[0] = [1, *[np.nan] * 5]
    model = quick(unranked="anywhere").fit(ranks)
    assert "fewer than two items" in " ".join(model.notes_)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_blocs": 0}, "n_blocs must be a whole number from 1"),
        ({"n_blocs": (3, 2)}, "n_blocs must be"),
        ({"n_init": 0}, "n_init must be"),
        ({"normalize": "unit"}, "normalize must be True, False or"),
        ({"confidence": 1}, "confidence must be"),
        ({"n_bootstraps": -1}, "n_bootstraps must be"),
        ({"features": "word"}, 'must be None, "mallows"'),
    ],
)
def test_bad_parameters_are_named(options, message):
    with pytest.raises(InputError, match=message):
        RankingBlocs(**{"n_blocs": 2, **options}).fit(votes(20).ranks)


def test_the_number_is_not_looked_for_in_catalogues():
    ranks = np.tile(np.arange(300.0), (4, 1))
    with pytest.raises(InputError, match="up to 256 items"):
        RankingBlocs().fit(ranks)


def test_one_item_makes_no_blocs():
    for n_blocs in (2, "auto"):
        model = RankingBlocs(n_blocs, n_bootstraps=0).fit(np.ones((5, 1)))
        assert model.n_blocs_ == 1
        assert_array_equal(model.rankings_, [[1]])


def test_a_ranking_set_counts_its_people():
    votes = RankingSet(np.array([[1.0, 2, 3], [3, 2, 1]]), ("a", "b", "c"), counts=[2, 9])
    model = RankingBlocs(2, n_bootstraps=0).fit(votes)
    assert (model.n_people_, model.sizes_.tolist(), model.labels_.tolist()) == (11, [9, 2], [1, 0])
    assert RankingBlocs(2, n_bootstraps=0).fit(votes, sample_weight=[1, 1]).n_people_ == 2
