"""Rankings predicted from covariates: targets, a kernel and a forest model, and how they combine.

A ranking is a target like any other once it is a vector: the expected sign of each pair of items,
or a coordinate for each item. A regression predicts the vector, and the order of its coordinates
(or of the row sums of its signs) is the predicted ranking.
"""
