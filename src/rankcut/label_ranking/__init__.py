"""Rankings predicted from covariates: models, how they combine, and scores of predictions.

A ranking is a target like any other once it is a vector: the expected sign of each pair of items,
or a coordinate for each item. A regression predicts the vector, and the order of its coordinates
(or of the row sums of its signs) is the predicted ranking. :class:`rankcut.RankingRegressor` is
the estimator.
"""

from rankcut.label_ranking.scores import kendall_score, spearman_score, top_k_overlap

__all__ = ["kendall_score", "spearman_score", "top_k_overlap"]
