"""The better of two items, for all pairs of items: as bits, as signs, or as expected signs."""

import numpy as np

from rankcut._loops.compilation import compiled
from rankcut._loops.pairs import TWINS, columns_of, mirror
from rankcut._loops.partitions import NOWHERE, count_groups
from rankcut._loops.types import Floats, Indices, Ints, Words

_ONE = np.uint64(1)
_TWO = np.uint64(2)
_FOUR = np.uint64(4)
_LAST = np.uint64(56)
_PAIRS = np.uint64(0x5555555555555555)
_QUADS = np.uint64(0x3333333333333333)
_BYTES = np.uint64(0x0F0F0F0F0F0F0F0F)
_SUM = np.uint64(0x0101010101010101)


@compiled
def count_bits(word: np.uint64) -> np.uint64:
    """The number of bits set, in plain arithmetic that the compiler can vectorise."""
    word = word - ((word >> _ONE) & _PAIRS)
    word = (word & _QUADS) + ((word >> _TWO) & _QUADS)
    word = (word + (word >> _FOUR)) & _BYTES
    return (word * _SUM) >> _LAST


@compiled
def pack_signs(groups: Indices, better: Words, strict: Words) -> None:
    """One bit per pair i < j: whether i is better, and whether the two are not tied."""
    n = groups.shape[1]
    for r in range(groups.shape[0]):
        word = np.uint64(0)
        mask = np.uint64(0)
        filled = 0
        w = 0
        for i in range(n):
            group = groups[r, i]
            for j in range(i + 1, n):
                other = groups[r, j]
                word = (word << _ONE) | np.uint64(group < other)
                mask = (mask << _ONE) | np.uint64(group != other)
                filled += 1
                if filled == 64:
                    better[r, w], strict[r, w] = word, mask
                    word, mask = np.uint64(0), np.uint64(0)
                    filled = 0
                    w += 1
        if filled > 0:
            better[r, w], strict[r, w] = word, mask


@compiled
def agreement_of_strict(x: Words, y: Words, n_pairs: int, pairs: int, out: Floats) -> None:
    """Concordant minus discordant pairs of items, for rankings without ties."""
    for r in range(x.shape[0]):
        low, high = columns_of(r, y.shape[0], pairs)
        # Without branches, so that the compiler can vectorise it.
        line = out[r, :1] if pairs == TWINS else out[r, low:high]
        others = y[low:high]
        for c in range(others.shape[0]):
            opposite = np.uint64(0)
            for w in range(x.shape[1]):
                opposite += count_bits(x[r, w] ^ others[c, w])
            line[c] = n_pairs - 2 * np.float64(opposite)
    mirror(pairs, out)


@compiled
def agreement_of_tied(
    x: Words, x_strict: Words, y: Words, y_strict: Words, pairs: int, out: Floats
) -> None:
    """The same for rankings with ties; a pair tied in either ranking does not count."""
    for r in range(x.shape[0]):
        low, high = columns_of(r, y.shape[0], pairs)
        for c in range(low, high):
            compared = np.uint64(0)
            opposite = np.uint64(0)
            for w in range(x.shape[1]):
                strict = x_strict[r, w] & y_strict[c, w]
                compared += count_bits(strict)
                opposite += count_bits((x[r, w] ^ y[c, w]) & strict)
            out[r, 0 if pairs == TWINS else c] = np.float64(compared) - 2 * np.float64(opposite)
    mirror(pairs, out)


@compiled
def agreement_by_tree(x: Indices, y: Indices, pairs: int, out: Floats) -> None:
    """The same in O(n log n) per pair of rankings, for many items.

    Groups of x are taken best first. A binary indexed tree counts the items taken so far by
    their group in y. It gives the number of those that are better in y, and of those that are
    worse.
    """
    n = x.shape[1]
    sizes = np.empty(n, dtype=np.int32)
    ends = np.empty(n + 1, dtype=np.int64)
    order = np.empty(n, dtype=np.uint32)
    tree = np.empty(n + 1, dtype=np.int32)
    for r in range(x.shape[0]):
        n_groups, _ = count_groups(x[r], sizes)
        ends[0] = 0
        for t in range(n_groups):
            ends[t + 1] = ends[t] + sizes[t]
        for i in range(n):
            group = x[r, i]
            sizes[group] -= 1
            order[ends[group] + sizes[group]] = i
        low, high = columns_of(r, y.shape[0], pairs)
        for c in range(low, high):
            tree[:] = 0
            agreement = 0
            for t in range(n_groups):
                for p in range(ends[t], ends[t + 1]):
                    place = np.int64(y[c, order[p]])
                    better = sum_tree(tree, place)
                    not_worse = sum_tree(tree, place + 1)
                    agreement += better - (ends[t] - not_worse)
                for p in range(ends[t], ends[t + 1]):
                    place = np.int64(y[c, order[p]]) + 1
                    while place <= n:
                        tree[place] += 1
                        place += place & -place
            out[r, 0 if pairs == TWINS else c] = float(agreement)
    mirror(pairs, out)


@compiled
def sum_tree(tree: Ints, place: np.int64) -> int:
    total = 0
    while place > 0:
        total += tree[place]
        place &= place - 1
    return total


@compiled
def expected_signs(groups: Indices, features: Floats) -> None:
    """The mean of ±1 over completions, for each pair i < j: positive if i is better.

    With k ranked items, an unranked one is better than the ranked one at mean position p with
    probability p/(k + 1).
    """
    n = groups.shape[1]
    sizes = np.empty(n, dtype=np.int32)
    # The mean sign of each group, and of each item, against an unranked item.
    leans, own_leans = np.empty(n), np.empty(n)
    for r in range(groups.shape[0]):
        n_groups, n_ranked = count_groups(groups[r], sizes)
        above = 0
        for t in range(n_groups):
            leans[t] = (n_ranked - 2 * above - sizes[t]) / (n_ranked + 1)
            above += sizes[t]
        for i in range(n):
            own_leans[i] = 0.0 if groups[r, i] == NOWHERE else leans[groups[r, i]]
        pair = 0
        for i in range(n):
            own = groups[r, i]
            for j in range(i + 1, n):
                other = groups[r, j]
                if own != NOWHERE and other != NOWHERE:
                    features[r, pair] = np.float64(own < other) - np.float64(own > other)
                else:
                    features[r, pair] = own_leans[i] - own_leans[j]
                pair += 1
