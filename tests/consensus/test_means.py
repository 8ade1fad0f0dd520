"""Who counts once, means over people with their errors, and bootstrap samples."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from rankcut import GraphCutFeatures, make_mallows
from rankcut.consensus import means
from rankcut.consensus.means import (
    Units,
    borda_vectors,
    listed_wins,
    mean_of,
    resampled_means,
)
from rankcut.errors import InputError
from rankcut.rankings import Rankings, read_rankings

VOTES = make_mallows(50, 5, phi=0.8, kind="incomplete", k=3, random_state=0).ranks
WEIGHTS = np.random.default_rng(0).integers(0, 4, 50)


def people_of(ranks=VOTES, unranked="anywhere", **options):
    return Units.of(read_rankings(ranks, unranked=unranked, **options))


def test_vectors_are_those_of_the_complete_graph():
    rankings = people_of()
    block = rankings.block(0, len(rankings.counts))
    ranks = np.where(block.groups == np.uint32(0xFFFFFFFF), np.nan, block.groups)
    features = GraphCutFeatures(unranked="anywhere", completions="closed_form")
    assert_allclose(borda_vectors(block.groups), features.fit_transform(ranks), atol=1e-12)


def test_few_rankings_have_the_vectors_of_many(monkeypatch):
    groups = np.random.default_rng(0).integers(4, size=(20, 4)).astype(np.uint32)
    groups = Rankings(groups.astype(np.float64)).groups()
    few = borda_vectors(groups)
    monkeypatch.setattr(means, "FEW_ENTRIES", 0)
    assert_array_equal(few, borda_vectors(groups))


@pytest.mark.parametrize("options", [{}, {"counts": WEIGHTS}])
def test_the_mean_and_its_covariance_are_those_of_the_repeated_rows(options):
    times = options.get("counts", np.ones(50, int))
    features = GraphCutFeatures(unranked="anywhere", completions="closed_form")
    rows = np.repeat(features.fit_transform(VOTES), times, axis=0)
    found = mean_of(people_of(**options), borda_vectors, 5, covariance=True)
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
    found = mean_of(
        people_of(sample_weight=weights, people=persons), borda_vectors, 5, covariance=True
    )
    assert_allclose(found.vector, mean, atol=1e-12)
    assert_allclose(found.covariance, rest.T @ rest * 25 / 24 / masses.sum() ** 2, atol=1e-12)
    assert_allclose(found.n_effective, masses.sum() ** 2 / (masses**2).sum())


def test_one_person_is_not_sure_of_anything():
    assert np.isinf(mean_of(people_of(VOTES[:1]), borda_vectors, 5).variance).all()


@pytest.mark.parametrize("times", [1, 40])
def test_bootstrap_means_vary_as_the_mean_does(times):
    # With 40 people to a row, counts are drawn; with one, people are.
    people = people_of(counts=np.full(50, times))
    mean = mean_of(people, borda_vectors, 5, covariance=True)
    (samples,) = resampled_means(people, borda_vectors, 5, 4000, seed=0)
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
    expected = next(resampled_means(counted, borda_vectors, 5, 20, seed=3))
    for people in (people_of(repeated), people_of(VOTES[order], counts=WEIGHTS[order])):
        assert_array_equal(next(resampled_means(people, borda_vectors, 5, 20, seed=3)), expected)


def test_samples_come_a_few_at_a_time_if_they_are_wide(monkeypatch):
    monkeypatch.setattr(means, "AT_ONCE", 50)
    lots = list(resampled_means(people_of(), borda_vectors, 5, 25, seed=0))
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
    found = next(resampled_means(people, borda_vectors, 5, 20, seed=3))
    monkeypatch.setattr(means, "_WHOLE", 0)
    assert_array_equal(found, next(resampled_means(people, borda_vectors, 5, 20, seed=3)))


@pytest.mark.parametrize("seed", range(5))
def test_wins_over_listed_items_are_counted_pair_by_pair(seed):
    rng = np.random.default_rng(seed)
    ranks = rng.integers(1, 4, size=(30, 6)).astype(float)
    ranks[rng.random(ranks.shape) < 0.4] = np.nan
    signs = np.sign(ranks[:, None, :] - ranks[:, :, None])
    expected = np.nansum(signs, axis=2)
    met = np.maximum((~np.isnan(signs)).sum(axis=2) - 1, 0)
    wins, meetings = listed_wins(Rankings(ranks, unranked="anywhere").groups())
    assert_array_equal(wins, expected)
    assert_array_equal(meetings, met)


NAN = np.nan
ROWS = np.array([[1, 2, 3], [2, 1, NAN], [1, 2, 3], [NAN, NAN, NAN], [5, 9, 11.5]])


def test_counts_are_people_and_weights_weigh_them():
    counted = people_of(ROWS, counts=[2, 0, 1, 0, 1])
    assert counted.counts.tolist() == [4]
    assert counted.weights is None
    weighed = people_of(ROWS, sample_weight=[1, 0, 2, 0, 2])
    assert weighed.counts.tolist() == [1, 1, 1]
    assert weighed.weights.tolist() == [0.5, 1, 1]
    # Equal weights are none, and a count of people with a weight is one person of both.
    assert people_of(ROWS, sample_weight=[3, 0, 3, 0, 3]).weights is None
    assert people_of(ROWS, sample_weight=[2, 0, 1, 0, 1], counts=[1, 1, 2, 1, 4]).weights.max() == 1


def test_rows_of_a_person_stay_together():
    people = people_of(ROWS, people=["b", "a", "b", "c", "a"])
    assert people.listed.all()
    # c lists nothing.
    assert people.n_people == 2
    assert people.starts.tolist() == [0, 2, 4]
    block = people.block(1, 2)
    assert block.starts.tolist() == [0]
    assert len(block.groups) == 2


def test_blocks_add_up_to_the_whole(monkeypatch):
    monkeypatch.setattr(means, "BLOCK", 4)
    for people in (
        people_of(ROWS),
        people_of(ROWS, people=[1, 2, 1, 2, 3], sample_weight=[1.5, 2, 1, 1, 1]),
    ):
        whole = people.block(0, len(people.counts))
        blocks = list(people.blocks(2))
        assert len(blocks) > 1
        assert_array_equal(np.concatenate([block.masses() for block in blocks]), whole.masses())


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
