"""Pairs of items that a ranking lists, and what it says of them beyond what all rankings say."""

import numpy as np

from rankcut._loops.compilation import compiled
from rankcut._loops.partitions import NOWHERE
from rankcut._loops.types import Floats, Indices


@compiled
def sum_listed_signs(groups: Indices, weights: Floats, sums: Floats, masses: Floats) -> None:
    """Add the sign of each pair i < j, and the weight of the rankings that list both."""
    n = groups.shape[1]
    for r in range(groups.shape[0]):
        pair = 0
        for i in range(n):
            own = groups[r, i]
            for j in range(i + 1, n):
                other = groups[r, j]
                if own != NOWHERE and other != NOWHERE:
                    masses[pair] += weights[r]
                    if own < other:
                        sums[pair] += weights[r]
                    elif own > other:
                        sums[pair] -= weights[r]
                pair += 1


@compiled
def listed_signs(groups: Indices, means: Floats, vectors: Floats) -> None:
    """Sign − mean sign for each pair i < j that a ranking lists, 0 for the others."""
    n = groups.shape[1]
    for r in range(groups.shape[0]):
        pair = 0
        for i in range(n):
            own = groups[r, i]
            for j in range(i + 1, n):
                other = groups[r, j]
                value = 0.0
                if own != NOWHERE and other != NOWHERE:
                    value = -means[pair]
                    if own < other:
                        value += 1.0
                    elif own > other:
                        value -= 1.0
                vectors[r, pair] = value
                pair += 1


@compiled
def listed_leads(groups: Indices, means: Floats, vectors: Floats) -> None:
    """Listed items worse than i minus those better than i, minus a mean; 0 if i is not listed."""
    n = groups.shape[1]
    sizes = np.empty(n + 1, dtype=np.int32)
    for r in range(groups.shape[0]):
        sizes[:] = 0
        n_listed = 0
        for i in range(n):
            if groups[r, i] != NOWHERE:
                sizes[groups[r, i]] += 1
                n_listed += 1
        # From sizes to the number of items up to and with each group.
        for t in range(1, n):
            sizes[t] += sizes[t - 1]
        for i in range(n):
            group = groups[r, i]
            if group == NOWHERE:
                vectors[r, i] = 0.0
                continue
            better = 0
            if group > 0:
                better = sizes[group - 1]
            vectors[r, i] = (n_listed - sizes[group] - better) - means[i]
