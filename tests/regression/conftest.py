"""Views of random lists."""

import numpy as np
import pytest

from rankcut import NeighborGraph
from rankcut.cuts.smoothing import Smoother
from rankcut.rankings import read_rankings
from rankcut.regression.views import list_views


@pytest.fixture
def random_views():
    points = np.random.default_rng(0).random((9, 2))
    smoother = Smoother(NeighborGraph(points, n_neighbors=3).build(), 1.5)

    def of(n_rankings):
        rng = np.random.default_rng(n_rankings)
        ranks = rng.integers(1, 5, size=(n_rankings, 9)).astype(float)
        ranks[rng.random(ranks.shape) < 0.5] = np.nan
        return list_views(read_rankings(ranks, unranked="anywhere"), smoother)

    return of
