"""Do rankings depend on covariates: numbers, categories, or both?"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import narwhals as nw
import numpy as np
from scipy.special import chdtrc

from rankcut._loops.random_streams import shuffle_rows
from rankcut._loops.types import Floats, Longs
from rankcut.comparison.permutations import ENOUGH, Draws, Options, Question
from rankcut.comparison.results import (
    LEVEL,
    Table,
    TestedEffect,
    adjusted_in_words,
    significant,
    verdict_in_words,
)
from rankcut.comparison.rows import (
    ComparedRows,
    cells_of,
    column_of,
    is_missing,
    make_design,
    read_rows,
    read_weighted,
    starts_of,
)
from rankcut.comparison.statistics import Estimate, holm, normal_interval
from rankcut.comparison.vectors import Scores, places
from rankcut.errors import InputError, amount
from rankcut.parameters import check_count, seed_from, within_floats
from rankcut.rankings import Unranked, as_frame
from rankcut.rankings.value import ROUNDING


@dataclass(frozen=True, repr=False, kw_only=True)
class IndependenceResult(TestedEffect):
    """What :func:`~rankcut.independence_test` found.

    Attributes
    ----------
    p_value, effect_size, effect_interval, method, features, n_permutations, notes
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

    def summary(self) -> str:
        """The findings in plain words; covariates and items with p up to 0.05 are named."""
        lines = [self.verdict()]
        for title, table, name in (
            ("Covariates that matter by themselves:", self.covariates, "covariate"),
            ("Items that depend on them:", self.items, "item"),
        ):
            found = [
                f"{row[name]} ({adjusted_in_words(row['p_value'], own, self.p_floor)})"
                for row in significant(table)
                for own in [row.get("p_unadjusted", row["p_value"])]
            ]
            if found:
                lines.append(f"{title} {', '.join(found)}.")
        lines.append(f"{self.n_rankings:,} rankings. {self.method}")
        return "\n".join([*lines, *self.notes])

    def plot(self) -> Any:
        """The share of each item's variation that the covariates explain, as a figure."""
        from rankcut.pictures.figures import draw_item_shares

        return draw_item_shares(self.items, LEVEL, self.verdict())


