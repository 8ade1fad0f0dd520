"""Places with intervals, and the pairwise shares in the order of the consensus, by Matplotlib."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankcut.errors import InputError, amount
from rankcut.pictures.theme import (
    INK,
    PAPER,
    bare,
    check_length,
    colour,
    import_figure,
    name_rows,
    shorten,
    write_heading,
)
from rankcut.reports.consensus import ConsensusReport, GroupConsensus

MOST_ITEMS = 40
"""Maximum number of items in a picture; the first are drawn."""

# Columns of the matrix of pairs that are numbered.
_MOST_COLUMNS = 16


def plot_consensus(
    consensus: Any, *, items: Sequence[Any] | None = None, title: str = "Consensus"
) -> Any:
    """Draw a consensus: a dot for each place, a line for the places that are possible.

    Parameters
    ----------
    consensus : fitted Consensus, or dict from labels of groups to fitted ones
        One has the pairwise shares beside it; of several, each has a colour.
    items : sequence or None
        Names of the items; None takes those that the rankings had.
    title : str
        Heading.

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
    return draw_consensus(report, title)


def draw_consensus(report: ConsensusReport, title: str) -> Any:
    """A Matplotlib figure: a dot for the place of each item, a line for its possible places.

    With one group, the pairwise shares are beside it; with several, each group has a colour.

    Examples
    --------
    >>> from rankcut import Consensus, make_mallows
    >>> model = Consensus().fit(make_mallows(50, 3, phi=0.3, random_state=0).ranks)
    >>> report = ConsensusReport(["uni", "ika", "ebi"], "borda", 0.95, [GroupConsensus.of(model)])
    >>> [text.get_text() for text in draw_consensus(report, "Sushi").axes[0].get_yticklabels()]
    ['uni', 'ika', 'ebi']
    """
    order = report.order()[:MOST_ITEMS]
    paired = len(report.groups) == 1 and report.groups[0].pairwise is not None
    height = 1.3 + (0.28 + 0.1 * (len(report.groups) - 1)) * len(order)
    size = (9.6 if paired else 6.6, height - 0.3)
    figure = import_figure()(figsize=size, layout="constrained", facecolor=PAPER)
    if paired:
        places, matrix = figure.subplots(1, 2, width_ratios=[1.25, 1], sharey=True)
        _draw_pairs(matrix, report, order)
    else:
        places = figure.subplots()
    groups = [(shorten(own.group), own.ranking, own.intervals) for own in report.groups]
    draw_places(places, groups, report.items, order)
    places.set_xlabel("place (1 = best)", color=INK, size=10)
    write_heading(figure, title, _say(report), places if len(groups) > 1 else None)
    return figure


def _say(report: ConsensusReport) -> str:
    """What is drawn, in words."""
    people = sum(group.n_people for group in report.groups)
    said = f"{amount(people, 'ranking')}. Dots: places by consensus."
    if any(group.intervals is not None for group in report.groups):
        said += f" Lines: possible places, {report.confidence:.0%} sure of all at once."
    left_out = len(report.items) - MOST_ITEMS
    return said + (f" {amount(left_out, 'item')} further down left out." if left_out > 0 else "")


def place_ticks(n_items: int, most: int = 12) -> list[int]:
    """The places to label below a picture: the first, and about ``most`` others.

    >>> place_ticks(30)
    [1, 3, 6, 9, 12, 15, 18, 21, 24, 27, 30]
    """
    step = max(1, -(-n_items // most))
    return [place for place in range(1, n_items + 1) if place == 1 or place % step == 0]


def draw_places(
    axes: Any,
    groups: Sequence[tuple[str, NDArray[Any], NDArray[Any] | None]],
    items: Sequence[Any],
    order: Sequence[int],
) -> None:
    """A dot for each item's place in each group, and a line for the places that are possible.

    A group is its label, its ranking and its intervals; ``order`` lists the items to draw.
    """
    name_rows(axes, [items[i] for i in order])
    # Closer to each other than to those of the next item.
    spread = 0.72 * (np.arange(len(groups)) - (len(groups) - 1) / 2) / len(groups)
    for number, (label, ranking, intervals) in enumerate(groups):
        heights = np.arange(len(order)) + spread[number]
        if intervals is not None:
            low, high = intervals[order].T
            axes.hlines(heights, low, high, color=colour(number), alpha=0.4, linewidth=5)
        axes.plot(
            ranking[order],
            heights,
            "o",
            color=colour(number),
            markersize=7 if len(groups) == 1 else 5.5,
            markeredgecolor="white",
            label=label,
        )
    axes.set_xlim(0.5, len(items) + 0.5)
    axes.set_xticks(place_ticks(len(items)))


def _draw_pairs(axes: Any, report: ConsensusReport, order: list[int]) -> None:
    pairwise = report.groups[0].pairwise
    assert pairwise is not None
    shares = pairwise[np.ix_(order, order)]
    image = axes.imshow(shares, vmin=0, vmax=1, cmap="RdBu", aspect="auto")
    bare(axes)
    ranking = report.groups[0].ranking
    ticks = [place - 1 for place in place_ticks(len(order), _MOST_COLUMNS)]
    axes.set_xticks(ticks, [f"{ranking[order[tick]]}" for tick in ticks])
    axes.set_xlabel("place of the other item", color=INK, size=10)
    axes.tick_params(bottom=False, left=False, labelleft=False)
    axes.spines["bottom"].set_visible(False)
    if len(order) <= 12:
        for (row, column), share in np.ndenumerate(shares):
            if not np.isnan(share):
                strong = abs(share - 0.5) > 0.3
                ink = "white" if strong else INK
                axes.text(
                    column,
                    row,
                    f"{100 * share:.0f}",
                    ha="center",
                    va="center",
                    size=8,
                    color=ink,
                )
    else:
        axes.figure.colorbar(image, ax=axes, shrink=0.6, format=lambda share, _: f"{share:.0%}")
    axes.set_title("% who rank it before the other item", color=INK, size=10)
