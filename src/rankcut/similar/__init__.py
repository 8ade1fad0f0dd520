"""Similar rankings: the vectors in which they are alike, and the search for the nearest."""

from rankcut.similar.estimator import SimilarPairs, find_similar
from rankcut.similar.likeness import LikenessFeatures

__all__ = ["LikenessFeatures", "SimilarPairs", "find_similar"]
