"""Rankings of any kind as one checked value, and what converts to it."""

from rankcut.rankings.value import (
    EXACT,
    Rankings,
    Unranked,
    as_frame,
    labels_beside,
    object_array,
    read_rankings,
    weights_of,
)

__all__ = [
    "EXACT",
    "Rankings",
    "Unranked",
    "as_frame",
    "labels_beside",
    "object_array",
    "read_rankings",
    "weights_of",
]
