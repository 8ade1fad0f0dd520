"""Mean ranks, and the tests behind critical-difference diagrams."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from rankcut.errors import InputError
from rankcut.leaderboard import MeanRanks, ScoreTable, critical_difference

# The kind of table that Demšar (2006) uses: four learners on fourteen data sets.
CELLS = np.array(
    [
        *([0.763, 0.768, 0.771, 0.798], [0.599, 0.591, 0.590, 0.569]),
        *([0.954, 0.971, 0.968, 0.967], [0.628, 0.661, 0.654, 0.657]),
        *([0.882, 0.888, 0.886, 0.898], [0.936, 0.931, 0.916, 0.931]),
        *([0.661, 0.668, 0.609, 0.685], [0.583, 0.583, 0.563, 0.625]),
        *([0.775, 0.838, 0.866, 0.875], [1.0, 1.0, 1.0, 1.0]),
        *([0.940, 0.962, 0.965, 0.962], [0.619, 0.666, 0.614, 0.669]),
        *([0.972, 0.981, 0.975, 0.975], [0.957, 0.978, 0.946, 0.970]),
    ]
)
RANKS = MeanRanks(CELLS, ("C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf"))


def test_friedman():
    test = stats.friedmanchisquare(*CELLS.T)
    assert RANKS.friedman == pytest.approx((test.statistic, test.pvalue))


def test_the_critical_difference_of_four_learners_on_fourteen_sets():
    """Demšar (2006), section 3.2.2: q = 2.569, and CD = 2.569·√(4·5/(6·14)) = 1.25."""
    assert RANKS.critical_difference == pytest.approx(2.569 * np.sqrt(20 / 84), abs=1e-3)


def test_nemenyi_is_that_of_scikit_posthocs():
    """``posthoc_nemenyi_friedman`` of scikit-posthocs 0.17 on this table."""
    theirs = [0.088673, 0.971686, 0.061683, 0.226697, 0.998882, 0.170052]
    assert RANKS.nemenyi[np.triu_indices(4, 1)] == pytest.approx(theirs, abs=1e-6)


def test_wilcoxon_holm_is_that_of_scikit_posthocs():
    """``posthoc_wilcoxon(…, p_adjust="holm")`` of scikit-posthocs 0.17 on this table."""
    theirs = [0.064543, 0.861262, 0.079372, 0.162986, 0.655651, 0.101254]
    assert RANKS.wilcoxon_holm[np.triu_indices(4, 1)] == pytest.approx(theirs, abs=1e-6)


def test_bars_join_what_does_not_differ():
    shifted = MeanRanks(CELLS + np.array([0.0, 0.0, 0.5, 0.5]), RANKS.items)
    names = [shifted.items[i] for i in shifted.order]
    assert {*names[:2]} == {"C4.5+cf", "C4.5+m+cf"}
    differ = shifted.differ("wilcoxon-holm")
    for first, last in shifted.cliques("wilcoxon-holm"):
        assert not differ[
            np.ix_(shifted.order[first : last + 1], shifted.order[first : last + 1])
        ].any()


def test_from_scores():
    table = pd.DataFrame(CELLS, columns=list("abcd")).assign(dataset=range(14))
    table["dataset"] = table["dataset"].map("d{}".format)
    found = critical_difference(ScoreTable.of_frame(table))
    assert found.values == pytest.approx(RANKS.values)
    with pytest.raises(InputError, match="two models with scores on two data sets"):
        critical_difference(ScoreTable.of_frame(table[:1]))
