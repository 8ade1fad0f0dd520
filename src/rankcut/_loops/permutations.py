"""Full rankings: those that agree with a ranking, means over them, and the best of all.

A completion is a list of digits. Each item of a tied group is inserted among the items of its
group placed so far, then each unranked item among all items placed so far; its digit is the gap.
Different lists of digits are different completions, so counting through the digits enumerates
them, and random digits are a uniform draw. The mirror image of a draw counts each gap from the
other end: it reverses the order of the tied items and of the unranked ones.

The best order is that of the largest gain; ``gains[i, j]`` is the gain of placing i before j.
"""

import numpy as np

from rankcut._loops.compilation import compiled
from rankcut._loops.pairs import TWINS, columns_of, count_bits, mirror
from rankcut._loops.partitions import NOWHERE, count_groups
from rankcut._loops.random_streams import draw_below, stream_of
from rankcut._loops.types import Floats, Indices, Ints, Longs, Words


@compiled
def count_completions(groups: Indices, limit: int, counts: Ints) -> None:
    """The number of completions of each ranking, or limit + 1 if there are more.

    The only completion of a ranking without unranked items is itself.
    """
    n = groups.shape[1]
    sizes = np.empty(n, dtype=np.int32)
    for r in range(groups.shape[0]):
        n_groups, n_ranked = count_groups(groups[r], sizes)
        count = 1
        if n_ranked < n:
            for t in range(n_groups):
                for place in range(2, sizes[t] + 1):
                    count = min(count * place, limit + 1)
            for place in range(n_ranked + 1, n + 1):
                count = min(count * place, limit + 1)
        counts[r] = count


@compiled
def complete_rows(
    groups: Indices,
    counts: Ints,
    starts: Ints,
    seed: np.uint64,
    completions: Indices,
) -> None:
    """Write the completions of ranking r to the rows from ``starts[r]`` to ``starts[r + 1]``.

    If there is room for ``counts[r]``, these are all completions; otherwise draws, each followed
    by its mirror image. Exchangeable neighbours (of one tied group, or both unranked) are tied in a
    completion, so its value is a mean over their orders.
    """
    n = groups.shape[1]
    sizes = np.empty(n, dtype=np.int32)
    choices = np.empty(n, dtype=np.int64)
    digits = np.empty(n, dtype=np.int64)
    listed = np.empty(n, dtype=np.uint32)
    placed = np.empty(n, dtype=np.uint32)
    for r in range(groups.shape[0]):
        row = groups[r]
        room = starts[r + 1] - starts[r]
        n_groups, n_ranked = count_groups(row, sizes)
        if n_ranked == n:
            completions[starts[r]] = row
            continue
        # The items in order, and the number of gaps for each when it is inserted.
        position = 0
        for t in range(n_groups):
            for i in range(n):
                if row[i] == t:
                    listed[position] = i
                    position += 1
            for place in range(sizes[t]):
                choices[position - sizes[t] + place] = place + 1
        for i in range(n):
            if row[i] == NOWHERE:
                listed[position] = i
                position += 1
                choices[position - 1] = position
        exact = room == counts[r]
        state = stream_of(row, seed)
        for draw in range(room):
            rest = draw
            for position in range(n):
                if exact:
                    digits[position] = rest % choices[position]
                    rest //= choices[position]
                elif draw % 2 == 0:
                    state, digits[position] = draw_below(state, choices[position])
                else:
                    digits[position] = choices[position] - 1 - digits[position]
            for position in range(n):
                # Shift the items placed last to make room: those of the group, or all.
                gap = position + 1 - choices[position] + digits[position]
                for q in range(position, gap, -1):
                    placed[q] = placed[q - 1]
                placed[gap] = listed[position]
            completion = completions[starts[r] + draw]
            group = 0
            for position in range(n):
                item = placed[position]
                if position > 0 and row[item] != row[placed[position - 1]]:
                    group += 1
                completion[item] = group


