"""Strengths of items: the one likelihood behind the answers, with the item graph as its prior."""

from rankcut.strengths.choices import Choices, Ties
from rankcut.strengths.fitting import Strengths, fit_strengths
from rankcut.strengths.likelihood import ChoiceLikelihood
from rankcut.strengths.over_time import StrengthsOverTime, fit_over_time
from rankcut.strengths.periods import Periods
from rankcut.strengths.prior import Hyperparameters, ItemPrior

__all__ = [
    "ChoiceLikelihood",
    "Choices",
    "Hyperparameters",
    "ItemPrior",
    "Periods",
    "Strengths",
    "StrengthsOverTime",
    "Ties",
    "fit_over_time",
    "fit_strengths",
]
