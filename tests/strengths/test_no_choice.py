"""A ranking that chooses nothing says nothing."""

import numpy as np

from rankcut._loops.tied_choices import EFRON, TieModel, ranking_derivatives


def test_a_ranking_that_chooses_nothing_has_no_score_and_no_curvature():
    ties = TieModel(EFRON, np.array([1, 2]), np.zeros(2))
    log_worths, score, curvature = np.arange(3.0), np.full(5, np.nan), np.full((5, 5), np.nan)
    joined = np.zeros(3, dtype=np.bool_)
    for derivatives in (ranking_derivatives, ranking_derivatives.py_func):
        score[:], curvature[:] = np.nan, np.nan
        assert derivatives(log_worths, joined, 0, ties, score, curvature) == 0.0
        assert not score.any()
        assert not curvature.any()
