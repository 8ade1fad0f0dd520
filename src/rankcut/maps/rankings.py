"""Maps of rankings: places with counts, groups and item arrows."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankcut.directions import leading_directions
from rankcut.errors import InputError, amount
from rankcut.parameters import KEPT, SIDE, seed_from
from rankcut.pictures.page import Html, show_picture
from rankcut.pictures.scene import (
    WIDTH,
    Key,
    Legend,
    Mark,
    Part,
    Path,
    Picture,
    Points,
    Scene,
    Shape,
    Text,
    points_along,
    rectangle,
    write_labels,
)
from rankcut.pictures.theme import (
    COLOURS,
    FAINT,
    INK,
    OTHERS,
    PAPER,
    SOFT,
    UNKNOWN,
    check_length,
    colour,
    group_colours,
    shorten,
)
from rankcut.rankings import Unranked, read_rankings
from rankcut.rankings.orders import to_orders
from rankcut.rankings.ranking_set import RankingSet
from rankcut.results import Result, Table
from rankcut.results.words import percent
from rankcut.sample.labels import read_groups

# A page of this many marks has about 600 kB. If there are more, near points are drawn as one.
MOST_MARKS = 2500
# The frame, and the space beside and below it for the names of the axes.
_WIDTH, _HEIGHT, _BESIDE = WIDTH, 600, 30
# Radius of a mark of one ranking, of the largest and of the smallest.
_RADIUS_OF_ONE, _LARGEST_RADIUS, _SMALLEST_RADIUS = 4.5, 26.0, 1.8
MOST_ARROWS = 16
"""Items with the longest arrows are drawn: more would hide each other."""


def describe_orders(ranks: Any, items: Sequence[str], most: int = 8) -> list[str]:
    """Each ranking as its first items, best first.

    >>> describe_orders(np.array([[2.0, 1.0, 1.0]]), ["toro", "uni", "ika"])
    ['uni = ika > toro']
    """
    texts = []
    for order in to_orders(ranks, items):
        words = [" = ".join(group) if isinstance(group, tuple) else group for group in order]
        listed = " > ".join(shorten(word, 40) for word in words[:most])
        texts.append(listed + (" > …" if len(words) > most else ""))
    return texts


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


@dataclass(frozen=True, eq=False, repr=False)
class RankingMap(Result):
    """Rankings as marks in the plane, with the tables ``marks`` and ``items``.

    Its page shows counts, groups and the most common ranking of the point under the mouse,
    highlights a group that is clicked in the legend, and follows the arrow keys.
    """

    places: NDArray[np.float64]  #: where the marks are
    counts: NDArray[np.int64]  #: how many rankings each mark stands for
    groups: list[Group]  #: in the order of their colours; one without a name if there is no column
    parts: NDArray[np.int64]  #: how many rankings of each group each mark stands for
    words: list[str]  #: the most common ranking of each mark
    directions: NDArray[np.float64]  #: where each item is ranked high
    items: list[str]
    shares: NDArray[np.float64]  #: part of the variance along each axis
    by: str  #: name of the column
    merged: bool  #: whether near points are drawn as one
    title: str = ""

    @property
    def n_rankings(self) -> int:
        """How many rankings the map shows."""
        return int(self.counts.sum())

    def subtitle(self) -> str:
        """What is drawn, true of any map, without a full stop."""
        n_marks = len(self.counts)
        where = "" if n_marks == self.n_rankings else f" at {amount(n_marks, 'point')}"
        merged = ", near ones drawn as one" if self.merged else ""
        return f"{self.n_rankings:,} rankings of {len(self.items):,} items{where}{merged}"

    def sentences(self) -> list[str]:
        """What is drawn, how much of the variation it shows, and what marks mean."""
        share = f"The map shows {percent(float(self.shares.sum()), 1)} of the variation."
        return [f"{self.subtitle()}.", share, *about_groups(self)]

    def tables(self) -> dict[str, Table]:
        """Where marks are and what they stand for, and where each item is ranked high."""
        marks: dict[str, Any] = {
            "direction 1": self.places[:, 0],
            "direction 2": self.places[:, 1],
            "rankings": self.counts,
            "most common": self.words,
        }
        if len(self.groups) > 1:
            marks |= {group.name: self.parts[:, g] for g, group in enumerate(self.groups)}
        along = {f"direction {axis + 1}": self.directions[:, axis] for axis in (0, 1)}
        return {"marks": Table(marks), "items": Table({"item": self.items, **along})}

    def body(self) -> Iterator[Html]:
        """The drawing, which says all."""
        yield from show_picture(self.picture())

    def picture(self, most_arrows: int = MOST_ARROWS) -> Picture:
        """A map with its legends.

        It has the longest arrows; those after the first 16 wait until their item is chosen.
        """
        outlines = [group.outline() for group in self.groups]
        # Arrows are as long as the cloud allows, and labels need room beyond their tips.
        lengths = np.linalg.norm(self.directions, axis=1)
        longest = float(lengths.max(initial=0.0))
        arrows = np.argsort(-lengths, kind="stable")[:most_arrows]
        arrows = arrows[lengths[arrows] > 0.02 * longest]
        reach = float(np.linalg.norm(self.places, axis=1).max()) or 1.0
        tips = self.directions[arrows] * reach / (longest or 1.0)
        extent = np.vstack([self.places, np.zeros((1, 2)), *outlines, tips])
        low, high = extent.min(axis=0), extent.max(axis=0)
        room = np.array([0.76 * _WIDTH, 0.86 * _HEIGHT])
        scale = float((room / np.maximum(high - low, 1e-12)).min())

        middle = np.array([_BESIDE + _WIDTH / 2, _HEIGHT / 2])

        def put(points: Points) -> Points:
            across = scale * (points - (low + high) / 2) * (1, -1)
            return np.asarray(across + middle)

        one = min(
            _RADIUS_OF_ONE,
            _LARGEST_RADIUS / float(np.sqrt(self.counts.max())),
            # All marks together cover at most a quarter of the frame.
            float(np.sqrt(0.25 * _WIDTH * _HEIGHT / (np.pi * self.n_rankings))),
        )
        marks = list(_marks(self, put(self.places), one))
        shapes: list[Shape] = [
            Path(rectangle(_BESIDE, 0.5, _WIDTH - 0.5, _HEIGHT - 1), FAINT),
            *_ellipses(self, [put(outline) for outline in outlines]),
            *sorted(marks, key=lambda mark: -mark.radius),
            *_means(self, put),
            *_arrows(self, put(np.zeros(2)), put(tips), arrows.tolist(), marks),
            *_axis_names(self),
        ]
        words = [f"{self.subtitle()}."]
        if self.counts.min() < self.counts.max():
            words.append(f"Areas are numbers of rankings, up to {self.counts.max():,}.")
        if len(arrows):
            words.append("Arrows point to where an item is ranked high.")
            if len(arrows) < len(self.items):
                words.append(f"{amount(len(self.items) - len(arrows), 'shorter arrow')} left out.")
        words += about_groups(self)
        about = f"Map of {self.subtitle()}"
        scene = Scene(_BESIDE + _WIDTH, _HEIGHT + _BESIDE, shapes, about)
        return Picture(
            self.title or "Who ranks alike?", " ".join(words), scene, _colour_legend(self)
        )


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
        singular, directions = leading_directions(scaled, 2, seed_from(random_state))
        variances = singular**2
    largest = np.abs(directions).argmax(axis=1)
    directions = directions * np.sign(directions[[0, 1], largest])[:, np.newaxis]
    shares = np.maximum(variances, 0.0) / total if total > 0 else np.zeros(2)
    return Directions(centered @ directions.T, shares, directions.T)


def map_rankings(
    X: Any,
    by: Any = None,
    *,
    unranked: Unranked = "error",
    features: Any = None,
    counts: ArrayLike | None = None,
    by_name: str = "",
    colours: Mapping[str, str] | None = None,
    title: str = "",
) -> RankingMap:
    """Rankings as points in the plane, and items as arrows.

    The axes are the two main directions of the rankings' vectors. Rankings near each other are
    alike; an arrow points to where its item is ranked high. The area of a mark is in proportion to
    the number of rankings there, and a mark that several groups share is a pie of their colours.
    Each group has its mean and an ellipse that would hold half of it if it were normal.

    Parameters
    ----------
    X : RankingSet, array, frame or CSR array of shape (n_rankings, n_items)
        Rank matrix: 1 = best, equal = tied, NaN (or absent) = not ranked.
    by : str, array of shape (n_rankings,) or None
        The group of each ranking: values, or a column of a ranking set. The eight largest groups
        have a colour each; numbers with more values are cut into quarters.
    unranked : {"error", "last", "anywhere"}, default="error"
        What an unranked item means.
    features : estimator or None
        Turns rankings into vectors with a coordinate for each item; None is
        ``GraphCutFeatures(unranked=unranked, normalize=True)``.
    counts : array of shape (n_rankings,) or None
        How many people each ranking stands for; None takes the counts of a ranking set.
    by_name : str
        What the colours mean, if ``by`` is an array.
    colours : mapping of str to str, or None
        Colours of groups.
    title : str
        Heading; the title of a ranking set if empty.

    Examples
    --------
    >>> from rankcut.datasets import load_lunch
    >>> plane = map_rankings(load_lunch(), by="guest")
    >>> plane
    RankingMap(48 rankings of 8 items.)
    >>> [text.get_text() for text in plane.plot().axes[0].texts[:3]]
    ['guest:', 'juicy eater (24)', 'sweet tooth (24)']
    """
    from rankcut.cuts.feature_map import graph_cut_features
    from rankcut.cuts.offset_rows import filled

    if features is not None and unranked != "error":
        raise InputError("is an option of the features you pass", parameter="unranked")
    if getattr(X, "weights", None) is not None and not X.counted:
        # Whatever their weights, people are drawn once.
        X = X.without_weights()
    by_name = by_name or (by if isinstance(by, str) else "")
    by = column_of(X, by, "by")
    meaning: Unranked = unranked if features is None else "anywhere"
    rankings = read_rankings(X, unranked=meaning, counts=counts)
    n_items = rankings.shape[1]
    if min(rankings.shape) < 2:
        raise InputError("a map needs at least two rankings of two items")
    numbers = rankings.counts if rankings.counted else np.ones(rankings.shape[0])
    if (numbers < 1).any():
        raise InputError(
            "must hold a whole number of 1 or more for each ranking", parameter="counts"
        )
    which = np.arange(len(numbers))
    if features is None:
        distinct, which = rankings.merged()
        if distinct.shape[0] * n_items > KEPT:
            raise InputError(
                f"a map of {distinct.shape[0]:,} different rankings of {n_items:,} items is too "
                "large; draw some of the rows, or of the items"
            )
        vectors = filled(graph_cut_features(distinct, unranked=unranked, normalize=True))
    else:
        vectors = filled(features.fit_transform(X))
    if vectors.shape[1] != n_items:
        raise InputError("give vectors without a coordinate for each item", parameter="features")
    counts = numbers.astype(np.int64)
    if by is not None:
        check_length(by, len(counts), "by", "rankings")
    group_names = main_directions(vectors, np.bincount(which, counts).astype(np.int64))
    points = group_names.points[which]
    mark, merged = _gather(points)
    n_marks = int(mark.max()) + 1
    totals = np.bincount(mark, counts, n_marks).astype(np.int64)
    names, looks, group = group_rows(by, counts, colours)
    parts = np.zeros((n_marks, len(names)), dtype=np.int64)
    np.add.at(parts, (mark, group), counts)
    # The first of the most common rankings of each mark.
    order = np.lexsort((np.arange(len(mark)), -counts, mark))
    rows = order[np.searchsorted(mark[order], np.arange(n_marks))].tolist()
    items = [str(rankings.item(column)) for column in range(n_items)]
    words = describe_orders(rankings.rows(rows), items)
    if isinstance(X, RankingSet) and X.ids is not None:
        words = [f"{X.ids[row]}: {order}" for row, order in zip(rows, words, strict=True)]
    groups = [
        Group(name, look, int(counts[group == g].sum()))
        if look in (OTHERS, UNKNOWN) or not name
        else _group(name, look, points[group == g], counts[group == g])
        for g, (name, look) in enumerate(zip(names, looks, strict=True))
    ]
    places = [np.bincount(mark, counts * x, n_marks) / totals for x in points.T]
    return RankingMap(
        places=np.stack(places, axis=1),
        counts=totals,
        groups=groups,
        parts=parts,
        words=words,
        directions=group_names.loadings,
        items=items,
        shares=group_names.shares,
        by=by_name,
        merged=merged,
        title=title or getattr(X, "title", ""),
    )


def column_of(X: Any, values: Any, parameter: str) -> Any:
    """A column of a ranking set by its name, or the values themselves."""
    if not isinstance(values, str):
        return values
    columns = X.columns if isinstance(X, RankingSet) else {}
    if values not in columns:
        names = ", ".join(map(str, columns)) or "none"
        raise InputError(f"is {values!r}, not a column; columns are: {names}", parameter=parameter)
    return columns[values]


def _gather(points: NDArray[np.float64]) -> tuple[NDArray[np.int64], bool]:
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


def _quarters(values: Any) -> list[Any]:
    """A column; numbers with more values than there are colours are cut into quarters.

    >>> _quarters(np.arange(40.0))[9:11]
    ['0 to 9', '10 to 19']
    """
    column = np.asarray(values)
    numbers = column[column == column]
    if column.dtype.kind not in "fiu" or len(np.unique(numbers)) <= len(COLOURS):
        return list(column.tolist())
    part = np.searchsorted(np.quantile(numbers, (0.25, 0.5, 0.75)), column, side="left")
    part[column != column] = -1
    ends = ((k, column[part == k]) for k in np.unique(part[part >= 0]).tolist())
    names = {k: f"{inside.min():.4g} to {inside.max():.4g}" for k, inside in ends}
    return [names.get(k) for k in part.tolist()]


def group_rows(
    values: Any, counts: NDArray[np.int64], colours: Mapping[str, str] | None = None
) -> tuple[list[str], list[str], NDArray[np.int64]]:
    """Names and colours of groups, and the group of each row; grey groups are one.

    A group of everyone has no name, as without groups.
    """
    everyone = [""], [colour(0)], np.zeros(len(counts), dtype=np.int64)
    if values is None:
        return everyone
    read = read_groups(_quarters(values), len(counts), "by", counts)
    labels = read.texts
    if len(labels) + bool((read.codes < 0).any()) < 2:
        return everyone
    sizes = np.bincount(read.codes + 1, counts, len(labels) + 1).astype(int).tolist()
    if colours is None:
        colours = group_colours(dict(zip(labels, sizes[1:], strict=True)))
    names = [name for name in colours if name in labels and colours[name] != OTHERS]
    grey = [name for name in labels if colours.get(name, OTHERS) == OTHERS]
    number = {name: k for k, name in enumerate(names)} | dict.fromkeys(grey, len(names))
    looks = [colours[name] for name in names]
    if grey:
        names.append(grey[0] if len(grey) == 1 else f"{len(grey)} others")
        looks.append(OTHERS)
    places = np.array([*(number[label] for label in labels), len(names)])
    if sizes[0]:
        names.append("unknown")
        looks.append(UNKNOWN)
    return names, looks, places[read.codes]


def _group(
    name: str, its_colour: str, points: NDArray[np.float64], counts: NDArray[np.int64]
) -> Group:
    total = int(counts.sum())
    mean = counts @ points / total
    apart = points - mean
    spread = (counts[:, None] * apart).T @ apart / total if total >= 3 else None
    return Group(name, its_colour, total, mean, spread)


def about_groups(plane: RankingMap) -> list[str]:
    """What crosses and ellipses mean, if there are any."""
    crosses = len(plane.groups) > 1 and any(group.mean is not None for group in plane.groups)
    ellipses = any(group.spread is not None for group in plane.groups)
    words = ["Crosses are group means."] * crosses
    return words + ["An ellipse would hold half of its group if it were normal."] * ellipses


def _ellipses(plane: RankingMap, outlines: Sequence[Points]) -> Iterator[Shape]:
    visible = [g for g, outline in enumerate(outlines) if len(outline)]
    for g in visible:
        colour, lines = plane.groups[g].colour, [outlines[g]]
        # Many filled ellipses would be one blur.
        if len(visible) <= 3:
            yield Path(lines, colour, 0.0, 0.1, filled=True, group=g)
        yield Path(lines, colour, 1.5, group=g)


def _marks(plane: RankingMap, places: Points, one: float) -> Iterator[Mark]:
    # Of many points each is drawn fainter.
    solid = 0.82 if len(places) <= 300 else 0.5
    for mark, (x, y) in enumerate(places.tolist()):
        count = int(plane.counts[mark])
        tip = np.flatnonzero(plane.parts[mark]).tolist()
        parts = [Part(plane.groups[g].colour, plane.parts[mark, g] / count, g) for g in tip]
        about = amount(count, "ranking")
        if plane.by or len(plane.groups) > 1:
            about = ", ".join(f"{plane.groups[g].name}: {plane.parts[mark, g]:,}" for g in tip)
        radius = max(one * count**0.5, _SMALLEST_RADIUS)
        yield Mark(x, y, radius, parts, solid, tip=f"{about}\n{plane.words[mark]}".strip())


def _means(plane: RankingMap, put: Callable[[Points], Points]) -> Iterator[Shape]:
    """A cross for the middle of each group."""
    for g, group in enumerate(plane.groups):
        if group.mean is not None and len(plane.groups) > 1:
            cross = [put(group.mean) + each for each in _CROSS]
            yield Path(cross, PAPER, 7.0)
            yield Path(cross, group.colour, 4.0, group=g, tip=f"mean of {group.name}")


_CROSS = (np.array([[-7.0, 0.0], [7.0, 0.0]]), np.array([[0.0, -7.0], [0.0, 7.0]]))


def _arrows(
    plane: RankingMap, origin: Points, tips: Points, items: Sequence[int], marks: Sequence[Mark]
) -> Iterator[Shape]:
    """Arrows from the mean of all rankings, and their labels."""
    for number, (item, tip) in enumerate(zip(items, tips, strict=True)):
        along = (tip - origin) / (float(np.linalg.norm(tip - origin)) or 1.0)
        neck, side = tip - 7 * along, 3 * along[::-1] * (-1, 1)
        lines = [np.stack([origin, neck]), np.stack([neck + side, tip, neck - side, neck + side])]
        later = "later" if number >= MOST_ARROWS else ""
        yield Path(lines, INK, 1.2, 0.65, filled=True, item=item, where=later)
    middles = np.array([[mark.x, mark.y] for mark in marks])
    across = np.array([[mark.radius, 0.0] for mark in marks])
    rims = [
        middles,
        *(middles + sign * step for sign in (1, -1) for step in (across, across[:, ::-1])),
    ]
    named = tips[:MOST_ARROWS]
    yield from write_labels(
        tips,
        [plane.items[item] for item in items],
        (_BESIDE + 1, 1, _BESIDE + _WIDTH - 1, _HEIGHT - 1),
        n_placed=MOST_ARROWS,
        items=items,
        away=named - origin,
        gap=7,
        reach=3,
        # The head of another arrow must be seen.
        obstacles=np.hstack([named - 4, named + 4]),
        covered=np.concatenate([points_along(np.broadcast_to(origin, named.shape), named), *rims]),
    )


def _axis_names(plane: RankingMap) -> Iterator[Text]:
    across, up = (
        f"direction {i + 1} ({100 * share:.0f} % of the variance)"
        for i, share in enumerate(plane.shares.tolist())
    )
    for where, size in (("roomy", 12.0), ("narrow", 20.0)):
        look: Any = {"colour": SOFT, "where": where}
        yield Text(across, _BESIDE + _WIDTH / 2, _HEIGHT + _BESIDE / 2, size, **look)
        yield Text(up, _BESIDE / 2, _HEIGHT / 2, size, turned=True, **look)


def _colour_legend(plane: RankingMap) -> list[Legend]:
    if len(plane.groups) == 1:
        return []
    keys = [
        Key(f"{group.name} ({group.count:,})", group.colour, number)
        for number, group in enumerate(plane.groups)
    ]
    return [Legend(plane.by, keys)]
