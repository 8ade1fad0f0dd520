"""A map of rankings as numbers: places with counts, groups, and a direction for each item."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankcut.errors import amount
from rankcut.parameters import SIDE
from rankcut.pictures.theme import COLOURS, OTHERS, check_length, colour, scale_colour
from rankcut.pictures.theme import UNKNOWN as UNKNOWN_COLOUR

UNKNOWN = "unknown"

# A page of this many marks has about 600 kB. If there are more, near points are drawn as one.
MOST_MARKS = 2500


class Directions(NamedTuple):
    """Vectors along their two main directions."""

    points: NDArray[np.float64]
    shares: NDArray[np.float64]  #: of the variance, for each direction
    loadings: NDArray[np.float64]  #: of each coordinate of the vectors, for each direction


@dataclass(frozen=True, eq=False)
class Group:
    """Rankings of one colour."""

    name: str
    colour: str
    count: int  #: number of rankings
    mean: NDArray[np.float64] | None = None  #: where its middle is; None of a mixture
    spread: NDArray[np.float64] | None = None  #: covariances; None for fewer than three rankings

    def outline(self) -> NDArray[np.float64]:
        """The ellipse that would hold half of it if it were normal, as a polygon; empty if none."""
        if self.mean is None or self.spread is None:
            return np.zeros((0, 2))
        variances, axes = np.linalg.eigh(self.spread)
        turn = np.linspace(0, 2 * np.pi, 49)
        circle = np.stack([np.cos(turn), np.sin(turn)], axis=1)
        # Its radius is the root of the median of χ² with two degrees of freedom.
        radius = np.sqrt(2 * np.log(2) * np.maximum(variances, 0.0))
        return np.asarray(self.mean + circle * radius @ axes.T)


@dataclass(frozen=True, eq=False)
class RankingMap:
    """What :func:`~rankcut.plot_map` draws."""

    places: NDArray[np.float64]  #: where the marks are
    counts: NDArray[np.int64]  #: how many rankings each mark stands for
    groups: list[Group]  #: in the order of their colours; one without a name if there is no column
    parts: NDArray[np.int64]  #: how many rankings of each group each mark stands for
    #: At each mark, groups without a colour of their own, largest first
    others: dict[int, dict[str, int]]
    values: NDArray[np.float64] | None  #: the mean of a column of numbers at each mark
    rows: list[int]  #: the row of the most common ranking of each mark
    directions: NDArray[np.float64]  #: where each item is ranked high
    items: list[str]
    shares: NDArray[np.float64]  #: part of the variance along each axis
    by: str  #: name of the column
    merged: bool  #: whether near points are drawn as one
    #: The most common ranking of each mark; empty if nobody asks
    words: list[str] = field(default_factory=list)

    def described(self, words: Sequence[str]) -> "RankingMap":
        """The same with the ranking of each mark in words."""
        return replace(self, words=list(words))

    @property
    def n_rankings(self) -> int:
        """How many rankings the map shows."""
        return int(self.counts.sum())

    def subtitle(self) -> str:
        """One sentence on what is drawn, true of any map."""
        n_marks = len(self.counts)
        where = "" if n_marks == self.n_rankings else f" at {amount(n_marks, 'point')}"
        merged = ", near ones drawn as one" if self.merged else ""
        return f"{self.n_rankings:,} rankings of {len(self.items):,} items{where}{merged}"

    def value_range(self) -> tuple[float, float]:
        """The smallest and the largest value of a column of numbers."""
        assert self.values is not None
        known = self.values[~np.isnan(self.values)]
        return (float(known.min()), float(known.max())) if len(known) else (0.0, 0.0)

    def value_colours(self) -> list[str]:
        """The colour of each mark, where the column holds numbers."""
        assert self.values is not None
        low, high = self.value_range()
        return [
            UNKNOWN_COLOUR if np.isnan(v) else scale_colour((v - low) / ((high - low) or 1.0))
            for v in self.values.tolist()
        ]


def main_directions(
    vectors: NDArray[np.floating], counts: NDArray[np.int64], *, random_state: int = 0
) -> Directions:
    """The two principal components of vectors that count several times.

    The same as for an array with each row repeated. The largest component of a direction is
    positive.

    >>> found = main_directions(np.array([[0.0, 0.0], [1.0, 0.0], [3.0, 0.0]]), np.array([1, 2, 1]))
    >>> found.points[:, 0].round(2).tolist(), found.shares.round(2).tolist()
    ([-1.25, -0.25, 1.75], [1.0, 0.0])
    """
    weight = counts / counts.sum()
    centered = vectors - weight @ vectors
    scaled = np.sqrt(weight)[:, np.newaxis] * centered
    total = float(np.einsum("ij,ij->", scaled, scaled))
    if scaled.shape[1] <= SIDE:
        variances, directions = np.linalg.eigh(scaled.T @ scaled)
        variances, directions = variances[:-3:-1], directions[:, :-3:-1].T
    else:
        from sklearn.utils.extmath import randomized_svd

        _, singular, directions = randomized_svd(scaled, 2, random_state=random_state)
        variances = singular**2
    largest = np.abs(directions).argmax(axis=1)
    directions = directions * np.sign(directions[[0, 1], largest])[:, np.newaxis]
    shares = np.maximum(variances, 0.0) / total if total > 0 else np.zeros(2)
    return Directions(centered @ directions.T, shares, directions.T)


def kernel_directions(
    gram: NDArray[np.floating], positions: NDArray[np.floating], counts: NDArray[np.int64]
) -> Directions:
    """The two principal components in the space of a kernel, from its Gram matrix.

    An item's arrow is the slope of its positions along each axis. With the Gram matrix of the
    positions themselves, this is :func:`main_directions`.
    """
    weight = counts / counts.sum()
    means = gram @ weight
    centered = gram - means[:, np.newaxis] - means + weight @ means
    root = np.sqrt(weight)
    variances, components = np.linalg.eigh(root[:, np.newaxis] * centered * root)
    total = float(np.maximum(variances, 0.0).sum())
    variances, components = np.maximum(variances[:-3:-1], 0.0), components[:, :-3:-1]
    scale = np.divide(1.0, np.sqrt(variances), out=np.zeros(2), where=variances > 0)
    points = centered @ (root[:, np.newaxis] * components) * scale
    arrows = (positions - weight @ positions).T @ (weight[:, np.newaxis] * points) * scale**2
    largest = np.abs(arrows).argmax(axis=0)
    signs = np.where(arrows[largest, [0, 1]] < 0, -1.0, 1.0)
    shares = variances / total if total > 0 else np.zeros(2)
    return Directions(points * signs, shares, arrows * signs)


def distinct_points(
    labels: Sequence[str], color: NDArray[Any] | None, counts: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The rows of distinct points, in order of appearance, and how many rankings each counts.

    >>> distinct_points(["a > b", "b > a", "a > b"], None, np.array([1, 1, 3]))
    (array([0, 1]), array([4, 1]))
    """
    colors = [""] * len(labels) if color is None else map(str, color.tolist())
    numbers: dict[tuple[str, str], int] = {}
    point = [numbers.setdefault(key, len(numbers)) for key in zip(labels, colors, strict=True)]
    first = np.unique(point, return_index=True)[1]
    return first, np.bincount(point, counts).astype(np.int64)


