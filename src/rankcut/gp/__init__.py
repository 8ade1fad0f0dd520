"""Gaussian processes of features: classes by a variational bound, numbers exactly."""

from rankcut.gp.classifier import GPClassifier
from rankcut.gp.regressor import GPRegressor

__all__ = ["GPClassifier", "GPRegressor"]
