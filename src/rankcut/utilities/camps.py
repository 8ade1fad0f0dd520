"""One cloud of people, or two camps?

Both are fitted to the same tasks: u ~ N(μ, Σ), and a mixture of two such with one Σ. The mixture
has a mean and a share more. It describes people better if it gains more log-likelihood than the
Bayesian information criterion asks of so many parameters.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import logsumexp

from rankcut._loops.types import Floats
from rankcut.strengths.mixed import (
    Learner,
    Tastes,
    TastesFit,
    climb_by_laplace,
    posteriors,
)
from rankcut.strengths.respondents import Respondents


@dataclass(frozen=True, eq=False)
class Camps:
    """Two camps, and how much better than one cloud they describe people."""

    gain: float  #: by how much the information criterion is lower
    shares: Floats  #: of the two camps, the larger first
    means: Floats  #: of their coefficients, in the order of the respondents' items
    chances: Floats  #: how probably each person is of the first

    @property
    def better(self) -> bool:
        """Whether two camps describe people better than one cloud."""
        # Less is hardly worth mentioning (Kass and Raftery 1995), and one person is no camp.
        return self.gain > 2.0 and len(self.chances) * self.shares[1] >= 2.0


def compare_camps(respondents: Respondents, fit: TastesFit, n_jobs: int | None) -> Camps:
    """Fit both, and compare them."""
    if fit.tastes.at_random:
        # Who answers at random is in no camp.
        guesses = Learner(respondents, n_jobs).sums(fit.tastes).guesses
        respondents = replace(respondents, weights=respondents.weights * (1.0 - guesses))
        fit = replace(fit, tastes=replace(fit.tastes, at_random=0.0))
    cloud = climb_by_laplace(respondents, fit, n_jobs)
    weights = respondents.weights
    one = Learner(respondents, n_jobs).sums(cloud)
    chances = _first_halves(respondents, cloud, n_jobs)
    n = len(cloud.mean)
    tastes = [cloud, cloud]
    shares = np.full(2, 0.5)
    learners = [Learner(respondents, n_jobs) for _ in tastes]
    total = float(weights.sum())
    value = -np.inf
    # Camps are apart after a few steps, or they are none.
    for number in range(25):
        means, square = [], np.zeros((n, n))
        for k, chance in enumerate((chances, 1.0 - chances)):
            mass = max(float(weights @ chance), 1e-9)
            learners[k].respondents = replace(respondents, weights=weights * chance)
            sums = learners[k].sums(tastes[k])
            square += (mass / total) * (sums.square - np.outer(sums.shift, sums.shift))
            means.append(tastes[k].mean + sums.shift * mass / (mass + 1.0))
            shares[k] = mass / total
        prior = fit.prior
        pulled = total * square + prior.strength * prior.covariance
        covariance = pulled / (total + prior.strength)
        tastes = [cloud.moved(mean, covariance) for mean in means]
        values = np.stack([learners[k].values(tastes[k]) for k in (0, 1)], axis=1)
        logs = values + np.log(np.maximum(shares, 1e-300))
        whole = logsumexp(logs, axis=1)
        chances = np.exp(logs[:, 0] - whole)
        reached = float(weights @ whole)
        if number > 3 and reached - value < 1e-2:
            break
        value = reached
    n_more = n - cloud.constants.shape[1] + 1
    gain = 2.0 * (value - one.value) - n_more * np.log(total)
    order = np.argsort(-shares)
    first = chances if order[0] == 0 else 1.0 - chances
    return Camps(
        float(gain), shares[order], np.array([tastes[k].mean for k in order]),
        first[respondents.which],
    )  # fmt: skip


def _first_halves(respondents: Respondents, cloud: Tastes, n_jobs: int | None) -> Floats:
    """Where to start: who is on which side of the direction in which people differ most."""
    means = np.concatenate([some.means for some in posteriors(respondents, cloud, n_jobs)])
    about = means - np.average(means, axis=0, weights=respondents.weights)
    _, _, directions = np.linalg.svd(about, full_matrices=False)
    side = about @ directions[0]
    return np.where(side > 0, 0.95, 0.05)
