"""Similar rankings: the vectors in which they are alike, and the search for the nearest."""

from rankcut.similar.likeness import LikenessFeatures
from rankcut.similar.pairs import SimilarPairs, find_similar

__all__ = ["LikenessFeatures", "SimilarPairs", "find_similar"]
