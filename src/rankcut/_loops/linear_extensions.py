"""Full rankings that agree with a ranking: ties broken, unranked items put anywhere.

A completion is a list of digits. Each item of a tied group is inserted among the items of its
group placed so far, then each unranked item among all items placed so far; its digit is the gap.
Different lists of digits are different completions, so counting through the digits enumerates
them, and random digits are a uniform draw. The mirror image of a draw counts each gap from the
other end: it reverses the order of the tied items and of the unranked ones.
"""

import numpy as np

from rankcut._loops.compilation import compiled
from rankcut._loops.partitions import NOWHERE, count_groups
from rankcut._loops.random_streams import draw_below, stream_of
from rankcut._loops.types import Indices, Ints


@compiled
def count_completions(groups: Indices, keep_ties: bool, limit: int, counts: Ints) -> None:
    """The number of completions of each ranking, or limit + 1 if there are more.

    With ``keep_ties``, the only completion of a ranking without unranked items is itself.
    """
    n = groups.shape[1]
    sizes = np.empty(n, dtype=np.int32)
    for r in range(groups.shape[0]):
        n_groups, n_ranked = count_groups(groups[r], sizes)
        count = 1
        if n_ranked < n or not keep_ties:
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
    keep_ties: bool,
    seed: np.uint64,
    completions: Indices,
) -> None:
    """Write the completions of ranking r to the rows from ``starts[r]`` to ``starts[r + 1]``.

    If there is room for ``counts[r]``, these are all completions; otherwise draws, each followed
    by its mirror image. With ``keep_ties``, exchangeable neighbours (of one tied group, or both
    unranked) are tied in a completion, so its value is a mean over their orders.
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
        if keep_ties and n_ranked == n:
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
                if position > 0 and not (keep_ties and row[item] == row[placed[position - 1]]):
                    group += 1
                completion[item] = group
