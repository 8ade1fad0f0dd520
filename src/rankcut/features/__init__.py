"""Vectors of rankings: the feature map, completions of incomplete rankings, smoothing."""

from rankcut.features.completions import CompletionReport, Completions
from rankcut.features.feature_map import FeatureMap, MapOptions
from rankcut.features.graph_cut import graph_cut_features
from rankcut.features.offset_rows import JoinedRows, OffsetRows, UncentredRows
from rankcut.features.smoothing import Smoothing

__all__ = [
    "CompletionReport",
    "Completions",
    "FeatureMap",
    "JoinedRows",
    "MapOptions",
    "OffsetRows",
    "Smoothing",
    "UncentredRows",
    "graph_cut_features",
]
