"""Normal equations of weighted least squares, one small system for each row of a sparse matrix."""

from rankcut._loops.compilation import compiled
from rankcut._loops.types import Floats, Ints


@compiled
def add_normal_equations(
    starts: Ints,
    columns: Ints,
    targets: Floats,
    weights: Floats,
    factors: Floats,
    matrices: Floats,
    rights: Floats,
) -> None:
    """Add Σ w·v vᵀ to the matrix and Σ x·v to the right side of each row, v a row of factors."""
    rank = factors.shape[1]
    for r in range(rights.shape[0]):
        for entry in range(starts[r], starts[r + 1]):
            factor = factors[columns[entry]]
            weight, target = weights[entry], targets[entry]
            for a in range(rank):
                rights[r, a] += target * factor[a]
                scaled = weight * factor[a]
                for b in range(rank):
                    matrices[r, a, b] += scaled * factor[b]
