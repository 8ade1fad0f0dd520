"""Do rankings depend on covariates: numbers, categories, or both?"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import narwhals as nw
import numpy as np

from rankcut._loops.types import Floats, Longs
from rankcut.comparison.permutations import CovariateLabels
from rankcut.comparison.results import LEVEL, Table, TestedEffect, p_in_words, verdict_in_words
from rankcut.comparison.rows import ComparedRows, column_of, is_missing, make_design, read_rows
from rankcut.comparison.statistics import (
    Draws,
    Family,
    Options,
    holm,
    one_test,
    overall_family,
    run_tests,
    share_explained,
)
from rankcut.comparison.vectors import (
    PAIR_ITEMS,
    Coordinates,
    Scores,
    features_of,
    pairs,
    places,
    places_given_length,
    side_by_side,
)
from rankcut.errors import InputError, amount
from rankcut.parameters import check_count, seed_from, within_floats
from rankcut.rankings import Unranked, as_frame, read_rankings


@dataclass(frozen=True, repr=False, kw_only=True)
class IndependenceResult(TestedEffect):
    """What :func:`~rankcut.independence_test` found.

    Attributes
    ----------
    p_value, p_interval, effect_size, effect_interval, method, features, n_permutations, notes
        As in the result of :func:`~rankcut.compare_groups`; the effect is what all covariates
        explain together.
    n_rankings : int
        Number of rankings with all values.
    items : Table
        The share of each item's variation that the covariates explain, with adjusted p-values.
    covariates : Table
        Each covariate by itself, with p-values adjusted by Holm's method.
    """

    n_rankings: int
    items: Table
    covariates: Table

    tables = ("covariates", "items")

    def verdict(self) -> str:
        """One sentence: whether rankings depend on the covariates, and how much."""
        what = "covariates" if len(self.covariates) > 1 else "covariate"
        found = f"Rankings depend on the {what}"
        sentence = verdict_in_words(self, found, "No dependence was found", what)
        return sentence.replace("covariates explains", "covariates explain")

    def summary(self, level: float = LEVEL) -> str:
        """The findings in plain words.

        Parameters
        ----------
        level : float
            Covariates and items with an adjusted p-value up to this are named.
        """
        lines = [self.verdict()]
        for title, table, name in (
            ("Covariates that matter by themselves:", self.covariates, "covariate"),
            ("Items that depend on them:", self.items, "item"),
        ):
            found = [
                f"{row[name]} ({p_in_words(row['p_value'])})"
                for row in table
                if row["p_value"] <= level
            ]
            if found:
                lines.append(f"{title} {', '.join(found)}.")
        lines.append(f"{self.n_rankings:,} rankings. {self.method}")
        return "\n".join([*lines, *self.notes])

    def plot(self, level: float = LEVEL) -> Any:
        """The share of each item's variation that the covariates explain, as a Matplotlib figure.

        Parameters
        ----------
        level : float
            Items with an adjusted p-value above this are drawn faint.
        """
        from rankcut.pictures.item_charts import draw_item_shares

        return draw_item_shares(self.items, level, self.verdict())


def independence_test(
    X: Any,
    covariates: Any,
    *,
    items: Sequence[Hashable] | None = None,
    unranked: Unranked = "error",
    features: Any = None,
    n_permutations: int = 9999,
    strata: Any = None,
    people: Any = None,
    sample_weight: Any = None,
    random_state: int | np.random.RandomState | None = 0,
    n_jobs: int | None = None,
) -> IndependenceResult:
    """Test whether rankings depend on covariates, by permuting the covariates.

    The statistic is the sum of squares of the rankings' vectors that a linear regression on all
    covariates explains: with one category for each ranking, the sum of squares between groups.

    Parameters
    ----------
    X : array, frame or CSR array of shape (n_rankings, n_items)
        Rank matrix.
    covariates : frame, mapping of names to columns, or array of shape (n_rankings, n_covariates)
        Columns of numbers enter as they are; text, booleans and categories as one indicator for
        each value. Rankings with a missing value are left out.
    items, unranked, features, n_permutations, strata, people, sample_weight, random_state, n_jobs
        As in :func:`~rankcut.compare_groups`. Without ``features``, vectors are mean places.

    Returns
    -------
    IndependenceResult

    Examples
    --------
    >>> from rankcut import independence_test, make_food
    >>> food = make_food(80, noise=0.3, random_state=0)
    >>> age = food.ranks[:, 0] * 5 + 20
    >>> result = independence_test(food.ranks, {"age": age, "town": ["Ayr", "Bude"] * 40})
    >>> [row["covariate"] for row in result.covariates if row["p_value"] < 0.05]
    ['age']
    """
    check_count(n_permutations, "n_permutations")
    options = Options(n_permutations, seed_from(random_state), n_jobs)
    rankings = read_rankings(X, items, unranked=unranked, sample_weight=sample_weight)
    n_rows = rankings.shape[0]
    named = _read(covariates, n_rows)
    known = np.ones(n_rows, dtype=bool)
    for column in named.values():
        known &= [not is_missing(value) for value in column.tolist()]
    kept = np.flatnonzero(known & (rankings.counts > 0))
    notes = []
    if not known.all():
        notes.append(f"{amount(int((~known).sum()), 'ranking')} without a value left out.")
    if len(kept) < 3:
        raise InputError("has fewer than three rankings with values", parameter="covariates")
    numbers = {name: _numbers(name, column, kept) for name, column in named.items()}
    alike = np.unique(np.hstack(list(numbers.values())), axis=0, return_inverse=True)[1].ravel()
    rows, told = read_rows(rankings, kept, alike, strata, people)
    if rows.counted:
        again = np.repeat(np.arange(len(kept)), rows.weight.astype(np.int64))
        rows = replace(rows.take(again), weight=np.ones(len(again)))
        numbers = {name: column[again] for name, column in numbers.items()}
    rows = replace(rows, group=np.zeros(len(rows.index), dtype=np.int64), counted=False)
    first = _first_rows(rows)
    numbers = {name: column[first] for name, column in numbers.items()}
    parts = _parts(rows, features, options.seed)
    if "features" in parts:
        notes += parts["features"].notes()
    vectors, columns = side_by_side(parts)
    design = make_design(rows)
    scores = Scores(design, vectors, sum(part.width for part in parts.values()))
    overall = overall_family(columns)
    labels = CovariateLabels(design, np.hstack(list(numbers.values())))
    if labels.width == 0:
        raise InputError("are the same for all rankings of a stratum", parameter="covariates")
    draws = Draws(labels, options)
    families = [overall, Family(columns["places"], "each")]
    found, of_items = run_tests(labels, scores, families, draws)
    share = share_explained(labels, scores, overall.columns)
    explained = (labels.observed(scores)[:, columns["places"]] ** 2).sum(axis=0)
    total = scores.total[columns["places"]]
    by_item = np.divide(explained, total, out=np.zeros_like(total), where=total > 0)
    order = np.lexsort((-by_item, of_items))
    return IndependenceResult(
        p_value=found.value,
        p_interval=found.interval,
        effect_size=share.value,
        effect_interval=share.interval,
        n_rankings=len(rows.index),
        items=Table(
            {
                "item": [rankings.item(i) for i in order.tolist()],
                "share_explained": by_item[order].tolist(),
                "p_value": of_items[order].tolist(),
            }
        ),
        covariates=_each_alone(numbers, scores, overall, options),
        method=draws.describe(),
        features=parts["features"].name if "features" in parts else "places",
        n_permutations=draws.number,
        notes=(*notes, *told),
    )


def _parts(rows: ComparedRows, features: Any, seed: int) -> dict[str, Coordinates]:
    """The vectors that are looked at: places, and the features or what partial lists need."""
    parts = {"places": places(rows.rankings)}
    if features is not None:
        parts["features"] = features_of(features, rows.rankings, seed)
    elif rows.partial:
        parts["given length"] = places_given_length(rows)
        if rows.rankings.shape[1] <= PAIR_ITEMS:
            parts["pairs"] = pairs(rows.rankings)
    return parts


def _read(covariates: Any, n_rows: int) -> dict[Hashable, Any]:
    """The columns by name."""
    if isinstance(covariates, dict):
        named = covariates
    elif as_frame(covariates) is not None:
        frame = nw.from_native(covariates, eager_only=True)
        named = {name: frame[name] for name in frame.columns}
    else:
        values = np.asarray(covariates)
        values = values[:, np.newaxis] if values.ndim == 1 else values
        named = {f"x{k}": column for k, column in enumerate(values.T)}
    if not named:
        raise InputError("has no columns", parameter="covariates")
    return {name: column_of(column, n_rows, f"{name}") for name, column in named.items()}


def _numbers(name: Hashable, column: Any, kept: Longs) -> Floats:
    """A covariate as numbers, of mean 0 and variance 1, for the rows that are kept.

    Numbers are one column; of categories, each is a column of 0 and 1.
    """
    values = column[kept].tolist()
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        with within_floats(f"column {name!r}"):
            numbers = np.array(values, dtype=np.float64)[:, np.newaxis]
        if not np.isfinite(numbers).all():
            raise InputError(
                f"column {name!r} has an infinite value",
                row=int(kept[np.argmin(np.isfinite(numbers[:, 0]))]),
            )
    else:
        known, codes = np.unique([str(value) for value in values], return_inverse=True)
        if len(known) > len(values) / 2 and len(known) > 20:
            raise InputError(
                f"column {name!r} has {amount(len(known), 'different value')} for "
                f"{amount(len(values), 'ranking')}",
                remedy="make it numbers, or classes of several rankings each",
            )
        numbers = np.eye(len(known))[codes.ravel()]
    numbers = numbers - numbers.mean(axis=0)
    spread = numbers.std()
    return np.asarray(numbers / spread if spread > 0 else numbers)


def _first_rows(rows: ComparedRows) -> Longs:
    """A row of each unit, in the order in which make_design numbers units."""
    if rows.person is None:
        return np.lexsort((rows.weight, rows.index, rows.stratum)).astype(np.int64)
    keys = rows.stratum * (int(rows.person.max()) + 1) + rows.person
    return np.asarray(np.unique(keys, return_index=True)[1], dtype=np.int64)


def _each_alone(
    numbers: dict[Hashable, Floats], scores: Scores, overall: Family, options: Options
) -> Table:
    """Each covariate by itself, with p-values adjusted by Holm's method."""
    found = [
        one_test(CovariateLabels(scores.design, columns), scores, overall, options)
        for columns in numbers.values()
    ]
    p_values = [p.value for p, _ in found]
    return Table(
        {
            "covariate": list(numbers),
            "effect_size": [share.value for _, share in found],
            "p_unadjusted": p_values,
            "p_value": holm(np.array(p_values)).tolist(),
        }
    )
