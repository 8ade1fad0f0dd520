"""The best few of each row, kept up to date."""

from rankcut._loops.compiling import compiled
from rankcut._loops.types import Floats, Longs


@compiled
def keep_best(values: Floats, numbers: Longs, best: Floats, best_numbers: Longs) -> None:
    """Let the values of each row into the best of that row, which fall from left to right.

    Among equal values those that came first stay in front.
    """
    k = best.shape[1]
    for r in range(values.shape[0]):
        for c in range(values.shape[1]):
            value = values[r, c]
            if not value > best[r, k - 1]:
                continue
            place = k - 1
            while place > 0 and value > best[r, place - 1]:
                best[r, place] = best[r, place - 1]
                best_numbers[r, place] = best_numbers[r, place - 1]
                place -= 1
            best[r, place] = value
            best_numbers[r, place] = numbers[r, c]