def map_rankings(
    found: Directions,
    counts: NDArray[np.int64],
    items: Sequence[Hashable],
    values: Any = None,
    by: str = "",
) -> RankingMap:
    """Gather points that fall together into marks, and rankings into groups.

    ``found`` are directions of vectors with a coordinate for each item. ``values`` is a column
    named ``by``: numbers for a scale of colours, anything else for groups; None, NaN and empty text
    are unknown.
    """
    if values is not None:
        check_length(values, len(counts), "by", "rankings")
    mark, merged = _marks(found.points)
    n_marks = int(mark.max()) + 1
    totals = np.bincount(mark, counts, n_marks).astype(np.int64)
    numbers = _numbers(values)
    names, colours, group = group_rows(None if numbers is not None else values, counts)
    parts = np.zeros((n_marks, len(names)), dtype=np.int64)
    np.add.at(parts, (mark, group), counts)
    means = None
    if numbers is not None:
        known = ~np.isnan(numbers)
        weight = np.bincount(mark[known], counts[known], n_marks)
        sums = np.bincount(mark[known], (counts * np.nan_to_num(numbers))[known], n_marks)
        means = np.full(n_marks, np.nan)
        means[weight > 0] = sums[weight > 0] / weight[weight > 0]
    order = np.lexsort((np.arange(len(mark)), -counts, mark))
    rows = order[np.searchsorted(mark[order], np.arange(n_marks))]
    places = np.stack(
        [np.bincount(mark, counts * x, n_marks) / totals for x in found.points.T], axis=1
    )
    mixed = [name == UNKNOWN or c == OTHERS for name, c in zip(names, colours, strict=True)]
    groups = [
        Group(name, c, int(counts[group == g].sum()))
        if mixed[g] or not name
        else _group(name, c, found.points[group == g], counts[group == g])
        for g, (name, c) in enumerate(zip(names, colours, strict=True))
    ]
    return RankingMap(
        places,
        totals,
        groups,
        parts,
        {} if numbers is not None else _others(values, colours, group, mark, counts),
        means,
        rows.tolist(),
        found.loadings,
        [str(item) for item in items],
        found.shares,
        by,
        merged,
    )


