"""The experiments with sushi, a panel of the paper's figure each, and how they were published."""

from typing import NamedTuple

from rankcut.rankings import Unranked
from reproduction.encodings import (
    EXPONENTIAL,
    MALLOWS,
    MALLOWS_DRAWS,
    MALLOWS_EXACT,
    OWN_DRAWS,
    PRESENCE,
    SAME_DRAWS,
    UNIT,
    UNWEIGHTED,
)


class Experiment(NamedTuple):
    """One panel of the figure.

    Attributes
    ----------
    data : "a" or "b"
        Which set.
    unranked : str
        What an unranked item means.
    keep, tolerance : float
        The share of edges kept, and the relative error of sampled vectors.
    methods : tuple of str
        Besides the common ones.
    """

    data: str
    unranked: Unranked
    keep: float
    tolerance: float
    methods: tuple[str, ...]


EXPERIMENTS = {
    "full": Experiment("a", "error", 1.0, 0.01, (EXPONENTIAL, MALLOWS, MALLOWS_EXACT)),
    "top-6": Experiment("a", "last", 1.0, 0.01, (EXPONENTIAL, MALLOWS, MALLOWS_DRAWS, PRESENCE)),
    "ties": Experiment("a", "error", 1.0, 0.01, (EXPONENTIAL, UNWEIGHTED, UNIT)),
    "4 of 10": Experiment("a", "anywhere", 1.0, 0.01, (EXPONENTIAL, UNWEIGHTED, UNIT, PRESENCE)),
    "10 of 100": Experiment(
        "b",
        "anywhere",
        0.1,
        0.03,
        (EXPONENTIAL, UNWEIGHTED, UNIT, OWN_DRAWS, SAME_DRAWS, PRESENCE),
    ),
}

RESIDENCE = "residence"
ORIGIN = "origin"
TARGETS = {RESIDENCE: "side", ORIGIN: "childhood side"}

RANK = 200
"""Number of coordinates that represent a Gram matrix of 2,000 rankings."""

KENDALL_RANK = 120
"""The same for Kendall's kernel on 100 items, which has little beyond one for each item."""

QUICK_RANK = 60
"""The same for both in a quick run."""
