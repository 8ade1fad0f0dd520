"""Gaussian process classification: one bound, maximised over weights or over function values."""

from rankcut.estimators.gp.classifier import GPClassifier

__all__ = ["GPClassifier"]
