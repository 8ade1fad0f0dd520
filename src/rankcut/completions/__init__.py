"""Incomplete rankings: the mean of their features over all their completions."""

from rankcut.completions.averaging import (
    METHODS,
    Averager,
    CompletionOptions,
    CompletionReport,
    Method,
)
from rankcut.completions.closed_form import ExpectedSlopes
from rankcut.completions.sampled import Sampler
from rankcut.completions.unlisted import (
    UnlistedWeight,
    check_unlisted_weight,
    weighted_increments,
)

__all__ = [
    "METHODS",
    "Averager",
    "CompletionOptions",
    "CompletionReport",
    "ExpectedSlopes",
    "Method",
    "Sampler",
    "UnlistedWeight",
    "check_unlisted_weight",
    "weighted_increments",
]
