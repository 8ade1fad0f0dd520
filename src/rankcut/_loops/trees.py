"""Decision trees as flat arrays: the sum of their leaves for each row."""

import numpy as np
from numpy.typing import NDArray

from rankcut._loops.compilation import compiled
from rankcut._loops.types import Floats, Indices

LEAF = np.uint32(0xFFFFFFFF)
"""The feature of a node that is a leaf; its left child is then a row of the values."""


@compiled
def add_leaves(
    rows: NDArray[np.float32],
    roots: Indices,
    feature: Indices,
    threshold: Floats,
    left: Indices,
    right: Indices,
    values: Floats,
    total: Floats,
) -> None:
    """Add the leaf that each row falls into, in each tree."""
    for r in range(rows.shape[0]):
        for t in range(roots.shape[0]):
            node = roots[t]
            while feature[node] != LEAF:
                if rows[r, feature[node]] <= threshold[node]:
                    node = left[node]
                else:
                    node = right[node]
            leaf = left[node]
            for j in range(values.shape[1]):
                total[r, j] += values[leaf, j]
