"""Machine code reads and writes within its arrays, which Numba checks only if asked to."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from rankcut._loops.compilation import compiled

LOOPS = Path(__file__).parent


def entry(numbers, place):
    return numbers[place]


def main():
    """Checks are on, and loops pass their tests."""
    with pytest.raises(IndexError):
        compiled(entry)(np.zeros(3), 3)
    files = [str(path) for path in LOOPS.glob("test_*.py") if path != Path(__file__)]
    raise SystemExit(pytest.main(["-q", "-p", "no:cacheprovider", "-m", "not slow", *files]))


@pytest.mark.slow
def test_loops_stay_within_their_arrays(tmp_path):
    # Code from the usual cache would have no checks.
    checked = {**os.environ, "NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(tmp_path)}
    run = subprocess.run([sys.executable, __file__], env=checked, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-3000:]


if __name__ == "__main__":
    main()
