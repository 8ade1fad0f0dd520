"""Scores: calibration from its definition, baselines that know what they should."""

import numpy as np
import pytest
from ranking_sets import stored
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import f1_score, log_loss
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from rankcut import GraphCutFeatures, make_food
from rankcut.regression.cross_validation import cross_validate, evaluate, score_classes


def test_calibration_error_from_its_definition():
    rng = np.random.default_rng(0)
    p = rng.dirichlet([1, 1, 1], size=200)
    truth = rng.integers(0, 3, 200)
    expected = 0.0
    for low in np.arange(10) / 10:
        chosen = [i for i in range(200) if low <= p[i].max() < low + 0.1]
        if chosen:
            right = np.mean([p[i].argmax() == truth[i] for i in chosen])
            sure = np.mean([p[i].max() for i in chosen])
            expected += len(chosen) / 200 * abs(right - sure)
    assert score_classes("", truth, p).calibration_error == pytest.approx(expected)


def test_scores_are_those_of_their_names():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, 500)
    probabilities = rng.dirichlet([1.0, 1.0, 1.0], 500)
    score = score_classes("it", codes, probabilities)
    found = np.eye(3)[probabilities.argmax(axis=1)].astype(bool)
    truth = np.eye(3)[codes].astype(bool)
    hits = (found & truth).sum(axis=0)
    assert score.f1 == pytest.approx((2 * hits / (found.sum(axis=0) + truth.sum(axis=0))).mean())
    assert score.log_loss == pytest.approx(-np.log(probabilities[truth]).mean())
    # A class that nobody of these people has.
    few = score_classes("it", codes[codes < 2], probabilities[codes < 2])
    assert few.log_loss == pytest.approx(-np.log(probabilities[codes < 2][truth[codes < 2]]).mean())


def logistic(n_items, **options):
    """What the baselines are fitted by, on graph cut features."""
    features = GraphCutFeatures(sparse_output=False, **options)
    return make_pipeline(features, StandardScaler(), LogisticRegression(C=10 / n_items))


def scores_by_method(ranks, target, groups=None, **options):
    classifier = logistic(ranks.shape[1], **options)
    scores = cross_validate(classifier, ranks, target, name="ours", folds=5, groups=groups, seed=0)
    return {score.method: score for score in scores}


def test_rankings_tell_more_than_the_majority_and_presence_only_what_it_knows():
    food = make_food(200, noise=0.3, random_state=0)
    found = scores_by_method(food.ranks, food.target)
    assert list(found) == ["majority", "presence", "Borda", "ours"]
    assert found["ours"].f1 > 0.9
    # Full rankings rank everything: presence knows no more than the majority does.
    assert found["presence"].log_loss == pytest.approx(np.log(2), abs=0.05)
    # On the complete graph the features are Borda points.
    assert found["ours"].log_loss == pytest.approx(found["Borda"].log_loss, rel=1e-6)


def test_a_class_that_shows_only_in_what_is_ranked_is_found_by_presence():
    rng = np.random.default_rng(0)
    target = np.arange(100) % 2
    ranks = rng.permuted(np.tile(np.arange(1.0, 7.0), (100, 1)), axis=1)
    ranks[target == 1, 0] = np.nan
    for given in (ranks, stored(ranks)):
        assert scores_by_method(given, target, unranked="last")["presence"].f1 > 0.99


def test_groups_are_never_in_training_and_test_at_once():
    # Each group has a ranking and a class of its own: seen once, it is known.
    rng = np.random.default_rng(1)
    groups = np.repeat(np.arange(40), 5)
    target = rng.permutation(np.arange(40) % 2)[groups]
    ranks = rng.permuted(np.tile(np.arange(1.0, 81.0), (40, 1)), axis=1)[groups]
    apart, together = (scores_by_method(ranks, target, own)["ours"].f1 for own in (None, groups))
    assert apart > 0.9
    assert together < 0.75


def test_scores_on_another_file_are_those_of_a_model_that_learned_from_the_first():
    food = make_food(200, noise=0.6, random_state=3)
    names = np.array(food.target_names)[food.target]
    classifier = logistic(8)
    train, test = (food.ranks[:120], names[:120]), (food.ranks[120:], names[120:])
    ours = evaluate(classifier, train, test, name="ours")[-1]
    probabilities = classifier.fit(*train).predict_proba(test[0])
    predicted = classifier.predict(test[0])
    assert ours.f1 == pytest.approx(f1_score(test[1], predicted, average="macro"))
    assert ours.log_loss == pytest.approx(log_loss(test[1], probabilities))
    with pytest.raises(ValueError, match="'other' is in the test file"):
        evaluate(classifier, train, (test[0], np.full(80, "other")), name="ours")
