"""What an item's place, a pair's order and being listed do to the prediction of a linear model.

The prediction is ⟨w, φ⟩ + b, so a change of a ranking changes it by ⟨w, φ(changed) − φ⟩. The effect
of an item is the mean of that over rankings, when the item is moved from last to first and the
others keep their order. The effect of a pair (i, j) is that of j directly after i instead of
directly before it, at the place of the better of the two. The effect of being listed is that of the
item in the last place of a list instead of not in it. With covariance Σ of the weights the
standard error of ⟨w, d⟩ is √(dᵀ Σ d).
"""

import html
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from rankcut._loops.partitions import NOWHERE
from rankcut._loops.types import Floats
from rankcut.comparison.results import Table
from rankcut.errors import InputError
from rankcut.parameters import check_choice
from rankcut.rankings import read_rankings
from rankcut.regression.linear_models import LinearModel, as_linear_model

# Items are moved in at most this many rankings: their mean changes little with more.
_MOST_RANKINGS = 100

# The most items whose pairs are tried, 435 of them.
_MOST_PAIRED = 30


@dataclass(frozen=True, repr=False)
class Explanation:
    """Effects of places, of pairs and of being listed on a prediction.

    Attributes
    ----------
    items : Table
        ``item``, ``effect`` of moving it from last to first while the others keep their order,
        and ``std_error``; with more than two classes also ``class``. The largest effects are first.
    pairs : Table
        ``first``, ``second``, ``effect`` of the first directly before the second instead of
        directly after it, and ``std_error``.
    listed : Table
        ``item``, ``effect`` of being listed last instead of not at all, and ``std_error``. Empty if
        the rankings leave no item out.
    unit : str
        What effects are measured in.
    outputs : tuple
        The class that a positive effect favours, for each output; None for a number.
    notes : tuple of str
        What a reader should know.
    """

    items: Table
    pairs: Table
    listed: Table
    unit: str
    outputs: tuple[Any, ...]
    notes: tuple[str, ...] = ()

    def to_frame(self, table: str = "items", backend: str | None = None) -> Any:
        """A table as a pandas or Polars frame.

        Parameters
        ----------
        table : {"items", "pairs", "listed"}
            Which table.
        backend : {"pandas", "polars", "pyarrow"} or None
            Which library; None is the one that is installed, pandas first.
        """
        check_choice(table, ("items", "pairs", "listed"), "table")
        return getattr(self, table).to_frame(backend)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain numbers, text, lists and dictionaries, ready for JSON."""
        return {
            "unit": self.unit,
            "outputs": list(self.outputs),
            "items": [_plain(row) for row in self.items],
            "listed": [_plain(row) for row in self.listed],
            "pairs": [_plain(row) for row in self.pairs],
            "notes": list(self.notes),
        }

    def summary(self) -> str:
        """The largest effects in words."""
        towards = ""
        if len(self.outputs) == 1 and self.outputs[0] is not None:
            towards = f"; positive favours {self.outputs[0]}"
        sure = not np.isnan(self.items["std_error"]).all()
        reach = "; ± 95 % interval" if sure else ""
        lines = [
            f"Item ranked first instead of last ({self.unit}{towards}{reach}):",
            *_lines(self.items, "{item}"),
        ]
        if listed := _lines(self.listed, "{item}"):
            lines += ["Item listed last instead of not at all:", *listed]
        if pairs := _lines(self.pairs, "{first} before {second}"):
            lines += ["First item directly before the second instead of after it:", *pairs]
        return "\n".join([*lines, *self.notes])

    def plot(self) -> Any:
        """The items' effects with 95 % intervals, as a Matplotlib figure."""
        from rankcut.pictures.item_charts import draw_effects

        return draw_effects(self.items, self.unit)

    def __repr__(self) -> str:
        listed = f", {len(self.listed)} of being listed" if len(self.listed) else ""
        return (
            f"Explanation({len(self.items)} effects of items, {len(self.pairs)} of pairs{listed})"
        )

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(self.unit)}</p>{self.items._repr_html_()}"


def explain(model: Any, X: Any = None) -> Explanation:
    """How each item's place and each pair's order change a prediction, with uncertainty.

    If rankings leave items out, also what being listed changes.

    Parameters
    ----------
    model : RankingClassifier or Pipeline
        A fitted model: a :class:`~rankcut.RankingClassifier`, or a pipeline that begins with
        features of rankings (:class:`~rankcut.GraphCutFeatures`, ``KendallFeatures``, …) and ends
        with a linear model (:class:`~rankcut.GPClassifier`, :class:`~rankcut.GPRegressor`,
        ``LogisticRegression``, ``Ridge``, …).
    X : rank matrix or None, default=None
        Rankings in which items are moved, ideally those that the model was fitted to; None means a
        hundred random orders of all items. The standard errors of a logistic regression in a
        pipeline need them; other linear models of scikit-learn have none.

    Returns
    -------
    Explanation
        ``items``, ``pairs`` and ``listed`` are tables, ``to_frame()`` makes a frame of them,
        ``plot()`` draws the items, ``summary()`` says it in words.

    Examples
    --------
    >>> from rankcut import GPRegressor, GraphCutFeatures, explain, make_food
    >>> from sklearn.pipeline import make_pipeline
    >>> food = make_food(200, random_state=0)
    >>> price = 10.0 - 2.0 * food.ranks[:, 3]
    >>> model = make_pipeline(GraphCutFeatures(items=food.items), GPRegressor())
    >>> explanation = explain(model.fit(food.ranks, price))
    >>> top = explanation.items[0]
    >>> top["item"] == food.items[3], round(top["effect"], 2)
    (True, 14.0)
    """
    linear = as_linear_model(model, X)
    items = linear.items
    ranks = _random_orders(len(items)) if X is None else _dense(X, len(items))
    notes = []
    if linear.covariance is None:
        notes.append("Standard errors are not known for this model.")
    if len(items) > _MOST_PAIRED:
        notes.append(f"Pairs are shown for up to {_MOST_PAIRED} items.")
    columns = [(column,) for column in range(len(items))]
    pairs = list(combinations(range(len(items) if len(items) <= _MOST_PAIRED else 0), 2))

    def table(names: Sequence[str], change: Any, moved: Sequence[tuple[int, ...]]) -> Table:
        changes = [_mean_change(linear, *change(ranks, *which)) for which in moved]
        labels = {name: [items[which[i]] for which in moved] for i, name in enumerate(names)}
        return _table(linear, labels, changes)

    return Explanation(
        items=table(["item"], _first_and_last, columns),
        pairs=table(["first", "second"], _both_orders, pairs),
        listed=table(["item"], _with_and_without, columns if np.isnan(ranks).any() else []),
        unit=linear.unit,
        outputs=tuple(linear.outputs),
        notes=tuple(notes),
    )


