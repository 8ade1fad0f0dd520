"""Rank matrices that store only what is ranked."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from rankcut.errors import InputError


def dense_ranks(ranks: csr_array) -> NDArray[np.float64]:
    """The dense form of a sparse rank matrix: NaN where there is no entry."""
    dense = np.full(ranks.shape, np.nan)
    rows = np.repeat(np.arange(ranks.shape[0]), np.diff(ranks.indptr))
    dense[rows, ranks.indices] = ranks.data
    return dense


def check_csr(matrix: Any) -> None:
    """Raise unless the arrays of a CSR or CSC matrix fit together, since loops go where they point.

    SciPy's ``check_format`` overlooks starts that rise and fall again.
    """
    data, indices, indptr = matrix.data, matrix.indices, matrix.indptr
    n_rows, n_columns = matrix.shape if matrix.format == "csr" else matrix.shape[::-1]
    problem = None
    if not all(isinstance(part, np.ndarray) and part.ndim == 1 for part in (data, indices, indptr)):
        problem = "its data, indices and indptr are not three arrays of one dimension"
    elif indices.dtype.kind != "i" or indptr.dtype.kind != "i":
        problem = f"its indices are {indices.dtype} and its indptr is {indptr.dtype}"
    elif len(indices) != len(data) or len(indptr) != n_rows + 1:
        problem = (
            f"it has {n_rows} rows, {len(indptr)} starts, {len(indices)} indices and "
            f"{len(data)} entries"
        )
    elif indptr[0] != 0 or indptr[-1] != len(data) or (indptr[1:] < indptr[:-1]).any():
        problem = f"its indptr does not rise from 0 to {len(data)}"
    elif len(data) and not 0 <= indices.min() <= indices.max() < n_columns:
        problem = f"its indices are not all from 0 to {n_columns - 1}"
    if problem is not None:
        raise InputError(f"the sparse matrix is damaged: {problem}")
