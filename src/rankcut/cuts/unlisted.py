"""A weight of their own for comparisons with unlisted items.

In a catalogue of n items, the comparisons of a list of k items with the n − k others swamp those
among the k: on the complete graph, its vector says little more than which items it lists. With a
weight γ, two listed items count W_ij, and a pair with an unlisted item counts γ·W_ij. γ = 1 is the
plain method. γ = k/n, ``"balanced"``, gives the order of the list and what it lists about the same
say; on the complete graph it is also, give or take an item, the smallest weight under which the
last item of a top-k list is still better than those not listed. A ranking of all items has the same
vector for every γ.
"""

import numpy as np

from rankcut._loops.types import Floats, Ints
from rankcut._loops.unlisted import reverse_listed, weigh_completions, weigh_lists
from rankcut.cuts.options import UnlistedWeight
from rankcut.cuts.set_function import SetFunction
from rankcut.rankings.value import Partitions


def unlisted_weights(weight: UnlistedWeight, partitions: Partitions) -> Floats:
    """γ of each partition, 1 if it lists all items; unlisted items are in no group."""
    n_ranked = partitions.n_ranked()
    if weight == "balanced":
        return np.asarray(n_ranked / partitions.n_items)
    return np.where(n_ranked < partitions.n_items, float(weight), 1.0)


def weighted_increments(
    weight: UnlistedWeight, partitions: Partitions, function: SetFunction, out: Floats
) -> Partitions:
    """Increments of the weighted cut along lists, and the lists with the others tied last.

    Along a list and along the list turned round, the plain cut rises by the same weight to the
    unlisted items, and by opposite ones among the listed: so it takes no more than both.
    """
    closed = partitions.closed()
    turned = Partitions.empty(len(closed), closed.n_items)
    turned.n_groups[:] = closed.n_groups
    reverse_listed(closed.chains, turned.order, turned.ends)
    backwards = np.empty((len(closed), closed.n_items))
    function.increments(closed, out)
    function.increments(turned, backwards)
    weigh_lists(closed.n_groups, unlisted_weights(weight, partitions), out, backwards)
    return closed


class Weighing:
    """Weights the completions of some partitions, whose unlisted items are in no group."""

    def __init__(
        self, weight: UnlistedWeight, partitions: Partitions, function: SetFunction
    ) -> None:
        self._partitions = partitions
        self._weights = unlisted_weights(weight, partitions)
        # Increments of the cut of the graph restricted to the listed items.
        self._listed = np.empty((len(partitions), partitions.n_items))
        weighted_increments(0.0, partitions, function, self._listed)

    def apply(
        self, completions: Partitions, rankings: Ints, task_ends: Ints, increments: Floats
    ) -> None:
        """Weigh the increments of completions: rows up to ``task_ends[k]`` of ``rankings[k]``."""
        weigh_completions(
            self._partitions.chains,
            self._weights,
            self._listed,
            rankings,
            task_ends,
            completions.chains,
            increments,
        )
