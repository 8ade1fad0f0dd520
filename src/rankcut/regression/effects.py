"""What an item's place, a pair's order and being listed do to the prediction of a linear model.

The prediction is ⟨w, φ⟩ + b, so a change of a ranking changes it by ⟨w, φ(changed) − φ⟩. The effect
of an item is the mean of that over rankings, when the item is moved from last to first and the
others keep their order. The effect of a pair (i, j) is that of j directly after i instead of
directly before it, at the place of the better of the two. The effect of being listed is that of the
item in the last place of a list instead of not in it.

Weights of models are shrunk, and no interval around a shrunk effect holds. So with the numbers or
classes that the model was fitted to, effects and their intervals are those of weights without
shrinkage (:mod:`rankcut.regression.estimates`).
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtri
from sklearn.utils.validation import check_consistent_length

from rankcut._loops.partitions import NOWHERE
from rankcut._loops.types import Floats
from rankcut.errors import InputError, amount
from rankcut.parameters import AT_ONCE, MOST_PAIRED, check_share
from rankcut.pictures.charts import Row, dot_chart
from rankcut.pictures.scene import Dot, Key, Legend, Picture
from rankcut.pictures.theme import colour, shorten
from rankcut.rankings import Rankings, read_rankings
from rankcut.regression.estimates import (
    Estimates,
    LinearModel,
    as_linear_model,
    find_directions,
    least_squares,
    reduced_bias,
)
from rankcut.results import Result, Table

# Items are moved in at most this many rankings: their mean changes little with more.
_MOST_RANKINGS = 100

# Weights are not estimated if it takes more products than this, a second or two.
_MOST_PRODUCTS = 2 * 10**9


@dataclass(frozen=True, repr=False)
class Explanation(Result):
    """Effects of places, of pairs and of being listed on a prediction, the largest first.

    A row of a table has ``item``, or ``first`` and ``second``, the ``effect``, its ``std_error``,
    NaN if it is not known, and with more than two classes the ``class``.
    """

    items: Table  #: of moving an item from last to first while the others keep their order
    pairs: Table  #: of the first directly before the second instead of directly after it
    listed: Table  #: of being listed last instead of not at all; empty if all items are ranked
    unit: str  #: what effects are measured in
    outputs: tuple[Any, ...]  #: the class that a positive effect favours; None for a number
    confidence: float = 0.95  #: of each interval by itself
    notes: tuple[str, ...] = ()  #: what a reader should know

    @property
    def reach(self) -> float:
        """Standard errors on either side of an effect that make its interval."""
        return float(ndtri(0.5 + self.confidence / 2))

    def _largest(self, table: Table, what: str) -> list[str]:
        """Ten of the largest effects with intervals; those that no ranking tells are left out."""
        lines = []
        for row in list(table)[:10]:
            effect, error = row["effect"], row["std_error"]
            of = f" [{row['class']}]" if "class" in row else ""
            sure = "" if np.isnan(error) else f" ± {self.reach * error:.3g}"
            if not np.isnan(effect):
                lines.append(f"  {what.format(**row)}{of}: {effect:+.3g}{sure}")
        return lines

    def sentences(self) -> list[str]:
        """The largest effects in words."""
        towards = ""
        if len(self.outputs) == 1 and self.outputs[0] is not None:
            towards = f"; positive favours {self.outputs[0]}"
        sure = not np.isnan(self.items["std_error"]).all()
        reach = f"; ± {100 * self.confidence:g} % interval" if sure else ""
        best, *_ = [*self._largest(self.items, "{item}"), "  no effect is known"]
        lines = [
            f"The largest effect of a place: {best.strip()} ({self.unit}).",
            f"Item ranked first instead of last ({self.unit}{towards}{reach}):",
            *self._largest(self.items, "{item}"),
        ]
        if listed := self._largest(self.listed, "{item}"):
            lines += ["Item listed last instead of not at all:", *listed]
        if pairs := self._largest(self.pairs, "{first} before {second}"):
            lines += ["First item directly before the second instead of after it:", *pairs]
        return [*lines, *self.notes]

    def facts(self) -> dict[str, Any]:
        """What effects are measured in, what they favour, and what a reader should know."""
        names = ("unit", "outputs", "confidence", "notes")
        return {name: getattr(self, name) for name in names}

    def tables(self) -> dict[str, Table]:
        """Effects of items, of pairs and of being listed."""
        return {"items": self.items, "pairs": self.pairs, "listed": self.listed}

    def picture(self) -> Picture:
        """The items' effects with their intervals, largest on top."""
        classes = list(self.outputs)
        dots: dict[Any, list[Dot]] = {}
        for row in self.items:
            effect, reach = row["effect"], self.reach * row["std_error"]
            ends = (None, None) if reach != reach else (effect - reach, effect + reach)
            its_colour = colour(classes.index(row.get("class", classes[0])))
            dots.setdefault(row["item"], []).append(Dot(effect, its_colour, *ends))
        keys = [Key(shorten(name, 40), colour(number)) for number, name in enumerate(classes)]
        return dot_chart(
            "Effect of each item",
            f"Dots: effects. Lines: {100 * self.confidence:g} % intervals.",
            [Row(str(item), each) for item, each in dots.items()],
            f"effect of rank 1 instead of the last ({self.unit})",
            reference=0.0,
            stacked=True,
            legends=[Legend("", keys)] if len(classes) > 1 else [],
        )