def _marks(points: NDArray[np.float64]) -> tuple[NDArray[np.int64], bool]:
    """The mark of each row: points that fall together, or near each other if there are many."""
    size = float(np.ptp(points, axis=0).max()) or 1.0
    # Points closer than this part of the map's width are one mark.
    step, merged = 1e-6, False
    while True:
        cells = np.floor((points - points.min(axis=0)) / (size * step) + 0.5).astype(np.int64)
        _, first, mark = np.unique(cells, axis=0, return_index=True, return_inverse=True)
        if len(first) <= MOST_MARKS:
            break
        step, merged = max(1.3 * step, 1 / 200), True
    # In the order of appearance.
    place = np.empty(len(first), dtype=np.int64)
    place[np.argsort(first)] = np.arange(len(first))
    return place[mark.reshape(-1)], merged


def _numbers(values: Any) -> NDArray[np.float64] | None:
    """A column as numbers, if it holds more different ones than there are colours."""
    if values is None:
        return None
    column = np.asarray(values)
    if column.dtype.kind not in "fiu":
        return None
    numbers = column.astype(np.float64)
    return numbers if len(np.unique(numbers[~np.isnan(numbers)])) > len(COLOURS) else None


def group_rows(
    values: Any, counts: NDArray[np.int64]
) -> tuple[list[str], list[str], NDArray[np.int64]]:
    """Names and colours of groups, and the group of each row."""
    if values is None:
        return [""], [colour(0)], np.zeros(len(counts), dtype=np.int64)
    labels = _labels(values)
    sizes: Counter[str] = Counter()
    for label, count in zip(labels, counts.tolist(), strict=True):
        sizes[label] += count
    unknown = sizes.pop("", 0)
    largest = sorted(sizes, key=lambda name: (-sizes[name], name))[: len(COLOURS)]
    names = sorted(largest, key=_natural)
    colours = [colour(number) for number in range(len(names))]
    codes = {name: number for number, name in enumerate(names)}
    n_others = len(sizes) - len(names)
    if n_others:
        codes.update((name, len(names)) for name in sizes if name not in codes)
        names.append(f"{n_others} others")
        colours.append(OTHERS)
    if unknown:
        codes[""] = len(names)
        names.append(UNKNOWN)
        colours.append(UNKNOWN_COLOUR)
    return names, colours, np.array([codes[label] for label in labels], dtype=np.int64)


def _others(
    values: Any,
    colours: Sequence[str],
    group: NDArray[np.int64],
    mark: NDArray[np.int64],
    counts: NDArray[np.int64],
) -> dict[int, dict[str, int]]:
    """Groups that share the colour of the others, by mark, with their counts."""
    if OTHERS not in colours:
        return {}
    found: defaultdict[int, Counter[str]] = defaultdict(Counter)
    labels = _labels(values)
    for row in np.flatnonzero(group == colours.index(OTHERS)).tolist():
        found[int(mark[row])][labels[row]] += int(counts[row])
    return {
        number: dict(sorted(named.items(), key=lambda pair: (-pair[1], pair[0])))
        for number, named in found.items()
    }


def _labels(values: Any) -> list[str]:
    """The names of groups; empty for those who are in none."""
    return [
        ""
        if value is None or value != value
        else f"{value:g}"
        if isinstance(value, float)
        else str(value)
        for value in np.asarray(values).tolist()
    ]


def _natural(name: str) -> tuple[int, float, str]:
    """Numbers by size, before words."""
    try:
        return 0, float(name), name
    except ValueError:
        return 1, 0.0, name


def _group(
    name: str, its_colour: str, points: NDArray[np.float64], counts: NDArray[np.int64]
) -> Group:
    total = int(counts.sum())
    mean = counts @ points / total
    apart = points - mean
    spread = (counts[:, None] * apart).T @ apart / total if total >= 3 else None
    return Group(name, its_colour, total, mean, spread)
