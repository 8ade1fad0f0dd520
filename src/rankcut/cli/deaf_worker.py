"""What a worker process of the command's own loads first.

Ctrl-C reaches all processes of a terminal. The command ends its workers itself, and they have
nothing to say about it.
"""

import signal
from typing import Any


def dask_setup(worker: Any) -> None:
    """Ignore interrupts; Dask calls this in each worker that starts."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
