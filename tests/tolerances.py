"""How far apart two computations of the same numbers may lie: the one place that says so.

Exact equality (``assert_array_equal``) is for what rankcut promises to be the same bits on one
machine: any batch, any number of threads, any blocks of a Dask collection. It is also right for
integers, for values that are copied, and for arithmetic without rounding.

Everything else rounds: machine code may fuse a product and a sum, NumPy and BLAS add in an order
that depends on the processor, and two algorithms add different terms. A computed sum of n
rounded terms is within n·ε/2·Σ|term| of the true one, whatever the order, so two of them are
within n·ε·Σ|term| of each other. Results that pass through a few such sums, products, quotients
and roots stay within a few times that bound.
"""

import numpy as np
from numpy.testing import assert_allclose, assert_array_equal

# How many sums, products, quotients and roots in a row a bound allows for.
A_FEW = 8


def rounding(n_terms, size=1.0, dtype=np.float64):
    """The bound: a few times n·ε times the size of the terms.

    Parameters
    ----------
    n_terms : int
        How many terms the longest sum has.
    size : float
        The sum of the terms' absolute values, or a bound for it.
    dtype : dtype
        The type the numbers are computed in.
    """
    return A_FEW * n_terms * np.finfo(dtype).eps * size


def assert_rounds_to(got, expected, n_terms, size=None, dtype=np.float64):
    """Both are the same numbers, each rounded on its own way; NaN are at the same places.

    Without ``size``, no sum cancels: its terms are as large as the largest expected number.
    """
    expected = np.asarray(expected)
    if size is None:
        finite = np.abs(expected[np.isfinite(expected)])
        size = float(finite.max(initial=0.0))
    assert_allclose(got, expected, rtol=0, atol=rounding(n_terms, size, dtype))


def assert_does_the_same(machine, source, n_terms):
    """What machine code wrote, and the Python it is compiled from: whole numbers are the same."""
    if np.asarray(source).dtype.kind == "f":
        assert_rounds_to(machine, source, n_terms)
    else:
        assert_array_equal(machine, source)
