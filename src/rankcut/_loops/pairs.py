"""Pairs of items, and which of two is the better: as bits, as signs, expected or weighted.

Kernels that compare pairs of rankings say which: all, half of a list with itself, or twins.
"""

import math

import numpy as np

from rankcut._loops.compilation import compiled
from rankcut._loops.partitions import NOWHERE, count_groups
from rankcut._loops.types import Floats, Indices, Ints, Longs, Words

# Which pairs: each row with each; a list of rows with itself; row i with row i.
ALL, UPPER, TWINS = 0, 1, 2

_ONE = np.uint64(1)
_TWO = np.uint64(2)
_FOUR = np.uint64(4)
_LAST = np.uint64(56)
_PAIRS = np.uint64(0x5555555555555555)
_QUADS = np.uint64(0x3333333333333333)
_BYTES = np.uint64(0x0F0F0F0F0F0F0F0F)
_SUM = np.uint64(0x0101010101010101)


@compiled
def columns_of(row: int, n_columns: int, pairs: int) -> tuple[int, int]:
    """The columns to compare with a row: all, those from itself on, or only itself."""
    if pairs == TWINS:
        return row, row + 1
    return (row if pairs == UPPER else 0), n_columns


@compiled
def mirror(pairs: int, out: Floats) -> None:
    """Copy the upper half of a matrix to the lower half."""
    if pairs == UPPER:
        for r in range(out.shape[0]):
            for c in range(r):
                out[r, c] = out[c, r]


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
    """Agreement of rankings with ties; a pair tied in either ranking does not count."""
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
    """Agreement in O(n log n) per pair of rankings, for many items.

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
            group = groups[r, i]
            for j in range(i + 1, n):
                other = groups[r, j]
                if group != NOWHERE and other != NOWHERE:
                    features[r, pair] = np.float64(group < other) - np.float64(group > other)
                else:
                    features[r, pair] = own_leans[i] - own_leans[j]
                pair += 1


@compiled
def expected_weights(
    groups: Indices,
    rows: Ints,
    weights: Floats,
    sums: Floats,
    before: Floats,
    after: Floats,
    apart: float,
    features: Floats,
) -> None:
    """E[U(positions of i and j) · 1(i better than j)] for all i and j, in column n·i + j.

    The ``rows`` all rank the same number of items. Given are the ``weights`` between ranked
    positions, their sums over rectangles from the corner (``sums``), the sums over ranked positions
    of the mean weight before an unranked item (``before``) and after one (``after``), and the mean
    weight of two unranked items (``apart``).
    """
    n = groups.shape[1]
    sizes = np.empty(n, dtype=np.int32)
    starts = np.zeros(n + 1, dtype=np.int32)
    filled = np.empty(n, dtype=np.int32)
    order = np.empty(n, dtype=np.uint32)
    unranked = np.empty(n)
    worse = np.empty(n)
    for r in rows:
        n_groups, _ = count_groups(groups[r], sizes)
        for t in range(n_groups):
            starts[t + 1] = starts[t] + sizes[t]
            filled[t] = starts[t]
        for i in range(n):
            group = groups[r, i]
            unranked[i] = group == NOWHERE
            worse[i] = apart
            if group != NOWHERE:
                order[filled[group]] = i
                filled[group] += 1
                low, high = starts[group], starts[group + 1]
                worse[i] = (after[high] - after[low]) / (high - low)
        for i in range(n):
            g = groups[r, i]
            first = i * n
            if g == NOWHERE:
                for j in range(n):
                    features[r, first + j] = worse[j]
            else:
                top, bottom = starts[g], starts[g + 1]
                apart_from = (before[bottom] - before[top]) / (bottom - top)
                for j in range(n):
                    features[r, first + j] = apart_from * unranked[j]
                # In the order of positions, whose weights lie side by side.
                for h in range(g, n_groups):
                    low, high = starts[h], starts[h + 1]
                    if bottom - top == 1 and high - low == 1:
                        features[r, first + order[low]] = weights[top, low]
                    else:
                        total = sums[bottom, high] - sums[top, high]
                        total -= sums[bottom, low] - sums[top, low]
                        value = total / ((bottom - top) * (high - low - (g == h)))
                        for place in range(low, high):
                            features[r, first + order[place]] = value
            features[r, first + i] = 0.0


@compiled
def average_weights(x: Indices, y: Indices, pairs: int, out: Floats) -> None:
    """Σ over concordant pairs of items of n + 1 − (the largest position in either ranking).

    Items are taken in the order of x. For a concordant pair, the later item has the largest
    position in both rankings. So it is enough to count the earlier items that are better in y,
    as bits of a few words.
    """
    n = x.shape[1]
    items = np.empty(n, dtype=np.uint32)
    bits = np.empty((n + 63) // 64, dtype=np.uint64)
    one = np.uint64(1)
    for r in range(x.shape[0]):
        for i in range(n):
            items[x[r, i]] = i
        low, high = columns_of(r, y.shape[0], pairs)
        for c in range(low, high):
            bits[:] = 0
            total = 0
            for p in range(n):
                place = y[c, items[p]]
                word = place >> np.uint32(6)
                bit = one << np.uint64(place & np.uint32(63))
                better = count_bits(bits[word] & (bit - one))
                for w in range(word):
                    better += count_bits(bits[w])
                bits[word] |= bit
                total += np.int64(better) * (n - max(p, np.int64(place)))
            out[r, 0 if pairs == TWINS else c] = float(total)
    mirror(pairs, out)


@compiled
def expected_sign(difference: float, noise: float) -> float:
    """erf(d/(2τ)), the mean sign of d plus noise. τ = 0 is the sign."""
    if noise == 0.0:
        return (1.0 if difference > 0.0 else 0.0) - (1.0 if difference < 0.0 else 0.0)
    return math.erf(difference / (2.0 * noise))


@compiled
def weighted_wins_dense(
    starts: Longs, items: Indices, ratings: Floats, noise: float, weights: Floats, wins: Floats
) -> None:
    """Σ_j W_ij times the expected sign, over the rated items j, for each rating."""
    for r in range(len(starts) - 1):
        for a in range(starts[r], starts[r + 1]):
            for b in range(starts[r], a):
                weight = weights[items[a], items[b]]
                sign = expected_sign(ratings[a] - ratings[b], noise)
                wins[a] += weight * sign
                wins[b] -= weight * sign


@compiled
def weighted_wins_sparse(
    starts: Longs,
    items: Indices,
    ratings: Floats,
    noise: float,
    edge_starts: Longs,
    neighbors: Indices,
    weights: Floats,
    wins: Floats,
) -> None:
    """Wins along the edges of a sparse graph."""
    weights_of = np.full(len(edge_starts) - 1, np.nan)
    for r in range(len(starts) - 1):
        for a in range(starts[r], starts[r + 1]):
            weights_of[items[a]] = ratings[a]
        for a in range(starts[r], starts[r + 1]):
            item = items[a]
            for edge in range(edge_starts[item], edge_starts[item + 1]):
                other = weights_of[neighbors[edge]]
                if not math.isnan(other):
                    wins[a] += weights[edge] * expected_sign(ratings[a] - other, noise)
        for a in range(starts[r], starts[r + 1]):
            weights_of[items[a]] = np.nan


@compiled
def count_agreements(one: Indices, other: Indices, agreed: Floats, ordered: Floats) -> None:
    """Pairs that the one orders: how many, and how many more the other orders alike than not."""
    n = one.shape[1]
    listed = np.empty(n, dtype=np.int64)
    for r in range(one.shape[0]):
        length = 0
        for i in range(n):
            if one[r, i] != NOWHERE:
                listed[length] = i
                length += 1
        for a in range(length):
            i = listed[a]
            for b in range(a):
                j = listed[b]
                if one[r, i] == one[r, j]:
                    continue
                ordered[r] += 1.0
                if other[r, i] != other[r, j]:
                    agreed[r] += (
                        1.0 if (one[r, i] < one[r, j]) == (other[r, i] < other[r, j]) else -1.0
                    )
