"""Gaussian process classification: one bound, maximised over weights or over function values."""

from rankcut.gp.classifier import GPClassifier
from rankcut.gp.regressor import GPRegressor

__all__ = ["GPClassifier", "GPRegressor"]
