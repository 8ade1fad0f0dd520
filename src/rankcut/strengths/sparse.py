"""Priors and Newton's steps of terms whose columns are too many for a matrix.

Systems with a sparse sum A of curvature and precision are solved by conjugate gradients, after M,
which is A with nothing but the diagonal of the curvature. The evidence of variances needs
log det A = log det M + tr log M⁻¹A; the trace is estimated from what conjugate gradients leave
behind, for random signs (Gardner, Pleiss, Bindel, Weinberger and Wilson 2018). The same signs serve
all variances, so that they are compared without noise.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg
from scipy.sparse import block_diag, csr_array, diags_array, issparse
from scipy.sparse.linalg import LinearOperator

from rankcut._loops.types import Floats
from rankcut.parameters import SIDE
from rankcut.strengths.chains import ChainPrior
from rankcut.strengths.likelihood import Slope
from rankcut.strengths.maximising import TIE_PRECISION, TermPrior, TermPriors
from rankcut.strengths.prior import SparseSolver, log_evidence

# Random signs for traces: variances are found to a factor of two, for which a few are enough.
_N_SIGNS = 8

# Conjugate gradients stop where the residual is this share of the first, for steps and for traces.
_STEP_RESIDUAL, _TRACE_RESIDUAL, _MOST_GRADIENTS = 1e-8, 1e-3, 1_000


@dataclass
class SparsePrior(TermPriors):
    """Priors of terms whose columns are too many for a matrix, and systems with them."""

    def _precision(self) -> Any:
        n_ties = self.n_parameters - max(block.place.stop for block in self.blocks)
        parts = [
            csr_array((block.place.stop - block.place.start,) * 2)
            if block.family is None
            else csr_array(block.family.precision(block.chosen))
            for block in self.blocks
        ]
        ties = [diags_array(np.full(n_ties, TIE_PRECISION))] * (n_ties > 0)
        return csr_array(block_diag([*parts, *ties], format="csr"))

    def system(self, curvature: Any) -> "SparseSystem":
        """The curvature of the posterior."""
        links = np.zeros(self.n_parameters)
        for block in self.blocks:
            if isinstance(block.family, ChainPrior):
                links[block.place] = block.family.links(block.chosen)
        return SparseSystem(csr_array(curvature + self.precision), links)

    def solve(self, curvature: Any, rise: Floats) -> Floats:
        """Newton's step."""
        return self.system(curvature).solve(rise[:, None], _STEP_RESIDUAL)[:, 0]

    def choose(self, parameters: Floats, gradient: Floats, curvature: Any) -> None:
        """The best prior of each term, one after the other."""
        target = curvature @ parameters + gradient
        before = [block.chosen for block in self.blocks]
        for block in self.blocks:
            if block.family is None:
                continue

            def evidence(settings: Any, block: TermPrior = block) -> float:
                block.chosen = settings
                self.precision = self._precision()
                log_evidence = self.system(curvature).log_evidence(target)
                return log_evidence + self.log_determinant() / 2

            if isinstance(block.family, ChainPrior):
                block.chosen = block.family.search(evidence, block.chosen)
            else:
                block.chosen = block.family.search(evidence)
        self.precision = self._precision()
        self.choosing = before != [block.chosen for block in self.blocks]

    def log_evidence(self, target: Floats, curvature: Any) -> float:
        """½·bᵀA⁻¹b − ½·log det A for the target b and the curvature A of the posterior."""
        return self.system(curvature).log_evidence(target)

    def noise(self, n_draws: int, rng: np.random.Generator) -> Floats:
        """Draws whose covariance is the precision, one in each column."""
        parts = []
        for block in self.blocks:
            size = block.place.stop - block.place.start
            lots = rng.standard_normal((size, n_draws))
            if isinstance(block.family, ChainPrior):
                family, settings = block.family, block.chosen
                steps = np.sqrt(family.links(settings))[:, None] * lots
                begins = np.flatnonzero(family.gaps == 0)
                root = linalg.cholesky(family.items.precision(settings.first), lower=True)
                firsts = root @ lots[begins]
                parts.append(steps - np.vstack([steps[1:], np.zeros((1, n_draws))]))
                parts[-1][begins] += firsts
            elif block.family is not None:
                precision = block.family.precision(block.chosen)
                if issparse(precision):
                    parts.append(np.sqrt(precision.diagonal())[:, None] * lots)
                else:
                    parts.append(linalg.cholesky(precision, lower=True) @ lots)
            else:
                parts.append(np.zeros((size, n_draws)))
        n_ties = self.n_parameters - sum(map(len, parts))
        return np.vstack([*parts, np.zeros((n_ties, n_draws))])


