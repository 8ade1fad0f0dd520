"""The experiments as they were published: kernels, steps and labels of the authors' program.

Their program is public (MichelangeloConserva/CutFunctionKernel). It cannot be run as released:
``full_and_topk/utils.py``, which builds the item graph, is absent, and Kendall's and Mallows'
kernel are commented out in two of its experiments. So this is a program of ours with their
settings. They differ from the text, and between kernels: only the graph cut kernel on full and
top-k rankings has a constant beside the linear kernel; weights are exp(−d/ℓ) there, and cuts are
unweighted for ties and for incomplete rankings; fits end after 10, 20 or at most 200 L-BFGS steps.
Each is done as it was, and again with one thing changed at a time. Mallows' kernel, whose fits
factor a whole matrix in every step, is looked at as printed alone.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from reproduction import methods
from reproduction.claims import Way
from reproduction.gpflow_steps import Linear, Stop, path_of_steps
from reproduction.learning import Labels, Split, score, spectral_features
from reproduction.methods import CUT, KENDALL, Cut, Rankings, Rows, Seen
from reproduction.store import Record

BOTH = "a constant for both"
NEITHER = "a constant for neither"
CONVERGED = "fits to convergence"
TEXT = "weights of the text"
OWN = "own completions"
OWN_CONVERGED = "own completions, fits to convergence"

# Far more steps than any fit takes.
_MANY = 1000


@dataclass(frozen=True)
class Release:
    """How a kernel was run in one of the published experiments.

    ``steps`` are L-BFGS steps, ``variance`` is where the kernel's variance starts. ``cut`` is the
    variant of the graph cut kernel. ``absent`` counts items that were included though no ranking
    has them.
    """

    steps: int
    constant: bool = False
    variance: float = 1.0
    cut: Cut | None = None
    absent: int = 0


_WEIGHTED = Cut(kernel="exponential")
_UNWEIGHTED = Cut(kernel="exponential", weighted=False)

FULL_AND_LISTS = {CUT: Release(20, constant=True, cut=_WEIGHTED), KENDALL: Release(20)}
"""Both data sets, except for what follows."""

SUSHI: dict[str, dict[str, Release]] = {
    "full": FULL_AND_LISTS,
    # The number of items stands where the variance should.
    "top-6": FULL_AND_LISTS | {KENDALL: Release(20, variance=10.0)},
    "4 of 10": {CUT: Release(10, cut=_UNWEIGHTED), KENDALL: Release(200)},
    "10 of 100": {CUT: Release(10, cut=replace(_UNWEIGHTED, draws="same")), KENDALL: Release(200)},
}

_LISTS = FULL_AND_LISTS | {KENDALL: Release(20, absent=2)}

SYNTHETIC: dict[str, dict[str, Release]] = {
    "full": FULL_AND_LISTS,
    "top-6": _LISTS,
    "top-3": _LISTS,
    "ties": {CUT: Release(200, cut=replace(_UNWEIGHTED, normalize=True)), KENDALL: Release(200)},
    "incomplete": {CUT: Release(200, cut=_UNWEIGHTED), KENDALL: Release(200)},
}


def see_released(release: Release, rankings: Rankings, seed: int) -> Seen:
    """Rankings as a released kernel sees them; ``seed`` is for what is drawn."""
    if release.cut is not None:
        if release.cut.draws == "same":
            # Whatever the seed, their draws are by the number of items.
            seed = rankings.ranks.shape[1]
        return Seen(methods.cut_features(release.cut, rankings, seed))
    nowhere = np.full((len(rankings.ranks), release.absent), np.nan)
    return methods.see_kendall(np.hstack([rankings.ranks, nowhere]), rankings.unranked)


class Lesson(NamedTuple):
    """Rankings as a kernel sees them, their labels, and which of them to learn from."""

    seen: Seen
    target: Labels
    split: Split


def fit(
    lesson: Lesson, release: Release, *, steps: int, rank: int = 0
) -> tuple[Linear, list[Stop]]:
    """The path of a fit, and the kernel that predicts the test rankings at each of its steps.

    A Gram matrix is represented by ``rank`` coordinates.
    """
    (features, gram), target, (train, test) = lesson
    if features is None:
        features = spectral_features(gram, train, rank)
    how = {"constant": release.constant, "variance": release.variance}
    kernel = Linear(features[train], features[test], **how)
    return kernel, path_of_steps(kernel, target[train] == 1, steps)


class Run(NamedTuple):
    """Scores of a variant, and the path of its fit."""

    variant: str
    record: Record
    path: list[Stop]


def stopped(lesson: Lesson, kernel: Linear, path: list[Stop], step: int) -> Record:
    """Scores of the labels that are predicted at a step, or at the last one."""
    stop = path[min(step, len(path) - 1)]
    predicted = kernel.extend(stop.parameters, stop.mean) > 0
    found = score(lesson.target[lesson.split.test], predicted)
    return found | {"ELBO": stop.elbo, "steps": stop.step}


def runs(
    release: Release,
    lesson: Lesson,
    *,
    text: Seen | None = None,
    own: Seen | None = None,
    rank: int = 0,
    alone: bool = False,
) -> Iterator[Run]:
    """A kernel as published, and with one thing changed at a time.

    ``text`` has the vectors that the text describes, ``own`` those whose completions are not the
    same for all. With ``alone``, nothing is changed.
    """
    kernel, path = fit(lesson, release, steps=release.steps if alone else _MANY, rank=rank)
    published = stopped(lesson, kernel, path, release.steps)
    yield Run(Way.PUBLISHED, published, path)
    if alone:
        return
    yield Run(CONVERGED, stopped(lesson, kernel, path, _MANY), [])

    def instead(other: Lesson, changed: Release) -> Record:
        kernel, path = fit(other, changed, steps=release.steps, rank=rank)
        return stopped(other, kernel, path, release.steps)

    other = instead(lesson, replace(release, constant=not release.constant))
    yield Run(BOTH, published if release.constant else other, [])
    yield Run(NEITHER, other if release.constant else published, [])
    if text is not None:
        yield Run(TEXT, instead(lesson._replace(seen=text), release), [])
    if own is not None:
        ours = lesson._replace(seen=own)
        kernel, path = fit(ours, release, steps=_MANY)
        yield Run(OWN, stopped(ours, kernel, path, release.steps), [])
        yield Run(OWN_CONVERGED, stopped(ours, kernel, path, _MANY), [])


def released_sample(target: Labels, size: int, seed: int) -> Rows:
    """The people of a seed in the authors' program: all of class 1, as many of class 0, mixed."""
    rng = np.random.RandomState(seed)
    ones, zeros = (np.flatnonzero(target == c) for c in (1, 0))
    people = np.concatenate([ones, rng.choice(zeros, len(ones), replace=False)])
    rng.shuffle(people)
    return people[:size]


