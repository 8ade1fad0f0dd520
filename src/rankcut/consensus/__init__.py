"""One ranking from many of any kind, how sure each place is, and how much people agree.

:class:`rankcut.Consensus` is the estimator. These are the numerics beneath it: they know rank
matrices and arrays, not scikit-learn.
"""

from rankcut.consensus.agreement import Agreement, agree
from rankcut.consensus.kemeny import KemenyOrder, kemeny_order
from rankcut.consensus.means import Units
from rankcut.consensus.methods import (
    Method,
    Outcome,
    Resampling,
    by_majorities,
    by_strengths,
    by_vectors,
    mean_scores,
    rank_listed,
)
from rankcut.consensus.pairs import (
    MOST_PAIRED,
    Comparisons,
    compare_pairs,
    majority_sentence,
    pairwise_winner,
    shortest_cycle,
)
from rankcut.rankings.orders import to_ranking

__all__ = [
    "MOST_PAIRED",
    "Agreement",
    "Comparisons",
    "KemenyOrder",
    "Method",
    "Outcome",
    "Resampling",
    "Units",
    "agree",
    "by_majorities",
    "by_strengths",
    "by_vectors",
    "compare_pairs",
    "kemeny_order",
    "majority_sentence",
    "mean_scores",
    "pairwise_winner",
    "rank_listed",
    "shortest_cycle",
    "to_ranking",
]
