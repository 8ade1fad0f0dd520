"""Cross-validation of features in blocks."""

import dask.array as da
import numpy as np
import pytest

from rankcut.dask.cross_validation import _folds, cross_validate


def test_blocks_are_not_all_split_alike():
    one, other = (_folds(np.zeros(50), number, 5, seed=0) for number in (0, 1))
    assert (one != other).any()


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
