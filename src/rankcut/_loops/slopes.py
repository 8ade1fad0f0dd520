"""From increments along a chain to slopes that are left as they are: no pooling."""

from rankcut._loops.compiling import compiled
from rankcut._loops.types import Floats, Indices, Ints


@compiled
def spread_slopes(
    order: Indices, ends: Ints, n_groups: Ints, increments: Floats, features: Floats
) -> None:
    """Each item of a group gets the group's increment over its size."""
    for r in range(order.shape[0]):
        start = 0
        for t in range(n_groups[r]):
            end = ends[r, t]
            for p in range(start, end):
                features[r, order[r, p]] = increments[r, t] / (end - start)
            start = end
