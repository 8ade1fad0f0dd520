"""Permutation importance of covariates, against scikit-learn's."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.inspection import permutation_importance
from sklearn.linear_model import Ridge

from rankcut import RankingRegressor, covariate_importance
from rankcut.errors import InputError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 3))
UTILITIES = np.column_stack([X[:, 0], -X[:, 0], 3 + 0.0 * X[:, 0], X[:, 1] - 4])
RANKS = (-UTILITIES).argsort(axis=1).argsort(axis=1) + 1.0


@pytest.fixture(scope="module")
def model():
    return RankingRegressor(Ridge()).fit(X, RANKS)


def test_it_agrees_with_scikit_learns(model):
    found = covariate_importance(model, X, RANKS, n_repeats=30)
    known = permutation_importance(model, X, RANKS, n_repeats=30, random_state=0)
    assert found.score == pytest.approx(model.score(X, RANKS))
    # Other shuffles: their means differ by their standard errors.
    spread = np.hypot(found.drops.std(axis=1), known.importances_std) / np.sqrt(30)
    assert (np.abs(found.drops.mean(axis=1) - known.importances_mean) <= 5 * spread + 1e-9).all()


def test_each_item_has_its_own(model):
    found = covariate_importance(model, X, RANKS, n_repeats=5)
    drops = found.item_drops.mean(axis=2)
    assert drops.shape == (3, 4)
    # The first covariate exchanges the first two items; the third is always first.
    assert drops[0, 0] > 0.2
    assert abs(drops[0, 2]) < 0.05
    assert np.abs(drops[2]).max() < 0.05
    assert found.table()["covariate"][0] == 0


@pytest.mark.parametrize("library", [pd, pl], ids=["pandas", "polars"])
def test_frames_keep_their_kinds_of_columns(library):
    table = library.DataFrame(
        {"age": X[:, 0].tolist(), "town": ["north" if x > 0 else "south" for x in X[:, 1]]}
    )
    model = RankingRegressor().fit(table, RANKS)
    found = covariate_importance(model, table, RANKS, n_repeats=2)
    assert found.covariates == ["age", "town"]
    assert found.table()["covariate"][0] == "age"
    assert len(found.to_frame()) == 2
    assert "for 0" in repr(found)


def test_a_number_of_repeats_is_checked(model):
    with pytest.raises(InputError, match="n_repeats must be"):
        covariate_importance(model, X, RANKS, n_repeats=0)
