"""A line on the terminal while a fit is long; nothing for a short one, or where nobody looks."""

import sys
import time

from rich.console import Console
from rich.status import Status

# Seconds before a fit counts as long.
_LONG = 3.0


class Progress:
    """Shows each step of an ascent on stderr, if that is a terminal and the fit is long."""

    def __init__(self, max_iter: int) -> None:
        self.max_iter = max_iter
        self.problem = ""
        self._began = time.monotonic()
        self._status: Status | None = None

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, *_: object) -> None:
        if self._status is not None:
            self._status.stop()

    def step(self, iteration: int, elbo: float, gain: float) -> None:
        """Say where the ascent is."""
        if not sys.stderr.isatty() or time.monotonic() - self._began < _LONG:
            return
        if self._status is None:
            self._status = Status("", console=Console(stderr=True))
            self._status.start()
        self._status.update(
            f"{self.problem}step {iteration} of at most {self.max_iter}: "
            f"ELBO {elbo:,.4f}, about {gain:.1e} below its maximum"
        )
