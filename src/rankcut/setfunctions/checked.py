"""What set functions are made of, checked on arrival."""

import numpy as np
from numpy.typing import ArrayLike

from rankcut._loops.types import Floats


def finite_array(values: ArrayLike, n_dimensions: int, what: str) -> Floats:
    """A copy in float64; an error names ``what`` is wrong."""
    array = np.array(values, dtype=np.float64, order="C")
    if array.ndim != n_dimensions:
        raise ValueError(f"{what} must have {n_dimensions} dimension(s), not shape {array.shape}")
    if not np.isfinite(array).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(array))[0])
        raise ValueError(f"{what} must be finite, and entry {where} is {array[where]}")
    return array


def nonnegative_array(values: ArrayLike, n_dimensions: int, what: str) -> Floats:
    """As :func:`finite_array`, for numbers that are 0 or more."""
    array = finite_array(values, n_dimensions, what)
    if (array < 0).any():
        where = tuple(int(i) for i in np.argwhere(array < 0)[0])
        raise ValueError(f"{what} must not be negative, and entry {where} is {array[where]:g}")
    return array
