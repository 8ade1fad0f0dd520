"""Measures of the quality benchmark, whose they are, and how sure a mean over splits is."""

import numpy as np
import pytest
from quality_measures import agreement_of_nearest, area_under_curve, foresight_of_agreement
from quality_scores import RECIPE, Split, TaskScores, estimate, holm, mean_lead
from sklearn.metrics import roc_auc_score

N_PEOPLE, N_TEST, N_SPLITS = 200, 100, 6


def splits_of_a_draw(rng, training):
    """Values of splits that are 0 in expectation: means of whom is tested, plus training."""
    people = rng.normal(size=N_PEOPLE)
    values, influences = np.empty(N_SPLITS), np.zeros((N_SPLITS, N_PEOPLE))
    for split in range(N_SPLITS):
        tested = rng.permutation(N_PEOPLE)[:N_TEST]
        mean = people[tested].mean()
        influences[split, tested] = (people[tested] - mean) / N_TEST
        values[split] = mean + training * rng.normal()
    return values, influences


@pytest.mark.parametrize("training", [0.0, 0.1, 0.3])
def test_intervals_cover_what_is_true(training):
    rng = np.random.default_rng(0)
    draws = [estimate(*splits_of_a_draw(rng, training), trained=0.0) for _ in range(500)]
    covered = np.mean([abs(found.mean) <= found.half for found in draws])
    # The share of 500 has a standard deviation of 0.01.
    assert 0.92 <= covered <= 0.99
    # What splits differ by whom they test is not due to training.
    of_one_split = N_SPLITS * np.mean([found.of_training for found in draws])
    assert of_one_split == pytest.approx(training**2, abs=0.002 + 0.05 * training**2)


def test_training_on_the_same_people_widens_the_interval_and_one_split_has_none():
    values, influences = splits_of_a_draw(np.random.default_rng(1), 0.3)
    alone, often = (estimate(values, influences, trained) for trained in (0.0, 0.5))
    assert often.of_training == pytest.approx(alone.of_training * (1 + N_SPLITS))
    assert often.of_people == alone.of_people
    assert np.isnan(estimate(values[:1], influences[:1], 0.0).half)


def task(name, data, leads):
    """A task of two splits on which the recipe leads by so much because of each person."""
    influences = np.array([np.zeros_like(leads), leads])
    split = Split(["Borda", RECIPE], np.array([0.5, 0.6]), influences, np.zeros(2))
    return TaskScores(name, "family", data, 0.0, [split, split])


def test_a_person_in_two_tasks_counts_once():
    rng = np.random.default_rng(2)
    leads = rng.normal(size=50)
    half = {
        data: mean_lead([task("one", "x", leads), task("other", data, leads)], "Borda").half
        for data in ("x", "y")
    }
    # The same tasks twice tell no more than one; those of other people do.
    assert half["x"] == pytest.approx(mean_lead([task("one", "x", leads)], "Borda").half)
    assert half["y"] == pytest.approx(half["x"] / np.sqrt(2))


@pytest.mark.slow
def test_tasks_that_learn_from_the_same_people_err_together():
    """Half of what training does is due to those whom all splits of all tasks learn from."""
    rng = np.random.default_rng(3)
    n_tasks, n_splits, trained = 4, 6, 0.5
    far = {"the same": 0, "other": 0}
    for _ in range(400):
        lasting = rng.normal() * np.sqrt(trained)
        for data in far:
            tasks = []
            for place in range(n_tasks):
                drawn = rng.normal(size=n_splits) * np.sqrt(1 - trained)
                name = data if data == "the same" else f"data {place}"
                tasks.append(learning_task(name, trained, lasting + drawn))
            lead = mean_lead(tasks, "Borda")
            far[data] += abs(lead.mean) > lead.half
    # Four variances of six splits each, and a normal quantile: a little more than 0.05.
    assert far["the same"] / 400 < 0.09
    # As if they were not the same people, tasks would seem to tell more than they do.
    assert far["other"] / 400 > 0.2


def learning_task(data, trained, leads):
    """A task whose splits differ by whom they learn from alone."""
    methods, silent = ["Borda", RECIPE], np.zeros((2, 5))
    splits = [Split(methods, np.array([0.0, lead]), silent, np.zeros(2)) for lead in leads]
    return TaskScores("task", "family", data, trained, splits)