class MixUp(NamedTuple):
    """Labels that were given to rankings of other people.

    ``people`` are those of the matrix, ``rows`` those of them whose rankings were used, ``target``
    the labels they were given, and ``right`` their own.
    """

    seed: int
    people: Rows
    rows: Rows
    target: Labels
    right: Labels


def mixed_up(
    experiment: str, target: Labels, seeds: Sequence[int], n: int, of: int
) -> Iterator[MixUp]:
    """Which labels Kendall's kernel was given: ``n`` rankings of the ``of`` in its matrix.

    The matrix was computed once, for one sample of people. For top-6 lists its first rows were used
    with the labels of each seed's own sample. For incomplete rankings rows and labels were drawn
    from it together, but after the first seed from labels that were drawn already.
    """
    people = released_sample(target, of, 0)
    left = target[people]
    for seed in seeds:
        if experiment == "top-6":
            rows = np.arange(n)
            given = target[released_sample(target, n, seed)]
        else:
            rows = np.random.RandomState(seed).choice(np.arange(len(left)), n, replace=False)
            left = given = left[rows]
        yield MixUp(seed, people, rows, given, target[people[rows]])


def first_rows(n: int) -> Split:
    """The authors' split: the first four fifths to learn from, the rest to predict."""
    return Split(np.arange(n - n // 5), np.arange(n - n // 5, n))
