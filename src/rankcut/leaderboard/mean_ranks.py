"""The critical-difference diagram of Demšar (2006), and the tests behind it.

Each data set ranks the models, 1 the best. Friedman's test asks whether all mean ranks are equal.
By Nemenyi's test two models differ if their mean ranks are further apart than the critical
difference q·√(k(k + 1)/6N); by Wilcoxon's signed-rank test for each pair, adjusted by Holm's
method, if the scores of both differ (Benavoli, Corani and Mangili 2016). Beside them stands what
our own intervals of mean scores say, which hold for all pairs at once.
"""

import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np
from scipy import stats

from rankcut._loops.types import Flags, Floats, Longs
from rankcut.comparison.statistics import holm
from rankcut.errors import InputError, amount
from rankcut.files.columns import Labels
from rankcut.leaderboard.places import Places
from rankcut.leaderboard.scores import ScoreTable, mean_scores
from rankcut.parameters import check_choice, check_share
from rankcut.pictures.charts import MOST_JOINED, Row, diagram, dot_chart, joined_runs
from rankcut.pictures.scene import Dot, Picture
from rankcut.pictures.theme import colour
from rankcut.results import Result, Table
from rankcut.results.words import p_in_words

Test: TypeAlias = Literal["nemenyi", "wilcoxon-holm"]
TESTS: dict[Test, str] = {
    "nemenyi": "Nemenyi",
    "wilcoxon-holm": "Wilcoxon, adjusted by Holm's method",
}


