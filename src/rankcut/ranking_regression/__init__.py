"""Which covariates move which items: strengths of items by regression, with their errors.

:class:`rankcut.StrengthRegression` is the estimator; the likelihood is in
:mod:`rankcut.strengths.regression`.
"""

from rankcut.ranking_regression.estimator import StrengthRegression, TestResult

__all__ = ["StrengthRegression", "TestResult"]
