"""A consensus as a picture and as tables of a page: places, pairs and a leaderboard."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankcut.consensus.result import ConsensusResult
from rankcut.errors import InputError, amount
from rankcut.pictures.charts import MOST_JOINED, Row, diagram, dot_chart, whole_ticks
from rankcut.pictures.page import (
    Cell,
    Head,
    Html,
    draw_svg,
    item_button,
    join,
    show_legend,
    table,
    tag,
    track,
)
from rankcut.pictures.scene import (
    LEAST,
    Dot,
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
    INK,
    MOST_IN_FIGURE,
    OTHERS,
    colour,
    group_colours,
    name_colours,
    shorten,
    shorten_apart,
)
from rankcut.results.words import percent


def consensus_picture(
    groups: Mapping[str, ConsensusResult], order: Sequence[int] | None = None
) -> Picture:
    """A dot for each place and a line for the places that are possible; each group has a colour."""
    first = next(iter(groups.values()))
    # Somebody may be in several groups: only the legend counts them.
    who = amount(first.n_people_, "person", "people")
    who = who if len(groups) == 1 else amount(len(groups), "group")
    caption = f"{who}. Dots: places by consensus."
    if any(group.rank_intervals_ is not None for group in groups.values()):
        caption += f" Lines: possible places, {100 * first.confidence:g} % sure of all at once."
    sizes = {name: group.n_people_ for name, group in groups.items()}
    places = {name: (group.ranking_, group.rank_intervals_) for name, group in groups.items()}
    order = first.order() if order is None else order
    return places_picture("Consensus", caption, places, first.labels_of_items, order, sizes)


def places_picture(
    title: str,
    caption: str,
    groups: Mapping[str, tuple[NDArray[Any], NDArray[Any] | None]],
    items: Sequence[str],
    order: Sequence[int],
    sizes: Mapping[str, float],
) -> Picture:
    """A dot for the place of each item in each group, a line for its possible places.

    A group is its ranking and its intervals; ``order`` lists the items to draw.
    """
    colours = group_colours(dict(sizes))

    def dot(name: str, i: int) -> Dot:
        ranking, intervals = groups[name]
        low, high = (None, None) if intervals is None else intervals[i].tolist()
        return Dot(int(ranking[i]), colours[name], low, high, _tip(items[i], ranking[i], low, high))

    rows = [Row(items[i], [dot(name, i) for name in groups]) for i in order]
    legends = []
    if len(groups) > 1:
        legends.append(Legend("", [Key(*entry) for entry in name_colours(dict(sizes))]))
    return dot_chart(
        title,
        caption,
        rows,
        "place (1 = best)",
        ends=(0.5, len(items) + 0.5),
        ticks=whole_ticks(len(items)),
        stacked=True,
        legends=legends,
    )


def _tip(item: str, place: Any, low: int | None, high: int | None, group: str = "") -> str:
    """The place of an item in words."""
    words = f"{item}: place {place}" + (f" in {group}" if group else "")
    return words if low is None else f"{words}, from {low} to {high}"


def about_places(consensus: ConsensusResult) -> Html:
    """How to read places and their intervals."""
    if consensus.rank_intervals_ is None:
        return Html("A dot is the place in the consensus.")
    first = "First in: the share of bootstrap samples of people in which the item comes first."
    return join(
        "A dot is the place in the consensus; bars hold the true places of all items at once, "
        f"{100 * consensus.confidence:g} % sure. ",
        # The column is hidden where there is no room.
        tag("span", first, kind="roomy"),
    )


def compared_places(groups: Mapping[str, ConsensusResult], order: Sequence[int]) -> Iterator[Html]:
    """The places of each item in each group, one line below the other."""
    sizes = {name: group.n_people_ for name, group in groups.items()}
    yield show_legend(Legend("", [Key(*entry) for entry in name_colours(sizes)]))
    colours = group_colours(sizes)
    items = next(iter(groups.values())).labels_of_items
    rows = []
    for i in order:
        lines = (_line(group, i, colours[name], name) for name, group in groups.items())
        rows.append([items[i], join(*lines)])
    yield table(["item", Head("places", "line", (1, len(items)))], rows)


def _line(consensus: ConsensusResult, i: int, its_colour: str, group: str = "") -> Html:
    place, intervals = int(consensus.ranking_[i]), consensus.rank_intervals_
    low, high = (None, None) if intervals is None else intervals[i].tolist()
    words = _tip(consensus.labels_of_items[i], place, low, high, group)
    return track([Dot(place, its_colour, low, high)], (1, consensus.n_features_in_), words)


def places_table(
    consensus: ConsensusResult, *, listed: Sequence[str] | None = None, by_items: bool = False
) -> Html:
    """Places with intervals, a row for each item, the best first.

    ``listed`` says in words how many people list each item; ``by_items`` is for pages that choose
    items: names are buttons, and columns can be sorted.
    """
    items, order = consensus.labels_of_items, consensus.order()
    errors, first = consensus.errors_, consensus.winner_shares_
    intervals = consensus.rank_intervals_
    ends = (1, len(items)) if len(items) > 1 else None
    heads = [Head("place", "number"), Head("item", "name"), Head("possible places", "line", ends)]
    if first is not None:
        heads.append(Head("first in", "number roomy"))
    heads.append(Head("score" if errors is None else "strength", "number roomy"))
    if listed is not None:
        heads.append(Head("listed by", "number roomy"))
    rows: list[list[Any]] = []
    for i in order:
        place = int(consensus.ranking_[i])
        low = place if intervals is None else int(intervals[i, 0])
        name: Any = item_button(i, items[i]) if by_items else items[i]
        row = [place, Cell(name, items[i]), Cell(_line(consensus, i, colour(0)), low)]
        if first is not None:
            row.append(Cell(f"{100 * first[i]:.1f}\u00a0%", float(first[i])))
        score = f"{consensus.scores_[i]:.3f}"
        if errors is not None:
            score = f"{consensus.scores_[i]:.2f} ± {consensus.reach * errors[i]:.2f}"
        row.append(Cell(score, float(consensus.scores_[i])))
        if listed is not None:
            row.append(listed[i])
        rows.append(row)
    return table(heads, rows, items=order if by_items else None)


def show_pairs(
    shares: NDArray[np.float64],
    items: Sequence[str],
    order: Sequence[int],
    *,
    wins: NDArray[np.float64] | None = None,
    by_items: bool = False,
) -> Iterator[Html]:
    """Who is preferred to whom, and how to read it; ``by_items`` is for pages that choose items."""
    picture = pairs_picture(shares, items, order, wins=wins, by_items=by_items)
    look = {"kind": "wide", "tabindex": "0", "role": "region", "aria_label": "Pairs of items"}
    least = min(0.6 * picture.scene.width, LEAST)
    yield tag("div", draw_svg(picture.scene, least=least), **look)
    yield tag("p", picture.said, kind="soft")


def pairs_picture(
    shares: NDArray[np.float64],
    items: Sequence[str],
    order: Sequence[int],
    *,
    wins: NDArray[np.float64] | None = None,
    by_items: bool = False,
) -> Picture:
    """A cell for each pair of items: the deeper its colour, the clearer the preference.

    ``wins`` has how often each was preferred to each, which is shown instead of shares.
    """
    caption = (
        "Blue: most of those who compare both prefer the item of the row; orange: that of the "
    )
    caption += "column."
    if np.isnan(shares[~np.eye(len(shares), dtype=bool)]).any():
        caption += " Grey: nobody compares them."
    if wins is not None:
        caption += " Numbers: how often the item of the row won; a tie is half a win."
    if len(order) > MOST_IN_FIGURE:
        caption += f" These are the first {MOST_IN_FIGURE} of {len(order):,} items."
    order = order[:MOST_IN_FIGURE]
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
        middle, item = side * (line + 0.5), i if by_items else None
        across, down = left + middle, top + middle
        shapes += [
            Text(names[i], left - 6, down, size, anchor="end", item=item),
            Text(names[i], across, top - 6, size, anchor="start", turned=True, item=item),
        ]
        for column, j in enumerate(order):
            if i != j:
                place = (left + side * column, top + side * line)
                words = f"{shorten(items[i], 40)} before {shorten(items[j], 40)}"
                share, count = float(shares[i, j]), None
                if wins is not None:
                    count = f"{wins[i, j]:g}"
                    words += f", {count} of {wins[i, j] + wins[j, i]:g}"
                shapes += _cell(*place, side, share, words, count)
        if by_items:
            row = rectangle(left, top + side * line, side * number, side)
            column_of = rectangle(left + side * line, top, side, side * number)
            shapes.append(Path([*row, *column_of], INK, 2.5, item=item, where="later"))
    about = "Share that prefers the item of the row to the item of the column"
    scene = Scene(left + side * number + 4, top + side * number + 4, shapes, about)
    return Picture("Pairs of items", caption, scene)


def _cell(
    x: float, y: float, side: float, share: float, words: str, count: str | None
) -> Iterator[Shape]:
    """A share from orange at 0 to blue at 1; grey if nobody compares the two."""
    if np.isnan(share):
        look: tuple[str, float] = (OTHERS, 1.0)
        caption = f"{words}: nobody compares them"
    else:
        # Pale enough for the numbers on them to be legible.
        look = (colour(0) if share >= 0.5 else colour(1), 0.75 * 2 * abs(share - 0.5))
        caption = f"{words}: {percent(share, 1)}"
    square = rectangle(x, y, side - 1, side - 1)
    yield Path(square, look[0], 0.0, look[1], filled=True, tip=caption)
    # Shares need a glance, and counts are looked up: they may be smaller.
    size = 11.0 if count is None else min(11.0, 0.48 * side)
    number = count or str(round(100 * share)) if share == share else ""
    if number and (side >= 28 if count is None else text_width(number, size) < side - 2):
        yield Text(number, x + side / 2, y + side / 2, size)


def leaderboard(consensus: ConsensusResult) -> Picture:
    """Items on a line of mean ranks; bars join what is not clearly different.

    The diagram of Demšar (2006), whose bars span a critical difference of mean ranks. Here two
    items are joined unless their order is sure: what is sure holds for all pairs at once, and
    allows for people who judge many times and for items that meet different opponents.
    """
    means, items = consensus.mean_ranks_, consensus.labels_of_items
    if consensus.clear_ is None or means is None:
        raise InputError(
            "a leaderboard needs intervals, and mean ranks of at most 1,024 items",
            remedy="use bootstraps, and leave rare items out",
        )
    order = np.argsort(means, kind="stable")[:MOST_JOINED]
    intervals = consensus.rank_intervals_

    def tip(i: int) -> str:
        low, high = (None, None) if intervals is None else intervals[i].tolist()
        return _tip(items[i], consensus.ranking_[i], low, high)

    caption = "Mean ranks, 1 the best. Bars join items whose order is not sure "
    caption += f"({100 * consensus.confidence:g} %, all pairs at once)."
    if len(items) > len(order):
        caption += f" Not drawn: {amount(len(items) - len(order), 'item')} further down."
    return diagram(
        "Leaderboard",
        caption,
        [items[i] for i in order],
        means[order],
        consensus.clear_[np.ix_(order, order)],
        [tip(int(i)) for i in order],
    )