@dataclass(frozen=True, eq=False, repr=False)
class MeanRanks(Result):
    """Mean ranks of models on data sets, and tests of their differences.

    A :class:`~rankcut.results.Result`, with the tables ``items`` and ``pairs``, whose picture is
    the critical-difference diagram.

    Examples
    --------
    >>> cells = np.array([[.9, .8, .7], [.8, .7, .6], [.9, .7, .8], [.7, .6, .5]])
    >>> ranks = MeanRanks(cells, ("forest", "svm", "tree"))
    >>> ranks.values.tolist(), round(ranks.friedman[1], 4)
    ([1.0, 2.25, 2.75], 0.0388)
    >>> round(ranks.critical_difference, 3), ranks.nemenyi.round(3)[0].tolist()
    (1.657, [1.0, 0.181, 0.036])
    """

    cells: Floats  #: a row for each data set, higher is better, nothing missing
    items: Labels
    confidence: float = 0.95
    test: Test = "nemenyi"  #: which test the diagram is by

    @cached_property
    def ranks(self) -> Floats:
        """The rank of each model on each data set; ties share the mean of theirs."""
        return np.asarray(stats.rankdata(-self.cells, axis=1))

    @cached_property
    def values(self) -> Floats:
        """The mean rank of each model."""
        return np.asarray(self.ranks.mean(axis=0))

    @property
    def friedman(self) -> tuple[float, float]:
        """Friedman's χ², corrected for ties, and p, if all models were equal."""
        n_sets, n_items = self.cells.shape
        centred = self.values - (n_items + 1) / 2
        spread = float(((self.ranks - (n_items + 1) / 2) ** 2).sum()) / (n_sets * (n_items - 1))
        if spread == 0:
            return 0.0, 1.0
        statistic = float(n_sets * (centred**2).sum() / spread)
        return statistic, float(stats.chi2.sf(statistic, n_items - 1))

    @property
    def _error(self) -> float:
        """√(k(k + 1)/6N): the standard error of a difference of mean ranks, if all are equal."""
        n_sets, n_items = self.cells.shape
        return float(np.sqrt(n_items * (n_items + 1) / (6 * n_sets)))

    @property
    def critical_difference(self) -> float:
        """How far apart mean ranks are by chance, by Nemenyi's test."""
        width = stats.studentized_range.ppf(self.confidence, self.cells.shape[1], np.inf)
        return float(width / np.sqrt(2) * self._error)

    @cached_property
    def nemenyi(self) -> Floats:
        """The p-value of each pair by Nemenyi's test."""
        gaps = np.abs(self.values[:, None] - self.values[None, :]) / self._error * np.sqrt(2)
        p_values = stats.studentized_range.sf(gaps, self.cells.shape[1], np.inf)
        np.fill_diagonal(p_values, 1.0)
        return np.asarray(np.minimum(p_values, 1.0))

    @cached_property
    def wilcoxon_holm(self) -> Floats:
        """The p-value of each pair by Wilcoxon's signed-rank test, adjusted by Holm's method."""
        one, other = np.triu_indices(len(self.items), 1)
        each = []
        for i, j in zip(one.tolist(), other.tolist(), strict=True):
            gaps = self.cells[:, i] - self.cells[:, j]
            with warnings.catch_warnings():
                # Few data sets, or ties: the normal approximation is used, as is usual.
                warnings.simplefilter("ignore")
                each.append(float(stats.wilcoxon(gaps).pvalue) if gaps.any() else 1.0)
        p_values = np.ones((len(self.items),) * 2)
        p_values[one, other] = p_values[other, one] = holm(np.array(each))
        return p_values

    def differ(self, test: Test | None = None) -> Flags:
        """Whether models differ, by one of the tests; None: by :attr:`test`."""
        p_values = self.nemenyi if (test or self.test) == "nemenyi" else self.wilcoxon_holm
        return np.asarray(p_values <= 1 - self.confidence)

    @cached_property
    def places(self) -> Places:
        """What our own intervals of mean scores say."""
        means = mean_scores(self.cells)
        return Places(means.values, means.covariance, means.freedom, self.confidence)

    @cached_property
    def order(self) -> Longs:
        """Models by their mean rank."""
        return np.lexsort((np.arange(len(self.items)), self.values))

    def cliques(self, test: Test | None = None) -> list[tuple[int, int]]:
        """The longest runs of :attr:`order` of which no two differ: the bars of the diagram."""
        return joined_runs(self.order.tolist(), self.differ(test))

    def sentences(self) -> list[str]:
        """Whether models differ, which, and what the other tests say."""
        n_sets, n_items = self.cells.shape
        n_pairs = n_items * (n_items - 1) // 2
        names = [str(self.items[i]) for i in self.order]
        nemenyi, holm = (int(self.differ(test).sum()) // 2 for test in TESTS)
        statistic, p_value = self.friedman
        differ = "differs" if nemenyi == 1 else "differ"
        return [
            f"{names[0]} has the best mean rank on {amount(n_sets, 'data set')}, "
            f"{self.values.min():.2f}; {names[-1]} the worst, {self.values.max():.2f}.",
            f"If all were equal (Friedman): {p_in_words(p_value)}, χ² = {statistic:.2f}.",
            f"Of {amount(n_pairs, 'pair')}, {nemenyi} {differ} by Nemenyi's test and {holm} by "
            "Wilcoxon's with Holm's method; by our comparison of mean scores, of all pairs at "
            f"once, {int(self.places.clear.sum())}. Ranks see the order of scores alone; means "
            "see their size, too.",
            f"Critical difference of mean ranks (Nemenyi): {self.critical_difference:.2f}.",
        ]

    def tables(self) -> dict[str, Table]:
        """Mean ranks, and the p-values of pairs."""
        order = self.order
        one, other = np.triu_indices(len(order), 1)
        first, second = order[one], order[other]
        return {
            "items": Table(
                {
                    "item": [str(self.items[i]) for i in order],
                    "mean_rank": self.values[order].tolist(),
                    "mean_score": self.cells.mean(axis=0)[order].tolist(),
                }
            ),
            "pairs": Table(
                {
                    "first": [str(self.items[i]) for i in first],
                    "second": [str(self.items[i]) for i in second],
                    "difference": (self.values[second] - self.values[first]).tolist(),
                    "nemenyi": self.nemenyi[first, second].tolist(),
                    "wilcoxon_holm": self.wilcoxon_holm[first, second].tolist(),
                    "p_value": self.places.p_values[first, second].tolist(),
                }
            ),
        }

    def picture(self) -> Picture:
        """The critical-difference diagram; with many models, dots on a scale of mean ranks."""
        title, sets = "Mean ranks", amount(len(self.cells), "data set")
        names = [str(item) for item in self.items]
        tips = [
            f"{name}: mean rank {rank:.2f}" for name, rank in zip(names, self.values, strict=True)
        ]
        if len(names) > MOST_JOINED:
            rows = [
                Row(names[i], [Dot(self.values[i], colour(0), tip=tips[i])]) for i in self.order
            ]
            caption = f"Mean ranks on {sets}, 1 the best."
            return dot_chart(title, caption, rows, "mean rank", ends=(1.0, float(len(names))))
        caption = (
            f"Mean ranks on {sets}, 1 the best. Bars join models that do not differ by the test of "
            f"{TESTS[self.test]} ({100 * self.confidence:g} %)."
        )
        return diagram(title, caption, names, self.values, self.differ(), tips)


def critical_difference(
    X: ScoreTable, test: Test = "nemenyi", *, confidence: float = 0.95
) -> MeanRanks:
    """Mean ranks of models on the data sets that all have scores on, and which differ.

    Parameters
    ----------
    X : ScoreTable or frame
        Scores of models on data sets; runs on one data set are averaged.
    test : {"nemenyi", "wilcoxon-holm"}, default="nemenyi"
        Which test the diagram is by.
    confidence : float, default=0.95
        One minus the level of the tests.

    References
    ----------
    J. Demšar. Statistical Comparisons of Classifiers over Multiple Data Sets. JMLR, 2006.

    A. Benavoli, G. Corani, F. Mangili. Should We Really Use Post-Hoc Tests Based on Mean-Ranks?
    JMLR, 2016.

    Examples
    --------
    >>> import pandas as pd
    >>> from rankcut.leaderboard import ScoreTable, critical_difference
    >>> scores = ScoreTable.of_frame(pd.DataFrame({
    ...     "dataset": list("abcdef"), "forest": [.9, .8, .9, .7, .8, .9],
    ...     "svm": [.8, .7, .7, .6, .7, .8], "tree": [.7, .6, .8, .5, .6, .7]}))
    >>> critical_difference(scores).sentences()[1]
    'If all were equal (Friedman): p = 0.0057, χ² = 10.33.'
    """
    check_choice(test, tuple(TESTS), "test")
    check_share(confidence, "confidence")
    if not isinstance(X, ScoreTable):
        X = ScoreTable.of_frame(X)
    if len(X.complete) < 2 or len(X.items) < 2:
        raise InputError(
            "a critical difference needs two models with scores on two data sets in common",
            remedy="leave out models with few scores",
        )
    return MeanRanks(X.complete, X.items, confidence, test)
