"""Utilities and part-worths in sentences and in tables."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtri

from rankcut._loops.types import Floats, Longs
from rankcut.errors import amount
from rankcut.parameters import MOST_LISTED
from rankcut.results import Table
from rankcut.results.words import name_some, percent
from rankcut.strengths.mixed import FEW_EFFECTIVE

if TYPE_CHECKING:
    from rankcut.utilities.conjoint import Conjoint
    from rankcut.utilities.estimator import Utilities
    from rankcut.utilities.people import PeopleResult

# Fewer tasks than this say little of a person: the answer is mostly that of the others.
_FEW_TASKS = 3


def utilities_sentences(model: "Utilities", *, by_name: bool = True) -> list[str]:
    """Who was asked, what is liked, how sure that is, and whether there are camps.

    ``by_name`` says whether people who said little are named.
    """
    items = model.item_names
    means, half = _means_and_halves(model, model.utilities_, model.errors_)
    order = np.argsort(-means, kind="stable")
    first, last = order[0], order[-1]
    liked = f"{items[first]} is liked best on average and {items[last]} least"
    if means[first] - half[first] <= means[last] + half[last]:
        liked = "none is clearly liked better on average than another"
    sentences = [f"Of {amount(len(items), 'item')}, {liked}, by {_who_was_asked(model)}."]
    return [*sentences, *_differences(model), *_about_people(model, by_name=by_name)]


def conjoint_sentences(model: "Conjoint") -> list[str]:
    """What matters most, and what is to be known about people."""
    importance = model.importance()
    order = np.argsort(-importance.means, kind="stable")
    first = order[0]
    sentences = [
        f"{importance.names[first]} matters most: {percent(float(importance.means[first]), 1)} of "
        f"the ranges of part-worths, to {_who_was_asked(model)}."
    ]
    return [*sentences, *_about_people(model, by_name=True), *map(_as_sentence, model.notes_)]


def _as_sentence(note: str) -> str:
    return f"{note[0].upper()}{note[1:]}."


def _who_was_asked(model: "PeopleResult") -> str:
    people = amount(len(model.people_), "person", "people")
    return f"{people} with {amount(int(model.n_tasks_.sum()), 'task')}"


def _about_people(model: "PeopleResult", *, by_name: bool) -> list[str]:
    little = _little(model) if by_name else []
    return [*little, *_at_random(model, by_name=by_name), *_draws(model), *_camps(model)]


def _means(model: "PeopleResult", values: Floats) -> Floats:
    return np.asarray(model._weights @ values / model._weights.sum())


def _means_and_halves(
    model: "PeopleResult", values: Floats, errors: Floats
) -> tuple[Floats, Floats]:
    """The mean of each column over people, and half of its interval."""
    means, weights = _means(model, values), model._weights
    squares = (weights**2) @ ((values - means) ** 2 + errors**2)
    return means, ndtri(0.5 + model.confidence / 2) * np.sqrt(squares) / weights.sum()


def _differences(model: "Utilities") -> list[str]:
    """How much of what people say is the same."""
    spread = float(np.trace(model.covariance_))
    across = float(np.var(model.mean_) * len(model.mean_))
    if spread + across <= 0 or len(model.people_) < 2:
        return []
    return [
        f"People differ: {percent(spread, spread + across)} of what utilities vary is between "
        "people, the rest is what they share."
    ]


def _at_random(model: "PeopleResult", *, by_name: bool) -> list[str]:
    """People whose answers are likelier by chance than by any tastes like those of the others."""
    random = model.at_random_ > 0.5
    if not random.any():
        return []
    share = percent(float(model._fit.tastes.at_random), 1)
    names = [str(name) for name in model.people_[random].tolist()]
    who = f": {name_some(names, MOST_LISTED)}" if by_name else ""
    return [
        f"About {share} of people seem to answer at random, and count so much less for the others; "
        f"{len(names):,} of them more likely than not{who}."
    ]


def _little(model: "PeopleResult") -> list[str]:
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


def _draws(model: "PeopleResult") -> list[str]:
    """Whether draws are enough."""
    few = model.n_effective_ < FEW_EFFECTIVE
    if not few.any():
        return []
    return [
        f"For {percent(float(few.mean()), 1)} of people fewer than {FEW_EFFECTIVE:.0f} draws are "
        "effective: their errors are rough."
    ]


def _camps(model: "PeopleResult") -> list[str]:
    camps = model.camps_
    if not camps.better:
        return []
    return [
        f"Two camps, of {percent(float(camps.shares[0]), 1)} and "
        f"{percent(float(camps.shares[1]), 1)}, describe people better than one cloud around an "
        f"average (the information criterion is lower by {camps.gain:.0f}): look at segments too."
    ]


def utilities_tables(model: "Utilities") -> dict[str, Table]:
    """Utilities by person, items, errors, part-worths if there are attributes, and people."""
    items = [str(name) for name in model.item_names]
    order = np.argsort(-_means(model, model.utilities_), kind="stable")
    tables = {
        "utilities": _by_person(model, items, model.utilities_),
        "items": _distributions(model, "item", items, model.utilities_, model.errors_, order),
        "errors": _by_person(model, items, model.errors_),
    }
    if model.part_worths_ is not None and model._attributes is not None:
        names = model._attributes.coefficients
        tables["part_worths"] = _by_person(model, names, model.part_worths_)
    return {**tables, "people": model.people_table}


def conjoint_tables(model: "Conjoint") -> dict[str, Table]:
    """Part-worths by person, their means, importance, errors, and people."""
    names, worths = model.coefficients_, model.part_worths_
    order = np.arange(len(names))
    return {
        "part_worths": _by_person(model, names, worths),
        "coefficients": _distributions(model, "of", names, worths, model.errors_, order),
        "importance": model.importance().tables()["shares"],
        "errors": _by_person(model, names, model.errors_),
        "people": model.people_table,
    }


def _by_person(model: "PeopleResult", names: Sequence[str], values: Floats) -> Table:
    """A row for each person, a column for each name."""
    person = "person" if "person" not in names else "person_id"
    columns = dict(zip(names, values.T, strict=True))
    return Table({person: model.people_.tolist(), **columns})


def _distributions(
    model: "PeopleResult",
    what: str,
    names: Sequence[str],
    values: Floats,
    errors: Floats,
    order: Longs,
) -> Table:
    """The mean of each column over people with its interval, and how much people differ."""
    means, half = _means_and_halves(model, values, errors)
    weights, about = model._weights, values - means
    return Table(
        {
            what: [names[i] for i in order],
            "mean": means[order],
            "low": (means - half)[order],
            "high": (means + half)[order],
            "sd_of_people": np.sqrt(weights @ about**2 / weights.sum())[order],
        }
    )
