"""The evidence for each number of blocs, and the places of items in each, by Matplotlib."""

from typing import Any

import numpy as np

from rankcut.pictures.consensus_places import MOST_ITEMS, draw_places
from rankcut.pictures.theme import FAINT, INK, SOFT, colour, import_figure
from rankcut.reports.blocs import BlocReport


def draw_blocs(report: BlocReport) -> Any:
    """A Matplotlib figure: places of the items in each bloc; beside them the evidence, if any.

    Examples
    --------
    >>> from rankcut import RankingClusters, make_mallows
    >>> votes = make_mallows(100, 3, phi=0.2, centers=[[1, 2, 3], [3, 2, 1]], random_state=0)
    >>> model = RankingClusters(2, n_bootstraps=100).fit(votes.ranks)
    >>> [text.get_text() for text in draw_blocs(BlocReport.of(model)).axes[0].get_legend().texts]
    ['bloc 1 (51)', 'bloc 2 (49)']
    """
    number = min(len(report.items), MOST_ITEMS)
    known = report.selection is not None
    height = max(3.2, 1.3 + (0.28 + 0.1 * (len(report.sizes) - 1)) * number)
    figure = import_figure()(figsize=(10.4 if known else 6.2, height), layout="constrained")
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
    places.set_xlabel("place", color=SOFT)
    places.legend(frameon=False, fontsize="small")
    return figure


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
    axes.set_xlabel("number of blocs", color=SOFT)
    axes.set_ylabel("gap to a population without blocs", color=SOFT)
    beside = axes.twinx()
    beside.plot(numbers, table["stability"], "--", color=SOFT, label="stability")
    beside.set_ylim(-0.05, 1.05)
    beside.set_ylabel("stability (dashed)", color=SOFT)
    for own in (axes, beside):
        own.spines["top"].set_visible(False)
