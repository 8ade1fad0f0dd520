"""A consensus as a Matplotlib figure, and as one HTML page without scripts.

Both show places with intervals, and pairwise shares in the order of the consensus.
"""

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankcut.consensus.words import ConsensusReport, GroupConsensus
from rankcut.errors import InputError, amount
from rankcut.pictures.labels import text_width
from rankcut.pictures.page import in_css, key, page, text
from rankcut.pictures.theme import (
    INK,
    OTHERS,
    PAPER,
    bare,
    check_length,
    colour,
    import_figure,
    name_colours,
    name_rows,
    shorten,
    write_heading,
)

MOST_ITEMS = 40
"""Maximum number of items in a picture; the first are drawn."""

# Columns of the matrix of pairs that are numbered.
_MOST_COLUMNS = 16

_ROW = 24
_NAMES = 190
_WIDTH = 640
# Pairs of more items have smaller names; a phone shows those of the first items.
_FEW_ITEMS, _MOST_ON_A_PHONE = 12, 20


def plot_consensus(
    consensus: Any, *, items: Sequence[Any] | None = None, title: str = "Consensus"
) -> Any:
    """Draw a consensus: a dot for each place, a line for the places that are possible.

    Parameters
    ----------
    consensus : fitted Consensus, or dict from labels of groups to fitted ones
        One consensus has the pairwise shares beside it; if there are several, each has a colour.
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
    return said + (f" Not drawn: {amount(left_out, 'item')} further down." if left_out > 0 else "")


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
    missing = _about_missing(shares)
    if missing:
        axes.set_facecolor(OTHERS)
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
    heading = "% who rank it before the other item"
    if missing:
        heading += "\n(grey: nobody ranks both)"
    axes.set_title(heading, color=INK, size=10)


def consensus_page(report: ConsensusReport, title: str = "") -> str:
    """The page: places with intervals, pairwise shares, and an explanation in words.

    Examples
    --------
    >>> from rankcut import Consensus, make_mallows
    >>> model = Consensus().fit(make_mallows(50, 3, phi=0.3, random_state=0).ranks)
    >>> report = ConsensusReport(["uni", "ika", "ebi"], "borda", 0.95, [GroupConsensus.of(model)])
    >>> page = consensus_page(report, "Sushi")
    >>> "<title>Sushi</title>" in page, "<script" in page
    (True, False)
    """
    heading = title or "Consensus"
    body = [f"<h1>{escape(heading)}</h1>", *_body(report)]
    return page(heading, "\n".join(body))


def _body(report: ConsensusReport) -> Iterator[str]:
    people = sum(group.n_people for group in report.groups)
    sizes = f"{amount(people, 'person', 'people')}, {amount(len(report.items), 'item')}"
    yield f"<p>{sizes}, method: {escape(report.method)}.</p>"
    if len(report.groups) > 1:
        names = [f"{group.group} ({group.n_people:,})" for group in report.groups]
        keys = (key(name, its_colour) for name, its_colour in name_colours(names))
        yield f'<ul class="keys">{"".join(keys)}</ul>'
    for group in report.groups:
        name = f"<strong>{escape(group.group)}</strong>: " if group.group else ""
        yield f"<p>{name}{escape(' '.join(report.sentences(group)))}</p>"
    yield "<h2>Places</h2>"
    if any(group.intervals is not None for group in report.groups):
        yield (
            f'<p class="soft">A dot is the place, a line the places that are possible: all of them '
            f"hold at once with a confidence of {report.confidence:.0%}.</p>"
        )
    yield from places_picture(report)
    if len(report.items) > MOST_ITEMS:
        yield f'<p class="soft">The first {MOST_ITEMS} of {len(report.items):,} items.</p>'
    for group in report.groups:
        if group.pairwise is not None:
            where = f" in {escape(group.group)}" if group.group else ""
            yield f"<h2>Who is preferred to whom{where}</h2>"
            yield (
                '<p class="soft">Blue: most of those who compare both prefer the row to the '
                f"column; red: the column.{_about_missing(group.pairwise)}</p>"
            )
            yield from _pairs(report, group)
    yield "<h2>Table</h2>"
    yield from _table(report)


def _about_missing(shares: NDArray[np.float64]) -> str:
    """What grey cells mean, if there are any."""
    missing = int(np.isnan(shares).sum()) - int(np.isnan(np.diag(shares)).sum())
    return " Grey: nobody compares them." if missing else ""


def places_picture(report: ConsensusReport) -> Iterator[str]:
    """The drawing of places by itself, twice: for wide pages, and for phones."""
    yield from _places_svg(report, "roomy", _WIDTH, _NAMES, 24, 12)
    yield from _places_svg(report, "narrow", _WIDTH // 2, 140, 16, 7)


def _places_svg(
    report: ConsensusReport, kind: str, width: int, names: int, letters: int, n_ticks: int
) -> Iterator[str]:
    order = report.order()[:MOST_ITEMS]
    several = len(report.groups) > 1
    row = _ROW + (8 * (len(report.groups) - 1) if several else 0)
    height = row * len(order) + 28
    n_items = len(report.items)
    labels = [shorten(report.items[i], letters) for i in order]
    names = min(names, round(max(text_width(label, 13) for label in labels)) + 4)

    def x(place: float) -> float:
        return names + 14 + (place - 1) * (width - names - 28) / max(1, n_items - 1)

    yield f'<div class="{kind}" style="max-width:48rem;margin-top:.8rem">'
    yield f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="Places of the items">'
    for place in place_ticks(n_items, n_ticks):
        yield (
            f'<line x1="{x(place):.1f}" x2="{x(place):.1f}" y1="0" y2="{height - 24}" '
            f'class="grid"/>{text(place, x(place), height - 8, 12, "soft", "middle")}'
        )
    for line, i in enumerate(order):
        top = row * line
        yield text(labels[line], names, top + row / 2 + 4, 13, anchor="end")
        for number, group in enumerate(report.groups):
            y = top + row * (number + 1) / (len(report.groups) + 1)
            said = f"{report.items[i]}: place {group.ranking[i]}"
            if group.intervals is not None:
                low, high = group.intervals[i].tolist()
                said += f", from {low} to {high}"
                yield (
                    f'<line x1="{x(low):.1f}" x2="{x(high):.1f}" y1="{y:.1f}" y2="{y:.1f}" '
                    f'stroke="{in_css(colour(number))}" stroke-opacity=".4" stroke-width="6" '
                    'stroke-linecap="round"/>'
                )
            yield (
                f'<circle cx="{x(int(group.ranking[i])):.1f}" cy="{y:.1f}" r="5" '
                f'fill="{in_css(colour(number))}" class="rim">'
                f"<title>{escape(said)}</title></circle>"
            )
    yield "</svg></div>"


def _pairs(report: ConsensusReport, group: GroupConsensus) -> Iterator[str]:
    """The drawing of pairwise shares, also twice; on a phone of fewer items."""
    yield from _pairs_svg(report, group, "roomy", _WIDTH, 24, MOST_ITEMS)
    yield from _pairs_svg(report, group, "narrow", _WIDTH // 2, 14, _MOST_ON_A_PHONE)


def _pairs_svg(
    report: ConsensusReport, group: GroupConsensus, kind: str, width: int, letters: int, most: int
) -> Iterator[str]:
    assert group.pairwise is not None
    every = [int(i) for i in np.lexsort((-group.scores, group.ranking))]
    order = every[:most]
    size = 11.0 if len(order) <= _FEW_ITEMS else 9.0 if kind == "roomy" else 8.0
    rows = [shorten(report.items[i], letters) for i in order]
    heads = [shorten(report.items[i], letters - 3) for i in order]
    names = 10 + max(text_width(name, size) for name in rows)
    top = 10 + max(text_width(name, size) for name in heads)
    side = min(44.0, (width - names) / len(order))
    height = top + side * len(order) + 4
    yield f'<div class="{kind}" style="max-width:48rem">'
    yield f'<svg viewBox="0 0 {width} {height:.0f}" role="img" aria-label="Pairwise shares">'
    for line, i in enumerate(order):
        middle = side * (line + 0.5)
        yield text(rows[line], names - 6, top + middle + size / 3, size, anchor="end")
        yield (
            f'<g transform="translate({names + middle + size / 3:.1f},{top - 6:.1f}) rotate(-90)">'
            f"{text(heads[line], 0, 0, size)}</g>"
        )
        for column, j in enumerate(order):
            if i != j:
                x, y = names + side * column, top + side * line
                said = f"{report.items[i]} before {report.items[j]}"
                yield _cell(x, y, side, float(group.pairwise[i, j]), said)
    yield "</svg>"
    if len(order) < len(every):
        yield f'<p class="soft">The first {len(order)} of {len(every):,} items.</p>'
    yield "</div>"


def _cell(x: float, y: float, side: float, share: float, said: str) -> str:
    """A share from red at 0 to blue at 1, the deeper the clearer; grey if nobody compares."""
    known = not np.isnan(share)
    strength = 2 * abs(share - 0.5) if known else 1.0
    fill = ("#2166ac" if share > 0.5 else "#b2182b") if known else in_css(OTHERS)
    words = f"{said}: {f'{share:.1%}' if known else 'nobody compares them'}"
    drawn = (
        f'<rect x="{x:.1f}" y="{y:.1f}" width="{side:.1f}" height="{side:.1f}" class="rim" '
        f'style="fill:{fill};fill-opacity:{strength:.2f}"><title>{escape(words)}</title></rect>'
    )
    if known and side >= 16:
        digits = min(11.0, 0.55 * side)
        ink = "#fff" if strength > 0.6 else "var(--ink)"
        drawn += (
            f'<text x="{x + side / 2:.1f}" y="{y + side / 2 + 0.36 * digits:.1f}" '
            f'font-size="{digits:.1f}" style="fill:{ink}" text-anchor="middle" '
            f'pointer-events="none">{round(100 * share)}</text>'
        )
    return drawn


def _table(report: ConsensusReport) -> Iterator[str]:
    columns = report.columns()
    looks = {"item": "", "group": ' style="white-space:nowrap"'}
    words = {"best": "best place", "worst": "worst place", "first": "first in samples"}
    yield '<div class="wide"><table><tr>'
    for name in columns:
        kind = looks.get(name, ' class="number"')
        yield f"<th{kind}>{words.get(name, name)}</th>"
    yield "</tr>"
    for row in zip(*columns.values(), strict=True):
        yield "<tr>"
        for name, value in zip(columns, row, strict=True):
            shown = str(value)
            if name == "first":
                shown = f"{value:.1%}"
            elif name == "score":
                shown = f"{value:.3f}"
            kind = looks.get(name, ' class="number"')
            yield f"<td{kind}>{escape(shown)}</td>"
        yield "</tr>"
    yield "</table></div>"
