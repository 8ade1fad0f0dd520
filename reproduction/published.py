"""The experiments as they were published: kernels, steps and labels of the authors' program.

Their program is public (MichelangeloConserva/CutFunctionKernel). It differs from the text, and
between kernels: only the graph cut kernel on full and top-k rankings has a constant beside the
linear kernel; weights are exp(−d/ℓ) there, and cuts are unweighted for ties and for incomplete
rankings; fits end after 10, 20 or at most 200 L-BFGS steps. Here each of them is run as it was, and
again with one thing changed at a time.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import accuracy_score, f1_score

from rankcut.kernels.kendall import kendall_features, kendall_kernel
from reproduction.encodings import (
    CUT,
    KENDALL,
    MALLOWS,
    PER_LIST,
    Cut,
    Rankings,
    cut_features,
    draw_full_rankings,
)
from reproduction.learning import Floats, Labels, Split, spectral_features
from reproduction.published_gp import (
    Kernel,
    Linear,
    Mallows,
    Matrix,
    Stop,
    discordant_pairs,
    published_path,
)
from reproduction.store import Record

PUBLISHED = "as published"
BOTH = "a constant for both"
NEITHER = "a constant for neither"
CONVERGED = "to convergence"
TWENTY = "20 steps"
TEXT = "weights of the text"
EVEN = "classes split evenly"
OWN = "own completions"
OWN_CONVERGED = "own completions, to convergence"
MIXED = "labels as they were run"

VARIANTS = (
    PUBLISHED,
    NEITHER,
    BOTH,
    TWENTY,
    CONVERGED,
    OWN,
    OWN_CONVERGED,
    TEXT,
    EVEN,
    MIXED,
)

# Far more than any fit takes.
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

FULL_AND_LISTS = {
    CUT: Release(20, constant=True, cut=_WEIGHTED),
    KENDALL: Release(20),
    MALLOWS: Release(20),
}
"""Both data sets, except for what follows."""

SUSHI: dict[str, dict[str, Release]] = {
    "full": FULL_AND_LISTS,
    # The number of items stands where the variance should.
    "top-6": FULL_AND_LISTS | {KENDALL: Release(20, variance=10.0)},
    "4 of 10": {CUT: Release(10, cut=_UNWEIGHTED), KENDALL: Release(200)},
    "10 of 100": {
        CUT: Release(10, cut=replace(_UNWEIGHTED, draws="same")),
        KENDALL: Release(200),
    },
}

_LISTS = FULL_AND_LISTS | {KENDALL: Release(20, absent=2)}

SYNTHETIC: dict[str, dict[str, Release]] = {
    "full": FULL_AND_LISTS,
    "top-6": _LISTS,
    "top-3": _LISTS,
    "ties": {CUT: Release(200, cut=replace(_UNWEIGHTED, normalize=True)), KENDALL: Release(200)},
    "incomplete": {CUT: Release(200, cut=_UNWEIGHTED), KENDALL: Release(200)},
}


NOTED = {34: 0.5095, 4: 0.5508, 12: 0.5096, 42: 0.4894, 1232: 0.5469, 2638: 0.5591}
"""F1 of the graph cut kernel on 10 of 100 items, by seed, from a comment in their program."""


class Seen(NamedTuple):
    """What a kernel sees of all rankings: vectors, a Gram matrix, or full rankings."""

    features: Floats | None = None
    gram: Floats | None = None
    full: Floats | None = None
    draws: int = 1


def see(name: str, release: Release, rankings: Rankings, seed: int) -> Seen:
    """Rankings as the kernel of that name sees them; ``seed`` is for what is drawn."""
    if release.cut is not None:
        if release.cut.draws == "same":
            # Whatever the seed, their draws are by the number of items.
            seed = rankings.ranks.shape[1]
        return Seen(cut_features(release.cut, rankings, seed))
    if name == MALLOWS:
        ranks = np.asarray(rankings.ranks)
        draws = PER_LIST if np.isnan(ranks).any() else 1
        return Seen(full=draw_full_rankings(ranks, draws, seed), draws=draws)
    ranks = rankings.ranks
    if release.absent:
        nowhere = np.full((len(ranks), release.absent), np.nan)
        ranks = np.hstack([np.asarray(ranks), nowhere])
    if ranks.shape[1] > 30:
        return Seen(gram=kendall_kernel(ranks, unranked=rankings.unranked))
    return Seen(kendall_features(ranks, unranked=rankings.unranked))


def select(seen: Seen, rows: NDArray[np.intp]) -> Seen:
    """Some of the rankings."""
    if seen.features is not None:
        return Seen(seen.features[rows])
    if seen.gram is not None:
        return Seen(gram=seen.gram[np.ix_(rows, rows)])
    assert seen.full is not None
    several = (seen.draws * rows[:, None] + np.arange(seen.draws)).ravel()
    return Seen(full=seen.full[several], draws=seen.draws)


class Lesson(NamedTuple):
    """Rankings as a kernel sees them, their labels, and which of them to learn from."""

    seen: Seen
    target: Labels
    split: Split


def fit(
    lesson: Lesson, release: Release, *, steps: int, rank: int = 0
) -> tuple[Kernel, list[Stop]]:
    """The path of a fit, and the kernel that predicts the test rankings at each of its steps.

    A Gram matrix is used as it is, or with ``rank`` represented by that many coordinates.
    """
    seen, target, split = lesson
    rows = np.concatenate([split.train, split.test])
    n = len(split.train)
    kernel: Kernel
    features = seen.features
    if seen.gram is not None and rank:
        features = spectral_features(seen.gram, split.train, rank).features
    if features is not None:
        kernel = Linear(
            features[split.train],
            features[split.test],
            constant=release.constant,
            variance=release.variance,
        )
    elif seen.gram is not None:
        kernel = Matrix(seen.gram[np.ix_(rows, rows)], n, variance=release.variance)
    else:
        chosen = select(seen, rows)
        assert chosen.full is not None
        pairs = discordant_pairs(chosen.full)
        kernel = Mallows(pairs, n, mallows_lengthscale(pairs, n, chosen), draws=chosen.draws)
    return kernel, published_path(kernel, target[split.train] == 1, steps)


def mallows_lengthscale(pairs: NDArray[np.uint8], n_train: int, seen: Seen) -> float:
    """Where ℓ of exp(−d/ℓ) starts.

    It is one over the median share of pairs on which two full rankings differ, and for lists that
    median itself, of the mean over draws.
    """
    assert seen.full is not None
    n_pairs = seen.full.shape[1] * (seen.full.shape[1] - 1) / 2
    own = pairs[: n_train * seen.draws, : n_train * seen.draws] / n_pairs
    if seen.draws == 1:
        return float(1.0 / np.median(own))
    steps = np.arange(seen.draws)
    aligned = np.mean([own[step :: seen.draws, step :: seen.draws] for step in steps], axis=0)
    return float(np.median(aligned))


def scores_at(stop: Stop, kernel: Kernel, truth: Labels) -> Record:
    """How well the labels at a step agree with the truth."""
    predicted = kernel.extend(stop.parameters, stop.mean) > 0
    return {
        "F1": float(f1_score(truth, predicted, zero_division=0.0)),
        "accuracy": float(accuracy_score(truth, predicted)),
        "share of class 1": float(predicted.mean()),
        "ELBO": stop.elbo,
        "steps": stop.step,
    }


class Run(NamedTuple):
    """Scores of a variant, and the path of its fit."""

    variant: str
    record: Record
    path: list[Stop]


def runs(
    release: Release,
    lesson: Lesson,
    *,
    text: Seen | None = None,
    even: Lesson | None = None,
    rank: int = 0,
    alone: bool = False,
) -> Iterator[Run]:
    """A kernel as published, and with one thing changed at a time.

    ``text`` has the vectors that the text describes, ``even`` a split with as many of each class.
    With ``alone``, and where a whole matrix is used, nothing is changed.
    """
    seen = lesson.seen
    alone = alone or seen.full is not None or (seen.gram is not None and not rank)
    kernel, path = fit(lesson, release, steps=release.steps if alone else _MANY, rank=rank)
    truth = lesson.target[lesson.split.test]
    published = scores_at(path[min(release.steps, len(path) - 1)], kernel, truth)
    yield Run(PUBLISHED, published, path)
    if alone:
        return
    yield Run(TWENTY, scores_at(path[min(20, len(path) - 1)], kernel, truth), [])
    yield Run(CONVERGED, scores_at(path[-1], kernel, truth), [])

    def instead(other: Lesson, changed: Release) -> Record:
        kernel, path = fit(other, changed, steps=release.steps, rank=rank)
        return scores_at(path[-1], kernel, other.target[other.split.test])

    other = instead(lesson, replace(release, constant=not release.constant))
    yield Run(BOTH, published if release.constant else other, [])
    yield Run(NEITHER, other if release.constant else published, [])
    if text is not None:
        yield Run(TEXT, instead(lesson._replace(seen=text), release), [])
    if even is not None:
        yield Run(EVEN, instead(even, release), [])


def runs_with_own_completions(release: Release, lesson: Lesson) -> Iterator[Run]:
    """As published, and to convergence, with vectors whose completions are not the same for all."""
    kernel, path = fit(lesson, release, steps=_MANY)
    truth = lesson.target[lesson.split.test]
    stopped = path[min(release.steps, len(path) - 1)]
    yield Run(OWN, scores_at(stopped, kernel, truth), [])
    yield Run(OWN_CONVERGED, scores_at(path[-1], kernel, truth), [])


def released_sample(target: Labels, size: int, seed: int) -> NDArray[np.intp]:
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
    people: NDArray[np.intp]
    rows: NDArray[np.intp]
    target: Labels
    right: Labels


def mixed_up(experiment: str, target: Labels, seeds: Any, n: int, of: int) -> Iterator[MixUp]:
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
