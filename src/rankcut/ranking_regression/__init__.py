"""What moves strengths: covariates, features of what was shown, contexts and time.

:class:`rankcut.PlackettLuce`, :class:`rankcut.BradleyTerry` and :class:`rankcut.StrengthRegression`
are views of one model; its likelihood is in :mod:`rankcut.strengths.terms`.
"""

from rankcut.ranking_regression.estimator import BradleyTerry, PlackettLuce, StrengthRegression
from rankcut.ranking_regression.model import RatioTest

__all__ = ["BradleyTerry", "PlackettLuce", "RatioTest", "StrengthRegression"]
