"""Mixtures of strengths: crowds, camps, and people spread along a line, all by one EM.

A person of component q has the strengths Σ_b B_qb·β_b, with a vector β_b of strengths for each
block b. The basis B says what kind of people there are:

one crowd
    a single component, B = 1;
k camps
    B = I, with shares that are free;
a line
    B_q = (1, u_q): strengths θ + u·d, where people's places u on the line are standard normal. The
    u_q are that distribution in :data:`N_NODES` equal parts;
a plane
    B_q = (1, u_q, v_q), the same with two lines;
more or less sure
    B_q = exp(τ·u_q) for a crowd or each camp: some follow its order closely, others loosely;
and some at random
    one more component with B = 0 and a share of its own: all orders are equally likely.

EM on merged rankings takes one step of Newton's method for each expectation. Strengths have the
normal prior of :mod:`rankcut.strengths.prior`, with a variance by the evidence for each block.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy import linalg, special

from rankcut._loops.types import Floats
from rankcut.strengths import ChoiceLikelihood, ItemPrior
from rankcut.strengths.fitting import TIE_PRECISION
from rankcut.strengths.many_items import CLOSE, LONGEST, MOST_STEPS

#: In how many parts people on a line are divided; an even number, so that nobody is in its middle.
N_NODES = 16

# EM stops where what is left to gain, by Aitken's rule, is less than this: BIC rounds to 0.1.
_CLOSE = 0.01


@dataclass(frozen=True, eq=False)
class MixtureFamily:
    """What kind of people there are.

    Attributes
    ----------
    basis : ndarray of shape (n_components, n_blocks)
        B; with ``noise``, the last row is 0.
    fixed : ndarray or None
        The shares within each group of components, if only those of groups are free.
    noise : bool
        Whether some rank at random.
    """

    basis: Floats
    fixed: Floats | None = None
    noise: bool = False
    n_more: int = 0  #: parameters that the basis has itself

    def with_noise(self) -> "MixtureFamily":
        """The same with people who rank at random."""
        basis = np.vstack([self.basis, np.zeros(self.basis.shape[1])])
        return replace(self, basis=basis, noise=True)

    @property
    def coupled(self) -> bool:
        """Whether components share blocks."""
        return self.fixed is not None

    def shares(self, masses: Floats) -> Floats:
        """The most likely shares, where components have these masses."""
        shares: Floats = masses / masses.sum()
        if self.fixed is not None:
            known = len(self.basis) - self.noise
            groups = shares[:known].reshape(-1, len(self.fixed)).sum(axis=1)
            shares = np.append(np.outer(groups, self.fixed), shares[known:])
        return shares

    def n_parameters(self, n_each: int) -> int:
        """How many numbers are free, of which a block has ``n_each``."""
        n_each_group = 1 if self.fixed is None else len(self.fixed)
        n_shares = (len(self.basis) - self.noise) // n_each_group - 1
        return int(self.basis.shape[1] * n_each + n_shares + self.noise + self.n_more)


def camps(k: int) -> MixtureFamily:
    """K camps; 1 is one crowd."""
    return MixtureFamily(np.eye(k))


def nodes(number: int) -> Floats:
    """The middles of ``number`` equal parts of the standard normal distribution."""
    return np.asarray(special.ndtri((np.arange(number) + 0.5) / number))


def line() -> MixtureFamily:
    """People on a line."""
    u = nodes(N_NODES)
    return MixtureFamily(np.column_stack([np.ones(N_NODES), u]), np.full(N_NODES, 1 / N_NODES))


def plane() -> MixtureFamily:
    """People on a plane, divided in half as many parts each way."""
    number = N_NODES // 2
    u, v = (each.ravel() for each in np.meshgrid(nodes(number), nodes(number)))
    return MixtureFamily(
        np.column_stack([np.ones(number**2), u, v]), np.full(number**2, number**-2.0)
    )


def more_or_less_sure(spread: float, k: int = 1) -> MixtureFamily:
    """A crowd, or k camps, whose people follow one order more or less closely."""
    number = N_NODES // 2
    basis = np.asarray(np.kron(np.eye(k), np.exp(spread * nodes(number))[:, None]), np.float64)
    return MixtureFamily(basis, np.full(number, 1 / number), n_more=1)


@dataclass(frozen=True, eq=False)
class Mixture:
    """A fitted mixture.

    Attributes
    ----------
    family : MixtureFamily
        What kind of people.
    blocks : ndarray of shape (n_blocks, n_parameters)
        β: strengths of each block, then the logarithms of δ.
    offset : ndarray of shape (n_parameters,)
        The parameters of those who rank at random.
    shares : ndarray of shape (n_components,)
        How many people each component has.
    scales : ndarray of shape (n_blocks,)
        Variances of the prior.
    log_likelihood : float
        Of all rankings.
    chances : ndarray of shape (n_rankings, n_components)
        How probable each component is for each ranking.
    """

    family: MixtureFamily
    blocks: Floats
    offset: Floats
    shares: Floats
    scales: Floats
    log_likelihood: float
    chances: Floats

    @property
    def parameters(self) -> Floats:
        """The parameters of each component."""
        found = self.family.basis @ self.blocks
        if self.family.noise:
            found[-1] += self.offset
        return np.asarray(found)

    def bic(self, n_people: float) -> float:
        """−2·log-likelihood plus log(people) for each parameter; strengths add up to 0."""
        n_free = self.family.n_parameters(self.blocks.shape[1] - 1)
        return float(-2 * self.log_likelihood + n_free * np.log(n_people))


def component_values(likelihood: ChoiceLikelihood, parameters: Floats) -> Floats:
    """The log-likelihood of each ranking in each component, components last."""
    return np.column_stack([likelihood.scores(each).values for each in parameters])


def expect(values: Floats, shares: Floats) -> tuple[Floats, Floats]:
    """The log-likelihood of each ranking, and how probable each component is for it."""
    with np.errstate(divide="ignore"):
        joint = values + np.log(shares)
    total = special.logsumexp(joint, axis=1, keepdims=True)
    return total[:, 0], np.exp(joint - total)


def fit_mixture(
    likelihood: ChoiceLikelihood,
    family: MixtureFamily,
    start: Floats | Mixture,
    offset: Floats,
    most_steps: int = MOST_STEPS,
    *,
    fixed: bool = False,
) -> Mixture:
    """EM from how probable each component is for each ranking, or from an earlier mixture.

    With ``fixed`` it is known who belongs where, and only strengths are found.
    """
    weights, n_items = likelihood.choices.weights, likelihood.n_items
    if isinstance(start, Mixture):
        now = start
    else:
        n_blocks = family.basis.shape[1]
        blocks, shares = (
            np.zeros((n_blocks, likelihood.n_parameters)),
            family.shares(weights @ start),
        )
        now = Mixture(family, blocks, offset, shares, np.ones(n_blocks), -np.inf, start)
    choosing, reached, gained = True, -np.inf, np.inf
    for _ in range(most_steps):
        step, slopes = _newton_steps(likelihood, now)
        moved = float(np.abs(step).max())
        if choosing and moved <= CLOSE:
            each = zip(now.blocks, slopes, now.scales.tolist(), strict=True)
            scales = np.array([_scale(own, *slope, n_items, last) for own, slope, last in each])
            choosing = bool((scales != now.scales).any())
            if choosing:
                now, reached = replace(now, scales=scales), -np.inf
                continue
        size = min(1.0, LONGEST / moved) if moved > 0 else 1.0
        shares, before = family.shares(weights @ now.chances), now
        while True:
            blocks = before.blocks + size * step
            now = expected(likelihood, replace(before, blocks=blocks, shares=shares), fixed=fixed)
            value = _posterior(now, n_items)
            if value >= _posterior(before, n_items) - _CLOSE or size * moved < _CLOSE:
                break
            size /= 2
        gain = value - reached
        # In the end gains shrink by a constant factor: their sum is what is left.
        left = gain / max(1.0 - gain / gained, _CLOSE) if 0 < gain < gained else gain
        reached, gained = value, gain
        if not choosing and abs(left) < _CLOSE:
            break
    return now


def _scale(own: Floats, gradient: Floats, curvature: Floats, n_items: int, last: float) -> float:
    """The variance of the prior with the largest evidence; the last one where rounding hides it."""
    prior, some = ItemPrior(n_items), slice(n_items)
    try:
        return prior.choose(own[some], gradient[some], curvature[some, some]).scale
    except linalg.LinAlgError:
        return last


def _posterior(mixture: Mixture, n_items: int) -> float:
    """The log-likelihood and the logarithm of the prior."""
    squares = (mixture.blocks[:, :n_items] ** 2).sum(axis=1)
    return mixture.log_likelihood - float((squares / mixture.scales).sum()) / 2


def expected(likelihood: ChoiceLikelihood, mixture: Mixture, *, fixed: bool = False) -> Mixture:
    """The same with its log-likelihood, and how probable each component is for each ranking."""
    values = component_values(likelihood, mixture.parameters)
    totals, chances = expect(values, mixture.shares)
    if fixed:
        totals, chances = (mixture.chances * values).sum(axis=1), mixture.chances
    total = float(likelihood.choices.weights @ totals)
    return replace(mixture, log_likelihood=total, chances=chances)


def _newton_steps(
    likelihood: ChoiceLikelihood, mixture: Mixture
) -> tuple[Floats, list[tuple[Floats, Floats]]]:
    """A step for each block, and the gradient and curvature of its log-likelihood."""
    basis, n_items = mixture.family.basis, likelihood.n_items
    n_blocks, size = mixture.blocks.shape
    gradient = np.zeros((n_blocks, size))
    curvatures = np.zeros((n_blocks, size, n_blocks if mixture.family.coupled else 1, size))
    weights, parameters = likelihood.choices.weights, mixture.parameters
    for q in np.flatnonzero(basis.any(axis=1)).tolist():
        own = replace(likelihood.choices, weights=weights * mixture.chances[:, q])
        _, slope, curvature = replace(likelihood, choices=own).derivatives(parameters[q])
        if mixture.family.coupled:
            gradient += np.outer(basis[q], slope)
            each = np.multiply.outer(np.outer(basis[q], basis[q]), curvature)
            curvatures += each.transpose(0, 2, 1, 3)
        else:
            gradient[q], curvatures[q, :, 0] = slope, curvature
    penalty = np.full((n_blocks, size), TIE_PRECISION)
    penalty[:, :n_items] = 1.0 / mixture.scales[:, None]
    rise = gradient - penalty * mixture.blocks
    if mixture.family.coupled:
        slopes = [(gradient[b], curvatures[b, :, b]) for b in range(n_blocks)]
        matrix = curvatures.reshape(n_blocks * size, n_blocks * size)
        matrix = matrix + np.diag(penalty.ravel())
        return _solve(matrix, rise.ravel()).reshape(n_blocks, size), slopes
    slopes = [(gradient[b], curvatures[b, :, 0]) for b in range(n_blocks)]
    steps = [
        _solve(own + np.diag(each), up)
        for (_, own), each, up in zip(slopes, penalty, rise, strict=True)
    ]
    return np.array(steps), slopes


def _solve(curvature: Floats, rise: Floats) -> Floats:
    """Newton's step; where rounding leaves no positive curvature, by the size of what is there."""
    try:
        return np.asarray(linalg.solve(curvature, rise, assume_a="pos"))
    except linalg.LinAlgError:
        values, vectors = linalg.eigh(curvature)
        values = np.maximum(np.abs(values), TIE_PRECISION)
        return np.asarray(vectors @ ((vectors.T @ rise) / values))
