"""The mean over completions of a ranking, from random completions, with its standard error.

Draws come in stages, and a stage in replicates: independent estimates of the same mean, whose
spread gives the standard error. Three things reduce it (``benchmarks/incomplete.py`` says how far):

* *antithetic*: each draw of gaps g is used together with its mirror image l − g;
* *stratified*: draws are Latin hypercubes, so that each item visits each part of the ranking
  equally often;
* *controlled*: β·(φ° − E φ°) is subtracted, where φ° are the slopes before pooling, whose mean is
  known in closed form. The number β is a regression over all coordinates, on the *other*
  replicates, so that the estimate stays unbiased. Only graph cuts have the closed form.

Mirroring maps completions one to one onto completions, so it keeps the mean of any set function
unbiased; how much it helps is another matter. Under a symmetric function, slopes before pooling
nearly cancel between a draw and its mirror image; under a function that is not, they need not.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rankcut._loops.gap_completions import add_tasks, draw_completions
from rankcut._loops.random_streams import name_streams
from rankcut._loops.replicates import (
    FEWEST_TO_REGRESS,
    LARGEST_EXPONENT,
    combine_replicates,
    plan_tasks,
)
from rankcut._loops.slopes import spread_slopes
from rankcut._loops.types import Floats, Ints
from rankcut.cuts.options import Completions
from rankcut.cuts.set_function import SetFunction, power_of_two
from rankcut.cuts.unlisted import Weighing
from rankcut.rankings.value import Partitions, block_rows

# Replicates of a stage: enough to estimate their spread, few enough to leave draws to stratify.
REPLICATES = 8

# Fewer draws may agree by luck, so their spread is not believed.
FEWEST_DRAWS = 64

# Draws after which a tolerance that is not met is given up, with a warning.
MOST_DRAWS = 1 << 17

# The relative error to reach, if the user says neither how many draws nor how exact.
TOLERANCE = 0.01

# Errors below this part of the vector's possible length are rounding.
_ROUNDING = 1e-13


@dataclass(frozen=True)
class Sampling:
    """How to draw: from which seed, and how much: a number of draws, or up to a tolerance."""

    seed: int
    n_draws: int | None
    tolerance: float

    @classmethod
    def of(cls, completions: Completions, seed: int) -> "Sampling":
        """As the user chose."""
        tolerance = completions.tolerance
        return cls(seed, completions.n_draws, TOLERANCE if tolerance is None else float(tolerance))

    @property
    def first_stage(self) -> int:
        """Pairs of the first stage: a draw and its mirror image."""
        return REPLICATES if self.n_draws is None else self.n_draws // 2

    @property
    def controlled(self) -> bool:
        """Whether means of slopes before pooling are used; this needs a few replicates."""
        return self.first_stage >= FEWEST_TO_REGRESS


@dataclass(frozen=True, eq=False)
class Means:
    """Estimated mean vectors of some rankings, and how good they are."""

    vectors: Floats
    standard_errors: Floats
    n_draws: NDArray[np.int64]
    relative_errors: Floats


def sampled_means(
    partitions: Partitions,
    rows: Ints,
    function: SetFunction,
    centres: Floats | None,
    sampling: Sampling,
    weighing: Weighing | None = None,
) -> Means:
    """Mean vectors of the partitions ``rows``, by as many stages as each of them needs.

    ``centres`` are the means of all partitions' slopes before pooling, if they are known and
    useful. Squares are taken of what is scaled by a power of two, so that the scale of the set
    function changes no choice and no bit of the rest.
    """
    scale = power_of_two(function.magnitude)
    names = np.empty(len(partitions), dtype=np.uint64)
    name_streams(partitions.chains, np.uint64(sampling.seed), names)
    n_draws = np.zeros(len(rows), dtype=np.int64)
    errors = np.full(len(rows), np.inf)
    rounding = _ROUNDING * (function.magnitude / scale)
    active = np.arange(len(rows))
    sizes = np.full(len(rows), sampling.first_stage, dtype=np.int32)
    stage = 0
    while active.size:
        replicates = np.minimum(sizes, REPLICATES).astype(np.int32)
        fresh, spread = _draw_stage(
            partitions,
            rows[active],
            names[rows[active]],
            sizes,
            replicates,
            stage,
            function,
            None if centres is None else centres[rows[active]],
            scale,
            weighing,
        )
        if stage == 0:
            vectors, variances = fresh, spread
            n_draws[:] = 2 * sizes
        else:
            # Stages are weighted by their numbers of draws.
            before, now = n_draws[active, None], 2 * sizes[:, None].astype(np.int64)
            total = before + now
            vectors[active] = (before * vectors[active] + now * fresh) / total
            variances[active] = (before**2.0 * variances[active] + now**2.0 * spread) / total**2.0
            n_draws[active] = total[:, 0]
        error = np.sqrt(variances[active].sum(axis=1))
        norm = np.linalg.norm(vectors[active], axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            errors[active] = np.where(error <= rounding, 0.0, error / norm)
        if sampling.n_draws is not None:
            break
        few = n_draws[active] < FEWEST_DRAWS
        short = few | ((errors[active] > sampling.tolerance) & (n_draws[active] < MOST_DRAWS))
        # What is still missing if the error falls a little faster than the root of the draws, as
        # larger hypercubes do, within bounds: an error from few replicates is not reliable.
        drawn = n_draws[active] // 2
        with np.errstate(over="ignore"):
            wanted = drawn * (0.9 * (errors[active] / sampling.tolerance) ** 2 - 1)
        allowed = np.minimum(7 * drawn, MOST_DRAWS // 2 - drawn)
        least = np.minimum(np.maximum(drawn // 4, FEWEST_DRAWS // 2 - drawn), allowed)
        sizes = np.clip(wanted, least, allowed)[short].astype(np.int32)
        sizes = -(-sizes // REPLICATES) * REPLICATES
        active = active[short]
        stage += 1
    return Means(scale * vectors, scale * np.sqrt(variances), n_draws, errors)


def _draw_stage(
    partitions: Partitions,
    rankings: Ints,
    names: NDArray[np.uint64],
    sizes: Ints,
    replicates: Ints,
    stage: int,
    function: SetFunction,
    centres: Floats | None,
    scale: float,
    weighing: Weighing | None,
) -> tuple[Floats, Floats]:
    """Mean and variance of the mean of one stage of draws, of vectors divided by ``scale``."""
    n_items = partitions.n_items
    controlled = centres is not None
    most = int(replicates.max())
    tasks = plan_tasks(rankings.astype(np.int32), names, sizes, replicates, stage)
    pooled = np.zeros((len(rankings) * most, n_items))
    plain = np.zeros((len(rankings) * most if controlled else 0, n_items))
    gaps = np.empty((1 << LARGEST_EXPONENT, n_items), dtype=np.uint32)

    def draw(some: slice, task_ends: Ints, part: Partitions) -> None:
        drawn = tasks.rankings[some], tasks.streams[some], tasks.exponents[some]
        draw_completions(partitions.chains, *drawn, gaps, part.chains)

    add_completions(
        draw,
        tasks.rankings,
        tasks.targets,
        2 << tasks.exponents.astype(np.int64),
        function,
        weighing,
        pooled,
        plain if controlled else None,
    )
    pooled /= 2 * scale
    plain /= 2 * scale
    means, variances = np.empty((2, len(rankings), n_items))
    combine_replicates(
        pooled,
        plain,
        plain if centres is None else centres / scale,
        controlled,
        sizes,
        replicates,
        most,
        means,
        variances,
    )
    return means, variances


def add_completions(
    complete: Callable[[slice, Ints, Partitions], None],
    rankings: Ints,
    targets: Ints,
    sizes: NDArray[np.int64],
    function: SetFunction,
    weighing: Weighing | None,
    pooled: Floats,
    plain: Floats | None = None,
) -> None:
    """Make completions a block at a time, and add the vectors of each task to its target.

    Task k makes ``sizes[k]`` completions of the partition ``rankings[k]``; ``complete`` writes
    those of a slice of the tasks, up to their ends, to a block. Slopes before pooling are added
    to ``plain``, if it is given.
    """
    n_items = pooled.shape[1]
    ends = np.cumsum(sizes)
    room = min(max(block_rows(n_items), int(sizes.max())), int(ends[-1]))
    block = Partitions.empty(room, n_items)
    increments, vectors = np.empty((2, room, n_items))
    first = 0
    while first < len(targets):
        done = ends[first] - sizes[first]
        last = int(np.searchsorted(ends, done + room, side="right"))
        some = slice(first, last)
        part = block[: int(ends[last - 1] - done)]
        task_ends = (ends[some] - done).astype(np.int32)
        complete(some, task_ends, part)
        function.increments(part, increments)
        if weighing is not None:
            weighing.apply(part, rankings[some], task_ends, increments)
        part.pool(increments, vectors)
        add_tasks(vectors, task_ends, targets[some], pooled)
        if plain is not None:
            spread_slopes(part.chains, increments, vectors)
            add_tasks(vectors, task_ends, targets[some], plain)
        first = last
