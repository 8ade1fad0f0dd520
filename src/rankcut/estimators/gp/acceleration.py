"""Anderson acceleration: combine the last steps of a fixed-point iteration into a longer one.

Where a plain step x → x + Δ(x) closes a fixed share of the gap each time, the differences of past
x and Δ tell how Δ changes with x: the combination of them that leaves least of Δ is a secant step.
"""

from collections import deque

import numpy as np

from rankcut._loops.types import Floats

_DEPTH = 6


class Anderson:
    """Remembers the last points and their steps."""

    def __init__(self) -> None:
        self._past: deque[tuple[Floats, Floats]] = deque(maxlen=_DEPTH)

    def forget(self) -> None:
        """Keep the last point only, where the past misleads."""
        while len(self._past) > 1:
            self._past.popleft()

    def propose(self, point: Floats, step: Floats, unit: Floats) -> Floats | None:
        """Where to go from ``point`` instead of to ``point + step``; None without a past.

        ``unit`` is the size of a change that matters, for each coordinate.
        """
        past = list(self._past)
        self._past.append((point, step))
        if not past:
            return None
        moved = np.column_stack([point - earlier for earlier, _ in past])
        changed = np.column_stack([step - earlier for _, earlier in past])
        mixture = np.linalg.lstsq(changed / unit[:, None], step / unit, rcond=1e-10)[0]
        return np.asarray(point + step - (moved + changed) @ mixture)
