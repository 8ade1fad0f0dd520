"""Strengths of items: the one likelihood behind the answers, with the item graph as its prior."""

from rankcut.strengths.choices import Choices, Ties
from rankcut.strengths.fitting import Strengths, fit_strengths
from rankcut.strengths.likelihood import ChoiceLikelihood
from rankcut.strengths.prior import Hyperparameters, ItemPrior

__all__ = [
    "ChoiceLikelihood",
    "Choices",
    "Hyperparameters",
    "ItemPrior",
    "Strengths",
    "Ties",
    "fit_strengths",
]
