"""Scores of the quality benchmark, and how much of them is due to whom.

A score of weighted people is written down once more here; an influence is its slope by the
weight of one person.
"""

import numpy as np
import pytest
from quality_measures import agreement_of_nearest, area_under_curve, foresight_of_agreement
from sklearn.metrics import roc_auc_score

STEP = 1e-5


def slopes(score, n_people):
    """The slope of a score by the weight of each person, where all weigh one."""
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
