"""Who counts once, means over people with their errors, and bootstrap samples."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csr_array

from rankcut import GraphCutFeatures, make_mallows
from rankcut.consensus.methods import borda_vectors
from rankcut.errors import InputError
from rankcut.rankings import read_rankings
from rankcut.sample import Sample, sample

VOTES = make_mallows(50, 5, phi=0.8, kind="incomplete", k=3, random_state=0).ranks
WEIGHTS = np.random.default_rng(0).integers(0, 4, 50)
WHOSE = np.arange(50) // 3


def people_of(ranks=VOTES, unranked="anywhere", **options):
    return Sample.of(read_rankings(ranks, unranked=unranked, **options))


@pytest.mark.parametrize("options", [{}, {"counts": WEIGHTS}])
def test_the_mean_and_its_covariance_are_those_of_the_repeated_rows(options):
    times = options.get("counts", np.ones(50, int))
    features = GraphCutFeatures(unranked="anywhere", completions="closed_form")
    rows = np.repeat(features.fit_transform(VOTES), times, axis=0)
    found = people_of(**options).mean(borda_vectors, 5, covariance=True)
    assert_allclose(found.vector, rows.mean(axis=0), atol=1e-12)
    assert_allclose(found.covariance, np.cov(rows.T) / len(rows), atol=1e-12)
    assert found.n_effective == len(rows)


def test_weights_and_persons_make_the_error_of_a_ratio():
    # Two rows of one person with weights are one unit: their weighted sum over its weight.
    weights = np.random.default_rng(1).uniform(0.5, 2, 50)
    persons = np.arange(50) // 2
    rows = GraphCutFeatures(unranked="anywhere", completions="closed_form").fit_transform(VOTES)
    totals = (rows * weights[:, None]).reshape(25, 2, 5).sum(axis=1)
    masses = weights.reshape(25, 2).sum(axis=1)
    mean = totals.sum(axis=0) / masses.sum()
    rest = totals - masses[:, None] * mean
    found = people_of(sample_weight=weights, people=persons).mean(borda_vectors, 5, covariance=True)
    assert_allclose(found.vector, mean, atol=1e-12)
    assert_allclose(found.covariance, rest.T @ rest * 25 / 24 / masses.sum() ** 2, atol=1e-12)
    assert_allclose(found.n_effective, masses.sum() ** 2 / (masses**2).sum())


def test_one_person_is_not_sure_of_anything():
    assert np.isinf(people_of(VOTES[:1]).mean(borda_vectors, 5).variance).all()


@pytest.mark.parametrize("times", [1, 40])
def test_bootstrap_means_vary_as_the_mean_does(times):
    # With 40 people to a row, counts are drawn; with one, people are.
    people = people_of(counts=np.full(50, times))
    mean = people.mean(borda_vectors, 5, covariance=True)
    (samples,) = people.bootstrap(borda_vectors, 5, 4000, seed=0)
    n_people = people.n_people
    expected = mean.covariance * (n_people - 1) / n_people
    # A covariance of 4,000 samples is off by a few times √(2/4000) of the largest variance.
    slack = 5 * np.sqrt(2 / 4000) * np.diag(expected).max()
    assert_allclose(np.cov(samples.T), expected, atol=slack)
    assert_allclose(samples.mean(axis=0), mean.vector, atol=5 * np.sqrt(mean.variance.max() / 4000))


def test_the_same_seed_gives_the_same_samples_for_any_order_and_counting_of_rows():
    order = np.random.default_rng(2).permutation(50)
    repeated = np.repeat(VOTES, WEIGHTS, axis=0)
    counted = people_of(counts=WEIGHTS)
    expected = next(counted.bootstrap(borda_vectors, 5, 20, seed=3))
    for people in (people_of(repeated), people_of(VOTES[order], counts=WEIGHTS[order])):
        assert_array_equal(next(people.bootstrap(borda_vectors, 5, 20, seed=3)), expected)


def test_samples_come_a_few_at_a_time_if_they_are_wide(monkeypatch):
    monkeypatch.setattr(sample, "AT_ONCE", 50)
    lots = list(people_of().bootstrap(borda_vectors, 5, 25, seed=0))
    assert [len(lot) for lot in lots] == [10, 10, 5]
    assert not np.array_equal(lots[0], lots[1])


@pytest.mark.parametrize(
    ("unranked", "options"),
    [
        ("last", {}),
        ("anywhere", {}),
        ("last", {"counts": WEIGHTS * 1_000_000}),
        ("last", {"sample_weight": WEIGHTS}),
        ("last", {"people": WEIGHTS}),
    ],
)
def test_single_precision_is_used_only_where_it_is_exact(monkeypatch, unranked, options):
    people = people_of(VOTES, unranked, **options)
    found = next(people.bootstrap(borda_vectors, 5, 20, seed=3))
    monkeypatch.setattr(sample, "_WHOLE", 0)
    assert_array_equal(found, next(people.bootstrap(borda_vectors, 5, 20, seed=3)))


NAN = np.nan
ROWS = np.array([[1, 2, 3], [2, 1, NAN], [1, 2, 3], [NAN, NAN, NAN], [5, 9, 11.5]])


def test_counts_are_people_and_weights_weigh_them():
    counted = people_of(ROWS, counts=[2, 0, 1, 0, 1])
    assert counted.counts.tolist() == [4]
    assert counted.alike
    weighed = people_of(ROWS, sample_weight=[1, 0, 2, 0, 2])
    # The two with the weight 2 say the same.
    assert sorted(zip(weighed.counts.tolist(), weighed.masses.tolist(), strict=True)) == [
        (1, 0.5),
        (2, 1.0),
    ]
    assert people_of(ROWS, sample_weight=[3, 0, 3, 0, 3]).alike


def test_rows_of_a_person_stay_together():
    people = people_of(ROWS, people=["b", "a", "b", "c", "a"])
    assert people.listed.all()
    # c lists nothing.
    assert people.n_people == 2
    # b says the same twice.
    assert sorted(people.masses.tolist()) == [2.0, 2.0]
    assert sorted(np.diff(people.units.starts).tolist()) == [1, 2]


def test_people_who_say_the_same_are_one_unit():
    votes = np.array([[1, 2, 3], [2, 1, 3], [2, 1, 3], [1, 2, 3], [1, 2, 3]], dtype=float)
    people = people_of(votes, people=["x", "x", "y", "y", "z"])
    assert sorted(people.counts.tolist()) == [1, 2]
    assert people.n_people == 3
    assert people.units.of_rows[0] == people.units.of_rows[2]
    assert people.units.of_rows[0] != people.units.of_rows[4]


def test_each_person_may_count_once():
    whose = ["x", "x", "x", "y"]
    votes = np.array([[1, 2], [1, 2], [2, 1], [2, 1]], dtype=float)
    often, once = (Sample.of(read_rankings(votes, people=whose), once=once) for once in (0, 1))
    assert sorted(often.masses.tolist()) == [1, 3]
    assert_allclose(once.masses, 1)
    assert_allclose(often.mean(borda_vectors, 2).vector, [0, 0])
    assert_allclose(once.mean(borda_vectors, 2).vector, [-1 / 3, 1 / 3])


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"counts": WEIGHTS},
        {"sample_weight": np.random.default_rng(1).uniform(0.5, 2, 50)},
        {"people": WHOSE},
        {"people": WHOSE, "counts": WEIGHTS},
    ],
)
def test_the_order_of_rows_and_items_and_names_of_people_decide_nothing(options):
    rng = np.random.default_rng(5)
    rows, items = rng.permutation(50), rng.permutation(5)
    moved = {name: values[rows] for name, values in options.items()}
    if "people" in moved:
        moved["people"] = rng.permutation(50)[moved["people"]]
    one, other = people_of(**options), people_of(VOTES[rows][:, items], **moved)
    expected = next(one.bootstrap(borda_vectors, 5, 20, seed=3))
    assert_array_equal(next(other.bootstrap(borda_vectors, 5, 20, seed=3)), expected[:, items])
    labels = rng.integers(2, size=50) if "people" not in options else options["people"] % 2
    assert_array_equal(one.table(labels, 2), other.table(labels[rows], 2))


def test_sums_by_person_are_added_up_row_by_row():
    rng = np.random.default_rng(6)
    whose, weights = WHOSE, rng.uniform(0.5, 2, 50)
    people = people_of(sample_weight=weights, people=whose)
    left, right = rng.normal(size=(2, people.rankings.shape[0], 4))
    right = right[:2]
    left = left[:, :2]
    rows = rng.normal(size=(people.rankings.shape[0], 4))
    whole = (rows + left @ right)[people.which] * weights[:, None]
    sums = np.add.reduceat(whole, np.arange(0, 50, 3))
    masses = np.add.reduceat(weights, np.arange(0, 50, 3))
    rest = sums - masses[:, None] * (sums.sum(axis=0) / masses.sum())
    expected = rest.T @ rest * 17 / 16
    scale = weights.max() ** 2
    of_people, lefts = people.per_person(rows), people.per_person(left)
    found = people.variation(csr_array(of_people), lefts, right)
    assert_allclose(found * scale, expected, rtol=1e-10, atol=1e-12)
    assert_allclose(people.variation(of_people + lefts @ right) * scale, expected, rtol=1e-10)


def test_rows_that_differ_in_what_is_said_beside_them_stay_apart():
    ages = np.array([30, 40, 30, 40, 40])
    votes = np.tile([1.0, 2.0, 3.0], (5, 1))
    people = Sample.of(read_rankings(votes), beside=ages)
    assert people.rankings.shape[0] == 2
    assert people.which.tolist() == [0, 1, 0, 1, 1]
    assert people.ranking_weights.tolist() == [2, 3]


def test_labels_are_exchanged_within_strata():
    strata, labels = np.arange(50) % 3, np.random.default_rng(7).integers(2, size=50)
    people = Sample.of(read_rankings(VOTES, unranked="anywhere"), strata=strata)
    table = people.table(labels, 2)
    assert table.sum(axis=0).tolist() == np.bincount(labels).tolist()
    each = people.units.strata[people.owners]
    places = people.exchanged_places(200, seed=0)
    assert_array_equal(np.sort(places, axis=1), np.tile(np.arange(50), (200, 1)))
    assert_array_equal(each[places], np.tile(each, (200, 1)))
    assert_array_equal(people.exchanged_places(20, seed=0, first=5), places[5:25])
    # Each person takes most places of a stratum of 17 in their turn.
    assert min(len(np.unique(takes)) for takes in places.T) > 10


def test_a_person_has_one_stratum():
    rankings = read_rankings(VOTES, unranked="anywhere", people=np.arange(50) // 2)
    with pytest.raises(InputError, match="people has people in several strata"):
        Sample.of(rankings, strata=np.arange(50) % 2)


@pytest.mark.parametrize(
    "options", [{}, {"counts": WEIGHTS}, {"people": WHOSE}, {"sample_weight": WEIGHTS}]
)
def test_rankings_of_units_are_the_sample_again(options):
    people = people_of(**options)
    again = Sample.of(people.as_rankings())
    assert again.n_people == people.n_people
    assert_allclose(again.n_effective, people.n_effective)
    one, other = (s.mean(borda_vectors, 5, covariance=True) for s in (people, again))
    assert_allclose(other.vector, one.vector, atol=1e-12)
    assert_allclose(other.covariance, one.covariance, atol=1e-12)


def test_blocks_add_up_to_the_whole(monkeypatch):
    for options in ({}, {"people": [1, 2, 1, 2, 3], "sample_weight": [1.5, 2, 1, 1, 1]}):
        people = people_of(ROWS, **options)
        whole = people.sums(borda_vectors, 3)
        with monkeypatch.context() as small:
            small.setattr(sample, "BLOCK", 4)
            assert len(list(people.blocks(2))) > 1
            assert_allclose(people.sums(borda_vectors, 3), whole, atol=1e-12)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sample_weight": [0, 0, 0, 0, 0]}, "sample_weight is zero for every ranking"),
        ({"sample_weight": [1, 2]}, r"one weight for each of the 5 rankings; got shape \(2,\)"),
        ({"sample_weight": [1, 1, -1, 1, 1]}, "row 2: sample_weight is -1; a weight is"),
        ({"counts": [1, 1, 2.5, 1, 1]}, "row 2: counts is 2.5, no whole number; give it as a"),
        ({"people": ["a"]}, r"people must name the person of each of the 5 rankings; got shape"),
        ({"ranks": np.full((2, 3), NAN)}, "no ranking ranks any item"),
    ],
)
def test_mistakes_are_named(options, message):
    with pytest.raises(InputError, match=message):
        people_of(**{"ranks": ROWS, **options})
