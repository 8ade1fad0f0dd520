"""Values that depend on the cycle type of one permutation after the inverse of another."""

import numpy as np

from rankcut._loops.compiling import compiled
from rankcut._loops.pairing import TWINS, columns_of, mirror
from rankcut._loops.types import Floats, Indices, Ints


@compiled
def class_function_values(
    x: Indices,
    x_starts: Ints,
    y: Indices,
    y_starts: Ints,
    codes: Indices,
    values: Floats,
    pairs: int,
    out: Floats,
) -> None:
    """Means over completions of ``values[Σ codes[length of a cycle]]``, for at most 32 items.

    Rows of ``x`` and ``y`` are the items' positions. The codes of the cycles of a permutation
    add up to the place of its cycle type in the table of values.
    """
    n = x.shape[1]
    one = np.uint32(1)
    items = np.empty(n, dtype=np.uint32)
    totals = np.empty(y_starts.shape[0] - 1)
    for r in range(x_starts.shape[0] - 1):
        low, high = columns_of(r, y_starts.shape[0] - 1, pairs)
        totals[low:high] = 0.0
        for a in range(x_starts[r], x_starts[r + 1]):
            for i in range(n):
                items[x[a, i]] = i
            for c in range(low, high):
                for b in range(y_starts[c], y_starts[c + 1]):
                    code = np.uint32(0)
                    visited = np.uint32(0)
                    for start in range(n):
                        if (visited >> np.uint32(start)) & one:
                            continue
                        length = 0
                        position = np.uint32(start)
                        while not (visited >> position) & one:
                            visited |= one << position
                            position = y[b, items[position]]
                            length += 1
                        code += codes[length]
                    totals[c] += values[code]
        for c in range(low, high):
            count = (x_starts[r + 1] - x_starts[r]) * (y_starts[c + 1] - y_starts[c])
            out[r, 0 if pairs == TWINS else c] = totals[c] / count
    mirror(pairs, out)
