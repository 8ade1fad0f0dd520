"""The array types that compiled loops take.

Array indices are unsigned: for signed ones, Numba adds a test for negative values, which doubles
the time of a loop over edges.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int32]
Indices: TypeAlias = NDArray[np.uint32]
Streams: TypeAlias = NDArray[np.uint64]
Words: TypeAlias = NDArray[np.uint64]
Longs: TypeAlias = NDArray[np.int64]
