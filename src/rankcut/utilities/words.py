"""Utilities in sentences and in tables."""

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import ndtri

from rankcut.errors import amount
from rankcut.parameters import MOST_LISTED
from rankcut.results import Table
from rankcut.results.words import name_some, percent
from rankcut.strengths.mixed import FEW_EFFECTIVE

if TYPE_CHECKING:
    from rankcut.utilities.estimator import Utilities

# Fewer tasks than this say little of a person: the answer is mostly that of the others.
_FEW_TASKS = 3


def utilities_sentences(model: "Utilities", *, by_name: bool = True) -> list[str]:
    """Who was asked, what is liked, how sure that is, and whether there are camps.

    ``by_name`` says whether people who said little are named.
    """
    items, means = model.item_names, _means(model)
    order = np.argsort(-means, kind="stable")
    n_tasks = int(model.n_tasks_.sum())
    sentences = [
        f"Of {amount(len(items), 'item')}, {items[order[0]]} is liked best on average and "
        f"{items[order[-1]]} least, by {amount(len(model.people_), 'person', 'people')} with "
        f"{amount(n_tasks, 'task')}."
    ]
    little = _little(model) if by_name else []
    return [*sentences, *_differences(model), *little, *_draws(model), *_camps(model)]


def _means(model: "Utilities") -> Any:
    return model._weights @ model.utilities_ / model._weights.sum()


def _differences(model: "Utilities") -> list[str]:
    """How much of what people say is the same."""
    spread = float(np.trace(model.covariance_))
    across = float(np.var(model.mean_) * len(model.mean_))
    if spread + across <= 0:
        return []
    return [
        f"People differ: {percent(spread, spread + across)} of what utilities vary is between "
        "people, the rest is what they share."
    ]


def _little(model: "Utilities") -> list[str]:
    """People who said nothing, or little."""
    sentences = []
    names = np.array([str(name) for name in model.people_], dtype=object)
    none = model.n_tasks_ == 0
    few = (model.n_tasks_ > 0) & (model.n_tasks_ < _FEW_TASKS)
    if none.any():
        sentences.append(
            f"Without an answer that compares items, and so as the average: "
            f"{name_some(names[none].tolist(), MOST_LISTED)}."
        )
    if few.any() and not few.all():
        sentences.append(
            f"Fewer than {_FEW_TASKS} tasks, so that utilities are mostly those of the others: "
            f"{name_some(names[few].tolist(), MOST_LISTED)}."
        )
    if few.all():
        sentences.append(
            f"Each person has fewer than {_FEW_TASKS} tasks: utilities of single people are vague, "
            "shares of all are not."
        )
    return sentences


def _draws(model: "Utilities") -> list[str]:
    """Whether draws are enough."""
    few = model.n_effective_ < FEW_EFFECTIVE
    if not few.any():
        return []
    return [
        f"For {percent(float(few.mean()), 1)} of people fewer than {FEW_EFFECTIVE:.0f} draws are "
        "effective: their errors are rough."
    ]


def _camps(model: "Utilities") -> list[str]:
    camps = model.camps_
    if not camps.better:
        return []
    return [
        f"Two camps, of {percent(float(camps.shares[0]), 1)} and "
        f"{percent(float(camps.shares[1]), 1)}, describe people better than one cloud around an "
        f"average (the information criterion is lower by {camps.gain:.0f}): look at blocs too."
    ]


def utilities_tables(model: "Utilities") -> dict[str, Table]:
    """Utilities by person, items, errors, and part-worths if there are attributes."""
    items = [str(name) for name in model.item_names]
    people = model.people_.tolist()
    name = "person" if "person" not in items else "person_id"
    means = _means(model)
    weights = model._weights
    about = model.utilities_ - means
    squares = (weights**2) @ (about**2 + model.errors_**2)
    half = ndtri(0.5 + model.confidence / 2) * np.sqrt(squares) / weights.sum()
    order = np.argsort(-means, kind="stable")
    spread = np.sqrt(weights @ about**2 / weights.sum())
    tables = {
        "utilities": Table({name: people, **dict(zip(items, model.utilities_.T, strict=True))}),
        "items": Table(
            {
                "item": [items[i] for i in order],
                "mean": means[order],
                "low": (means - half)[order],
                "high": (means + half)[order],
                "sd_of_people": spread[order],
            }
        ),
        "errors": Table({name: people, **dict(zip(items, model.errors_.T, strict=True))}),
    }
    if model.part_worths_ is not None and model._attributes is not None:
        names = model._attributes.coefficients
        worths = dict(zip(names, model.part_worths_.T, strict=True))
        tables["part_worths"] = Table({name: people, **worths})
    return tables
