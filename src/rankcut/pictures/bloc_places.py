"""The evidence for each number of blocs, and the places of items in each, by Matplotlib."""

from typing import Any

import numpy as np

from rankcut.errors import amount
from rankcut.pictures.consensus_places import MOST_ITEMS, draw_places
from rankcut.pictures.theme import FAINT, INK, PAPER, SOFT, colour, import_figure, write_heading
from rankcut.reports.blocs import BlocReport


def draw_blocs(report: BlocReport) -> Any:
    """A Matplotlib figure: places of the items in each bloc; beside them the evidence, if any.

    Examples
    --------
    >>> from rankcut import RankingClusters, make_mallows
    >>> votes = make_mallows(100, 3, phi=0.2, centers=[[1, 2, 3], [3, 2, 1]], random_state=0)
    >>> model = RankingClusters(2, n_bootstraps=100).fit(votes.ranks)
    >>> [text.get_text() for text in draw_blocs(BlocReport.of(model)).legends[0].texts]
    ['bloc 1 (51)', 'bloc 2 (49)']
    """
    number = min(len(report.items), MOST_ITEMS)
    known = report.selection is not None
    height = max(3.2, 1.3 + (0.28 + 0.1 * (len(report.sizes) - 1)) * number)
    size = (9.6 if known else 6.6, height - 0.3)
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
            None if report.intervals is None else report.intervals[bloc],
        )
        for bloc, size in enumerate(report.sizes.tolist())
    ]
    draw_places(places, groups, report.items, order)
    places.set_xlabel("place (1 = best)", color=INK, size=10)
    write_heading(figure, _title(report), _say(report), places)
    return figure


def _title(report: BlocReport) -> str:
    """How many blocs."""
    return "One bloc" if len(report.sizes) == 1 else f"{len(report.sizes)} blocs"


def _say(report: BlocReport) -> str:
    """What is drawn, in words."""
    said = f"{amount(round(float(report.sizes.sum())), 'ranking')}. Dots: places in each bloc."
    return said if report.intervals is None else f"{said} Lines: possible places."


def draw_evidence(axes: Any, report: BlocReport) -> None:
    """Gap and stability for each number of blocs."""
    table = report.selection
    assert table is not None
    numbers = table["n_clusters"]
    axes.axhline(0, color=FAINT, linewidth=1)
    axes.errorbar(numbers, table["gap"], yerr=table["error"], fmt="o-", color=INK, label="gap")
    chosen = int(np.argmax(numbers == len(report.sizes)))
    axes.plot(numbers[chosen], table["gap"][chosen], "o", color=colour(1), markersize=9)
    axes.set_xticks(numbers)
    axes.set_xlabel("number of blocs", color=INK, size=10)
    axes.set_ylabel("gap to a population without blocs", color=INK, size=10)
    beside = axes.twinx()
    beside.plot(numbers, table["stability"], "--", color=SOFT, label="stability")
    beside.set_ylim(-0.05, 1.05)
    beside.set_ylabel("stability (dashed)", color=SOFT, size=10)
    for own in (axes, beside):
        own.spines["top"].set_visible(False)
        own.spines[:].set_color(FAINT)
        own.tick_params(colors=SOFT, labelcolor=INK, labelsize=10)
