"""One ranking from many of any kind, how sure each place is, and how much people agree.

:class:`rankcut.Consensus` is the estimator. Most modules are the numerics beneath it: they know
rank matrices and arrays, not scikit-learn.
"""
