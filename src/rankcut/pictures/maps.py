"""Maps of rankings: places with counts, groups and item arrows, as a figure and as a page."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankcut.errors import InputError, amount
from rankcut.parameters import SIDE
from rankcut.pictures.figures import draw_figure
from rankcut.pictures.page import page, show_picture, tag
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

# A page of this many marks has about 600 kB. If there are more, near points are drawn as one.
MOST_MARKS = 2500
# The frame, and the space beside and below it for the names of the axes.
_WIDTH, _HEIGHT, _BESIDE = WIDTH, 600, 30
# Radius of a mark of one ranking, of the largest and of the smallest.
_ONE, _LARGEST, _SMALLEST = 4.5, 26.0, 1.8
MOST_ARROWS = 16
"""Items with the longest arrows are drawn: more would hide each other."""


def plot_map(
    X: Any,
    by: ArrayLike | None = None,
    *,
    unranked: Unranked = "error",
    features: Any = None,
    counts: ArrayLike | None = None,
    by_name: str = "",
    title: str = "",
) -> Any:
    """Draw rankings as points in the plane, and items as arrows.

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
    title : str
        Heading; the title of a ranking set if empty.

    Returns
    -------
    matplotlib.figure.Figure

    See Also
    --------
    map_page : The same as a page that shows the ranking under the mouse.

    Examples
    --------
    >>> from rankcut import plot_map
    >>> from rankcut.datasets import load_lunch
    >>> figure = plot_map(load_lunch(), by="guest")
    >>> [text.get_text() for text in figure.axes[1].texts]
    ['guest:', 'juicy eater (24)', 'sweet tooth (24)']
    """
    found = read_map(X, by, unranked, features, counts, by_name)
    return draw_figure(map_picture(found, title or getattr(X, "title", "")))


def map_page(X: Any, by: ArrayLike | None = None, *, title: str = "", **options: Any) -> str:
    """A map of rankings as HTML of less than 1 MB; options are those of :func:`~rankcut.plot_map`.

    The page shows counts, groups and the most common ranking of the point under the mouse,
    highlights a group that is clicked in the legend, and follows the arrow keys.

    >>> from rankcut.datasets import load_lunch
    >>> from rankcut.pictures.maps import map_page
    >>> html = map_page(load_lunch(), by="guest")
    >>> "<title>Lunch</title>" in html, "sweet tooth" in html
    (True, True)
    """
    found = read_map(X, by, **options)
    return show_map(map_picture(found, title or getattr(X, "title", "")))


def show_map(picture: Picture) -> str:
    """The page of a map."""
    return page(picture.title, tag("h1", picture.title), *show_picture(picture))


def describe_orders(ranks: Any, items: Sequence[str], most: int = 8) -> list[str]:
    """Each ranking as its first items, best first.

    >>> describe_orders(np.array([[2.0, 1.0, 1.0]]), ["toro", "uni", "ika"])
    ['uni = ika > toro']
    """
    found = []
    for order in to_orders(ranks, items):
        words = [" = ".join(group) if isinstance(group, tuple) else group for group in order]
        shown = " > ".join(shorten(word, 40) for word in words[:most])
        found.append(shown + (" > …" if len(words) > most else ""))
    return found


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
    words: list[str]  #: the most common ranking of each mark
    directions: NDArray[np.float64]  #: where each item is ranked high
    items: list[str]
    shares: NDArray[np.float64]  #: part of the variance along each axis
    by: str  #: name of the column
    merged: bool  #: whether near points are drawn as one

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


def read_map(
    X: Any,
    by: Any = None,
    unranked: Unranked = "error",
    features: Any = None,
    counts: ArrayLike | None = None,
    by_name: str = "",
    colours: Mapping[str, str] | None = None,
) -> RankingMap:
    """The map of rankings as :func:`plot_map` takes them; ``colours`` are those of groups."""
    from rankcut.cuts.transformers import GraphCutFeatures

    if features is not None and unranked != "error":
        raise InputError("is an option of the features you pass", parameter="unranked")
    if getattr(X, "weights", None) is not None and not X.counted:
        # Whatever their weights, people are drawn once.
        X = replace(X, weights=None)
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
    default = GraphCutFeatures(unranked=unranked, normalize=True)
    vectors = np.asarray(
        default.fit_transform(rankings) if features is None else features.fit_transform(X)
    )
    if vectors.shape[1] != n_items:
        raise InputError("give vectors without a coordinate for each item", parameter="features")
    counts = numbers.astype(np.int64)
    if by is not None:
        check_length(by, len(counts), "by", "rankings")
    found = main_directions(vectors, counts)
    mark, merged = _gather(found.points)
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
    if (ids := getattr(X, "ids", None)) is not None:
        words = [f"{ids[row]}: {order}" for row, order in zip(rows, words, strict=True)]
    groups = [
        Group(name, look, int(counts[group == g].sum()))
        if look in (OTHERS, UNKNOWN) or not name
        else _group(name, look, found.points[group == g], counts[group == g])
        for g, (name, look) in enumerate(zip(names, looks, strict=True))
    ]
    places = [np.bincount(mark, counts * x, n_marks) / totals for x in found.points.T]
    return RankingMap(
        places=np.stack(places, axis=1),
        counts=totals,
        groups=groups,
        parts=parts,
        words=words,
        directions=found.loadings,
        items=items,
        shares=found.shares,
        by=by_name,
        merged=merged,
    )


def column_of(X: Any, given: Any, parameter: str) -> Any:
    """A column of a ranking set by its name, or the values themselves."""
    if not isinstance(given, str):
        return given
    columns = X.columns if isinstance(X, RankingSet) else {}
    if given not in columns:
        known = ", ".join(map(str, columns)) or "none"
        raise InputError(f"is {given!r}, not a column; columns are: {known}", parameter=parameter)
    return columns[given]


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
    names = {k: f"{own.min():.4g} to {own.max():.4g}" for k, own in ends}
    return [names.get(k) for k in part.tolist()]


def group_rows(
    values: Any, counts: NDArray[np.int64], colours: Mapping[str, str] | None = None
) -> tuple[list[str], list[str], NDArray[np.int64]]:
    """Names and colours of groups, and the group of each row; grey groups are one.

    A group of everyone has no name, as without groups.
    """
    labels = [
        ""
        if value is None or value != value
        else f"{value:g}"
        if isinstance(value, float)
        else str(value)
        for value in ([] if values is None else _quarters(values))
    ]
    if len({*labels}) < 2:
        return [""], [colour(0)], np.zeros(len(counts), dtype=np.int64)
    sizes: Counter[str] = Counter()
    for label, count in zip(labels, counts.tolist(), strict=True):
        sizes[label] += count
    unknown = sizes.pop("", 0)
    known = (
        group_colours(sizes) if colours is None else {n: colours[n] for n in colours if n in sizes}
    )
    names = [name for name, own in known.items() if own != OTHERS]
    grey = [name for name, own in known.items() if own == OTHERS]
    codes = {name: number for number, name in enumerate(names)}
    looks = [known[name] for name in names]
    if grey:
        codes.update(dict.fromkeys(grey, len(names)))
        names.append(grey[0] if len(grey) == 1 else f"{len(grey)} others")
        looks.append(OTHERS)
    if unknown:
        codes[""] = len(names)
        names.append("unknown")
        looks.append(UNKNOWN)
    return names, looks, np.array([codes[label] for label in labels], dtype=np.int64)


def _group(
    name: str, its_colour: str, points: NDArray[np.float64], counts: NDArray[np.int64]
) -> Group:
    total = int(counts.sum())
    mean = counts @ points / total
    apart = points - mean
    spread = (counts[:, None] * apart).T @ apart / total if total >= 3 else None
    return Group(name, its_colour, total, mean, spread)


def map_picture(found: RankingMap, title: str = "", most_arrows: int = MOST_ARROWS) -> Picture:
    """A map with its legends.

    It has the longest arrows; those after the first 16 wait until their item is chosen.
    """
    outlines = [group.outline() for group in found.groups]
    # Arrows are as long as the cloud allows, and labels need room beyond their tips.
    lengths = np.linalg.norm(found.directions, axis=1)
    longest = float(lengths.max(initial=0.0))
    drawn = np.argsort(-lengths, kind="stable")[:most_arrows]
    drawn = drawn[lengths[drawn] > 0.02 * longest]
    reach = float(np.linalg.norm(found.places, axis=1).max()) or 1.0
    tips = found.directions[drawn] * reach / (longest or 1.0)
    seen = np.vstack([found.places, np.zeros((1, 2)), *outlines, tips])
    low, high = seen.min(axis=0), seen.max(axis=0)
    room = np.array([0.76 * _WIDTH, 0.86 * _HEIGHT])
    scale = float((room / np.maximum(high - low, 1e-12)).min())

    middle = np.array([_BESIDE + _WIDTH / 2, _HEIGHT / 2])

    def put(points: Points) -> Points:
        across = scale * (points - (low + high) / 2) * (1, -1)
        return np.asarray(across + middle)

    one = min(
        _ONE,
        _LARGEST / float(np.sqrt(found.counts.max())),
        # All marks together cover at most a quarter of the frame.
        float(np.sqrt(0.25 * _WIDTH * _HEIGHT / (np.pi * found.n_rankings))),
    )
    marks = list(_marks(found, put(found.places), one))
    shapes: list[Shape] = [
        Path(rectangle(_BESIDE, 0.5, _WIDTH - 0.5, _HEIGHT - 1), FAINT),
        *_ellipses(found, [put(outline) for outline in outlines]),
        *sorted(marks, key=lambda mark: -mark.radius),
        *_means(found, put),
        *_arrows(found, put(np.zeros(2)), put(tips), drawn.tolist(), marks),
        *_axis_names(found),
    ]
    said = [f"{found.subtitle()}."]
    if found.counts.min() < found.counts.max():
        said.append(f"Areas are numbers of rankings, up to {found.counts.max():,}.")
    if len(drawn):
        said.append("Arrows point to where an item is ranked high.")
        if len(drawn) < len(found.items):
            said.append(f"{amount(len(found.items) - len(drawn), 'shorter arrow')} left out.")
    said += about_groups(found)
    title = title or "Map of rankings"
    about = f"Map of {found.subtitle()}"
    scene = Scene(_BESIDE + _WIDTH, _HEIGHT + _BESIDE, shapes, about)
    return Picture(title, " ".join(said), scene, _colour_legend(found))


def about_groups(found: RankingMap) -> list[str]:
    """What crosses and ellipses mean, if there are any."""
    crosses = len(found.groups) > 1 and any(group.mean is not None for group in found.groups)
    ellipses = any(group.spread is not None for group in found.groups)
    said = ["Crosses are group means."] * crosses
    return said + ["An ellipse would hold half of its group if it were normal."] * ellipses


def _ellipses(found: RankingMap, outlines: Sequence[Points]) -> Iterator[Shape]:
    drawn = [g for g, outline in enumerate(outlines) if len(outline)]
    for g in drawn:
        colour, lines = found.groups[g].colour, [outlines[g]]
        # Many filled ellipses would be one blur.
        if len(drawn) <= 3:
            yield Path(lines, colour, 0.0, 0.1, filled=True, group=g)
        yield Path(lines, colour, 1.5, group=g)


def _marks(found: RankingMap, places: Points, one: float) -> Iterator[Mark]:
    # Of many points each is drawn fainter.
    solid = 0.82 if len(places) <= 300 else 0.5
    for mark, (x, y) in enumerate(places.tolist()):
        count = int(found.counts[mark])
        shown = np.flatnonzero(found.parts[mark]).tolist()
        parts = [Part(found.groups[g].colour, found.parts[mark, g] / count, g) for g in shown]
        said = amount(count, "ranking")
        if found.by or len(found.groups) > 1:
            said = ", ".join(f"{found.groups[g].name}: {found.parts[mark, g]:,}" for g in shown)
        radius = max(one * count**0.5, _SMALLEST)
        yield Mark(x, y, radius, parts, solid, tip=f"{said}\n{found.words[mark]}".strip())


def _means(found: RankingMap, put: Callable[[Points], Points]) -> Iterator[Shape]:
    """A cross for the middle of each group."""
    for g, group in enumerate(found.groups):
        if group.mean is not None and len(found.groups) > 1:
            cross = [put(group.mean) + each for each in _CROSS]
            yield Path(cross, PAPER, 7.0)
            yield Path(cross, group.colour, 4.0, group=g, tip=f"mean of {group.name}")


_CROSS = (np.array([[-7.0, 0.0], [7.0, 0.0]]), np.array([[0.0, -7.0], [0.0, 7.0]]))


def _arrows(
    found: RankingMap, origin: Points, tips: Points, items: Sequence[int], marks: Sequence[Mark]
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
        [found.items[item] for item in items],
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


def _axis_names(found: RankingMap) -> Iterator[Text]:
    across, up = (
        f"direction {i + 1} ({100 * share:.0f} % of the variance)"
        for i, share in enumerate(found.shares.tolist())
    )
    for where, size in (("roomy", 12.0), ("narrow", 20.0)):
        look: Any = {"colour": SOFT, "where": where}
        yield Text(across, _BESIDE + _WIDTH / 2, _HEIGHT + _BESIDE / 2, size, **look)
        yield Text(up, _BESIDE / 2, _HEIGHT / 2, size, turned=True, **look)


def _colour_legend(found: RankingMap) -> list[Legend]:
    if len(found.groups) == 1:
        return []
    keys = [
        Key(f"{group.name} ({group.count:,})", group.colour, number)
        for number, group in enumerate(found.groups)
    ]
    return [Legend(found.by, keys)]
