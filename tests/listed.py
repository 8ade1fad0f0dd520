"""Lists of what people rank, for the tests of completion."""

from rankcut.completion.lists import read_lists
from rankcut.rankings import read_rankings


def lists_of(ranks, *, unranked="anywhere", counts=None, seed=0):
    """The lists of a rank matrix."""
    return read_lists(read_rankings(ranks, unranked=unranked, sample_weight=counts), seed)