@pytest.mark.parametrize(
    ("ours", "noise", "verdict"),
    [
        (0.6, 0.01, "best"),
        (0.6, 0.1, "within noise"),
        (0.4, 0.01, "worse"),
        (0.4, 0.04, "within noise"),
    ],
)
def test_verdicts(ours, noise, verdict):
    """The others all have 0.5, and the recipe a deviation of ``noise``."""
    n_people, others = 400, [f"method {i}" for i in range(13)]
    influences = np.zeros((14, n_people))
    influences[-1] = noise / np.sqrt(n_people)
    scores = np.append(np.full(13, 0.5), ours)
    split = Split([*others, RECIPE], scores, influences, np.zeros(14))
    found = TaskScores("task", "family", "data", 0.0, [split, split])
    assert found.verdict == verdict
    # Behind by two and a half deviations, which is less than thirteen comparisons ask for.
    assert found.seems_worse == (ours < 0.5)


def test_holm_corrects_for_the_number_and_keeps_the_order():
    assert holm({"a": 0.01, "b": 0.04, "c": 0.03}) == pytest.approx(
        {"a": 0.03, "c": 0.06, "b": 0.06}
    )


STEP = 1e-5


def slopes(score, n_people):
    """The slope of a score by the weight of each person, where all weigh one.

    A score of weighted people is written down once more in each test; influences are its slopes.
    """
    changes = STEP * np.eye(n_people)
    return np.array([(score(1 + change) - score(1 - change)) / (2 * STEP) for change in changes])


def test_area_under_the_curve_and_whose_it_is():
    rng = np.random.default_rng(0)
    positive = np.arange(30) % 3 == 0
    scores = rng.integers(6, size=30) + positive
    people = rng.permutation(np.repeat(np.arange(10), 3))

    def weighted(weights):
        return roc_auc_score(positive, scores, sample_weight=weights[people])

    judged = area_under_curve(positive, scores, people, 11)
    assert judged.score == pytest.approx(roc_auc_score(positive, scores))
    assert judged.influence == pytest.approx(slopes(weighted, 11), abs=1e-8)
    assert judged.influence[10] == 0


@pytest.fixture
def likeness():
    rng = np.random.default_rng(1)
    people = rng.permutation(40)[:30]
    agreement = rng.normal(size=(8, 30))
    agreement[np.arange(8), np.arange(8)] = np.nan
    agreement[2, 4:9] = np.nan
    return agreement + rng.normal(size=(8, 30)), agreement, people


def test_agreement_of_the_nearest_and_whose_it_is(likeness):
    alike, agreement, people = likeness
    alike = np.where(np.isnan(agreement), -9.0, alike)
    nearest = alike >= np.sort(alike, axis=1)[:, [-10]]

    def weighted(weights):
        pairs = np.outer(weights[people[:8]], weights[people]) * nearest
        return (pairs * np.nan_to_num(agreement)).sum() / pairs.sum()

    # People without anything to judge by take no one's place, however much they are alike.
    for silent in (-9.0, 99.0):
        alike = np.where(np.isnan(agreement), silent, alike)
        judged = agreement_of_nearest(alike, agreement, people, 40, seed=0)
        assert judged.score == pytest.approx(agreement[nearest].mean())
        assert judged.influence == pytest.approx(slopes(weighted, 40), abs=1e-8)


def test_foresight_of_agreement_and_whose_it_is(likeness):
    alike, agreement, people = likeness

    def weighted(weights):
        found = []
        for likes, agrees in zip(alike, agreement, strict=True):
            known = np.isfinite(agrees)
            covariance = np.cov(likes[known], agrees[known], aweights=weights[people[known]])
            found.append(covariance[0, 1] / np.sqrt(covariance[0, 0] * covariance[1, 1]))
        return np.average(found, weights=weights[people[:8]])

    judged = foresight_of_agreement(alike, agreement, people, 40)
    assert judged.score == pytest.approx(weighted(np.ones(40)))
    assert judged.influence == pytest.approx(slopes(weighted, 40), abs=1e-8)


def test_who_is_alike_to_all_foresees_nothing_and_two_people_are_too_few(likeness):
    alike, agreement, people = likeness
    silent = foresight_of_agreement(np.ones((8, 30)), agreement, people, 40)
    assert silent.score == 0
    assert not silent.influence.any()
    agreement[7, 2:] = np.nan
    judged = foresight_of_agreement(alike, agreement, people, 40)
    others = foresight_of_agreement(alike[:7], agreement[:7], people, 40)
    assert judged.score == others.score
    assert judged.influence == pytest.approx(others.influence)
