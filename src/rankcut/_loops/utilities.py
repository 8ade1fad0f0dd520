"""Utilities behind lists: y = μ + Z·g + offset + noise for each person, g ~ N(0, C).

A list of k items has the covariance S = Z_L C Z_Lᵀ + offset + noise·I among its scores, and all
that is needed of the person comes from its inverse G: the weights w = G·(y − μ_L), the likelihood,
and what the list adds to the sums of an EM step.
"""

import numpy as np

from rankcut._loops.compilation import compiled
from rankcut._loops.types import Floats, Indices, Longs

_LOG_TWO_PI = float(np.log(2.0 * np.pi))


@compiled
def fill_covariance(
    items: Indices, basis: Floats, scaled: Floats, noise: float, offset: float, out: Floats
) -> None:
    """S of one list; without a basis ``scaled`` is the covariance of the items itself."""
    k = len(items)
    for a in range(k):
        for b in range(a + 1):
            if basis.shape[1] == 0:
                value = scaled[items[a], items[b]]
            else:
                value = 0.0
                row = scaled[items[a]]
                column = basis[items[b]]
                for d in range(len(row)):
                    value += row[d] * column[d]
            value += offset
            if a == b:
                value += noise
            out[a, b] = value
            out[b, a] = value


@compiled
def invert(matrix: Floats, size: int, out: Floats) -> float:
    """The inverse of a positive definite matrix, whose lower half is overwritten; log det."""
    log_det = 0.0
    for a in range(size):
        for b in range(a + 1):
            total = matrix[a, b]
            row = matrix[a]
            other = matrix[b]
            for d in range(b):
                total -= row[d] * other[d]
            if a == b:
                matrix[a, a] = np.sqrt(total)
                log_det += np.log(total)
            else:
                matrix[a, b] = total / matrix[b, b]
    # Row a of `out` becomes column a of the inverse factor, then the product of the two.
    for a in range(size):
        for b in range(a):
            out[a, b] = 0.0
        out[a, a] = 1.0 / matrix[a, a]
        for b in range(a + 1, size):
            total = 0.0
            row = matrix[b]
            column = out[a]
            for d in range(a, b):
                total -= row[d] * column[d]
            out[a, b] = total / matrix[b, b]
    for a in range(size):
        for b in range(a, size):
            total = 0.0
            left = out[a]
            right = out[b]
            for d in range(b, size):
                total += left[d] * right[d]
            matrix[a, b] = total
    for a in range(size):
        for b in range(a, size):
            out[a, b] = matrix[a, b]
            out[b, a] = matrix[a, b]
    return log_det


@compiled
def _solve_in_basis(
    items: Indices,
    scores: Floats,
    mean: Floats,
    basis: Floats,
    inverse_covariance: Floats,
    noise: float,
    offset: float,
    factor: Floats,
    inverse: Floats,
    weights: Floats,
    precisions: Floats,
) -> float:
    """w and diag G of a long list; ``inverse`` becomes the covariance of g and the offset.

    Returns the log likelihood without log det C, which all lists share.
    """
    k, rank = len(items), basis.shape[1]
    size = rank + 1
    scale = np.sqrt(offset)
    row = np.empty(size)
    pull = np.zeros(size)
    factor[:size, :size] = 0.0
    factor[:rank, :rank] = inverse_covariance
    factor[rank, rank] = 1.0
    row[rank] = scale
    for a in range(k):
        row[:rank] = basis[items[a]]
        residual = (scores[a] - mean[items[a]]) / noise
        for d in range(size):
            entry = row[d] / noise
            pull[d] += row[d] * residual
            into = factor[d]
            for e in range(d + 1):
                into[e] += entry * row[e]
    log_det = invert(factor, size, inverse) + k * np.log(noise)
    expected = np.zeros(size)
    for d in range(size):
        for e in range(size):
            expected[d] += inverse[d, e] * pull[e]
    fit = 0.0
    for a in range(k):
        row[:rank] = basis[items[a]]
        residual = scores[a] - mean[items[a]]
        explained = 0.0
        spread = 0.0
        for d in range(size):
            explained += row[d] * expected[d]
            total = 0.0
            other = inverse[d]
            for e in range(size):
                total += other[e] * row[e]
            spread += row[d] * total
        weights[a] = (residual - explained) / noise
        precisions[a] = 1.0 / noise - spread / (noise * noise)
        fit += residual * weights[a]
    return -0.5 * (fit + log_det + k * _LOG_TWO_PI)


