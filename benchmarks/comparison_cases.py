"""Simulated rankings of two groups: without a difference, and with differences of several kinds.

A case is a function of a random generator: it makes ranks and the options of ``compare_groups``.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

Made = tuple[np.ndarray, dict[str, Any]]
Make = Callable[[np.random.Generator], Made]


class Planted(NamedTuple):
    """A planted difference; ``any_difference`` if means are equal, so that kernels must see it."""

    rankings: str
    difference: str
    make: Make
    any_difference: bool = False


def plackett_luce(rng: np.random.Generator, n: int, strengths: np.ndarray) -> np.ndarray:
    """Full rankings: strengths and Gumbel noise, in order."""
    noise = rng.gumbel(size=(n, len(strengths)))
    return (-(strengths + noise)).argsort(axis=1).argsort(axis=1) + 1.0


def mallows(rng: np.random.Generator, n: int, phi: float, order: np.ndarray) -> np.ndarray:
    """Full rankings by repeated insertion, all rankings at once."""
    ranks = np.zeros((n, len(order)))
    for i, item in enumerate(order):
        weights = phi ** np.arange(i, -1, -1.0)
        bars = np.cumsum(weights / weights.sum())[:-1]
        place = np.searchsorted(bars, rng.random(n), side="right") + 1
        ranks[:, order[:i]] += ranks[:, order[:i]] >= place[:, np.newaxis]
        ranks[:, item] = place
    return ranks


def in_pairs(rng: np.random.Generator, ranks: np.ndarray) -> np.ndarray:
    """With ties: places 1 and 2 are one group, 3 and 4 the next, and so on."""
    return np.ceil(ranks / 2)


def top(rng: np.random.Generator, ranks: np.ndarray, low: int = 2, high: int = 6) -> np.ndarray:
    """The first few of each ranking, of random lengths."""
    lengths = rng.integers(low, high + 1, size=(len(ranks), 1))
    return np.where(ranks <= lengths, ranks, np.nan)


def thinned(rng: np.random.Generator, ranks: np.ndarray, share: float = 0.4) -> np.ndarray:
    """Without a random share of the items."""
    return np.where(rng.random(ranks.shape) < share, np.nan, ranks)


def null_cases(m: int = 80, n: int = 6) -> dict[str, Make]:
    """Rankings that do not depend on their groups."""
    strengths = np.linspace(1, -1, n)

    def groups(rng: np.random.Generator, share: float = 0.5, size: int = m) -> np.ndarray:
        labels = rng.random(size) < share
        labels[:2], labels[2:4] = True, False
        return rng.permutation(labels)

    def full(rng: np.random.Generator) -> Made:
        return plackett_luce(rng, m, strengths), {"groups": groups(rng)}

    def ties(rng: np.random.Generator) -> Made:
        ranks, options = full(rng)
        return in_pairs(rng, ranks), options

    def top_k(rng: np.random.Generator) -> Made:
        ranks, options = full(rng)
        return top(rng, ranks, 1, n - 1), {**options, "unranked": "last"}

    def incomplete(rng: np.random.Generator) -> Made:
        ranks, options = full(rng)
        return thinned(rng, ranks), {**options, "unranked": "anywhere"}

    def unbalanced(rng: np.random.Generator) -> Made:
        return plackett_luce(rng, 204, strengths), {"groups": groups(rng, 0.0, 204)}

    def repeated(rng: np.random.Generator) -> Made:
        own = rng.normal(size=(m // 4, 1, n)) * 2
        scores = (strengths + own + rng.gumbel(size=(m // 4, 4, n))).reshape(-1, n)
        ranks = (-scores).argsort(axis=1).argsort(axis=1) + 1.0
        people = np.repeat(np.arange(m // 4), 4)
        return ranks, {"groups": groups(rng, size=m // 4)[people], "people": people}

    def crossed(rng: np.random.Generator) -> Made:
        ranks, options = repeated(rng)
        labels = rng.random(m) < 0.5
        labels[:2] = [True, False]
        return ranks, {"groups": labels, "people": options["people"]}

    def counts(rng: np.random.Generator) -> Made:
        ranks, options = full(rng)
        return ranks, {**options, "sample_weight": np.ones(m, dtype=int)}

    def weighted(rng: np.random.Generator) -> Made:
        ranks, options = full(rng)
        return ranks, {**options, "sample_weight": rng.exponential(size=m)}

    def other_lists(rng: np.random.Generator) -> Made:
        # Groups list different items and lengths: only "order" is a true null.
        ranks, labels = plackett_luce(rng, 3 * m, strengths), groups(rng, size=3 * m)
        length = np.where(labels, rng.integers(2, 5, 3 * m), rng.integers(3, 7, 3 * m))
        ranks = np.where(ranks <= length[:, np.newaxis], ranks, np.nan)
        return ranks, {"groups": labels, "unranked": "last"}

    return {
        "full": full,
        "ties": ties,
        "top-k": top_k,
        "incomplete": incomplete,
        "unbalanced 1:50": unbalanced,
        "repeated people": repeated,
        "people in both groups": crossed,
        "counts": counts,
        "weighted": weighted,
        "other lists, same order": other_lists,
    }


def planted_cases(m: int = 100, n: int = 10) -> list[Planted]:
    """Differences between two groups of m rankings of n items.

    The statistic of ``compare_groups`` was chosen on other items, sizes and lists than these.
    """
    base, items = np.linspace(1.6, -1.6, n), np.arange(n)

    def by_strengths(change: np.ndarray, scale: float = 1.0) -> Make:
        def make(rng: np.random.Generator) -> Made:
            first = plackett_luce(rng, m, scale * base)
            return both(first, plackett_luce(rng, m, scale * base + change))

        return make

    def moved(item: int, by: float, scale: float = 1.0) -> Make:
        return by_strengths(by * (items == item), scale)

    def swapped(a: int, b: int, share: float) -> Make:
        order = items.copy()
        order[[a, b]] = order[[b, a]]

        def make(rng: np.random.Generator) -> Made:
            k = rng.binomial(m, share)
            second = [mallows(rng, m - k, 0.55, items), mallows(rng, k, 0.55, order)]
            return both(mallows(rng, m, 0.55, items), np.vstack(second))

        return make

    def split(rng: np.random.Generator) -> Made:
        for_, against = plackett_luce(rng, m, base), plackett_luce(rng, m, -base)
        second = np.where(rng.random((m, 1)) < 0.5, for_, against)
        return both(plackett_luce(rng, m, 0 * base), second)

    def longer(rng: np.random.Generator) -> Made:
        ranks = plackett_luce(rng, 2 * m, base)
        groups = np.repeat([0, 1], m)
        lengths = np.where(groups, rng.integers(2, 6, 2 * m), rng.integers(2, 7, 2 * m))
        ranks = np.where(ranks <= lengths[:, np.newaxis], ranks, np.nan)
        return ranks, {"groups": groups, "unranked": "last"}

    def seen(make: Make, kind: str) -> Make:
        change = {"ties": in_pairs, "top-k": top, "incomplete": thinned}[kind]
        unranked = {"ties": "error", "top-k": "last", "incomplete": "anywhere"}[kind]

        def changed(rng: np.random.Generator) -> Made:
            ranks, options = make(rng)
            return change(rng, ranks), {**options, "unranked": unranked}

        return changed

    exchanged = (items == 3).astype(float) - (items == 2)
    return [
        Planted("full", "one item moved, middle", moved(5, 0.6)),
        Planted("full", "one item moved, top", moved(0, -0.75, 1.25)),
        Planted("full", "one item moved, bottom", moved(8, 0.7)),
        Planted("full", "one item moved, no other order", moved(6, 0.55, 0.0)),
        Planted("full", "two swapped, top", swapped(1, 2, 0.7)),
        Planted("full", "two swapped, middle", swapped(6, 7, 0.7)),
        Planted("full", "two swapped, strengths", by_strengths(0.4 * exchanged)),
        Planted("full", "more spread, same order", by_strengths(-0.24 * base)),
        Planted("ties", "one item moved, middle", seen(moved(5, 0.6), "ties")),
        Planted("ties", "two swapped, strengths", seen(by_strengths(0.45 * exchanged), "ties")),
        Planted("ties", "more spread, same order", seen(by_strengths(-0.24 * base), "ties")),
        Planted("top-k", "one item moved, middle", seen(moved(5, 0.8), "top-k")),
        Planted("top-k", "one item moved, top", seen(moved(0, -0.75), "top-k")),
        Planted("top-k", "two swapped, top", seen(swapped(1, 2, 0.8), "top-k")),
        Planted("top-k", "two swapped, strengths", seen(by_strengths(0.4 * exchanged), "top-k")),
        Planted("top-k", "more spread, same order", seen(by_strengths(-0.27 * base), "top-k")),
        Planted("incomplete", "one item moved, middle", seen(moved(5, 0.9), "incomplete")),
        Planted(
            "incomplete",
            "two swapped, strengths",
            seen(by_strengths(0.65 * exchanged), "incomplete"),
        ),
        Planted(
            "incomplete", "more spread, same order", seen(by_strengths(-0.4 * base), "incomplete")
        ),
        Planted("full", "split, same mean", split, any_difference=True),
        Planted("top-k", "longer lists, same order", longer, any_difference=True),
    ]


def both(first: np.ndarray, second: np.ndarray) -> Made:
    """The rankings of two groups."""
    return np.vstack([first, second]), {"groups": np.repeat([0, 1], [len(first), len(second)])}