def explain(
    model: Any, X: Any = None, y: ArrayLike | None = None, *, confidence: float = 0.95
) -> Explanation:
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
        Rankings in which items are moved; None means a hundred random orders of all items.
    y : array-like of shape (n_rankings,) or None, default=None
        The numbers or classes of these rankings, ideally those that the model was fitted to.
        Effects are then estimated in the features of the model without its shrinkage, with
        standard errors: by least squares, or by logistic or probit regression, each class against
        the others. Without ``y``, effects are changes of the model's own prediction.
    confidence : float, default=0.95
        Probability with which each interval holds by itself.

    Returns
    -------
    Explanation
        ``items``, ``pairs`` and ``listed`` are tables, ``to_frame()`` makes a frame of them,
        ``plot()`` draws the items, ``summary()`` says it in words.

    Notes
    -----
    An interval is the effect ± some standard errors, 1.96 at 95 %. It needs twice as many rankings,
    and twice as many of each class, as there are directions in which the features differ.

    Examples
    --------
    >>> from rankcut import GPRegressor, GraphCutFeatures, explain, make_food
    >>> from sklearn.pipeline import make_pipeline
    >>> food = make_food(200, random_state=0)
    >>> price = 10.0 - 2.0 * food.ranks[:, 3]
    >>> model = make_pipeline(GraphCutFeatures(items=food.items), GPRegressor())
    >>> explanation = explain(model.fit(food.ranks, price), food.ranks, price)
    >>> top = explanation.items[0]
    >>> top["item"] == food.items[3], round(top["effect"], 2)
    (True, 14.0)
    """
    check_share(confidence, "confidence")
    linear = as_linear_model(model)
    items, n_items = linear.items, len(linear.items)
    notes: list[str] = []
    estimates: list[Estimates] = []
    if X is None:
        ranks = _random_orders(n_items)
    else:
        rankings = read_rankings(X, unranked="anywhere")
        if rankings.shape[1] != n_items:
            raise InputError(
                f"ranks {rankings.shape[1]} items, but the model has {n_items}", parameter="X"
            )
        ranks = _some_ranks(rankings)
        if y is not None:
            check_consistent_length(X, y)
            estimates, note = _estimate(linear, X, np.asarray(y), rankings.counts)
            notes.append(note)
    if y is None:
        notes.append("These are changes of the prediction; intervals need X and y.")
    if n_items > MOST_PAIRED:
        notes.append(f"Pairs are shown for up to {MOST_PAIRED} items.")
    columns = [(column,) for column in range(n_items)]
    pairs = list(combinations(range(n_items if n_items <= MOST_PAIRED else 0), 2))

    def table(names: Sequence[str], change: Any, moved: Sequence[tuple[int, ...]]) -> Table:
        variants = (change(ranks, *which) for which in moved)
        labels = {name: [items[which[i]] for which in moved] for i, name in enumerate(names)}
        if not estimates:
            effects = _mean_changes(linear.predict, variants, len(linear.outputs))
            return _table(linear.outputs, labels, effects, np.full(effects.shape, np.nan))
        changes = _mean_changes(linear.features, variants, len(estimates[0].basis))
        columns = [each.effects(changes) for each in estimates]
        effects, errors = (np.column_stack(part) for part in zip(*columns, strict=True))
        return _table(linear.outputs, labels, effects, errors)

    return Explanation(
        items=table(["item"], _first_and_last, columns),
        pairs=table(["first", "second"], _both_orders, pairs),
        listed=table(["item"], _with_and_without, columns if np.isnan(ranks).any() else []),
        unit=linear.unit,
        outputs=tuple(linear.outputs),
        confidence=float(confidence),
        notes=tuple(notes),
    )


def _estimate(
    linear: LinearModel, X: Any, targets: Any, counts: Floats
) -> tuple[list[Estimates], str]:
    """Weights without shrinkage for each output, and what to say; none if rows are too few."""
    width = linear.features(_random_orders(len(linear.items))[:1]).shape[1]
    if len(counts) * width * min(len(counts), width) > _MOST_PRODUCTS:
        return [], "Standard errors are not known: there are too many items."
    directions = find_directions(linear.features(X), counts)
    classes = [targets == output for output in linear.outputs if output is not None]
    least = min(
        (min(counts @ members, counts @ ~members) for members in classes), default=counts.sum()
    )
    n_directions = directions.rows.shape[1]
    if least < 2 * n_directions:
        few = amount(n_directions, "direction")
        return [], f"Standard errors are not known: there are too few rankings for {few}."
    if not classes:
        return [least_squares(directions, targets.astype(np.float64), counts)], _ESTIMATED
    link = linear.link
    return [
        reduced_bias(directions, members.astype(np.float64), counts, link) for members in classes
    ], _ESTIMATED


_ESTIMATED = "Estimated without shrinkage: the model itself predicts smaller effects."


def _random_orders(n_items: int) -> Floats:
    """Random orders, each with its reverse."""
    rng = np.random.default_rng(0)
    orders = rng.permuted(np.tile(np.arange(1.0, n_items + 1), (_MOST_RANKINGS // 2, 1)), axis=1)
    return np.asarray(np.vstack([orders, n_items + 1 - orders]))


def _some_ranks(rankings: Rankings) -> Floats:
    """Some of the rankings, places counted from 1 in steps of 1, NaN where unranked."""
    groups = rankings.groups()
    # Evenly spaced people: a ranking that counts often is taken often.
    people = np.cumsum(rankings.counts)
    n_taken = int(min(people[-1], _MOST_RANKINGS))
    rows = np.searchsorted(people, (np.arange(n_taken) + 0.5) / n_taken * people[-1])
    ranks: Floats = groups[rows].astype(np.float64) + 1.0
    ranks[groups[rows] == NOWHERE] = np.nan
    return ranks


def _first_and_last(ranks: Floats, item: int) -> tuple[Floats, Floats]:
    """The rankings that rank an item, with it before and after all others."""
    listing = ranks[~np.isnan(ranks[:, item])]
    first, last = listing.copy(), listing.copy()
    first[:, item] = 0.0
    last[:, item] = listing.shape[1] + 1.0
    return first, last


def _both_orders(ranks: Floats, i: int, j: int) -> tuple[Floats, Floats]:
    """The rankings that rank both items, with them side by side in both orders."""
    listing = ranks[~np.isnan(ranks[:, i] + ranks[:, j])]
    place = np.minimum(listing[:, i], listing[:, j])
    one, other = listing.copy(), listing.copy()
    one[:, i] = other[:, j] = place + 0.25
    one[:, j] = other[:, i] = place + 0.5
    return one, other


def _with_and_without(ranks: Floats, item: int) -> tuple[Floats, Floats]:
    """The rankings that rank an item and others, with it in the last place and without it."""
    listing = ranks[~np.isnan(ranks[:, item]) & ((~np.isnan(ranks)).sum(axis=1) > 1)]
    last, without = listing.copy(), listing.copy()
    last[:, item] = listing.shape[1] + 1.0
    without[:, item] = np.nan
    return last, without


def _mean_changes(
    function: Callable[[Any], Floats], changes: Iterable[tuple[Floats, Floats]], width: int
) -> Floats:
    """The mean of function(changed) − function(base); NaN where no ranking can be changed."""
    means: list[Floats] = []
    waiting: list[tuple[Floats, Floats]] = []

    def settle() -> None:
        sizes = [len(changed) for changed, _ in waiting]
        moved = np.empty((sum(sizes), width))
        if len(moved):
            changed, base = (np.concatenate(part) for part in zip(*waiting, strict=True))
            moved[:] = function(changed) - function(base)
        for rows in np.split(moved, np.cumsum(sizes)[:-1]) if sizes else []:
            means.append(rows.mean(axis=0) if len(rows) else np.full(width, np.nan))
        waiting.clear()

    for change in changes:
        waiting.append(change)
        if sum(changed.size for changed, _ in waiting) > AT_ONCE:
            settle()
    settle()
    return np.array(means).reshape(len(means), width)


def _table(
    outputs: Sequence[Any], names: dict[str, list[Any]], effects: Floats, errors: Floats
) -> Table:
    """A row for each change and output, the largest effects first."""
    rows = [(row, output) for output in range(effects.shape[1]) for row in range(len(effects))]
    size_of = np.nan_to_num(np.abs(effects), nan=-1.0)
    rows.sort(key=lambda place: -size_of[place])
    columns: dict[str, list[Any]] = {
        name: [values[row] for row, _ in rows] for name, values in names.items()
    }
    if len(outputs) > 1:
        columns["class"] = [outputs[output] for _, output in rows]
    columns["effect"] = [float(effects[place]) for place in rows]
    columns["std_error"] = [float(errors[place]) for place in rows]
    return Table(columns)