@compiled
def add_lists(
    starts: Longs,
    items: Indices,
    scores: Floats,
    counts: Floats,
    mean: Floats,
    basis: Floats,
    scaled: Floats,
    inverse_covariance: Floats,
    noise: float,
    offset: float,
    gram: Floats,
    spread: Floats,
    outer: Floats,
    gradient: Floats,
    curvature: Floats,
    weights: Floats,
    precisions: Floats,
) -> tuple[float, float]:
    """What an EM step sums over people; returns the log likelihood and the expected noise.

    ``gram`` += Z_Lᵀ G Z_L, ``outer`` += (Z_Lᵀ w)(Z_Lᵀ w)ᵀ, ``gradient`` += w and ``curvature`` +=
    diag G at the items of the list, each times the person's count. ``weights`` and
    ``precisions`` are w and diag G of each stored score. A list with more items than the basis has
    directions is solved in the basis, and adds the covariance of g to ``spread``, not to ``gram``.
    """
    rank = basis.shape[1]
    longest = rank + 1
    for person in range(len(starts) - 1):
        k = starts[person + 1] - starts[person]
        if rank == 0 or k <= rank:
            longest = max(longest, k)
    factor = np.empty((longest, longest))
    inverse = np.empty((longest, longest))
    direction = np.empty(rank)
    pulled = np.empty((longest, rank))
    likelihood = 0.0
    squares = 0.0
    for person in range(len(starts) - 1):
        first = starts[person]
        k = starts[person + 1] - first
        if k == 0:
            continue
        count = counts[person]
        listed = items[first : first + k]
        if 0 < rank < k:
            likelihood += count * _solve_in_basis(
                listed, scores[first : first + k], mean, basis, inverse_covariance, noise, offset,
                factor, inverse, weights[first : first + k], precisions[first : first + k],
            )
            direction[:] = 0.0
            for a in range(k):
                weight = weights[first + a]
                gradient[listed[a]] += count * weight
                curvature[listed[a]] += count * precisions[first + a]
                squares += count * (
                    noise * noise * (weight * weight - precisions[first + a]) + noise
                )
                row = basis[listed[a]]
                for d in range(rank):
                    direction[d] += weight * row[d]
            for d in range(rank):
                entry = count * direction[d]
                for e in range(rank):
                    outer[d, e] += entry * direction[e]
                    spread[d, e] += count * inverse[d, e]
            continue
        fill_covariance(listed, basis, scaled, noise, offset, factor)
        log_det = invert(factor, k, inverse)
        fit = 0.0
        for a in range(k):
            total = 0.0
            for b in range(k):
                total += inverse[a, b] * (scores[first + b] - mean[listed[b]])
            weights[first + a] = total
            precisions[first + a] = inverse[a, a]
            fit += total * (scores[first + a] - mean[listed[a]])
            gradient[listed[a]] += count * total
            curvature[listed[a]] += count * inverse[a, a]
            squares += count * (noise * noise * (total * total - inverse[a, a]) + noise)
        likelihood -= 0.5 * count * (fit + log_det + k * _LOG_TWO_PI)
        if rank == 0:
            for a in range(k):
                for b in range(k):
                    gram[listed[a], listed[b]] += count * inverse[a, b]
                    outer[listed[a], listed[b]] += (
                        count * weights[first + a] * weights[first + b]
                    )
            continue
        direction[:] = 0.0
        for a in range(k):
            weight = weights[first + a]
            row = basis[listed[a]]
            for d in range(rank):
                direction[d] += weight * row[d]
            target = pulled[a]
            target[:] = 0.0
            for b in range(k):
                entry = inverse[a, b]
                other = basis[listed[b]]
                for d in range(rank):
                    target[d] += entry * other[d]
        for a in range(k):
            row = basis[listed[a]]
            target = pulled[a]
            for d in range(rank):
                entry = count * row[d]
                into = gram[d]
                for e in range(rank):
                    into[e] += entry * target[e]
        for d in range(rank):
            entry = count * direction[d]
            into = outer[d]
            for e in range(rank):
                into[e] += entry * direction[e]
    return likelihood, squares
