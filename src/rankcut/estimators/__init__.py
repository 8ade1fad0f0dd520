"""Estimators: what plugs into scikit-learn."""

from rankcut.estimators.gp import GPClassifier
from rankcut.estimators.graph_cut import GraphCutFeatures

__all__ = ["GPClassifier", "GraphCutFeatures"]
