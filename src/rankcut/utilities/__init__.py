"""Utilities of each person from best–worst tasks, choices and rankings of any kind."""

from rankcut.utilities.estimator import Utilities
from rankcut.utilities.shares import PeopleShares

__all__ = ["PeopleShares", "Utilities"]
