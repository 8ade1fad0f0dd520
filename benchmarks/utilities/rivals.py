"""What surveys are evaluated with elsewhere, in plain NumPy: a function from a survey to utilities.

Counts, the pooled logit, latent classes, and hierarchical Bayes by Metropolis within Gibbs.
"""

import numpy as np
from scipy.special import logsumexp

PRIOR_VARIANCE = 2.0
PRIOR_PEOPLE = 5


def counts(survey):
    """How often best, less how often worst, over how often shown."""
    n_people, n_items = survey.tastes.shape
    wins, shown = np.zeros((2, n_people, n_items))
    rows = np.arange(n_people)
    for task in range(survey.order.shape[1]):
        asked, order = survey.asked[:, task], survey.order[:, task]
        for place in range(order.shape[1]):
            shown[rows, order[:, place]] += asked
        wins[rows, order[:, 0]] += asked
        if survey.kind != "best":
            wins[rows, order[:, -1]] -= asked
    return wins / (shown + 1.0)


class Likelihood:
    """The log-likelihood of each person's choices, and its slope."""

    def __init__(self, survey):
        self.asked = survey.asked
        self.choices = survey.choices()

    def values(self, utilities):
        """For each person."""
        total = np.zeros(len(utilities))
        for items, sign in self.choices:
            worth = sign * np.take_along_axis(utilities[:, None, :], items, axis=2)
            highest = worth.max(axis=2)
            logs = worth[:, :, 0] - highest
            logs -= np.log(np.exp(worth - highest[:, :, None]).sum(axis=2))
            total += (logs * self.asked).sum(axis=1)
        return total

    def slopes(self, utilities):
        """By utilities, for each person."""
        slope = np.zeros(utilities.shape)
        rows = np.arange(len(utilities))[:, None, None]
        for items, sign in self.choices:
            worth = sign * np.take_along_axis(utilities[:, None, :], items, axis=2)
            chances = np.exp(worth - logsumexp(worth, axis=2, keepdims=True))
            gap = -chances
            gap[:, :, 0] += 1.0
            np.add.at(slope, (rows, items), sign * gap * self.asked[:, :, None])
        return slope


def pooled_logit(survey, weights=None, start=None, rounds=60):
    """One vector of utilities for all, by gradient steps with momentum."""
    likelihood = Likelihood(survey)
    n_people, n_items = survey.tastes.shape
    weights = np.ones(n_people) if weights is None else weights
    point = np.zeros(n_items) if start is None else start.copy()
    shown = np.bincount(survey.order.ravel(), minlength=n_items) * weights.mean() + 1.0
    speed = np.zeros(n_items)
    for _ in range(rounds):
        slope = weights @ likelihood.slopes(np.tile(point, (n_people, 1))) - 0.01 * point
        speed = 0.7 * speed + 2.0 * slope / shown
        point = point + speed
    return point


def latent_classes(survey, n_classes=4, rounds=30):
    """Classes by EM; each person's utilities are the mean of classes, by chance."""
    rng = np.random.default_rng(0)
    n_people, n_items = survey.tastes.shape
    likelihood = Likelihood(survey)
    chances = rng.dirichlet(np.ones(n_classes), n_people)
    points = np.zeros((n_classes, n_items))
    for _ in range(rounds):
        points = np.array(
            [pooled_logit(survey, chances[:, k], points[k], rounds=8) for k in range(n_classes)]
        )
        values = [likelihood.values(np.tile(point, (n_people, 1))) for point in points]
        logs = np.stack(values, axis=1) + np.log(chances.mean(axis=0) + 1e-12)
        chances = np.exp(logs - logsumexp(logs, axis=1, keepdims=True))
    return chances @ points


def hierarchical_bayes(survey, n_draws=4000, n_first=2000, seed=0):
    """Means and standard deviations of utilities, by Metropolis within Gibbs.

    u_p ~ N(μ, Σ), Σ ~ inverse Wishart with n + 5 degrees of freedom about 2·I, as packages have it,
    in n − 1 coordinates, since all utilities may rise together. Each person's step is drawn from
    Σ times a number that makes a third of steps succeed.
    """
    rng = np.random.default_rng(seed)
    n_people, n_items = survey.tastes.shape
    along = np.linalg.svd(np.ones((1, n_items)))[2][1:]
    n = n_items - 1
    likelihood = Likelihood(survey)
    mean, covariance = np.zeros(n), PRIOR_VARIANCE * np.eye(n)
    points = np.zeros((n_people, n))
    values = likelihood.values(points @ along)
    sizes = np.full(n_people, 0.3)
    first, second, n_kept = np.zeros((n_people, n_items)), np.zeros((n_people, n_items)), 0
    for draw in range(n_draws):
        root = np.linalg.cholesky(covariance)
        inverse = np.linalg.inv(root)
        moved = points + sizes[:, None] * (rng.standard_normal(points.shape) @ root.T)
        reached = likelihood.values(moved @ along)
        before, after = (((each - mean) @ inverse.T) ** 2 for each in (points, moved))
        gain = reached - values + 0.5 * (before.sum(axis=1) - after.sum(axis=1))
        takes = np.log(rng.random(n_people)) < gain
        points[takes], values[takes] = moved[takes], reached[takes]
        if draw < n_first:
            sizes *= np.where(takes, 1.02, 0.99)
        mean = points.mean(axis=0) + root @ rng.standard_normal(n) / np.sqrt(n_people)
        about = points - mean
        scale = about.T @ about + (n + PRIOR_PEOPLE) * PRIOR_VARIANCE * np.eye(n)
        covariance = inverse_wishart(rng, scale, n_people + n + PRIOR_PEOPLE)
        if draw >= n_first:
            utilities = points @ along
            first += utilities
            second += utilities**2
            n_kept += 1
    first /= n_kept
    return first, np.sqrt(np.maximum(second / n_kept - first**2, 0.0))


def inverse_wishart(rng, scale, freedom):
    """A draw, by Bartlett's decomposition."""
    n = len(scale)
    lower = np.tril(rng.standard_normal((n, n)), -1)
    lower[np.diag_indices(n)] = np.sqrt(rng.chisquare(freedom - np.arange(n)))
    inner = np.linalg.solve(lower, np.linalg.cholesky(scale).T)
    return inner.T @ inner
