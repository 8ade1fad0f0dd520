"""Gaussian process classification: one bound, maximised over weights or over function values."""

from rankcut.estimators.gp.classifier import GPClassifier
from rankcut.estimators.gp.regressor import GPRegressor

__all__ = ["GPClassifier", "GPRegressor"]
