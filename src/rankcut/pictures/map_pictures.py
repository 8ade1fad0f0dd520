"""Maps of rankings as Matplotlib figures and as pages: one scene for both."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankcut.errors import InputError, amount
from rankcut.pictures.figures import draw_figure
from rankcut.pictures.page import page, show_picture, tag
from rankcut.pictures.ranking_map import (
    Directions,
    RankingMap,
    kernel_directions,
    main_directions,
    map_rankings,
)
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
from rankcut.pictures.theme import FAINT, INK, OTHERS, PAPER, SCALE, SOFT, shorten
from rankcut.rankings import Unranked, read_rankings
from rankcut.rankings.orders import to_orders

# A kernel compares all pairs of at most this many rankings.
_MOST_ROWS = 5_000
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
        A column of a ranking set, or values: text for groups, numbers for a scale of colours. The
        seven largest groups have a colour each.
    unranked : {"error", "last", "anywhere"}, default="error"
        What an unranked item means.
    features : estimator, kernel or None
        Turns rankings into vectors with a coordinate for each item, or compares them, as
        ``RBOKernel()`` does; None is ``GraphCutFeatures(unranked=unranked, normalize=True)``.
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


def map_page(
    X: Any,
    by: ArrayLike | None = None,
    *,
    unranked: Unranked = "error",
    features: Any = None,
    counts: ArrayLike | None = None,
    by_name: str = "",
    title: str = "",
) -> str:
    """A map of rankings as a page; parameters are those of :func:`~rankcut.plot_map`.

    The page shows counts, groups and the most common ranking of the point under the mouse,
    highlights a group that is clicked in the legend, and follows the arrow keys.

    Returns
    -------
    str
        HTML of less than 1 MB.

    Examples
    --------
    >>> from rankcut.datasets import load_lunch
    >>> from rankcut.pictures import map_page
    >>> html = map_page(load_lunch(), by="guest")
    >>> "<title>Lunch</title>" in html, "sweet tooth" in html
    (True, True)
    """
    found = read_map(X, by, unranked, features, counts, by_name)
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


def read_map(
    X: Any,
    by: Any = None,
    unranked: Unranked = "error",
    features: Any = None,
    counts: ArrayLike | None = None,
    by_name: str = "",
) -> RankingMap:
    """The map of rankings as :func:`plot_map` takes them."""
    from rankcut.cuts.transformers import GraphCutFeatures

    if features is not None and unranked != "error":
        raise InputError("is an option of the features you pass", parameter="unranked")
    if isinstance(by, str):
        columns = getattr(X, "columns", {})
        if by not in columns:
            known = ", ".join(map(str, columns)) or "none"
            raise InputError(f"is {by!r}, not a column; columns are: {known}", parameter="by")
        by, by_name = X[by], by_name or by
    meaning: Unranked = unranked if features is None else "anywhere"
    rankings = read_rankings(X, unranked=meaning, counts=counts)
    n_items = rankings.shape[1]
    if min(rankings.shape) < 2:
        raise InputError("a map needs at least two rankings of two items")
    # Whatever their weights, people are drawn once.
    numbers = rankings.counts if rankings.counted else np.ones(rankings.shape[0])
    if (numbers < 1).any():
        raise InputError(
            "must hold a whole number of 1 or more for each ranking", parameter="counts"
        )
    counts = numbers.astype(np.int64)
    if callable(getattr(features, "nearest", None)):
        found = _kernel_map(features, X, counts)
    else:
        default = GraphCutFeatures(unranked=unranked, normalize=True)
        vectors = np.asarray(
            default.fit_transform(rankings) if features is None else features.fit_transform(X)
        )
        if vectors.shape[1] != n_items:
            raise InputError(
                "give vectors without a coordinate for each item", parameter="features"
            )
        found = main_directions(vectors, counts)
    items = [rankings.item(column) for column in range(n_items)]
    shown = map_rankings(found, counts, items, by, by_name)
    return shown.described(describe_orders(rankings.rows(shown.rows), shown.items))


def _kernel_map(kernel: Any, X: Any, counts: NDArray[np.int64]) -> Directions:
    """Axes in the space of a kernel, and the mean positions of items along them."""
    from rankcut.cuts.transformers import GraphCutFeatures

    if len(counts) > _MOST_ROWS:
        raise InputError(
            f"is a kernel, which compares all pairs of {len(counts):,} rankings",
            parameter="features",
            remedy=f"take at most {_MOST_ROWS:,} rankings, or an estimator of vectors",
        )
    positions = GraphCutFeatures(unranked="anywhere", sparse_output=False).fit_transform(X)
    return kernel_directions(np.asarray(kernel(X)), np.asarray(positions), counts)


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
    if len(drawn):
        said.append("Arrows point to where an item is ranked high.")
        if len(drawn) < len(found.items):
            said.append(f"{amount(len(found.items) - len(drawn), 'shorter arrow')} left out.")
    said += about_groups(found)
    title = title or "Map of rankings"
    scene = Scene(_BESIDE + _WIDTH, _HEIGHT + _BESIDE, shapes, f"Map of {found.subtitle()}")
    return Picture(title, " ".join(said), scene, _colour_legend(found), _size_legend(found, one))


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
    scale = None if found.values is None else found.value_colours()
    for mark, (x, y) in enumerate(places.tolist()):
        count = int(found.counts[mark])
        shown = np.flatnonzero(found.parts[mark]).tolist()
        parts = [Part(found.groups[g].colour, found.parts[mark, g] / count, g) for g in shown]
        said = amount(count, "ranking")
        if found.values is not None and scale is not None:
            value = found.values[mark]
            said += f", {found.by} {'unknown' if np.isnan(value) else f'{value:.4g}'}"
            parts = [Part(scale[mark])]
        elif found.by or len(found.groups) > 1:
            said = ", ".join(_named_counts(found, mark, shown))
        radius = max(one * count**0.5, _SMALLEST)
        tip = f"{said}\n{found.words[mark]}" if found.words else said
        yield Mark(x, y, radius, parts, solid, tip=tip)


def _named_counts(
    found: RankingMap, mark: int, groups: Sequence[int], most: int = 6
) -> Iterator[str]:
    """The groups at a mark; a few of those without a colour of their own by their names."""
    for g in groups:
        if found.groups[g].colour != OTHERS:
            yield f"{found.groups[g].name}: {found.parts[mark, g]:,}"
            continue
        named = list(found.others[mark].items())
        yield from (f"{name}: {count:,}" for name, count in named[:most])
        if len(named) > most:
            rest = sum(count for _, count in named[most:])
            yield f"{len(named) - most} others: {rest:,}"


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
        [shorten(found.items[item], 18) for item in items],
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
        f"direction {i + 1} ({share:.0%} of the variance)"
        for i, share in enumerate(found.shares.tolist())
    )
    for where, size in (("roomy", 12.0), ("narrow", 20.0)):
        look: Any = {"colour": SOFT, "where": where}
        yield Text(across, _BESIDE + _WIDTH / 2, _HEIGHT + _BESIDE / 2, size, **look)
        yield Text(up, _BESIDE / 2, _HEIGHT / 2, size, turned=True, **look)


def _colour_legend(found: RankingMap) -> list[Legend]:
    if found.values is not None:
        ends = found.value_range()
        values = np.linspace(*ends, len(SCALE)).tolist()
        keys = [Key(f"{value:.3g}", colour) for value, colour in zip(values, SCALE, strict=True)]
        return [Legend(found.by, keys)]
    if len(found.groups) == 1 and not found.by:
        return []
    keys = [
        Key(f"{group.name} ({group.count:,})", group.colour, group=number)
        for number, group in enumerate(found.groups)
    ]
    return [Legend(found.by, keys)]


def _size_legend(found: RankingMap, one: float) -> list[Legend]:
    sides = [(count, 2 * max(one * count**0.5, _SMALLEST)) for count in _examples(found.counts)]
    keys = [Key(f"{count:,}", OTHERS, side, side) for count, side in sides]
    return [Legend("Rankings at a point", keys)] if keys else []


def _examples(counts: NDArray[np.int64]) -> list[int]:
    """A few counts for a legend of sizes, or none if all are equal.

    >>> _examples(np.array([1, 3, 250]))
    [1, 10, 200]
    """
    low, high = int(counts.min()), int(counts.max())
    if low == high:
        return []
    middle = round(float(np.sqrt(low * high)))
    return sorted({low, _round_down(middle), _round_down(high)} - {0})


def _round_down(count: int) -> int:
    """To 1, 2 or 5 times a power of ten."""
    power = int(10 ** (len(str(count)) - 1))
    return max(power * lead for lead in (1, 2, 5) if power * lead <= count)