def _random_orders(n_items: int) -> Floats:
    """Random orders, each with its reverse."""
    rng = np.random.default_rng(0)
    orders = rng.permuted(np.tile(np.arange(1.0, n_items + 1), (_MOST_RANKINGS // 2, 1)), axis=1)
    return np.asarray(np.vstack([orders, n_items + 1 - orders]))


def _dense(X: Any, n_items: int) -> Floats:
    """Some of the rankings, places counted from 1 in steps of 1, NaN where unranked."""
    matrix = read_rankings(X, unranked="anywhere")
    if matrix.shape[1] != n_items:
        raise InputError(
            f"ranks {matrix.shape[1]} items, but the model has {n_items}", parameter="X"
        )
    groups = matrix.groups()
    # Evenly spaced people: a ranking that counts often is taken often.
    people = np.cumsum(matrix.counts)
    n_taken = int(min(people[-1], _MOST_RANKINGS))
    rows = np.searchsorted(people, (np.arange(n_taken) + 0.5) / n_taken * people[-1])
    ranks: Floats = groups[rows].astype(np.float64) + 1.0
    ranks[groups[rows] == NOWHERE] = np.nan
    return ranks


def _first_and_last(ranks: Floats, item: int) -> tuple[Floats, Floats]:
    """The rankings that rank an item, with it before and after all others."""
    own = ranks[~np.isnan(ranks[:, item])]
    first, last = own.copy(), own.copy()
    first[:, item] = 0.0
    last[:, item] = own.shape[1] + 1.0
    return first, last


def _both_orders(ranks: Floats, i: int, j: int) -> tuple[Floats, Floats]:
    """The rankings that rank both items, with them side by side in both orders."""
    own = ranks[~np.isnan(ranks[:, i] + ranks[:, j])]
    place = np.minimum(own[:, i], own[:, j])
    one, other = own.copy(), own.copy()
    one[:, i] = other[:, j] = place + 0.25
    one[:, j] = other[:, i] = place + 0.5
    return one, other


def _with_and_without(ranks: Floats, item: int) -> tuple[Floats, Floats]:
    """The rankings that rank an item and others, with it in the last place and without it."""
    own = ranks[~np.isnan(ranks[:, item]) & ((~np.isnan(ranks)).sum(axis=1) > 1)]
    last, without = own.copy(), own.copy()
    last[:, item] = own.shape[1] + 1.0
    without[:, item] = np.nan
    return last, without


def _mean_change(linear: LinearModel, changed: Floats, base: Floats) -> Floats:
    """The mean difference of the features; NaN where no ranking can be changed."""
    if not len(changed):
        return np.full(linear.weights.shape[1], np.nan)
    return np.asarray((linear.features(changed) - linear.features(base)).mean(axis=0))


def _table(linear: LinearModel, names: dict[str, list[Any]], changes: list[Floats]) -> Table:
    """A row for each change and output, the largest effects first."""
    size = linear.weights.shape[1]
    matrix = np.array(changes).reshape(len(changes), size)
    effects = matrix @ linear.weights.T
    errors = np.full(effects.shape, np.nan)
    if linear.covariance is not None:
        for output, covariance in enumerate(linear.covariance):
            spread = np.einsum("ij,jk,ik->i", matrix, covariance, matrix, optimize=True)
            errors[:, output] = np.sqrt(np.maximum(spread, 0.0))
    rows = [(row, output) for output in range(effects.shape[1]) for row in range(len(matrix))]
    size_of = np.nan_to_num(np.abs(effects), nan=-1.0)
    rows.sort(key=lambda place: -size_of[place])
    columns: dict[str, list[Any]] = {
        name: [values[row] for row, _ in rows] for name, values in names.items()
    }
    if len(linear.outputs) > 1:
        columns["class"] = [linear.outputs[output] for _, output in rows]
    columns["effect"] = [float(effects[place]) for place in rows]
    columns["std_error"] = [float(errors[place]) for place in rows]
    return Table(columns)


def _lines(table: Table, what: str) -> list[str]:
    """Ten of the largest effects, with 95 % intervals; those that no ranking tells are left out."""
    lines = []
    for row in list(table)[:10]:
        effect, error = row["effect"], row["std_error"]
        of = f" [{row['class']}]" if "class" in row else ""
        sure = "" if np.isnan(error) else f" ± {1.96 * error:.3g}"
        if not np.isnan(effect):
            lines.append(f"  {what.format(**row)}{of}: {effect:+.3g}{sure}")
    return lines


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    """NaN, which is not equal to itself, as None."""
    return {name: None if value != value else value for name, value in row.items()}
