"""Which places an item may have: confidence sets that hold for all items at once.

Differences of two items' means are studentised, and a bootstrap over people says how large the
largest of them gets by chance. A pair whose difference is larger is *sure*. The place of item i
is then no better than 1 + the number of items surely better, and no worse than n minus the number
surely worse (Mogstad, Romano, Shaikh and Wilhelm 2024).

A normal critical value is too small for few people, so it is replaced by that of Student's t with
the same tail. Positions and signs are bounded, so the ratio of their mean to its standard error has
heavier tails than Student's: by Edgeworth's expansion, those of Student's t with as little as three
fifths of the degrees of freedom. Two thirds are used. With fewer than 50 people the critical value
is at least Bonferroni's. A difference is never taken as surer than the number of people: three who
agree do not make a place sure.

A sample of people who nearly agree may have missed the few who say the opposite. So a difference d
is sure only if it would keep its sign were a share ε of people added who say the most extreme
opposite, where ε is as large as the sample is just likely enough to have missed.
"""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray
from scipy import special

from rankcut._loops.types import Floats
from rankcut.parameters import ROUNDING
from rankcut.sample import Mean

# With fewer people than this, bootstrap samples understate the spread of means.
_FEW_PEOPLE = 50

# Share of the degrees of freedom to use where values are bounded.
_BOUNDED = 2 / 3


def _largest_differences(shifts: Floats, inverse: Floats) -> Floats:
    """The largest |shift_i − shift_j| / error_ij of each row; errors are inverse, or 0."""
    largest = np.zeros(len(shifts))
    for i in range(shifts.shape[1] - 1):
        apart = np.abs(shifts[:, i + 1 :] - shifts[:, i, None]) * inverse[i, i + 1 :]
        np.maximum(largest, apart.max(axis=1), out=largest)
    return largest


def critical_value(
    largest: Floats,
    confidence: float,
    n_effective: float,
    n_differences: int = 0,
    n_unanimous: int = 0,
    *,
    bounded: bool = True,
) -> float:
    """What the largest studentised difference exceeds by chance with probability 1 − confidence.

    ``largest`` holds it for each bootstrap sample. A bootstrap sees no variation where all people
    say the same: for ``n_unanimous`` such differences, the value is at least Bonferroni's. With few
    people the tails of its samples are too light, so this holds for all ``n_differences`` then.
    Samples from a joint normal distribution (not ``bounded``) have neither fault.
    """
    if n_effective <= 1 or not len(largest):
        return float("inf")
    ordered = np.sort(largest) * np.sqrt(n_effective / (n_effective - 1))
    place = int(np.ceil(confidence * (len(ordered) + 1))) - 1
    if place >= len(ordered):
        return float("inf")
    normal = float(ordered[place])
    compared = n_differences if n_effective < _FEW_PEOPLE else n_unanimous
    if compared and bounded:
        normal = max(normal, float(-special.ndtri((1 - confidence) / (2 * compared))))
    freedom = (_BOUNDED if bounded else 1.0) * (n_effective - 1)
    # By the upper tail: the share below a large value rounds to 1. Some versions of SciPy
    # put the median of Student's t just above 0, which would make differences of 0 sure.
    return max(0.0, float(-special.stdtrit(freedom, special.ndtr(-normal))))


def outweighs_missed(
    differences: Floats, extreme: Floats | float, n_asked: Floats | float, confidence: float
) -> NDArray[np.bool_]:
    """Whether differences keep their sign if those who were missed say the opposite extreme.

    ``n_asked`` is the number of people behind each difference.

    >>> outweighs_missed(np.array([1.0, 4.0]), 4.0, 7, 0.95)
    array([False,  True])
    """
    missed = 1 - (1 - confidence) ** (1 / np.maximum(n_asked, 1.0))
    return np.asarray(np.abs(differences) * (1 - missed) > missed * extreme)