@compiled
def mallows_values(
    first: tuple[Indices, Words, Words, Floats, Ints],
    second: tuple[Indices, Words, Words, Floats, Ints],
    lam: float,
    by_size: Floats,
    derivative: bool,
    pairs: int,
    out: Floats,
) -> None:
    """Means over the completions ``starts[r]:starts[r + 1]`` of each ranking.

    Both sides are the groups of completions, their signs as bits, ``terms`` and ``starts``.
    ``by_size[0]`` and ``terms[0]`` hold log([g]_q!/g!), ``by_size[1]`` and ``terms[1]`` its
    derivative in λ. With ``derivative``, the result is the derivative of the kernel.
    """
    x, x_better, x_strict, x_terms, x_starts = first
    y, y_better, y_strict, y_terms, y_starts = second
    n = x.shape[1]
    cells = np.zeros(n * n, dtype=np.int32)
    for r in range(x_starts.shape[0] - 1):
        low, high = columns_of(r, y_starts.shape[0] - 1, pairs)
        for c in range(low, high):
            total = 0.0
            for a in range(x_starts[r], x_starts[r + 1]):
                for b in range(y_starts[c], y_starts[c + 1]):
                    discordant = np.uint64(0)
                    for w in range(x_better.shape[1]):
                        strict = x_strict[a, w] & y_strict[b, w]
                        discordant += count_bits((x_better[a, w] ^ y_better[b, w]) & strict)
                    slope = x_terms[1, a] + y_terms[1, b] - np.float64(discordant)
                    power = x_terms[0, a] + y_terms[0, b] - lam * np.float64(discordant)
                    # Items tied in both rankings: by the sizes of the intersections of groups.
                    if x_terms[0, a] != 0.0 and y_terms[0, b] != 0.0:
                        for i in range(n):
                            cell = x[a, i] * np.uint32(n) + y[b, i]
                            size = cells[cell]
                            power -= by_size[0, size + 1] - by_size[0, size]
                            slope -= by_size[1, size + 1] - by_size[1, size]
                            cells[cell] = size + 1
                        for i in range(n):
                            cells[x[a, i] * np.uint32(n) + y[b, i]] = 0
                    total += np.exp(power) * (slope if derivative else 1.0)
            count = (x_starts[r + 1] - x_starts[r]) * (y_starts[c + 1] - y_starts[c])
            out[r, 0 if pairs == TWINS else c] = total / count
    mirror(pairs, out)


@compiled
def class_function_values(
    x: Indices, y: Indices, codes: Indices, values: Floats, pairs: int, out: Floats
) -> None:
    """``values[Σ codes[length of a cycle]]`` of each pair of full rankings of at most 32 items.

    Rows of ``x`` and ``y`` are the items' positions. The codes of the cycles of a permutation
    add up to the place of its cycle type in the table of values.
    """
    n = x.shape[1]
    one = np.uint32(1)
    items = np.empty(n, dtype=np.uint32)
    for r in range(x.shape[0]):
        for i in range(n):
            items[x[r, i]] = i
        low, high = columns_of(r, y.shape[0], pairs)
        for c in range(low, high):
            code = np.uint32(0)
            visited = np.uint32(0)
            for start in range(n):
                if (visited >> np.uint32(start)) & one:
                    continue
                length = 0
                position = np.uint32(start)
                while not (visited >> position) & one:
                    visited |= one << position
                    position = y[c, items[position]]
                    length += 1
                code += codes[length]
            out[r, 0 if pairs == TWINS else c] = values[code]
    mirror(pairs, out)


@compiled
def best_order(gains: Floats, order: Longs, by_first: Floats) -> None:
    """The order of largest gain, by dynamic programming over subsets, in 2^n·n steps.

    ``by_first`` receives the largest gain of an order that begins with each item. ``best[S]`` is
    the largest gain of pairs whose first item is outside S, if the items of S come first. It is
    filled from the full set down.
    """
    n = gains.shape[0]
    n_sets = 1 << n
    best = np.empty(n_sets)
    following = np.empty(n_sets, dtype=np.int8)
    best[n_sets - 1] = 0.0
    rest = np.empty(n, dtype=np.int64)
    for fixed in range(n_sets - 2, -1, -1):
        n_rest = 0
        for i in range(n):
            if not (fixed >> i) & 1:
                rest[n_rest] = i
                n_rest += 1
        most = -np.inf
        which = 0
        for p in range(n_rest):
            i = rest[p]
            gain = best[fixed | (1 << i)]
            for q in range(n_rest):
                gain += gains[i, rest[q]]
            by_first[i] = gain  # of the empty set in the end
            if gain > most:
                most = gain
                which = i
        best[fixed] = most
        following[fixed] = which
    fixed = 0
    for place in range(n):
        order[place] = following[fixed]
        fixed |= 1 << order[place]


@compiled
def improve_order(gains: Floats, order: Longs) -> float:
    """Move single items to their best places until no move gains; returns the gain of the order.

    ``gains`` must have a zero diagonal and be antisymmetric.
    """
    n = order.shape[0]
    slack = 0.0
    for i in range(n):
        for j in range(n):
            slack = max(slack, abs(gains[i, j]))
    # Moves that gain less than this are rounding; without a threshold, moves might never end.
    slack *= 1e-9
    moved = True
    while moved:
        moved = False
        for place in range(n):
            item = order[place]
            most = slack
            target = place
            change = 0.0
            for q in range(place - 1, -1, -1):
                change += 2 * gains[item, order[q]]
                if change > most:
                    most = change
                    target = q
            change = 0.0
            for q in range(place + 1, n):
                change -= 2 * gains[item, order[q]]
                if change > most:
                    most = change
                    target = q
            if target != place:
                moved = True
                step = 1 if target > place else -1
                for q in range(place, target, step):
                    order[q] = order[q + step]
                order[target] = item
    total = 0.0
    for p in range(n):
        for q in range(p + 1, n):
            total += gains[order[p], order[q]]
    return total
