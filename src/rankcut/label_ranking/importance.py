"""Which covariates matter for predicted rankings: the loss of score when one is shuffled."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from rankcut._loops.types import Floats
from rankcut.comparison.tables import Table
from rankcut.label_ranking.estimator import RankingRegressor
from rankcut.label_ranking.scores import kendall_of_rows, mean_of_rows, read_both
from rankcut.parameters import check_count, check_counts, seed_from
from rankcut.rankings import as_frame, weights_of


@dataclass(frozen=True, eq=False)
class CovariateImportance:
    """The loss of Kendall's tau when a covariate is shuffled.

    Attributes
    ----------
    covariates : list
        Names of the covariates, or their columns.
    items : list
        Labels of the items, or their columns.
    score : float
        Kendall's tau before any shuffle.
    item_scores : ndarray of shape (n_items,)
        The same over the pairs with each item.
    drops : ndarray of shape (n_covariates, n_repeats)
        Loss of the score in each shuffle.
    item_drops : ndarray of shape (n_covariates, n_items, n_repeats)
        Loss of each item's score.
    """

    covariates: list[Any]
    items: list[Any]
    score: float
    item_scores: Floats
    drops: Floats
    item_drops: Floats

    def table(self) -> Table:
        """A row for each covariate, the most important first."""
        means = self.drops.mean(axis=1)
        order = np.argsort(-means, kind="stable")
        columns: dict[str, list[Any]] = {
            "covariate": [self.covariates[k] for k in order],
            "importance": means[order].tolist(),
            "std": self.drops.std(axis=1)[order].tolist(),
        }
        each = self.item_drops.mean(axis=2)
        for column, item in enumerate(self.items):
            columns[f"for {item}"] = each[order, column].tolist()
        return Table(columns)

    def to_frame(self, backend: str | None = None) -> Any:
        """The table as a pandas or Polars frame.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"} or None
            Which library; None is the one that is installed, pandas first.
        """
        return self.table().to_frame(backend)

    def __repr__(self) -> str:
        return repr(self.table())


def covariate_importance(
    model: RankingRegressor,
    X: Any,
    ranks: Any,
    *,
    n_repeats: int = 10,
    sample_weight: ArrayLike | None = None,
    random_state: int | np.random.RandomState | None = 0,
) -> CovariateImportance:
    """Permutation importance of covariates, for rankings as a whole and for each item.

    Each covariate is shuffled over the rows. Its importance is the loss of Kendall's tau; for an
    item, of tau over the pairs with that item. Use rows that the model was not fitted to.

    Parameters
    ----------
    model : RankingRegressor
        A fitted model.
    X : array or frame of shape (n_rows, n_covariates)
        Covariates.
    ranks : rank matrix of shape (n_rows, n_items)
        Observed rankings.
    n_repeats : int, default=10
        Number of shuffles of each covariate.
    sample_weight : array of shape (n_rows,) or None
        How often each row counts. None: the counts of a RankingSet, or once.
    random_state : int, RandomState or None, default=0
        Seed of the shuffles.

    Examples
    --------
    >>> from rankcut import RankingRegressor, covariate_importance
    >>> from sklearn.linear_model import Ridge
    >>> X = np.random.default_rng(0).normal(size=(100, 2))
    >>> ranks = np.where(X[:, 1:] > 0, [[1, 2, 3]], [[1, 3, 2]])
    >>> found = covariate_importance(RankingRegressor(Ridge()).fit(X, ranks), X, ranks)
    >>> found.table()["covariate"]
    [1, 0]
    >>> found.item_drops.mean(axis=2).round(1)[1].tolist()
    [0.0, 0.5, 0.5]
    """
    check_is_fitted(model)
    check_count(n_repeats, "n_repeats")
    frame = as_frame(X)
    names = list(range(model.n_features_in_)) if frame is None else list(frame.columns)
    rng = np.random.default_rng(seed_from(random_state))
    table = np.asarray(X) if frame is None else X
    n_items = model.n_items_
    weights = check_counts(weights_of(ranks, sample_weight), len(table))

    def scores(covariates: Any) -> Floats:
        truth, found = read_both(ranks, np.asarray(model.predict(covariates)), model.unranked)
        rows = [kendall_of_rows(truth, found)]
        rows += [kendall_of_rows(truth, found, item) for item in range(n_items)]
        return np.array([mean_of_rows(row, weights) for row in rows])

    whole = scores(table)
    drops = np.empty((len(names), n_repeats, n_items + 1))
    for column in range(len(names)):
        for repeat in range(n_repeats):
            order = rng.permutation(len(table))
            drops[column, repeat] = whole - scores(_shuffled(table, frame, column, order))
    labels = list(range(n_items)) if model.items_ is None else list(model.items_)
    return CovariateImportance(
        names,
        labels,
        float(whole[0]),
        whole[1:],
        drops[:, :, 0],
        drops[:, :, 1:].transpose(0, 2, 1),
    )


def _shuffled(table: Any, frame: Any, column: int, order: Any) -> Any:
    """The covariates with one column in another order."""
    if frame is None:
        changed = table.copy()
        changed[:, column] = table[order, column]
        return changed
    if hasattr(table, "iloc"):
        changed = table.copy()
        changed.isetitem(column, table.iloc[order, column].array)
        return changed
    name = frame.columns[column]
    return frame.with_columns(frame[name][order.tolist()].alias(name)).to_native()
