"""Whether one part of a person's list says something about the rest.

Few crowds follow the model of Plackett and Luce, and any mixture explains another crowd better. So
camps and lines must also do what no crowd can. Items are divided into two parts, both of which tell
apart those that are to be told apart. If a mixture has the shares s, and the orders of a person
within both parts give the probabilities a and b of its components, their mutual information is
log Σ_q a_q·b_q / s_q. Where utilities are independent, it is 0 or less on average. Its sum over
people has to exceed 0, and that of a simpler mixture (a crowd, or k − 1 camps), by log n: what BIC
takes for two parameters, one for where each part puts a person. Where ties are in one part says
where they are in the other: lists with ties are compared among those that have them at the same
places.
"""

from typing import NamedTuple

import numpy as np

from rankcut._loops.types import Flags, Floats, Longs
from rankcut.blocs.mixtures import Mixture, MixtureLikelihood
from rankcut.rankings import Rankings
from rankcut.strengths import Choices

# Fewer items have no two parts with an order in each.
_LEAST_ITEMS = 4


class ItemPart(NamedTuple):
    """Some of the items, and what rankings say of them."""

    items: Longs
    likelihood: MixtureLikelihood

    @property
    def compared(self) -> Flags:
        """Whether a person compares two of the items."""
        return np.logical_or.reduceat(
            self.likelihood.choices.informative, self.likelihood.people[:-1]
        )


def divide_items(rankings: Rankings, slope: Floats) -> tuple[ItemPart, ItemPart]:
    """Two parts of the items, both of which change along a slope, and their rankings.

    Of some ways to alternate along the slope, the most even one.
    """
    order = np.argsort(np.argsort(slope, kind="stable"))
    sizes = 2 ** np.arange(int(np.log2(max(len(slope) - 1, 1))) + 1)
    first: Flags = max(
        (order // size % 2 == 0 for size in sizes.tolist()),
        key=lambda part: min(slope[part].var(), slope[~part].var()),
    )
    one, other = (
        ItemPart(items, MixtureLikelihood.of(rankings.among(items)))
        for items in (np.flatnonzero(first), np.flatnonzero(~first))
    )
    return one, other


def association(mixture: Mixture, parts: tuple[ItemPart, ItemPart], weights: Floats) -> float:
    """How much a part of the items says about the rest: their mutual information."""
    strengths, shares = mixture.components
    there = shares > 0
    one, other = (
        part.likelihood.sums(np.ascontiguousarray(strengths[:, part.items]), shares)[1][:, there]
        for part in parts
    )
    joint = np.maximum((one * other / shares[there]).sum(axis=1), np.finfo(np.float64).tiny)
    total = float(weights @ np.log(joint))
    choices = [part.likelihood.choices for part in parts]
    if not any(each.tied for each in choices):
        return total
    # People are compared with those who have ties at the same places (Donsker and Varadhan 1983).
    places = np.hstack([_tie_places(each) for each in choices])
    _, kind = np.unique(places, axis=0, return_inverse=True)
    kinds = np.eye(int(kind.max()) + 1)[kind.ravel()].T * weights
    sizes = kinds.sum(axis=1)
    by_ties = ((kinds @ one) * (kinds @ other) / shares[there]).sum(axis=1) / sizes**2
    return total - float(sizes @ np.log(by_ties))


def parts_agree(
    rankings: Rankings, mixture: Mixture, simpler: Mixture, slope: Floats, log_people: float
) -> bool:
    """Whether parts of a list agree on where a person is, beyond what a simpler mixture says.

    The simplest one, in which parts say nothing about each other, has an association of 0. A slope
    is fitted to both parts, which makes them agree by half its parameters. If nobody compares items
    of both parts, nothing is held against a mixture.
    """
    n_items, weights = rankings.shape[1], rankings.counts
    if n_items < _LEAST_ITEMS:
        return True
    parts = divide_items(rankings, slope)
    if not (parts[0].compared & parts[1].compared).any():
        return True
    gain = association(mixture, parts, weights) - max(0.0, association(simpler, parts, weights))
    by_chance = mixture.family.n_lines * (n_items - 1) / 2
    return gain > log_people + by_chance


def _tie_places(choices: Choices) -> Longs:
    """For each rank of each list: 2 if it is tied with the one before, 1 if not, 0 if empty."""
    lists = np.repeat(np.arange(choices.n_rankings), np.diff(choices.starts))
    places = np.zeros((choices.n_rankings, choices.n_items), dtype=np.int64)
    places[lists, np.arange(len(lists)) - choices.starts[lists]] = 1 + choices.joined
    return places
