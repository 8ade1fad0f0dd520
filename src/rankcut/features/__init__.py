"""Vectors of rankings: the feature map, completions of incomplete rankings, smoothing."""
