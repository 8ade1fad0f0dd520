"""Estimators: what plugs into scikit-learn."""

from rankcut.estimators.graph_cut import GraphCutFeatures
from rankcut.estimators.submodular import SubmodularFeatures

__all__ = ["GraphCutFeatures", "SubmodularFeatures"]
