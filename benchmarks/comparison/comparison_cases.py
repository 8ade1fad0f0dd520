"""Simulated groups: designs in which groups have the same means, and planted differences.

Each maker takes a random generator and returns ranks and the options of ``compare_groups``.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

Made = tuple[np.ndarray, dict[str, Any]]
Make = Callable[[np.random.Generator], Made]
Rng = np.random.Generator

# So that a sample of a layout takes a second or two.
MOST_ROWS = 4_000


def plackett_luce(rng: Rng, n: int, strengths: np.ndarray) -> np.ndarray:
    """Full rankings: strengths and Gumbel noise, in order."""
    return ranked(strengths + rng.gumbel(size=(n, len(strengths))))


def ranked(scores: np.ndarray) -> np.ndarray:
    return (-scores).argsort(axis=1).argsort(axis=1) + 1.0


def mallows(rng: Rng, n: int, phi: float, order: np.ndarray) -> np.ndarray:
    """Full rankings by repeated insertion, all rankings at once."""
    ranks = np.zeros((n, len(order)))
    for i, item in enumerate(order):
        weights = phi ** np.arange(i, -1, -1.0)
        bars = np.cumsum(weights / weights.sum())[:-1]
        place = np.searchsorted(bars, rng.random(n), side="right") + 1
        ranks[:, order[:i]] += ranks[:, order[:i]] >= place[:, np.newaxis]
        ranks[:, item] = place
    return ranks


def camps(rng: Rng, n: int, n_items: int, scale: float = np.inf) -> np.ndarray:
    """Half rank in one order, half in the reverse; without noise if the scale is infinite."""
    base = np.linspace(1.6, -1.6, n_items)
    side = np.where(rng.random((n, 1)) < 0.5, 1.0, -1.0)
    noise = 0.0 if np.isinf(scale) else rng.gumbel(size=(n, n_items)) / scale
    return ranked(side * base + noise)


def polarised(rng: Rng, n: int, n_items: int) -> np.ndarray:
    """Item 0 is first for half and last for the others, who are indifferent otherwise."""
    scores = rng.gumbel(size=(n, n_items))
    scores[:, 0] = np.where(rng.random(n) < 0.5, 99.0, -99.0)
    return ranked(scores)


def middling(rng: Rng, n: int, n_items: int) -> np.ndarray:
    """Item 0 is in the middle for everyone."""
    rest = plackett_luce(rng, n, np.zeros(n_items - 1))
    middle = n_items // 2
    return np.column_stack([np.full(n, middle + 1.0), rest + (rest > middle)])


def top(ranks: np.ndarray, lengths: Any) -> np.ndarray:
    """The first few of each ranking."""
    return np.where(ranks <= np.broadcast_to(lengths, len(ranks))[:, np.newaxis], ranks, np.nan)


def shown(rng: Rng, ranks: np.ndarray, chances: Any) -> np.ndarray:
    """Only items that are shown, at least two of each ranking."""
    lots = rng.random(ranks.shape) / chances
    seen = (lots < 1) | (lots.argsort(axis=1).argsort(axis=1) < 2)
    return np.where(seen, ranks, np.nan)


def both(*groups: np.ndarray, **options: Any) -> Made:
    """The rankings of several groups."""
    labels = np.repeat(np.arange(len(groups)), [len(each) for each in groups])
    return np.vstack(groups), {"groups": labels, **options}


def equal_groups(rng: Rng, sizes: list[int], strengths: np.ndarray, ties: int = 1) -> Made:
    """Groups of the same population; ``ties`` places share a rank."""
    return both(*(np.ceil(plackett_luce(rng, m, strengths) / ties) for m in sizes))


def one_unanimous(rng: Rng) -> Made:
    ranks = np.column_stack([np.ones(48), plackett_luce(rng, 48, np.zeros(3)) + 1])
    return ranks, {"groups": rng.permutation(np.repeat([0, 1], 24))}


def nearly_unanimous(rng: Rng) -> Made:
    strengths = np.array([4.0, 0, 0, 0, 0])
    return both(plackett_luce(rng, 20, strengths), plackett_luce(rng, 100, strengths))


def clusters(rng: Rng, n_people: int = 30, crossed: bool = False, k: int = 0) -> Made:
    """Four rankings of each person, who has a taste of their own; ``k``: only the first k."""
    own = np.linspace(1, -1, 6) + 2 * rng.normal(size=(n_people, 1, 6))
    ranks = ranked((own + rng.gumbel(size=(n_people, 4, 6))).reshape(-1, 6))
    people = np.repeat(np.arange(n_people), 4)
    labels = np.tile([0, 1, 1, 0], n_people) if crossed else people % 2
    options = {"groups": labels, "people": people}
    return (top(ranks, k), options | {"unranked": "last"}) if k else (ranks, options)


def strata(rng: Rng) -> Made:
    town = np.repeat([0, 1], 60)
    ranks = ranked(
        np.where(town[:, None], 1, -1) * np.linspace(1, -1, 5) + rng.gumbel(size=(120, 5))
    )
    return ranks, {"groups": rng.random(120) < np.where(town, 0.7, 0.3), "strata": town}


def weighted(rng: Rng, weights: Callable[[int], np.ndarray]) -> Made:
    ranks, options = equal_groups(rng, [60, 60], np.linspace(1, -1, 5))
    return ranks, options | {"sample_weight": weights(120)}


def reweighted(rng: Rng) -> Made:
    """Two kinds of people in unequal parts, and weights that make the parts equal."""
    kind = rng.random(200) < np.repeat([0.8, 0.3], 100)
    scores = np.where(kind[:, None], 1, -1) * np.linspace(1, -1, 5)
    weights = np.where(
        kind, np.repeat([0.5 / 0.8, 0.5 / 0.3], 100), np.repeat([2.5, 0.5 / 0.7], 100)
    )
    ranks = ranked(scores + rng.gumbel(size=(200, 5)))
    return ranks, {"groups": np.repeat([0, 1], 100), "sample_weight": weights}


def lists(rng: Rng, sizes: tuple[int, int], lengths: tuple[Any, Any]) -> Made:
    base = np.linspace(1, -1, 8)
    return both(
        *(top(plackett_luce(rng, m, base), k) for m, k in zip(sizes, lengths, strict=True)),
        unranked="last",
    )


FIRST, LAST = np.repeat([0.9, 0.3], 4), np.repeat([0.3, 0.9], 4)
OTHER = np.tile([0.9, 0.3], 4)


def exposed(rng: Rng, sizes: tuple[int, ...], chances: tuple[Any, ...], **options: Any) -> Made:
    base = np.linspace(1.5, -1.5, 8)
    parts = (
        shown(rng, plackett_luce(rng, m, base), each)
        for m, each in zip(sizes, chances, strict=True)
    )
    return both(*parts, unranked="anywhere", **options)


def uneven_weights(rng: Rng) -> Made:
    """60 people with weights of which a few are large, 150 with equal ones."""
    ranks, options = equal_groups(rng, [60, 150], np.linspace(1, -1, 5))
    weights = np.append(rng.lognormal(sigma=1.2, size=60), np.ones(150))
    return ranks, options | {"sample_weight": weights}


def few_of_thirty(rng: Rng) -> Made:
    """20 people who see about 9 of 30 items each."""
    ranks = plackett_luce(rng, 20, np.linspace(1.5, -1.5, 30))
    return shown(rng, ranks, 0.3), {"groups": np.repeat([0, 1], 10), "unranked": "anywhere"}


def exposed_thirty(rng: Rng) -> Made:
    """40 people in each group, who see about six of thirty items: other ones in each group."""
    ranks = plackett_luce(rng, 80, np.linspace(1.2, -1.2, 30))
    group = np.repeat([0, 1], 40)
    often = np.where((np.arange(30) >= 15) == group[:, None], 0.3, 0.1)
    return shown(rng, ranks, often), {"groups": group, "unranked": "anywhere"}


def exposed_in_part(rng: Rng) -> Made:
    """Three groups of 40: the first and the second see no items in common."""
    ranks, group = plackett_luce(rng, 120, np.linspace(1, -1, 6)), np.repeat([0, 1, 2], 40)
    seen = np.array([[1, 1, 1, 0, 0, 0], [0, 0, 0, 1, 1, 1], [0, 1, 1, 1, 1, 0]]) > 0
    return np.where(seen[group], ranks, np.nan), {"groups": group, "unranked": "anywhere"}


def exposed_pairs(rng: Rng) -> Made:
    """Pairs of neighbours among eight items, others in each group."""
    ranks = plackett_luce(rng, 300, np.linspace(1.5, -1.5, 8))
    group = np.repeat([0, 1], 150)
    first = np.where(rng.random(300) < 0.8, 4 * group, 0) + rng.integers(0, 4, 300)
    first = np.minimum(first, 6)
    seen = (np.arange(8) == first[:, None]) | (np.arange(8) == first[:, None] + 1)
    return np.where(seen, ranks, np.nan), {"groups": group, "unranked": "anywhere"}


def exposed_camps(rng: Rng) -> Made:
    ranks = camps(rng, 300, 8, 1.0)
    group = np.repeat([0, 1], 150)
    seen = shown(rng, ranks, np.where(group[:, None], LAST, FIRST))
    return seen, {"groups": group, "unranked": "anywhere"}


def null_designs() -> dict[str, Make]:
    """Designs without a difference of means; the last few break an assumption."""
    six, ten, zero = np.linspace(1, -1, 6), np.linspace(1.6, -1.6, 10), np.zeros(5)
    ring = np.eye(8, k=1) + np.eye(8, k=-1)

    def two(first: Callable[[Rng], np.ndarray], second: Callable[[Rng], np.ndarray]) -> Make:
        return lambda rng: both(first(rng), second(rng))

    def indifferent(n: int, n_items: int = 5) -> Callable[[Rng], np.ndarray]:
        return lambda rng: plackett_luce(rng, n, np.zeros(n_items))

    same = partial(partial, equal_groups)
    return {
        "full: 40, 40": same(sizes=[40, 40], strengths=six),
        "full: 100, 100, ten items": same(sizes=[100, 100], strengths=ten),
        "full: 20, 100, ten items": same(sizes=[20, 100], strengths=ten),
        "full: 5, 200": same(sizes=[5, 200], strengths=six),
        "full: 10, 200": same(sizes=[10, 200], strengths=six),
        "full: 3, 50": same(sizes=[3, 50], strengths=six),
        "full: 15, 15, twenty items": same(sizes=[15, 15], strengths=np.linspace(2, -2, 20)),
        "full: 1,000, 1,500 (no permutations)": same(sizes=[1000, 1500], strengths=six),
        "ties: heavy, 40, 40": same(sizes=[40, 40], strengths=six, ties=3),
        "ties: heavy, 20, 60": same(sizes=[20, 60], strengths=six, ties=3),
        "one item unanimous": one_unanimous,
        "one item nearly unanimous, 20, 100": nearly_unanimous,
        "two camps 200, indifferent 10": two(lambda r: camps(r, 200, 5), indifferent(10)),
        "noisy camps 200, indifferent 10": two(lambda r: camps(r, 200, 5, 1.0), indifferent(10)),
        "camps 200, indifferent 50, ten items": two(
            lambda r: camps(r, 200, 10), indifferent(50, 10)
        ),
        "camps 100, indifferent 100": two(lambda r: camps(r, 100, 5), indifferent(100)),
        "noisy camps 10, indifferent 200": two(lambda r: camps(r, 10, 5, 1.0), indifferent(200)),
        "polarised item 15, others 200": two(
            lambda r: polarised(r, 15, 5), lambda r: middling(r, 200, 5)
        ),
        "polarised item 200, others 15": two(
            lambda r: polarised(r, 200, 5), lambda r: middling(r, 15, 5)
        ),
        "polarised item 15, indifferent 200": two(lambda r: polarised(r, 15, 5), indifferent(200)),
        "three groups: 100, 80, 2": same(sizes=[100, 80, 2], strengths=six),
        "ten groups of 20": same(sizes=[20] * 10, strengths=six),
        "ten groups of 5 to 50": same(sizes=list(range(5, 55, 5)), strengths=six),
        "four groups, camps in one": lambda r: both(
            camps(r, 60, 5, 1.0), *(plackett_luce(r, m, zero) for m in (20, 40, 60))
        ),
        "clusters of four": clusters,
        "people in both groups": partial(clusters, crossed=True),
        "strata that explain all": strata,
        "weights: exponential": lambda r: weighted(r, lambda n: r.exponential(size=n)),
        "weights: 100 each": lambda r: weighted(r, lambda n: np.full(n, 100)),
        "weights that make populations equal": reweighted,
        "top-k: 1 to 7 of 8": lambda r: lists(r, (60, 60), (r.integers(1, 8, 60),) * 2),
        "top-3, top-6": partial(lists, sizes=(60, 60), lengths=(3, 6)),
        "top-3 10, top-6 100": partial(lists, sizes=(10, 100), lengths=(3, 6)),
        "top-3, clusters of four": partial(clusters, k=3),
        "incomplete: 60 % shown": partial(exposed, sizes=(60, 60), chances=(0.6, 0.6)),
        "other items shown": partial(exposed, sizes=(100, 100), chances=(FIRST, LAST)),
        "other items shown, 20, 200": partial(exposed, sizes=(20, 200), chances=(FIRST, LAST)),
        "other items shown, with a graph": partial(
            exposed, sizes=(100, 100), chances=(FIRST, LAST), graph=ring
        ),
        "other pairs shown": exposed_pairs,
        "breaks: camps 200, indifferent 10, ten items": two(
            lambda r: camps(r, 200, 10), indifferent(10, 10)
        ),
        "breaks: other items shown to noisy camps": exposed_camps,
        "breaks: other items of thirty shown, 40, 40": exposed_thirty,
        "breaks: two of three groups share no items": exposed_in_part,
        "other items shown, 15, 60, 150": partial(
            exposed, sizes=(15, 60, 150), chances=(FIRST, LAST, OTHER)
        ),
        "30 % of thirty items shown, 10, 10": few_of_thirty,
        "top-1, top-7, 100, 100": partial(lists, sizes=(100, 100), lengths=(1, 7)),
        "uneven weights 60, equal 150": uneven_weights,
        "thirty groups of 10": same(sizes=[10] * 30, strengths=six),
    }


def few_designs() -> dict[str, Make]:
    """Few people, whose spread is larger or smaller than that of 200 others; equal means."""
    kinds: dict[str, Callable[[Rng, int], np.ndarray]] = {
        "camps": lambda rng, n: camps(rng, n, 5),
        "indifferent": lambda rng, n: plackett_luce(rng, n, np.zeros(5)),
        "polarised": lambda rng, n: polarised(rng, n, 5),
        "middling": lambda rng, n: middling(rng, n, 5),
    }

    def two(few: str, many: str, size: int) -> Make:
        return lambda rng: both(kinds[few](rng, size), kinds[many](rng, 200))

    opposite = [("camps", "indifferent"), ("polarised", "middling")]
    return {
        f"{few} {size}, {many} 200": two(few, many, size)
        for pair in opposite
        for few, many in (pair, pair[::-1])
        for size in (3, 5, 7, 10, 15)
    }


def halves(rng: Rng, n: int, n_items: int) -> np.ndarray:
    """Each pair of opposite places is in one order for half of the people, independently."""
    ranks = np.tile(np.arange(1.0, n_items + 1), (n, 1))
    turned = rng.random((n, n_items // 2)) < 0.5
    turned = np.hstack([turned, np.zeros((n, n_items % 2), dtype=bool), turned[:, ::-1]])
    return np.where(turned, n_items + 1 - ranks, ranks)


def small_designs() -> dict[str, Make]:
    """Few people in both groups, a planted item among them; and what breaks the level."""
    six, ten = np.linspace(1, -1, 6), np.linspace(1.6, -1.6, 10)

    def two(m: int, n: int, one: Callable[..., np.ndarray], other: Callable[..., np.ndarray]):
        return lambda rng: both(one(rng, m), other(rng, n))

    def moved(strengths: np.ndarray, item: int) -> Callable[..., np.ndarray]:
        change = 1.5 * (np.arange(len(strengths)) == item)
        return partial(plackett_luce, strengths=strengths + change)

    def like(strengths: np.ndarray) -> Callable[..., np.ndarray]:
        return partial(plackett_luce, strengths=strengths)

    five_camps, five_polarised = partial(camps, n_items=5), partial(polarised, n_items=5)
    in_halves, indifferent = partial(halves, n_items=10), like(np.zeros(10))
    return {
        "alike: 5, 5": two(5, 5, like(six), like(six)),
        "alike: 8, 8, ten items": two(8, 8, like(ten), like(ten)),
        "alike: 6, 60": two(6, 60, like(six), like(six)),
        "moved by 1.5: 5, 5": two(5, 5, moved(six, 2), like(six)),
        "moved by 1.5: 8, 8, ten items": two(8, 8, moved(ten, 4), like(ten)),
        "moved by 1.5: 12, 60": two(12, 60, moved(six, 2), like(six)),
        "breaks: camps 5, indifferent 5": two(5, 5, five_camps, like(np.zeros(5))),
        "breaks: polarised 5, middling 7": two(5, 7, five_polarised, partial(middling, n_items=5)),
        "breaks: camps 10, indifferent 12": two(10, 12, five_camps, like(np.zeros(5))),
        "breaks: halves 6, indifferent 60": two(6, 60, in_halves, indifferent),
        "breaks: halves 9, indifferent 8": two(9, 8, in_halves, indifferent),
    }


def planted_designs(m: int = 100) -> dict[str, Make]:
    """Differences between groups of ten items."""
    base, items = np.linspace(1.6, -1.6, 10), np.arange(10)
    random = 0.3 * np.random.default_rng(5).normal(size=10)
    exchanged = (items == 3).astype(float) - (items == 2)

    def changed(change: np.ndarray, scale: float = 1.0, second: int = m, ties: int = 1) -> Make:
        def make(rng: Rng) -> Made:
            one = plackett_luce(rng, m, scale * base)
            other = plackett_luce(rng, second, scale * base + change)
            return both(np.ceil(one / ties), np.ceil(other / ties))

        return make

    def swapped(a: int, b: int, share: float) -> Make:
        order = items.copy()
        order[[a, b]] = order[[b, a]]

        def make(rng: Rng) -> Made:
            k = rng.binomial(m, share)
            second = [mallows(rng, m - k, 0.55, items), mallows(rng, k, 0.55, order)]
            return both(mallows(rng, m, 0.55, items), np.vstack(second))

        return make

    def seen(make: Make, low: int = 0, share: float = 0.0) -> Make:
        def partly(rng: Rng) -> Made:
            ranks, options = make(rng)
            if low:
                return top(ranks, rng.integers(low, 7, len(ranks))), options | {"unranked": "last"}
            return shown(rng, ranks, share), options | {"unranked": "anywhere"}

        return partly

    return {
        "full: one item moved, middle": changed(0.6 * (items == 5)),
        "full: one item moved, top": changed(-0.75 * (items == 0), 1.25),
        "full: one item moved, no other order": changed(0.55 * (items == 6), 0.0),
        "full: one item moved, 100 and 20": changed(1.1 * (items == 5), 1.0, 20),
        "full: two swapped, top": swapped(1, 2, 0.7),
        "full: two swapped, strengths": changed(0.4 * exchanged),
        "full: more spread, same order": changed(-0.24 * base),
        "full: all items moved a little": changed(random),
        "ties: one item moved, middle": changed(0.6 * (items == 5), 1.0, m, 2),
        "ties: two swapped, strengths": changed(0.45 * exchanged, 1.0, m, 2),
        "top-k: one item moved, middle": seen(changed(0.8 * (items == 5)), low=2),
        "top-k: one item moved, top": seen(changed(-0.75 * (items == 0)), low=2),
        "top-k: two swapped, top": seen(swapped(1, 2, 0.8), low=2),
        "incomplete: one item moved, middle": seen(changed(0.9 * (items == 5)), share=0.6),
        "incomplete: two swapped, strengths": seen(changed(0.65 * exchanged), share=0.6),
        "incomplete: more spread, same order": seen(changed(-0.4 * base), share=0.6),
    }


def voters(
    rng: Rng,
    sizes: tuple[int, ...],
    often: tuple[Any, ...],
    kind: str = "full",
    taste: float = 0.0,
    change: float = 0.0,
) -> Made:
    """People of several groups who made so many rankings each, a number or a range.

    ``taste`` is the spread of strengths between people; ``change`` is what the first group adds to
    the third item.
    """
    base, rows, people, groups = np.linspace(1, -1, 6), [], [], []
    for group, (size, number) in enumerate(zip(sizes, often, strict=True)):
        for _ in range(size):
            count = number if np.isscalar(number) else int(rng.integers(*number, endpoint=True))
            own = base + taste * rng.normal(size=6)
            own[2] += change * (group == 0)
            rows.append(plackett_luce(rng, count, own))
            people += [len(rows)] * count
            groups += [group] * count
    ranks, options = np.vstack(rows), {"groups": np.array(groups), "people": np.array(people)}
    if kind == "full":
        return ranks, options
    if kind == "top":
        return top(ranks, 2), options | {"unranked": "last"}
    pair = rng.random(ranks.shape).argsort(axis=1) < 2
    return np.where(pair, ranks, np.nan), options | {"unranked": "anywhere"}


def voters_designs() -> dict[str, Make]:
    """Groups whose people differ in how many rankings they made; no difference between groups."""
    layouts: dict[str, tuple[tuple[int, ...], tuple[Any, ...]]] = {
        "12 x 80, 40 x 6": ((12, 40), (80, 6)),
        "4 x 80, 30 x 6": ((4, 30), (80, 6)),
        "12 x 6, 40 x 80": ((12, 40), (6, 80)),
        "4 x 6, 30 x 80": ((4, 30), (6, 80)),
        "10 x 1, 10 x 50": ((10, 10), (1, 50)),
        "5 x 1, 200 x 5": ((5, 200), (1, 5)),
        "30 x 10, 30 x 2": ((30, 30), (10, 2)),
        "3 x 200, 50 x 1": ((3, 50), (200, 1)),
        "12 x 1 to 160, 40 x 1 to 12": ((12, 40), ((1, 160), (1, 12))),
        "8 x 60, 25 x 10, 60 x 2": ((8, 25, 60), (60, 10, 2)),
        "200 x 1, 10 x 20": ((200, 10), (1, 20)),
    }
    made = {}
    for number, (name, (sizes, often)) in enumerate(layouts.items()):
        for kind in ("full", "top", "pairs"):
            # Every other layout with people who have tastes of their own.
            taste = 0.7 * (number % 2)
            said = ", own tastes" if taste else ""
            made[f"{kind}: {name}{said}"] = partial(
                voters, sizes=sizes, often=often, kind=kind, taste=taste
            )
    return made


def planted_voters() -> dict[str, Make]:
    """The same with an item that moved in the first group."""
    layouts = {
        "12 x 80, 40 x 6": ((12, 40), (80, 6), 0.25),
        "12 x 6, 40 x 80": ((12, 40), (6, 80), 0.5),
        "30 x 10, 30 x 2": ((30, 30), (10, 2), 0.5),
    }
    return {
        f"{kind}: {name}": partial(
            voters,
            sizes=sizes,
            often=often,
            kind=kind,
            change=change * (2.0 if kind == "pairs" else 1.0),
        )
        for name, (sizes, often, change) in layouts.items()
        for kind in ("full", "pairs")
    }


def layout(rng: Rng, kind: str, fewest: tuple[int, int]) -> Made:
    """Two or three groups of any sizes, numbers of rankings, spread, exposure, lengths and weights.

    The smallest group has from as many people to as many. Where groups differ in spread, in
    lengths and in what they are shown, all items are equal, so that means and strengths are.
    """
    n_groups, n_items = int(rng.integers(2, 4)), int(rng.integers(4, 11))
    sizes = np.exp(rng.uniform(*np.log([fewest[0], 200]), n_groups)).astype(int)
    sizes[0] = rng.integers(*fewest, endpoint=True)
    often = np.exp(rng.uniform(0.0, np.log(200), n_groups))
    often = np.clip(often, 1, max(MOST_ROWS / sizes.sum(), 1)).astype(int)
    spread = rng.uniform(0.0, 1.5, n_groups)
    base = np.zeros(n_items)
    lengths, chances = (
        rng.integers(1, n_items, n_groups),
        rng.uniform(0.3, 1.0, (n_groups, n_items)),
    )
    if rng.random() < 0.5:
        # People with tastes of their own have other strengths in other lists.
        spread[:], base = spread[0], np.linspace(1, -1, n_items)
        lengths[:], chances[:] = lengths[0], chances[0]
    rows, people, groups = [], [], []
    for group in rng.permutation(n_groups):
        for _ in range(sizes[group]):
            count = int(rng.integers(1, 2 * often[group], endpoint=True))
            tastes = base + spread[group] * rng.normal(size=n_items)
            ranks = plackett_luce(rng, count, tastes)
            if kind == "top":
                ranks = top(ranks, lengths[group])
            elif kind == "pairs":
                lots = rng.random(ranks.shape) / chances[group]
                ranks = np.where(lots.argsort(axis=1).argsort(axis=1) < 2, ranks, np.nan)
            rows.append(ranks)
            people += [len(rows)] * count
            groups += [group] * count
    groups, people = np.array(groups), np.array(people)
    options = {"groups": groups, "people": people}
    if kind != "full":
        options["unranked"] = "last" if kind == "top" else "anywhere"
    if rng.random() < 1 / 3:
        # The first group's people have uneven weights.
        weights = rng.lognormal(sigma=0.8, size=len(rows) + 1)[people]
        options["sample_weight"] = np.where(groups == 0, weights, 1.0)
    return np.vstack(rows), options


def layout_designs() -> dict[str, Make]:
    """Layouts that are drawn anew in each sample; no difference between groups."""
    return {
        f"{kind}: {fewest[0]} to {fewest[1]} people": partial(layout, kind=kind, fewest=fewest)
        for kind in ("full", "top", "pairs")
        for fewest in ((3, 5), (6, 11), (12, 29), (30, 100))
    }