def independence_test(
    X: Any,
    covariates: Any,
    *,
    items: Sequence[Hashable] | None = None,
    unranked: Unranked = "error",
    n_permutations: int = 9999,
    strata: Any = None,
    people: Any = None,
    sample_weight: Any = None,
    counts: Any = None,
    random_state: int | np.random.RandomState | None = 0,
    n_jobs: int | None = None,
) -> IndependenceResult:
    """Test whether rankings depend on covariates: whether mean places rise or fall with them.

    The statistic of an item is the sum of squares of its places that a linear regression on all
    covariates explains, by what is expected of it whatever the spread of each ranking (White's
    variances). The overall statistic is the sum over items; p-values are found by permuting
    covariates. It looks for trends: a U-shape is found if the number is cut into classes first, or
    with its square.

    Parameters
    ----------
    X : array, frame or CSR array of shape (n_rankings, n_items)
        Rank matrix.
    covariates : frame, mapping of names to columns, or array of shape (n_rankings, n_covariates)
        Columns of numbers enter as they are; text, booleans and categories as one indicator for
        each value. Rankings with a missing value are left out.
    items, unranked, n_permutations, strata, people, sample_weight, counts, random_state, n_jobs
        As in :func:`~rankcut.compare_groups`.

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
    weighted = read_weighted(X, items, unranked, sample_weight, counts)
    rankings, count, _ = weighted
    n_rows = rankings.shape[0]
    named = _read(covariates, n_rows)
    known = np.ones(n_rows, dtype=bool)
    for column in named.values():
        known &= [not is_missing(value) for value in column.tolist()]
    kept = np.flatnonzero(known & (count > 0))
    notes = []
    if not known.all():
        notes.append(f"{amount(int((~known).sum()), 'ranking')} without a value left out.")
    if count[kept].sum() < 3:
        raise InputError("has fewer than three rankings with values", parameter="covariates")
    numbers = {name: _numbers(name, column, kept) for name, column in named.items()}
    alike = np.unique(np.hstack(list(numbers.values())), axis=0, return_inverse=True)[1].ravel()
    rows, told = read_rows(weighted, kept, alike, strata, people)
    rows = replace(rows, group=np.zeros(len(rows.index), dtype=np.int64))
    scores = Scores(make_design(rows), {"places": places(rows.rankings)})
    draws = CovariateDraws(rows, scores, np.hstack(list(numbers.values())), options)
    if draws.width == 0:
        raise InputError("are the same for all rankings of a stratum", parameter="covariates")
    found = draws.p_values({"whole": draws.whole(), "items": draws.each()}, draws.data())
    of_items = found["items"]
    share, total = draws.share_explained(), scores.total
    by_item = np.divide(draws.data()[0][0], total, out=np.zeros_like(total), where=total > 0)
    order = np.lexsort((-by_item, of_items))
    alone = [CovariateDraws(rows, scores, columns, options) for columns in numbers.values()]
    p_alone = [
        float(each.p_values({"": each.whole()}, each.data())[""][0]) if each.width else 1.0
        for each in alone
    ]
    return IndependenceResult(
        p_value=float(found["whole"][0]),
        effect_size=share.value,
        effect_interval=share.interval,
        n_rankings=int(rows.count.sum()),
        items=Table(
            {
                "item": [rankings.item(i) for i in order.tolist()],
                "share_explained": by_item[order].tolist(),
                "p_value": of_items[order].tolist(),
            }
        ),
        covariates=Table(
            {
                "covariate": list(numbers),
                "effect_size": [each.share_explained().value for each in alone],
                "p_unadjusted": p_alone,
                "p_value": holm(np.array(p_alone)).tolist(),
            }
        ),
        method=draws.describe(),
        features="mean places",
        n_permutations=draws.number,
        notes=(*notes, *told),
    )


class CovariateDraws(Draws):
    """Products of covariates Q and vectors X of units, S = QᵀX, in the data and permuted.

    The columns of Q are orthonormal, and centred in each stratum. Without dependence a square of S
    is expected to be Σ_u ‖q_u‖²·x_u² over its columns, whatever the spread of each unit.

    Attributes
    ----------
    width : int
        Columns of Q.
    """

    def __init__(
        self, rows: ComparedRows, scores: Scores, covariates: Floats, options: Options
    ) -> None:
        self._scores, self._varies = scores, scores.varies
        first, self._cells, self._count = _units_of(rows, covariates)
        segments = starts_of(rows.stratum[first])
        often = self._count.astype(np.float64)[:, np.newaxis]
        sizes = np.add.reduceat(often, segments[:-1])
        means = np.add.reduceat(often * covariates[first], segments[:-1]) / sizes
        centred = covariates[first] - np.repeat(means, np.diff(segments), axis=0)
        left, values, _ = np.linalg.svd(np.sqrt(often) * centred, full_matrices=False)
        kept = values > ROUNDING * max(values.max(initial=0.0), 1e-300)
        rows_of_q = left[:, kept] / np.sqrt(often)
        self.width = int(kept.sum())
        # The sum of squares is to grow with weights as the total does.
        weight, n_units = float(scores.design.counts @ scores.design.weight), int(sizes.sum())
        rows_of_q /= math.sqrt(weight / n_units)
        self._labels = np.hstack([rows_of_q, (rows_of_q**2).sum(axis=1, keepdims=True)])
        self._n_units = n_units
        self._starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        largest = float(self._labels[:, -1].max() * weight / n_units) if self.width else 0.0
        enough = n_units >= ENOUGH * (1 + self.width) and largest * ENOUGH < n_units**0.5
        room = n_units * (1 + self.width)
        super().__init__(
            options,
            enough=enough and scores.is_nearly_normal(ENOUGH),
            work=room * scores.width,
            room=room,
        )

    def whole(self) -> Question:
        """All items together: the mean of their ratios."""

        def look(drawn: tuple[Floats, Floats]) -> Floats:
            total: Floats = self._ratios(*drawn).sum(axis=1, keepdims=True)
            return total / max(int(self._varies.sum()), 1)

        freedom = self.width * self._directions(correlation=True)
        return Question(look, lambda ratio: chdtrc(freedom, freedom * ratio))

    def each(self) -> Question:
        """Items one by one."""
        return Question(
            lambda drawn: self._ratios(*drawn),
            lambda ratios: holm(chdtrc(self.width, self.width * ratios)),
            bounded=True,
        )

    def _ratios(self, squares: Floats, expected: Floats) -> Floats:
        return np.divide(squares, expected, out=np.zeros_like(squares), where=self._varies)

    def _directions(self, *, correlation: bool) -> float:
        """About how many directions vary, tr(Σ)²/tr(Σ²) of the covariance or correlation."""
        every = np.zeros((int(self._varies.sum()),) * 2)
        for cells, block in self._scores.blocks():
            part = block[:, self._varies]
            every += (part * self._scores.design.counts[cells, np.newaxis]).T @ part
        if correlation:
            spread = np.sqrt(np.diag(every))
            every = every / np.outer(spread, spread)
        squared = float((every**2).sum())
        return float(np.trace(every)) ** 2 / squared if squared > 0 else 1.0

    def data(self) -> tuple[Floats, Floats]:
        """Squares of S, and what is expected of them, in each coordinate."""
        labels = np.asarray(self._labels * self._count[:, np.newaxis], dtype=np.float64)
        return self._squares(labels[np.newaxis], self._cells)

    def drawn(self, first: int, size: int) -> tuple[Floats, Floats]:
        """The same with the covariates of units exchanged in each stratum."""
        rows = np.empty((size, self._n_units), dtype=np.int32)
        shuffle_rows(self._starts, np.uint64(self._options.seed), first, rows)
        units = np.repeat(np.arange(len(self._count)), self._count)
        return self._squares(self._labels[units[rows]], self._cells[units])

    def _squares(self, labels: Floats, cells: Longs) -> tuple[Floats, Floats]:
        """From the labels of units, of shape (n_draws, n_units, width + 1), and their cells."""
        labels = np.add.reduceat(labels, starts_of(cells)[:-1], axis=1)
        products = np.zeros((len(labels), self.width, self._scores.width))
        expected = np.zeros((len(labels), self._scores.width))
        for some, block in self._scores.blocks():
            own = labels[:, some]
            products += np.swapaxes(own[:, :, :-1], 1, 2) @ block
            expected += own[:, :, -1] @ block**2
        return (products**2).sum(axis=1), expected

    def share_explained(self) -> Estimate:
        """The part of the variation that the covariates explain, corrected for chance."""
        squares, expected = (float(each.sum()) for each in self.data())
        total = float(self._scores.total.sum())
        if not total > 0.0:
            return Estimate(0.0, (0.0, 0.0))
        freedom = max(self._n_units - self.width - len(self._starts) + 1, 1)
        by_chance = expected * (1.0 - squares / total) * self._n_units / freedom
        squared = by_chance**2 / max(self.width * self._directions(correlation=False), 1.0)
        return normal_interval(squares - by_chance, by_chance, squared, 0.0, total)


def _units_of(rows: ComparedRows, covariates: Floats) -> tuple[Longs, Longs, Longs]:
    """Rows in the order of their cells; the cell of each, and how many units it stands for."""
    first, cell = cells_of(rows)
    if rows.person is not None:
        return first, np.arange(len(first)), np.ones(len(first), dtype=np.int64)
    order = np.lexsort((*covariates.T[::-1], cell))
    return order, cell[order], rows.count[order]


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
