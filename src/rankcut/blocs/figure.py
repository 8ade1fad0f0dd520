"""Blocs as one HTML page, and as Matplotlib figures.

The page has a map, the consensus of each bloc, the evidence and a cross table; the figures show the
evidence for each number of blocs, and the places of items in each.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from rankcut.blocs.words import BlocReport
from rankcut.consensus.figure import draw_places
from rankcut.errors import amount
from rankcut.pictures.figures import row_height, write_heading
from rankcut.pictures.page import Cell, Html, in_css, page, show_picture, table, tag
from rankcut.pictures.scene import Picture
from rankcut.pictures.theme import (
    FAINT,
    INK,
    MOST_ITEMS,
    PAPER,
    SOFT,
    colour,
    import_figure,
)

# The structures that are no number of camps, in words.
_KINDS = {"crowd": "one crowd, more or less sure", "line": "along a line", "plane": "over a plane"}


def bloc_page(report: BlocReport, title: str = "", shown: Picture | None = None) -> str:
    """The page; ``shown`` is a map with the blocs in colours.

    Examples
    --------
    >>> from rankcut import RankingBlocs, make_mallows
    >>> votes = make_mallows(100, 3, phi=0.2, centers=[[1, 2, 3], [3, 2, 1]], random_state=0)
    >>> model = RankingBlocs(2).fit(votes.ranks)
    >>> html = bloc_page(BlocReport.of(model), "Votes")
    >>> "<title>Votes</title>" in html, "Bloc 2" in html
    (True, True)
    """
    heading = title or "Blocs"
    return page(heading, tag("h1", heading), *_body(report, shown))


def _body(report: BlocReport, shown: Picture | None) -> Iterator[Html]:
    people = amount(round(float(report.sizes.sum())), "person", "people")
    yield tag("p", f"{people}, {amount(len(report.items), 'item')}.", kind="soft")
    for sentence in report.sentences():
        yield tag("p", sentence)
    if shown is not None:
        yield from show_picture(shown)
    blocs = (tag("section", *_bloc(report, bloc)) for bloc in range(len(report.sizes)))
    yield tag("div", *blocs, kind="blocs")
    if report.cross is not None:
        yield tag("h2", f"Blocs and {report.cross.name}")
        heads = [report.cross.name, *(f"bloc {bloc + 1}" for bloc in range(len(report.sizes)))]
        shares = zip(report.cross.values, report.cross.shares().tolist(), strict=True)
        yield table(
            heads,
            [[value, *(Cell(f"{share:.0%}", share) for share in row)] for value, row in shares],
        )
    if report.selection is not None:
        yield tag("h2", "Camps or not")
        yield tag(
            "p",
            "BIC: how well each number of camps, and each other structure, explains the rankings "
            "for its size; the smallest is best. ICL is larger the less it is known who belongs to "
            "which camp.",
            kind="soft",
        )
        columns = [report.selection[name] for name in ("n_blocs", "bic", "icl")]
        rows: list[list[Any]] = [
            ["one crowd" if k == 1 else f"{k} camps", *(Cell(f"{v:.1f}", float(v)) for v in values)]
            for k, *values in zip(*columns, strict=True)
        ]
        rows += [
            [_KINDS[name], Cell(f"{value:.1f}", value), ""]
            for name, value in report.selection["structure"].items()
            if name in _KINDS
        ]
        yield table(["people", "BIC", "ICL"], rows)


def _bloc(report: BlocReport, bloc: int) -> Iterator[Html]:
    dot = tag("span", "", kind="key", style=f"background:{in_css(colour(bloc))}")
    yield tag("h2", dot, f"Bloc {bloc + 1}")
    yield tag("p", report.share(bloc), kind="soft")
    rows = report.rows_of(bloc)
    if rows:
        said = "; ".join(report.difference(row) for row in rows[:5])
        yield tag("p", f"What sets it apart: {said}.")
    ranking, intervals = report.rankings[bloc], report.intervals
    order = ranking.argsort(kind="stable").tolist()[:MOST_ITEMS]
    cells = [[int(ranking[i]), report.items[i]] for i in order]
    for row_cells, i in zip(cells, order, strict=True):
        low, high = intervals[bloc, i].tolist()
        row_cells.append(str(low) if low == high else f"{low} to {high}")
    yield table(["place", "item", "possible"], cells)


def draw_blocs(report: BlocReport) -> Any:
    """A Matplotlib figure: places of the items in each bloc; beside them the evidence, if any.

    Examples
    --------
    >>> from rankcut import RankingBlocs, make_mallows
    >>> votes = make_mallows(100, 3, phi=0.2, centers=[[1, 2, 3], [3, 2, 1]], random_state=0)
    >>> model = RankingBlocs(2).fit(votes.ranks)
    >>> [text.get_text() for text in draw_blocs(BlocReport.of(model)).legends[0].texts]
    ['bloc 1 (51)', 'bloc 2 (49)']
    """
    number = min(len(report.items), MOST_ITEMS)
    known = report.selection is not None
    height = max(3.2, 1.3 + row_height(report.items, len(report.sizes)) * number)
    size = (9.6 if known else 7.6, height - 0.3)
    figure = import_figure()(figsize=size, layout="constrained", facecolor=PAPER)
    if known:
        places, evidence = figure.subplots(1, 2, width_ratios=[1.6, 1])
        draw_evidence(evidence, report)
    else:
        places = figure.subplots()
    shares = report.sizes / report.sizes.sum()
    order = np.argsort(shares @ report.rankings, kind="stable")[:number].tolist()
    groups = [
        (
            f"bloc {bloc + 1} ({size:,.6g})",
            report.rankings[bloc],
            report.intervals[bloc],
        )
        for bloc, size in enumerate(report.sizes.tolist())
    ]
    draw_places(places, groups, report.items, order)
    places.set_xlabel("place (1 = best)", color=INK, size=10)
    write_heading(figure, _title(report), _say(report), places)
    return figure


def _title(report: BlocReport) -> str:
    """What people are."""
    k = len(report.sizes)
    if k == 1:
        return "People along a line" if report.structure == "line" else "One crowd"
    return f"{k} camps" if report.structure == "camps" else f"{k} blocs"


def _say(report: BlocReport) -> str:
    """What is drawn, in words."""
    number = amount(round(float(report.sizes.sum())), "ranking")
    return f"{number}. Dots: places in each bloc. Lines: possible places."


def draw_evidence(axes: Any, report: BlocReport) -> None:
    """BIC for each number of camps, beside those of a line and a plane."""
    assert report.selection is not None
    numbers, scores = report.selection["n_blocs"], report.selection["bic"]
    axes.plot(numbers, scores, "o-", color=INK)
    chosen = int(np.argmax(numbers == len(report.sizes)))
    axes.plot(numbers[chosen], scores[chosen], "o", color=colour(1), markersize=9)
    for name in ("line", "plane"):
        if name in report.selection["structure"]:
            height = report.selection["structure"][name]
            axes.axhline(height, color=FAINT, linewidth=1)
            side = axes.get_yaxis_transform()
            axes.text(1, height, _KINDS[name], transform=side, ha="right", color=SOFT, size=9)
    axes.set_xticks(numbers)
    axes.set_xlabel("number of camps", color=INK, size=10)
    axes.set_ylabel("BIC (the smallest is best)", color=INK, size=10)
    axes.spines["top"].set_visible(False)
    axes.spines[:].set_color(FAINT)
    axes.tick_params(colors=SOFT, labelcolor=INK, labelsize=10)
