"""Rankings of any kind as one checked value, and what converts to it."""

from rankcut.rankings.labels import labels_beside
from rankcut.rankings.reading import as_frame, object_array, read_rankings
from rankcut.rankings.value import Merged, Rankings, Unranked

__all__ = [
    "Merged",
    "Rankings",
    "Unranked",
    "as_frame",
    "labels_beside",
    "object_array",
    "read_rankings",
]
