"""Rankings of any kind as one checked value, and what converts to it."""

from rankcut.rankings.reading import as_frame, labels_beside, object_array, read_rankings
from rankcut.rankings.value import Merged, Rankings, Unranked, merge_rankings

__all__ = [
    "Merged",
    "Rankings",
    "Unranked",
    "as_frame",
    "labels_beside",
    "merge_rankings",
    "object_array",
    "read_rankings",
]
