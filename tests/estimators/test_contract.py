"""scikit-learn's own checks, for every estimator of ours; none is expected to fail."""

import numpy as np
from sklearn.utils.estimator_checks import parametrize_with_checks

from rankcut import GraphCutFeatures, KendallFeatures, WeightedKendallFeatures

ESTIMATORS = [
    GraphCutFeatures(),
    GraphCutFeatures(unranked="last"),
    GraphCutFeatures(unranked="anywhere"),
    GraphCutFeatures(unranked="anywhere", completions="sampled", n_draws=8, random_state=1),
    GraphCutFeatures(normalize=True, n_jobs=2),
    GraphCutFeatures(dtype=np.float64, algorithm="complete"),
    KendallFeatures(),
    KendallFeatures(unranked="anywhere", normalize=True),
    WeightedKendallFeatures(),
    WeightedKendallFeatures(unranked="last", weights="multiplicative"),
]


@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn(estimator, check):
    check(estimator)
