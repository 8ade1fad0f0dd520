"""Lists of what people rank, for the tests of completion."""

from rankcut.completion.lists import read_lists
from rankcut.rankings import read_rankings


def lists_of(ranks, *, unranked="anywhere", counts=None):
    """The lists of a rank matrix."""
    rankings = read_rankings(ranks, unranked=unranked, sample_weight=counts)
    return read_lists(rankings, float(unranked == "last"))
