"""Blocs: who ranks alike, how many such groups there are, and what sets each apart.

:class:`rankcut.RankingBlocs` is the estimator. These are the numerics beneath it.
"""
