"""Coefficients in bootstrap samples of people, as public leaderboards publish them.

A sample has as many people as there are, drawn with replacement, each with all of their rankings.
Equal rankings are one with a weight, so that a sample costs what different rankings cost. Few
people do not show how far others would differ: intervals by them are then too narrow.
"""

from dataclasses import replace

import numpy as np

from rankcut._loops.types import Floats
from rankcut.sample import Sample
from rankcut.strengths.likelihood import ChoiceLikelihood
from rankcut.strengths.maximising import DensePrior, Maximum, maximise


def bootstrap(
    likelihood: ChoiceLikelihood,
    prior: DensePrior,
    at: Maximum,
    sample: Sample,
    n_samples: int,
    seed: int,
) -> Floats:
    """The maximum in each sample, from that of all rankings: an array (n_samples, n_parameters)."""
    rng = np.random.default_rng(seed)
    choices, shares = likelihood.choices, sample.counts / sample.n_people
    size = float(choices.weights.sum()) / sample.total
    maxima = np.empty((n_samples, len(at.parameters)))
    for k in range(n_samples):
        times = rng.multinomial(sample.n_people, shares)
        drawn = replace(choices, weights=size * (times @ sample.membership))
        derivatives = replace(likelihood, choices=drawn).derivatives
        maxima[k] = maximise(derivatives, prior, at.parameters).parameters
    return maxima
