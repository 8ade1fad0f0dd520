"""What a method is judged by: a score, and how much of it is due to each person.

A score of other people would be another one. Its influence says how: the score less its
expectation is, to first order, the sum of the influences of the people it was computed from, so
that the sum of their squares is its variance. Influences of the same person on several scores can
be added, which takes into account that splits, methods and tasks share people.
"""

from typing import NamedTuple

import numpy as np
from scipy.stats import rankdata

N_NEAREST = 10


class Judged(NamedTuple):
    """A score and the influence of each person on it."""

    score: float
    influence: np.ndarray


def area_under_curve(
    positive: np.ndarray, scores: np.ndarray, people: np.ndarray, n_people: int
) -> Judged:
    """The chance that one of the class has a higher score than one that is not.

    Parameters
    ----------
    positive : array of bool, shape (n_rankings,)
        Who is in the class.
    scores : array of shape (n_rankings,)
        The higher, the likelier.
    people : array of int, shape (n_rankings,)
        Whose ranking it is.
    n_people : int
        The number of all people.
    """
    positive = positive.astype(bool)
    n_positive, n_negative = positive.sum(), (~positive).sum()
    ranks = rankdata(scores)
    # For each positive the share of negatives below it, and for each negative that of positives
    # above it; ties count half.
    shares = np.empty(len(scores))
    shares[positive] = (ranks[positive] - rankdata(scores[positive])) / n_negative
    shares[~positive] = 1 - (ranks[~positive] - rankdata(scores[~positive])) / n_positive
    area = shares[positive].mean()
    each = (shares - area) / np.where(positive, n_positive, n_negative)
    return Judged(float(area), np.bincount(people, each, minlength=n_people))


def agreement_of_nearest(
    alike: np.ndarray, agreement: np.ndarray, people: np.ndarray, n_people: int, seed: int
) -> Judged:
    """The mean agreement with the ten most alike; people are judged and are found.

    Parameters
    ----------
    alike : array of shape (n_queries, n_rankings)
        How similar the first rankings are to all.
    agreement : array of shape (n_queries, n_rankings)
        How much they agree elsewhere; NaN where there is nothing to judge by, and such people
        are nobody's neighbours.
    people : array of int, shape (n_rankings,)
        Whose ranking it is.
    n_people : int
        The number of all people.
    seed : int
        Ties are broken by chance.
    """
    alike = np.where(np.isnan(agreement), -np.inf, alike)
    noise = np.random.default_rng(seed).random(alike.shape)
    found = np.lexsort((noise, -alike), axis=1)[:, :N_NEAREST]
    reached = np.take_along_axis(agreement, found, axis=1)
    score = float(np.nanmean(reached))
    each = np.nan_to_num(reached - score) / np.isfinite(reached).sum()
    influence = np.bincount(people[: len(alike)], each.sum(axis=1), minlength=n_people)
    influence += np.bincount(people[found].ravel(), each.ravel(), minlength=n_people)
    return Judged(score, influence)


def foresight_of_agreement(
    alike: np.ndarray, agreement: np.ndarray, people: np.ndarray, n_people: int
) -> Judged:
    """The mean correlation, over all people and for each query, of likeness and agreement.

    Ten of thousands are few, and a score of them is mostly chance; this is the same question
    asked of all. Parameters are those of :func:`agreement_of_nearest`.
    """
    known = np.isfinite(agreement)
    asked = known.sum(axis=1) > 2
    known &= asked[:, None]
    count = np.maximum(known.sum(axis=1, keepdims=True), 1)

    def standardised(values: np.ndarray) -> np.ndarray:
        values = np.where(known, values, 0.0)
        values = np.where(known, values - values.sum(axis=1, keepdims=True) / count, 0.0)
        spread = np.sqrt((values**2).sum(axis=1, keepdims=True) / count)
        # Someone who is equally similar to everyone says nothing.
        return np.divide(values, spread, out=np.zeros_like(values), where=spread > 1e-12)

    one, other = standardised(alike), standardised(agreement)
    correlations = (one * other).sum(axis=1, keepdims=True) / count
    n_asked = max(int(asked.sum()), 1)
    score = float(correlations[asked].mean()) if asked.any() else 0.0
    of_queries = np.where(asked, correlations[:, 0] - score, 0.0) / n_asked
    of_found = (one * other - correlations * (one**2 + other**2) / 2) / (count * n_asked)
    influence = np.bincount(people[: len(alike)], of_queries, minlength=n_people)
    influence += np.bincount(people, of_found.sum(axis=0), minlength=n_people)
    return Judged(score, influence)
