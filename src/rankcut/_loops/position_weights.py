"""Pairs of items weighted by the positions they have: means over completions."""

import numpy as np

from rankcut._loops.compilation import compiled
from rankcut._loops.pairs import TWINS, columns_of, mirror
from rankcut._loops.partitions import NOWHERE, count_groups
from rankcut._loops.signs import count_bits
from rankcut._loops.types import Floats, Indices, Ints


@compiled
def forget_one_item(weights: Floats, n_ranked: int) -> None:
    """From mean weights with k + 1 ranked items to those with k, in place.

    ``weights[s, t]`` is the mean of U over the positions that the ranked items s < t (counted
    from 0, best first) may have. Dropping one ranked item puts it into a random gap.
    """
    k = n_ranked
    for s in range(k):
        for t in range(s + 1, k):
            both = (s + 1) * weights[s + 1, t + 1]
            one = (t - s) * weights[s, t + 1]
            none = (k - t) * weights[s, t]
            weights[s, t] = (both + one + none) / (k + 1)


@compiled
def sum_corners(weights: Floats, n_ranked: int, sums: Floats) -> None:
    """Sums of the mean weights over rectangles from the corner; pairs s ≥ t weigh nothing."""
    for t in range(n_ranked + 1):
        sums[0, t] = 0.0
    for s in range(n_ranked):
        total = 0.0
        sums[s + 1, 0] = 0.0
        for t in range(n_ranked):
            if t > s:
                total += weights[s, t]
            sums[s + 1, t + 1] = sums[s, t + 1] + total


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
    seen = np.empty((n + 63) // 64, dtype=np.uint64)
    one = np.uint64(1)
    for r in range(x.shape[0]):
        for i in range(n):
            items[x[r, i]] = i
        low, high = columns_of(r, y.shape[0], pairs)
        for c in range(low, high):
            seen[:] = 0
            total = 0
            for p in range(n):
                place = y[c, items[p]]
                word = place >> np.uint32(6)
                bit = one << np.uint64(place & np.uint32(63))
                better = count_bits(seen[word] & (bit - one))
                for w in range(word):
                    better += count_bits(seen[w])
                seen[word] |= bit
                total += np.int64(better) * (n - max(p, np.int64(place)))
            out[r, 0 if pairs == TWINS else c] = float(total)
    mirror(pairs, out)
