"""A map of rankings, drawn with Matplotlib."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rankcut.errors import InputError, amount
from rankcut.pictures.map_scene import FEW_GROUPS, Scene, lay_out
from rankcut.pictures.ranking_map import (
    Directions,
    RankingMap,
    kernel_directions,
    main_directions,
    map_rankings,
)
from rankcut.pictures.theme import (
    FAINT,
    INK,
    OTHERS,
    PAPER,
    SCALE,
    SOFT,
    import_figure,
    shorten,
    write_over,
)
from rankcut.rankings import Unranked, read_rankings

# The canvas and the column of legends beside it, in points.
_WIDTH, _HEIGHT, _LEGEND = 470, 430, 150
_LEFT, _BELOW, _ABOVE = 26, 34, 52
_FONT = 10.0

# A kernel compares all pairs of at most this many rankings.
_MOST_ROWS = 5_000


def plot_map(
    ranks: Any,
    by: ArrayLike | None = None,
    *,
    unranked: Unranked = "error",
    features: Any = None,
    sample_weight: ArrayLike | None = None,
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
    ranks : RankingSet, array, frame or CSR array of shape (n_rankings, n_items)
        Rank matrix: 1 = best, equal = tied, NaN (or absent) = not ranked.
    by : str, array of shape (n_rankings,) or None
        A column of a ranking set, or values: text for groups, numbers for a scale of colours. The
        seven largest groups have a colour each.
    unranked : {"error", "last", "anywhere"}, default="error"
        What an unranked item means.
    features : estimator, kernel or None
        Turns rankings into vectors with a coordinate for each item, or compares them, as
        ``RBOKernel()`` does; None is ``GraphCutFeatures(unranked=unranked, normalize=True)``.
    sample_weight : array of shape (n_rankings,) or None
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
    >>> [text.get_text() for text in figure.axes[1].texts][:3]
    ['guest', 'juicy eater (24)', 'sweet tooth (24)']
    """
    return draw_map(
        read_map(ranks, by, unranked, features, sample_weight, by_name),
        title or getattr(ranks, "title", "") or "Map of rankings",
    )


def read_map(
    ranks: Any,
    by: Any,
    unranked: Unranked,
    features: Any,
    sample_weight: ArrayLike | None,
    by_name: str,
) -> RankingMap:
    """The map of rankings as :func:`plot_map` takes them."""
    from rankcut.cuts.transformers import GraphCutFeatures

    if features is None:
        features = GraphCutFeatures(unranked=unranked, normalize=True)
    elif unranked != "error":
        raise InputError("is an option of the features you pass", parameter="unranked")
    if isinstance(by, str):
        columns = getattr(ranks, "columns", {})
        if by not in columns:
            known = ", ".join(map(str, columns)) or "none"
            raise InputError(f"is {by!r}, not a column; columns are: {known}", parameter="by")
        by, by_name = ranks[by], by_name or by
    matrix = read_rankings(ranks)
    if min(matrix.shape) < 2:
        raise InputError("a map needs at least two rankings of two items")
    weights = getattr(ranks, "counts", None) if sample_weight is None else sample_weight
    counts = np.ones(matrix.shape[0], np.int64) if weights is None else np.asarray(weights)
    if len(counts) != matrix.shape[0] or (counts < 1).any() or (counts % 1 != 0).any():
        raise InputError(
            "must hold a whole number of 1 or more for each ranking", parameter="sample_weight"
        )
    items = range(matrix.shape[1]) if matrix.items is None else matrix.items
    counts = counts.astype(np.int64)
    if callable(getattr(features, "nearest", None)):
        found = _kernel_map(features, ranks, counts)
    else:
        vectors = np.asarray(features.fit_transform(ranks))
        if vectors.shape[1] != len(items):
            raise InputError(
                "give vectors without a coordinate for each item", parameter="features"
            )
        found = main_directions(vectors, counts)
    return map_rankings(found, counts, list(items), by, by_name)


