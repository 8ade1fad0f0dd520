"""Blocs as one HTML page, and as Matplotlib figures.

The page has a map, the consensus of each bloc, the evidence and a cross table; the figures show the
evidence for each number of blocs, and the places of items in each.
"""

from collections.abc import Iterator, Sequence
from html import escape
from typing import Any

import numpy as np

from rankcut.blocs.words import BlocReport
from rankcut.consensus.figure import MOST_ITEMS, draw_places
from rankcut.errors import amount
from rankcut.pictures.map_page import about_groups, describe_orders, draw_map_svg
from rankcut.pictures.map_scene import lay_out
from rankcut.pictures.page import in_css, key, page
from rankcut.pictures.ranking_map import RankingMap
from rankcut.pictures.theme import FAINT, INK, PAPER, SOFT, colour, import_figure, write_heading

_WIDTH, _HEIGHT = 640, 600

# Maximum number of items of a bloc on the page, and of differences that it states.
_MOST_ITEMS = 40
_MOST_SAID = 5

_STYLE = """
.blocs { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(18rem, 100%), 1fr));
  gap: 1rem; margin: 1.2rem 0; }
.blocs section { border: 1px solid var(--faint); border-radius: .8rem; padding: 1rem 1.2rem; }
.blocs h2 { margin: 0 0 .4rem; } .blocs table { width: 100%; margin-top: .6rem; }
.blocs tr:last-child td { border-bottom: 0; }
@media print { .blocs section { break-inside: avoid; } }
"""


def bloc_page(
    report: BlocReport, title: str = "", found: RankingMap | None = None, ranks: Any = None
) -> str:
    """The page; ``found`` is the map of ``ranks`` with the blocs in colours, or None for no map.

    Examples
    --------
    >>> from rankcut import RankingBlocs, make_mallows
    >>> votes = make_mallows(100, 3, phi=0.2, centers=[[1, 2, 3], [3, 2, 1]], random_state=0)
    >>> model = RankingBlocs(2, n_bootstraps=100).fit(votes.ranks)
    >>> html = bloc_page(BlocReport.of(model), "Votes")
    >>> "<title>Votes</title>" in html, "Bloc 2" in html
    (True, True)
    """
    heading = title or "Blocs"
    body = [f"<h1>{escape(heading)}</h1>", *_body(report, found, ranks)]
    return page(heading, "\n".join(body), script=found is not None, style=_STYLE)


def _body(report: BlocReport, found: RankingMap | None, ranks: Any) -> Iterator[str]:
    people = amount(round(float(report.sizes.sum())), "person", "people")
    yield f'<p class="soft">{people}, {amount(len(report.items), "item")}.</p>'
    for sentence in report.sentences():
        yield f"<p>{escape(sentence)}</p>"
    keys = (
        key(f"bloc {bloc + 1} ({report.share(bloc)})", colour(bloc))
        for bloc in range(len(report.sizes))
    )
    yield f'<ul class="keys">{"".join(keys)}</ul>'
    if found is not None:
        rows = getattr(ranks, "iloc", ranks)[found.rows]
        words = dict(zip(found.rows, describe_orders(rows, found.items), strict=True))
        scene = lay_out(found, _WIDTH, _HEIGHT)
        yield (
            '<p class="soft">Each point is a ranking; rankings near each other are alike. Arrows '
            f"point to where an item is ranked high.{about_groups(scene, len(found.groups))}</p>"
        )
        yield '<figure style="max-width:48rem">'
        yield from draw_map_svg(found, scene, words.__getitem__)
        yield "</figure>"
    yield '<div class="blocs">'
    for bloc in range(len(report.sizes)):
        yield "<section>"
        yield from _bloc(report, bloc)
        yield "</section>"
    yield "</div>"
    if report.cross is not None:
        yield from _cross(report)
    if report.selection is not None:
        yield "<h2>How many blocs</h2>"
        yield (
            '<p class="soft">Gap: how much better that many centres fit these rankings than a '
            "population with the same mean and covariance but no blocs, and how much that varies. "
            "Stability: how well blocs found in two halves of the people agree.</p>"
        )
        yield from _table(
            ["blocs", "gap", "varies by", "stability"],
            [
                [str(k), f"{gap:.3f}", f"{error:.3f}", f"{stable:.2f}"]
                for k, gap, error, stable in zip(
                    *(report.selection[name] for name in ("n_blocs", "gap", "error", "stability")),
                    strict=True,
                )
            ],
        )


def _bloc(report: BlocReport, bloc: int) -> Iterator[str]:
    yield (
        f'<h2><span class="key" style="background:{in_css(colour(bloc))}"></span>'
        f"Bloc {bloc + 1}</h2>"
        f'<p class="soft">{escape(report.share(bloc))}</p>'
    )
    rows = report.rows_of(bloc)
    if rows:
        said = "; ".join(report.difference(row) for row in rows[:_MOST_SAID])
        yield f"<p>What sets it apart: {escape(said)}.</p>"
    header, body = ["place", "item"], []
    if report.intervals is not None:
        header.append("possible")
    for i in report.rankings[bloc].argsort(kind="stable").tolist()[:_MOST_ITEMS]:
        cells = [str(report.rankings[bloc, i]), report.items[i]]
        if report.intervals is not None:
            low, high = report.intervals[bloc, i].tolist()
            cells.append(str(low) if low == high else f"{low} to {high}")
        body.append(cells)
    yield from _table(header, body)


def _cross(report: BlocReport) -> Iterator[str]:
    assert report.cross is not None
    yield f"<h2>Blocs and {escape(report.cross.name)}</h2>"
    shares = report.cross.shares()
    yield from _table(
        [report.cross.name, *(f"bloc {bloc + 1}" for bloc in range(len(report.sizes)))],
        [
            [value, *(f"{share:.0%}" for share in row)]
            for value, row in zip(report.cross.values, shares.tolist(), strict=True)
        ],
    )


def _table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield '<div class="wide"><table><tr>'
    yield "".join(f"<th>{escape(name)}</th>" for name in header)
    yield "</tr>"
    for row in rows:
        yield "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>"
    yield "</table></div>"


def draw_blocs(report: BlocReport) -> Any:
    """A Matplotlib figure: places of the items in each bloc; beside them the evidence, if any.

    Examples
    --------
    >>> from rankcut import RankingBlocs, make_mallows
    >>> votes = make_mallows(100, 3, phi=0.2, centers=[[1, 2, 3], [3, 2, 1]], random_state=0)
    >>> model = RankingBlocs(2, n_bootstraps=100).fit(votes.ranks)
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
    numbers = table["n_blocs"]
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
