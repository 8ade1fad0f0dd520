"""What an item's place and a pair's order do to the prediction of a linear model.

The prediction is ⟨w, φ⟩ + b, so a change of a ranking changes it by ⟨w, φ(changed) − φ⟩. The effect
of an item is the mean of that over rankings, when the item is moved from last to first and the
others keep their order. The effect of a pair (i, j) is that of j directly after i instead of
directly before it, at the place of the better of the two. With covariance Σ of the weights the
standard error of ⟨w, d⟩ is √(dᵀ Σ d).
"""

from typing import Any

import numpy as np

from rankcut._loops.partitions import NOWHERE
from rankcut._loops.types import Floats
from rankcut.comparison.tables import Table
from rankcut.errors import InputError
from rankcut.explanation.effect_tables import Explanation
from rankcut.explanation.linear_models import LinearModel, as_linear_model
from rankcut.kernels.groups import read_groups
from rankcut.rankings import read_rankings

# Number of rankings in which items are moved, and the most items whose pairs are tried.
_MOST_RANKINGS = 100
_MOST_PAIRED = 30


def explain(model: Any, rankings: Any = None) -> Explanation:
    """What each item's place and each pair's order does to a prediction, with uncertainty.

    Parameters
    ----------
    model : RankingClassifier or Pipeline
        A fitted model: a :class:`~rankcut.RankingClassifier`, or a pipeline that begins with
        features of rankings (:class:`~rankcut.GraphCutFeatures`, ``KendallFeatures``, …) and ends
        with a linear model (:class:`~rankcut.GPClassifier`, :class:`~rankcut.GPRegressor`,
        ``LogisticRegression``, ``Ridge``, …).
    rankings : rank matrix or None, default=None
        Rankings in which items are moved, best those that the model was fitted to; None is a
        hundred random orders of all items. The standard errors of a logistic regression in a
        pipeline need them; other linear models of scikit-learn have none.

    Returns
    -------
    Explanation
        ``items`` and ``pairs`` are tables, ``to_frame()`` makes a frame of them, ``plot()`` draws
        the items, ``summary()`` says it in words.

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
    linear = as_linear_model(model, rankings)
    ranks = _random_orders(linear.n_items) if rankings is None else _dense(rankings, linear)
    notes = []
    if linear.covariance is None:
        notes.append("Standard errors are not known for this model.")
    item_changes = [
        _mean_change(linear, *_first_and_last(ranks, item)) for item in range(linear.n_items)
    ]
    pairs = []
    if linear.n_items <= _MOST_PAIRED:
        pairs = [(i, j) for i in range(linear.n_items) for j in range(i + 1, linear.n_items)]
    else:
        notes.append(f"Pairs are shown for up to {_MOST_PAIRED} items.")
    pair_changes = [_mean_change(linear, *_both_orders(ranks, i, j)) for i, j in pairs]
    return Explanation(
        items=_table(linear, {"item": linear.items}, item_changes),
        pairs=_table(
            linear,
            {
                "first": [linear.items[i] for i, _ in pairs],
                "second": [linear.items[j] for _, j in pairs],
            },
            pair_changes,
        ),
        unit=linear.unit,
        outputs=tuple(linear.outputs),
        notes=tuple(notes),
    )


def _random_orders(n_items: int) -> Floats:
    """Random orders, each with its reverse."""
    rng = np.random.default_rng(0)
    orders = rng.permuted(np.tile(np.arange(1.0, n_items + 1), (_MOST_RANKINGS // 2, 1)), axis=1)
    return np.asarray(np.vstack([orders, n_items + 1 - orders]))


def _dense(rankings: Any, linear: LinearModel) -> Floats:
    """Some of the rankings, places counted from 1 in steps of 1, NaN where unranked."""
    matrix = read_rankings(rankings)
    if matrix.shape[1] != linear.n_items:
        raise InputError(
            f"rank {matrix.shape[1]} items, and the model {linear.n_items}", parameter="rankings"
        )
    matrix.check("anywhere")
    groups = read_groups(matrix, "anywhere", None)
    rows = np.unique(np.linspace(0, len(groups) - 1, min(len(groups), _MOST_RANKINGS)).astype(int))
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
