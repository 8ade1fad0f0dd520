"""A consensus as a Matplotlib figure, as one HTML page, as pairs and as a leaderboard."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankcut.consensus.words import ConsensusReport, GroupConsensus, percent
from rankcut.errors import InputError, amount
from rankcut.pictures.figures import draw_figure, name_rows, row_height, write_heading
from rankcut.pictures.page import (
    Cell,
    Dot,
    Head,
    Html,
    draw_svg,
    item_button,
    join,
    page,
    show_legend,
    table,
    tag,
    track,
)
from rankcut.pictures.scene import (
    WIDTH,
    Key,
    Legend,
    Path,
    Picture,
    Scene,
    Shape,
    Text,
    rectangle,
    text_box,
    text_width,
    wrap_name,
)
from rankcut.pictures.theme import (
    COLOURS,
    INK,
    MOST_ITEMS,
    OTHERS,
    PAPER,
    SOFT,
    check_length,
    colour,
    group_colours,
    import_figure,
    name_colours,
    shorten,
    shorten_apart,
)

# A drawing with names is legible on a phone at this width, in pixels, and scrolls.
LEAST = 544.0

# Pixels: from row to row of names, from bar to bar, the axis from the top, and the size of names.
_ROW, _BAR, _AXIS, _SIZE = 22.0, 9.0, 34.0, 13.0


def plot_consensus(
    consensus: Any,
    *,
    items: Sequence[Any] | None = None,
    title: str = "Consensus",
    joined: bool = False,
) -> Any:
    """Draw a consensus: a dot for each place, a line for the places that are possible.

    Parameters
    ----------
    consensus : fitted Consensus, or dict from labels of groups to fitted ones
        If there are several, each has a colour.
    items : sequence or None
        Names of the items; None takes those that the rankings had.
    title : str
        Heading.
    joined : bool, default=False
        Draw mean ranks on a line instead, and join the items that are not clearly different, as
        in a critical-difference diagram.

    Returns
    -------
    matplotlib.figure.Figure

    Examples
    --------
    >>> from rankcut import Consensus, plot_consensus
    >>> from rankcut.datasets import load_lunch
    >>> figure = plot_consensus(Consensus().fit(load_lunch()))
    >>> [text.get_text() for text in figure.axes[0].get_yticklabels()][:3]
    ['gelato', 'sausage', 'burger']
    """
    models = consensus if isinstance(consensus, Mapping) else {"": consensus}
    if not models:
        raise InputError("holds no consensus", parameter="consensus")
    first = next(iter(models.values()))
    if items is None:
        items = first._items or range(first.n_features_in_)
    check_length(items, first.n_features_in_, "items", "items")
    groups = [GroupConsensus.of(model, str(label)) for label, model in models.items()]
    names = [str(item) for item in items]
    report = ConsensusReport(names, first.method, first.confidence, groups)
    return draw_figure(leaderboard(report, title)) if joined else draw_consensus(report, title)


def draw_consensus(report: ConsensusReport, title: str) -> Any:
    """A Matplotlib figure of places; of several groups, each has a colour."""
    groups = [(shorten(own.group, 40), own.ranking, own.intervals) for own in report.groups]
    colours = group_colours({own.group: own.n_people for own in report.groups})
    looks = [colours[own.group] for own in report.groups]
    return draw_places(
        groups, report.items, report.order()[:MOST_ITEMS], title, _say(report), looks
    )


def _say(report: ConsensusReport) -> str:
    """What is drawn, in words."""
    people = sum(group.n_people for group in report.groups)
    said = f"{amount(people, 'person', 'people')}. Dots: places by consensus."
    if any(group.intervals is not None for group in report.groups):
        said += f" Lines: possible places, {100 * report.confidence:g} % sure of all at once."
    left_out = len(report.items) - MOST_ITEMS
    return said + (f" Not drawn: {amount(left_out, 'item')} further down." if left_out > 0 else "")


def draw_places(
    groups: Sequence[tuple[str, NDArray[Any], NDArray[Any] | None]],
    items: Sequence[str],
    order: Sequence[int],
    title: str,
    said: str,
    colours: Sequence[str] = COLOURS,
) -> Any:
    """A Matplotlib figure: a dot for the place of each item, a line for its possible places.

    A group is its label, its ranking and its intervals; ``order`` lists the items to draw.
    """
    names = [items[i] for i in order]
    size = (7.6, 1.0 + row_height(names, len(groups)) * len(order))
    figure = import_figure()(figsize=size, layout="constrained", facecolor=PAPER)
    axes = figure.subplots()
    name_rows(axes, names)
    # Closer to each other than to those of the next item.
    spread = 0.72 * (np.arange(len(groups)) - (len(groups) - 1) / 2) / len(groups)
    for number, (label, ranking, intervals) in enumerate(groups):
        heights = np.arange(len(order)) + spread[number]
        if intervals is not None:
            low, high = intervals[order].T
            axes.hlines(heights, low, high, color=colours[number], alpha=0.4, linewidth=5)
        axes.plot(
            ranking[order],
            heights,
            "o",
            color=colours[number],
            markersize=7 if len(groups) == 1 else 5.5,
            markeredgecolor="white",
            label=label,
        )
    axes.set_xlim(0.5, len(items) + 0.5)
    # The first place, and about a dozen others.
    step = max(1, -(-len(items) // 12))
    axes.set_xticks(
        [place for place in range(1, len(items) + 1) if place == 1 or place % step == 0]
    )
    axes.set_xlabel("place (1 = best)", color=INK, size=10)
    write_heading(figure, title, said, axes if len(groups) > 1 else None)
    return figure


def consensus_page(report: ConsensusReport, title: str = "") -> str:
    """The page: places with intervals, pairwise shares, and an explanation in words.

    Examples
    --------
    >>> from rankcut import Consensus, make_mallows
    >>> model = Consensus().fit(make_mallows(50, 3, phi=0.3, random_state=0).ranks)
    >>> report = ConsensusReport(["uni", "ika", "ebi"], "borda", 0.95, [GroupConsensus.of(model)])
    >>> "<title>Sushi</title>" in consensus_page(report, "Sushi")
    True
    """
    heading = title or "Consensus"
    return page(heading, tag("h1", heading), *_body(report))


def _body(report: ConsensusReport) -> Iterator[Html]:
    people = sum(group.n_people for group in report.groups)
    sizes = f"{amount(people, 'person', 'people')}, {amount(len(report.items), 'item')}"
    yield tag("p", f"{sizes}, method: {report.method}.")
    several = len(report.groups) > 1
    if several:
        yield from compared_places(report)
    for group in report.groups:
        if several:
            yield tag("h2", f"{group.group} ({group.n_people:,})")
        yield tag("p", " ".join(report.sentences(group)))
        yield places_table(group, report.items, report.order_of(group))
        yield tag("p", about_places(group, report.confidence), kind="soft")
        if not several and group.clear is not None and group.mean_ranks is not None:
            picture = leaderboard(report, "Leaderboard")
            yield tag("h2", "What is clearly different")
            yield tag("div", draw_svg(picture.scene, least=LEAST), kind="wide", tabindex="0")
            yield tag("p", picture.said, kind="soft")
        if group.pairwise is not None:
            yield from show_pairs(group.pairwise, report.items, report.order_of(group))


def about_places(group: GroupConsensus, confidence: float) -> Html:
    """How to read places and their intervals."""
    if group.intervals is None:
        return Html("A dot is the place in the consensus.")
    first = "First in: the share of bootstrap samples of people in which the item comes first."
    return join(
        "A dot is the place in the consensus; bars hold the true places of all items at once, "
        f"{100 * confidence:g} % sure. ",
        # The column is hidden where there is no room.
        tag("span", first, kind="roomy"),
    )


def compared_places(report: ConsensusReport) -> Iterator[Html]:
    """The places of each item in each group, one line below the other."""
    sizes = {group.group: group.n_people for group in report.groups}
    yield show_legend(Legend("", [Key(*entry) for entry in name_colours(sizes)]))
    colours = group_colours(sizes)
    rows = []
    for i in report.order():
        lines = (
            _line(group, report.items, i, colours[group.group], group.group)
            for group in report.groups
        )
        rows.append([report.items[i], join(*lines)])
    yield table(["item", Head("places", "line", (1, len(report.items)))], rows)


def _line(
    group: GroupConsensus, items: Sequence[str], i: int, its_colour: str, name: str = ""
) -> Html:
    place = int(group.ranking[i])
    low, high = (None, None) if group.intervals is None else group.intervals[i].tolist()
    said = f"{items[i]}: place {place}" + (f" in {name}" if name else "")
    said += "" if low is None else f", from {low} to {high}"
    return track([Dot(place, its_colour, low, high)], (1, len(items)), said)


def places_table(
    group: GroupConsensus,
    items: Sequence[str],
    order: Sequence[int],
    *,
    listed: Sequence[str] | None = None,
    chosen: bool = False,
) -> Html:
    """Places with intervals, a row for each item in an order.

    ``listed`` says in words how many people list each item; ``chosen`` is for pages that choose
    items: names are buttons, and columns can be sorted.
    """
    ends = (1, len(items)) if len(items) > 1 else None
    heads = [Head("place", "number"), Head("item", "name"), Head("possible places", "line", ends)]
    if group.first is not None:
        heads.append(Head("first in", "number roomy"))
    heads.append(Head("score" if group.errors is None else "strength", "number roomy"))
    if listed is not None:
        heads.append(Head("listed by", "number roomy"))
    rows: list[list[Any]] = []
    for i in order:
        low = int(group.ranking[i]) if group.intervals is None else int(group.intervals[i, 0])
        name: Any = item_button(i, items[i]) if chosen else items[i]
        line = _line(group, items, i, colour(0))
        row = [int(group.ranking[i]), Cell(name, items[i]), Cell(line, low)]
        if group.first is not None:
            row.append(Cell(f"{100 * group.first[i]:.1f}\u00a0%", float(group.first[i])))
        score = f"{group.scores[i]:.3f}"
        if group.errors is not None:
            score = f"{group.scores[i]:.2f} ± {1.96 * group.errors[i]:.2f}"
        row.append(Cell(score, float(group.scores[i])))
        if listed is not None:
            row.append(listed[i])
        rows.append(row)
    return table(heads, rows, items=order if chosen else None)


def show_pairs(
    shares: NDArray[np.float64], items: Sequence[str], order: Sequence[int], *, chosen: bool = False
) -> Iterator[Html]:
    """Who is preferred to whom, and how to read it; ``chosen`` is for pages that choose items."""
    picture = pairs_picture(shares, items, order, chosen=chosen)
    look = {"kind": "wide", "tabindex": "0", "role": "region", "aria_label": "Pairs of items"}
    least = min(0.6 * picture.scene.width, LEAST)
    yield tag("div", draw_svg(picture.scene, least=least), **look)
    yield tag("p", picture.said, kind="soft")


def pairs_picture(
    shares: NDArray[np.float64], items: Sequence[str], order: Sequence[int], *, chosen: bool = False
) -> Picture:
    """A cell for each pair of items: the deeper its colour, the clearer the preference."""
    said = "Blue: most of those who compare both prefer the item of the row; orange: that of the "
    said += "column."
    if np.isnan(shares[~np.eye(len(shares), dtype=bool)]).any():
        said += " Grey: nobody compares them."
    if len(order) > MOST_ITEMS:
        said += f" These are the first {MOST_ITEMS} of {len(order):,} items."
    order = order[:MOST_ITEMS]
    number = len(order)
    side = min(40.0, 730.0 / number)
    size = min(13.0, max(8.0, 0.62 * side))
    # Whole names, in lines where these fit beside a row.
    names = {i: wrap_name(items[i]) for i in order}
    short = shorten_apart([items[i] for i in order], 32)
    for i, in_one_line in zip(order, short, strict=True):
        if text_box(names[i], size)[1] > max(side, 1.3 * size):
            names[i] = in_one_line
    room = max(text_box(name, size)[0] for name in names.values())
    left, top = 10 + room, 12 + room
    shapes: list[Shape] = []
    for line, i in enumerate(order):
        middle, item = side * (line + 0.5), i if chosen else None
        across, down = left + middle, top + middle
        shapes += [
            Text(names[i], left - 6, down, size, anchor="end", item=item),
            Text(names[i], across, top - 6, size, anchor="start", turned=True, item=item),
        ]
        for column, j in enumerate(order):
            if i != j:
                place = (left + side * column, top + side * line)
                words = f"{shorten(items[i], 40)} before {shorten(items[j], 40)}"
                shapes += _cell(*place, side, float(shares[i, j]), words)
        if chosen:
            row = rectangle(left, top + side * line, side * number, side)
            column_of = rectangle(left + side * line, top, side, side * number)
            shapes.append(Path([*row, *column_of], INK, 2.5, item=item, where="later"))
    about = "Share that prefers the item of the row to the item of the column"
    scene = Scene(left + side * number + 4, top + side * number + 4, shapes, about)
    return Picture("Pairs of items", said, scene)


def _cell(x: float, y: float, side: float, share: float, words: str) -> Iterator[Shape]:
    """A share from orange at 0 to blue at 1; grey if nobody compares the two."""
    if np.isnan(share):
        look: tuple[str, float] = (OTHERS, 1.0)
        said = f"{words}: nobody compares them"
    else:
        # Pale enough for the numbers on them to be legible.
        look = (colour(0) if share >= 0.5 else colour(1), 0.75 * 2 * abs(share - 0.5))
        said = f"{words}: {percent(share, 1)}"
    square = rectangle(x, y, side - 1, side - 1)
    yield Path(square, look[0], 0.0, look[1], filled=True, tip=said)
    if side >= 28 and not np.isnan(share):
        yield Text(str(round(100 * share)), x + side / 2, y + side / 2, 11.0)


def joined_runs(order: Sequence[int], clear: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """The longest runs of neighbours no two of which are clearly different, as first and last.

    >>> clear = np.zeros((3, 3), dtype=bool)
    >>> clear[0, 2] = True  # the first is surely before the last
    >>> joined_runs([0, 1, 2], clear)
    [(0, 1), (1, 2)]
    """
    either = (clear | clear.T)[np.ix_(order, order)]
    runs: list[tuple[int, int]] = []
    for first in range(len(order)):
        last = first
        while last + 1 < len(order) and not either[first : last + 1, last + 1].any():
            last += 1
        # A run within the one before says nothing new.
        if last > first and (not runs or last > runs[-1][1]):
            runs.append((first, last))
    return runs


def leaderboard(report: ConsensusReport, title: str) -> Picture:
    """Items of one group on a line of mean ranks; bars join what is not clearly different.

    The diagram of Demšar (2006), whose bars span a critical difference of mean ranks. Here two
    items are joined unless their order is sure: what is sure holds for all pairs at once, and
    allows for people who judge many times and for items that meet different opponents.
    """
    group = report.groups[0]
    if group.clear is None or group.mean_ranks is None:
        raise InputError(
            "a leaderboard needs intervals, and mean ranks of at most 2,048 items",
            remedy="use bootstraps, and leave rare items out",
        )
    means = group.mean_ranks
    order = [int(i) for i in np.argsort(means, kind="stable")][:MOST_ITEMS]
    runs = joined_runs(order, group.clear)
    low, high = np.floor(means[order[0]]), np.ceil(means[order[-1]])
    short = shorten_apart([report.items[i] for i in order], 18)
    names = {i: f"{name}  {means[i]:.1f}" for i, name in zip(order, short, strict=True)}
    edge = 10 + max(text_width(name, _SIZE) for name in names.values())
    scale = (WIDTH - 2 * edge) / max(1.0, high - low)
    place = {i: edge + scale * (means[i] - low) for i in order}
    levels = _levels(runs)
    top = _AXIS + 12 + _BAR * (max(levels, default=-1) + 1)
    shapes = _axis(low, high, edge, scale)
    left = order[: -(-len(order) // 2)]
    for side in (left, order[: len(left) - 1 : -1]):
        for row, i in enumerate(side):
            y = top + _ROW * (row + 0.5)
            end = edge - 4 if side is left else WIDTH - edge + 4
            line = np.array([[place[i], _AXIS], [place[i], y], [end, y]])
            shapes.append(Path([line], SOFT, 1.0, tip=_tip(report, i)))
            anchor, beyond = ("end", -4) if side is left else ("start", 4)
            shapes.append(Text(names[i], end + beyond, y, _SIZE, anchor=anchor))
    for (first, last), level in zip(runs, levels, strict=True):
        y = _AXIS + 8 + _BAR * level
        ends = np.array([[place[order[first]] - 4, y], [place[order[last]] + 4, y]])
        shapes.append(Path([ends], colour(0), 4.0, tip="not clearly different"))
    said = "Mean ranks, 1 the best. Bars join items whose order is not sure "
    said += f"({100 * report.confidence:g} %, all pairs at once)."
    if len(report.items) > len(order):
        said += f" Not drawn: {amount(len(report.items) - len(order), 'item')} further down."
    about = "Items by mean rank; bars join those that are not clearly different"
    return Picture(title, said, Scene(WIDTH, top + _ROW * len(left) + 6, shapes, about))


def _axis(low: float, high: float, edge: float, scale: float) -> list[Shape]:
    """The line of mean ranks, with about eight numbers."""
    step = max(1, -(-int(high - low) // 8))
    ticks = [*range(int(low), int(high) + 1, step)]
    x = [edge + scale * (tick - low) for tick in ticks]
    ends = np.array([[edge, _AXIS], [edge + scale * max(1.0, high - low), _AXIS]])
    marks = [np.array([[own, _AXIS - 5], [own, _AXIS]]) for own in x]
    numbers = [Text(str(tick), own, _AXIS - 15, _SIZE) for tick, own in zip(ticks, x, strict=True)]
    return [Path([ends, *marks], INK, 1.5), *numbers]


def _levels(runs: Sequence[tuple[int, int]]) -> list[int]:
    """How far below the axis each bar is, so that no two overlap."""
    levels: list[int] = []
    free: list[int] = []  # the last item of the bar at each level
    for first, last in runs:
        level = next((i for i, end in enumerate(free) if end < first), len(free))
        free[level : level + 1] = [last]
        levels.append(level)
    return levels


def _tip(report: ConsensusReport, i: int) -> str:
    group = report.groups[0]
    assert group.intervals is not None
    best, worst = group.intervals[i].tolist()
    return f"{report.items[i]}: place {group.ranking[i]}, from {best} to {worst}"