def _kernel_map(kernel: Any, ranks: Any, counts: NDArray[np.int64]) -> Directions:
    """Axes in the space of a kernel, and the mean positions of items along them."""
    from rankcut.cuts.transformers import GraphCutFeatures

    if len(counts) > _MOST_ROWS:
        raise InputError(
            f"is a kernel, which compares all pairs of {len(counts):,} rankings",
            parameter="features",
            remedy=f"take at most {_MOST_ROWS:,} rankings, or an estimator of vectors",
        )
    positions = GraphCutFeatures(unranked="anywhere", sparse_output=False).fit_transform(ranks)
    return kernel_directions(np.asarray(kernel(ranks)), np.asarray(positions), counts)


def draw_map(found: RankingMap, title: str) -> Any:
    """A Matplotlib figure of a map."""
    scene = lay_out(found, _WIDTH, _HEIGHT)
    width, height = _LEFT + _WIDTH + _LEGEND + 20, _BELOW + _HEIGHT + _ABOVE
    figure = import_figure()(figsize=(width / 72, height / 72), facecolor=PAPER)
    axes = figure.add_axes(
        (_LEFT / width, _BELOW / height, _WIDTH / width, _HEIGHT / height), aspect="equal"
    )
    axes.set(xlim=(0, _WIDTH), ylim=(0, _HEIGHT))
    axes.set_xticks([])
    axes.set_yticks([])
    axes.spines[:].set_color(FAINT)
    _draw_marks(axes, found, scene)
    _draw_groups(axes, found, scene)
    labels = scene.labels(_FONT)
    _draw_arrows(axes, scene, labels)
    for name, write in zip(found.axis_names(), (axes.set_xlabel, axes.set_ylabel), strict=True):
        write(name, color=SOFT, size=9.5)
    left = _LEFT / width
    figure.text(
        left,
        1 - 20 / height,
        shorten(title, 60),
        size=14,
        color=INK,
        weight="bold",
        va="center",
        parse_math=False,
    )
    figure.text(left, 1 - 40 / height, found.subtitle(), size=10, color=SOFT, va="center")
    legend = figure.add_axes(
        ((_LEFT + _WIDTH + 12) / width, _BELOW / height, _LEGEND / width, _HEIGHT / height)
    )
    legend.set(xlim=(0, _LEGEND), ylim=(_HEIGHT, 0))
    legend.set_axis_off()
    _draw_legend(legend, found, scene, len(scene.arrows) - len(labels))
    return figure


def _draw_marks(axes: Any, found: RankingMap, scene: Scene) -> None:
    from matplotlib.collections import PatchCollection
    from matplotlib.patches import Circle, Wedge

    shapes: list[Any] = []
    colours: list[str] = []
    scale = None if found.values is None else found.value_colours()
    for mark in scene.order.tolist():
        middle, radius = scene.marks[mark], float(scene.radius[mark])
        if scale is not None:
            shapes.append(Circle(middle, radius))
            colours.append(scale[mark])
            continue
        for group, start, end in pie(found.parts[mark]):
            whole = end - start == 1.0
            shapes.append(
                Circle(middle, radius)
                if whole
                else Wedge(middle, radius, 90 - 360 * end, 90 - 360 * start)
            )
            colours.append(found.groups[group].colour)
    axes.add_collection(
        PatchCollection(
            shapes, facecolors=colours, edgecolors=PAPER, linewidths=0.5, alpha=0.8, zorder=2
        )
    )


def pie(parts: Sequence[int]) -> list[tuple[int, float, float]]:
    """The groups of a mark, each with where its sector starts and ends, from 0 to 1.

    >>> pie([0, 3, 1])
    [(1, 0.0, 0.75), (2, 0.75, 1.0)]
    """
    total, start, sectors = int(sum(parts)), 0, []
    for group, count in enumerate(parts):
        if count:
            sectors.append((group, start / total, (start + int(count)) / total))
            start += int(count)
    return sectors


