"""Scores from sums against those of scikit-learn from all predictions."""

import dask.array as da
import numpy as np
import pytest
from sklearn.metrics import f1_score, log_loss

from rankcut.dask.cross_validation import _folds, cross_validate, tally
from rankcut.gp.weight_space import add_up
from rankcut.regression.cross_validation import calibration_error


def test_blocks_are_not_all_split_alike():
    one, other = (_folds(np.zeros(50), number, 5, seed=0) for number in (0, 1))
    assert (one != other).any()


def test_sums_of_blocks_are_the_scores_of_all():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, 500)
    probabilities = rng.dirichlet([1.0, 1.0, 1.0], 500)
    blocks = [slice(0, 200), slice(200, 203), slice(203, 500)]
    score = add_up(tally(codes[b], probabilities[b]) for b in blocks).score("it")
    guesses = probabilities.argmax(axis=1)
    assert score.f1 == pytest.approx(f1_score(codes, guesses, average="macro"))
    assert score.log_loss == pytest.approx(log_loss(codes, probabilities))
    expected = calibration_error(codes, probabilities, np.arange(3))
    assert score.calibration_error == pytest.approx(expected)


def test_a_constant_prediction_is_counted_as_often_as_it_is_made():
    own = np.array([3, 5])
    expected = tally(np.repeat([0, 1], own), np.tile([0.75, 0.25], (8, 1)))
    found = tally(np.arange(2), np.tile([0.75, 0.25], (2, 1)), own)
    for got, wanted in zip(found, expected, strict=True):
        np.testing.assert_allclose(got, wanted)


def test_cross_validation_tells_what_can_be_told():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 2, 400)
    X = da.from_array(rng.normal(size=(400, 3)) + 2.0 * codes[:, None], chunks=(90, -1))
    y = da.from_array(np.array(["no", "yes"])[codes], chunks=90)
    (majority, ours), counts = cross_validate(X, y, name="ours", folds=3, seed=0)
    assert counts == {"no": int((codes == 0).sum()), "yes": int((codes == 1).sum())}
    assert majority.log_loss == pytest.approx(np.log(2), abs=0.02)
    assert ours.log_loss < 0.5 * majority.log_loss
    assert ours.f1 > 0.9 > majority.f1
    again, _ = cross_validate(X, y, name="ours", folds=3, seed=0)
    assert again == [majority, ours]


def test_what_cannot_be_told_is_refused():
    X = da.ones((10, 2), chunks=(5, -1))
    with pytest.raises(ValueError, match="nothing to predict"):
        cross_validate(X, da.from_array(np.array(["a"] * 10), chunks=5), name="", folds=2, seed=0)
    rare = da.from_array(np.array(["a"] * 9 + ["b"]), chunks=5)
    with pytest.raises(ValueError, match="class 'b' has 1 ranking, too few for 2 folds"):
        cross_validate(X, rare, name="", folds=2, seed=0)