@dataclass
class ManyItemsPrior(SparsePrior):
    """The prior of the strengths of many items: along a graph its precision is no sparse matrix."""

    def _solver(self, diagonal: Floats) -> SparseSolver:
        return SparseSolver(self.blocks[0].family, self.blocks[0].chosen, diagonal)

    def _precision(self) -> LinearOperator:
        shape, solver = (self.n_parameters,) * 2, self._solver(np.zeros(self.n_parameters))
        return LinearOperator(shape, matvec=solver.precision, dtype=np.float64)

    def system(self, curvature: Slope) -> "ManyItemsSystem":
        """The curvature of the posterior."""
        return ManyItemsSystem(self.precision, self._solver(curvature.diagonal), curvature)

    def log_determinant(self) -> float:
        """0: the evidence of systems counts that of the precision."""
        return 0.0

    def noise(self, n_draws: int, rng: np.random.Generator) -> Floats:
        """Draws whose covariance is the precision, one in each column."""
        block = self.blocks[0]
        draws = block.family.draws(block.chosen, n_draws, rng)
        return self._solver(np.zeros(self.n_parameters)).precision(draws)


class SparseSystem:
    """Systems with a sparse matrix A, whose chains and diagonal solve them roughly beforehand.

    ``links`` are the precisions of the steps to each column, which stand beside the diagonal.
    """

    def __init__(self, matrix: csr_array, links: Floats) -> None:
        self.matrix = matrix
        beside = np.zeros(len(links))
        beside[1:] = -links[1:]
        diagonal = matrix.diagonal()
        # A feature that never varies: nothing is known of it.
        diagonal = np.where(diagonal > 0, diagonal, 1.0)
        self.factor = linalg.cholesky_banded(np.array([beside, diagonal]), check_finite=False)

    def _before(self, vectors: Floats) -> Floats:
        return np.asarray(
            linalg.cho_solve_banded((self.factor, False), vectors, check_finite=False)
        )

    def solve(self, rise: Floats, residual: float) -> Floats:
        """A⁻¹ times each column."""
        return self._gradients(rise, residual)[0]

    def turned(self, noise: Floats) -> Floats:
        """A⁻¹ times draws of the score, one in each column."""
        return self.solve(noise, _TRACE_RESIDUAL)

    def _gradients(
        self, rise: Floats, residual: float
    ) -> tuple[Floats, list[Floats], list[Floats]]:
        """A⁻¹ times each column, and the lengths and turns of all steps of conjugate gradients."""
        solution, rest = np.zeros_like(rise), rise.copy()
        way = self._before(rest)
        size = (rest * way).sum(axis=0)
        direction, enough = way.copy(), residual**2 * size
        lengths, turns = [], []
        for _ in range(_MOST_GRADIENTS):
            going = size > enough
            if not going.any():
                break
            product = self.matrix @ direction
            bend = (direction * product).sum(axis=0)
            length = np.divide(size, bend, out=np.zeros_like(size), where=going & (bend > 0))
            solution += length * direction
            rest -= length * product
            way = self._before(rest)
            following = (rest * way).sum(axis=0)
            turn = np.divide(following, size, out=np.zeros_like(size), where=going)
            direction = way + turn * direction
            lengths.append(length)
            turns.append(turn)
            size = np.where(going, following, size)
        return solution, lengths, turns

    def log_evidence(self, target: Floats) -> float:
        """½·bᵀA⁻¹b − ½·log det A for the target b."""
        n_rows = len(target)
        if n_rows <= SIDE // 4:
            return log_evidence(target, self.matrix.toarray())
        signs = np.random.default_rng(0).choice([-1.0, 1.0], size=(n_rows, _N_SIGNS))
        probes = self.factor[1][:, None] * signs
        probes[1:] += self.factor[0][1:, None] * signs[:-1]
        columns = np.column_stack([target, probes])
        solution, lengths, turns = self._gradients(columns, _TRACE_RESIDUAL)
        trace = 0.0
        for k in range(1, _N_SIGNS + 1):
            length = np.array([step[k] for step in lengths if step[k] > 0])
            turn = np.array([step[k] for step in turns])[: len(length) - 1]
            diagonal = 1.0 / length
            diagonal[1:] += turn / length[:-1]
            values, vectors = linalg.eigh_tridiagonal(diagonal, np.sqrt(turn) / length[:-1])
            trace += n_rows * float(vectors[0] ** 2 @ np.log(values)) / _N_SIGNS
        log_determinant = 2.0 * float(np.log(self.factor[1]).sum()) + trace
        return float(target @ solution[:, 0]) / 2 - log_determinant / 2


class ManyItemsSystem(SparseSystem):
    """Systems of many items, which their diagonal solves roughly beforehand.

    Hardly any two of many items meet: the evidence, and errors, take the curvature for its
    diagonal.
    """

    def __init__(self, precision: LinearOperator, solver: SparseSolver, curvature: Slope) -> None:
        self.solver = solver
        product = LinearOperator(
            precision.shape, matvec=lambda v: curvature @ v.ravel(), dtype=np.float64
        )
        self.matrix = product + precision

    def _before(self, vectors: Floats) -> Floats:
        return self.solver.solve(vectors)

    def turned(self, noise: Floats) -> Floats:
        """A⁻¹ times draws of the score, one in each column."""
        return self.solver.solve(noise)

    def log_evidence(self, target: Floats) -> float:
        """½·bᵀA⁻¹b − ½·log det A for the target b, with that of the precision."""
        return float(target @ self.solver.solve(target) - self.solver.log_determinant()) / 2