def sure_differences(
    mean: Mean,
    samples: Iterator[Floats],
    items: NDArray[np.bool_],
    confidence: float,
    extremes: Floats | None = None,
    n_asked: Floats | None = None,
    *,
    normal: bool = False,
) -> tuple[NDArray[np.bool_], Floats]:
    """Which of the items are surely better than which, and the means in all bootstrap samples.

    ``mean`` has the covariance of the items' means. ``extremes`` are the largest values that a
    person's vector can have; None: it is not bounded. ``n_asked`` is how many people list each
    item; None: all. ``normal``: samples are from a joint normal distribution, not from a bootstrap.
    """
    assert mean.covariance is not None
    covariance = mean.covariance[np.ix_(items, items)]
    vector = mean.vector[items]
    differences = vector[:, None] - vector[None, :]
    variances = np.diag(covariance)
    with np.errstate(invalid="ignore"):
        errors = _error(variances[:, None] + variances[None, :] - covariance - covariance.T, vector)
    inverse = np.divide(1.0, errors, out=np.zeros_like(errors), where=errors > 0)
    all_means, largest = [], []
    for means in samples:
        all_means.append(means)
        largest.append(_largest_differences(means[:, items] - vector, inverse))
    unanimous = np.triu((errors == 0) & (differences != 0), 1)
    critical = critical_value(
        np.concatenate(largest),
        confidence,
        mean.n_effective,
        len(vector) * (len(vector) - 1) // 2,
        int(unanimous.sum()),
        bounded=not normal,
    )
    sure = _studentised(differences, errors, mean.n_effective) > critical
    if extremes is not None:
        most = extremes[items]
        people = np.full(len(vector), mean.n_effective) if n_asked is None else n_asked[items]
        fewest = np.minimum(people[:, None], people[None, :])
        sure &= outweighs_missed(differences, most[:, None] + most[None, :], fewest, confidence)
    return sure, np.concatenate(all_means)


def sure_coordinates(
    mean: Mean,
    samples: Iterator[Floats],
    confidence: float,
    note: Callable[[Floats], None],
) -> tuple[NDArray[np.bool_], Floats]:
    """Which coordinates surely are not 0, and the margin of error of each mean.

    ``note`` is called with the means of each batch of samples.
    """
    errors = _error(mean.variance, mean.vector)
    inverse = np.divide(1.0, errors, out=np.zeros_like(errors), where=errors > 0)
    largest = []
    for means in samples:
        largest.append((np.abs(means - mean.vector) * inverse).max(axis=1, initial=0.0))
        note(means)
    unanimous = (errors == 0) & (mean.vector != 0)
    critical = critical_value(
        np.concatenate(largest), confidence, mean.n_effective, len(errors), int(unanimous.sum())
    )
    sure = np.abs(_studentised(mean.vector, errors, mean.n_effective)) > critical
    if critical >= mean.n_effective:
        return sure, np.full(len(errors), np.inf)
    return sure, critical * errors


def places_by_pairs(sure: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Best and worst place of each item; ``sure[i, j]``: i is surely better than j.

    >>> places_by_pairs(np.array([[False, True, True], [False, False, False], [False] * 3]))
    array([[1, 1],
           [2, 3],
           [2, 3]])
    """
    return np.stack([1 + sure.sum(axis=0), len(sure) - sure.sum(axis=1)], axis=1)


def places_by_ranges(low: Floats, high: Floats) -> NDArray[np.int64]:
    """Best and worst place of items whose scores lie between ``low`` and ``high``, all at once.

    >>> places_by_ranges(np.array([5.0, 0.0, 1.0]), np.array([6.0, 2.0, 3.0]))
    array([[1, 1],
           [2, 3],
           [2, 3]])
    """
    n_items = len(low)
    better = n_items - np.searchsorted(np.sort(low), high, side="right")
    worse = np.searchsorted(np.sort(high), low, side="left")
    return np.stack([1 + better, n_items - worse], axis=1)


def _error(variance: Floats, vector: Floats) -> Floats:
    """Standard errors; 0 where the variance is a rounding error."""
    largest = float(np.max(np.abs(vector), initial=0.0)) ** 2
    finite = variance[np.isfinite(variance)]
    largest = max(largest, float(finite.max(initial=0.0)))
    error: Floats = np.sqrt(np.where(variance > ROUNDING * largest, variance, 0.0))
    return error


def _studentised(differences: Floats, errors: Floats, n_effective: float) -> Floats:
    """Differences divided by their errors, capped at the number of people."""
    most = np.sign(differences) * n_effective
    ratio = np.divide(differences, errors, out=most, where=errors > 0)
    return np.clip(ratio, -n_effective, n_effective)
