"""Small problems, and the bound written out with dense matrices."""

import numpy as np
import pytest
from scipy.special import ndtr

FLIPPED = 1e-3
NODES = np.linspace(-9, 9, 6001)
SHARES = np.exp(-0.5 * NODES**2) / np.exp(-0.5 * NODES**2).sum()


def log_likelihood(f):
    """log p(y = 1 | f)."""
    return np.log(FLIPPED + (1 - 2 * FLIPPED) * ndtr(f))


def expected(sign, mean, variance):
    """E log p(y | f) by brute force, for each row."""
    f = mean[:, None] + np.sqrt(variance)[:, None] * NODES
    return log_likelihood(sign[:, None] * f) @ SHARES


def dense_elbo(gram, sign, weight, mean, covariance):
    """The ELBO of q(f) = N(mean, covariance) under the prior N(0, gram), all m × m."""
    size = len(sign)
    inverse = np.linalg.inv(gram)
    divergence = 0.5 * (
        np.trace(inverse @ covariance)
        + mean @ inverse @ mean
        - size
        + np.linalg.slogdet(gram)[1]
        - np.linalg.slogdet(covariance)[1]
    )
    return weight @ expected(sign, mean, np.diagonal(covariance)) - divergence


@pytest.fixture
def noisy():
    """Features of 60 rows in 3 dimensions, labels that overlap, weights."""
    rng = np.random.default_rng(5)
    features = rng.normal(size=(60, 3))
    labels = features @ [1.0, -0.5, 0.2] + rng.normal(size=60) > 0.2
    return features, labels.astype(int), rng.integers(1, 4, size=60).astype(float)