def _draw_groups(axes: Any, found: RankingMap, scene: Scene) -> None:
    for g, outline in scene.ellipses.items():
        its_colour = found.groups[g].colour
        if len(scene.ellipses) <= FEW_GROUPS:
            axes.fill(*outline.T, color=its_colour, alpha=0.10, zorder=1, linewidth=0)
        axes.plot(*outline.T, color=PAPER, linewidth=2.8, alpha=0.7, zorder=2.5)
        axes.plot(*outline.T, color=its_colour, linewidth=1.3, zorder=2.6)
    if len(found.groups) > 1:
        for g, (x, y) in scene.means.items():
            look = {"markeredgecolor": PAPER, "markeredgewidth": 1.4, "zorder": 3}
            axes.plot(x, y, "P", color=found.groups[g].colour, markersize=11, **look)


def _draw_arrows(axes: Any, scene: Scene, labels: dict[int, tuple[float, float]]) -> None:
    for number, arrow in enumerate(scene.arrows):
        axes.annotate(
            "",
            arrow.tip,
            scene.origin,
            arrowprops={
                "arrowstyle": "-|>",
                "color": INK,
                "alpha": 0.75,
                "linewidth": 1.0,
                "shrinkA": 0,
                "shrinkB": 0,
                "mutation_scale": 8,
            },
            zorder=4,
        )
        if number in labels:
            write_over(axes, *labels[number], arrow.label, _FONT)


def _draw_legend(axes: Any, found: RankingMap, scene: Scene, without_label: int) -> None:
    y = 8.0
    heading = {"size": 10, "color": INK, "weight": "bold", "va": "center", "parse_math": False}
    entry = {"size": 9.5, "color": INK, "va": "center", "parse_math": False}
    note = {"size": 8.5, "color": SOFT, "va": "top", "linespacing": 1.35}
    if found.values is not None:
        axes.text(0, y, shorten(found.by, 17), **heading)
        low, high = found.value_range()
        ramp = np.linspace(0, 1, 64)[None]
        axes.imshow(
            ramp, extent=(0, 110, y + 26, y + 14), aspect="auto", cmap=_colour_map(), zorder=2
        )
        axes.text(0, y + 36, f"{low:.3g}", **entry)
        axes.text(110, y + 36, f"{high:.3g}", ha="right", **entry)
        axes.set(xlim=(0, _LEGEND), ylim=(_HEIGHT, 0))
        y += 62
    elif found.by or len(found.groups) > 1:
        axes.text(0, y, shorten(found.by, 17), **heading)
        for group in found.groups:
            y += 17
            axes.plot(5, y, "o", color=group.colour, markersize=8)
            axes.text(15, y, f"{shorten(group.name, 18)} ({group.count:,})", **entry)
        y += 26
    if scene.sizes:
        axes.text(0, y, "rankings at a point", **heading)
        y += 4
        widest = max(radius for _, radius in scene.sizes)
        for count, radius in scene.sizes:
            y += max(radius, 8) + 2
            axes.scatter(widest, y, s=(2 * radius) ** 2, color=OTHERS, linewidth=0)
            axes.text(2 * widest + 8, y, f"{count:,}", **entry)
            y += max(radius, 8)
        y += 16
    notes = ["Arrows point to where", "an item is ranked high."] if scene.arrows else []
    left_out = len(found.items) - len(scene.arrows)
    if scene.arrows and left_out:
        notes += [f"{amount(left_out, 'shorter arrow')}", "left out."]
    if without_label:
        notes += [f"{amount(without_label, 'arrow')} without room", "for a label."]
    if len(found.groups) > 1 and scene.means:
        notes.append("Crosses: group means.")
    if scene.ellipses:
        notes += ["Ellipses: half of each", "group, if normal."]
    axes.text(0, y, "\n".join(notes), **note)


def _colour_map() -> Any:
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("rankcut", list(SCALE))
