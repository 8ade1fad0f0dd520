"""Utilities of each person from best–worst tasks, choices, rankings and conjoint surveys."""

from rankcut.utilities.conjoint import Conjoint
from rankcut.utilities.estimator import Utilities
from rankcut.utilities.shares import PeopleShares
from rankcut.utilities.worth import Worth

__all__ = ["Conjoint", "PeopleShares", "Utilities", "Worth"]
