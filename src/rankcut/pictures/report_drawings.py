"""The panels of a page about rankings that are drawings: lengths, pairs and the item graph."""

from collections.abc import Iterator
from html import escape

import numpy as np

from rankcut.pictures.graph_layout import lay_out_graph
from rankcut.pictures.labels import place_labels, points_along, text_width
from rankcut.pictures.page import text, tip
from rankcut.pictures.theme import shorten
from rankcut.reports.overview import Overview
from rankcut.reports.overview_words import percent

# List lengths are drawn one by one up to this many; if there are more, several share a bar.
_MOST_BARS = 30
_FONTS = {"roomy": 13.0, "narrow": 22.0}
# Colours of cells are pale enough for the numbers on them to be legible.
_DEEPEST = 0.85
# A graph of more items is drawn taller, with smaller names.
_FEW_NODES = 20


def draw_lengths(page: Overview) -> Iterator[str]:
    """A histogram of list lengths."""
    seen = np.flatnonzero(page.lengths)
    if len(seen) == 1:
        return
    low, high = int(seen[0]), int(seen[-1])
    step = -(-(high - low + 1) // _MOST_BARS)
    starts = list(range(low, high + 1, step))
    totals = [int(page.lengths[start : start + step].sum()) for start in starts]
    width, height, total = 600, 130, page.description.n_rankings
    bar = min(60.0, width / len(starts))
    left = (width - bar * len(starts)) / 2
    yield (
        f'<svg viewBox="-12 0 {width + 24} {height + 30}" role="img" tabindex="0" '
        'style="max-width:40rem" '
        'aria-label="Histogram of how many items rankings list; arrow keys go through the bars">'
        f'<line class="grid" x1="0" x2="{width}" y1="{height}" y2="{height}"/>'
    )
    label_every = -(-len(starts) // 8)
    for k, (start, number) in enumerate(zip(starts, totals, strict=True)):
        last = min(start + step - 1, high)
        length = f"{start}" if start == last else f"{start} to {last}"
        words = f"{length} items: {number:,} rankings ({percent(number, total)})"
        tall = max((height - 8) * number / max(totals), 1.0 if number else 0.0)
        x = left + k * bar
        yield (
            f'<rect class="bar" x="{x + 0.05 * bar:.1f}" y="{height - tall:.1f}" '
            f'width="{0.9 * bar:.1f}" height="{tall:.1f}"{tip(words)}/>'
        )
        if k % label_every == 0:
            yield text(start, x + bar / 2, height + 22, 18, "soft", "middle")
    yield "</svg>"


def draw_pairs(page: Overview) -> Iterator[str]:
    """Who is preferred to whom, in the order of the consensus."""
    shares = page.consensus.pairwise
    assert shares is not None
    n_items = len(page.items)
    side = min(40.0, 730.0 / n_items)
    size = round(min(13.0, max(8.0, side * 0.62)), 1)
    names = 12 + max(text_width(shorten(name, 22), size) for name in page.items)
    top = 14 + max(text_width(shorten(name, 16), size) for name in page.items)
    whole, height = names + side * n_items + 4, top + side * n_items + 4
    yield (
        f'<div class="wide" tabindex="0" role="region" aria-label="Pairs of items">'
        f'<svg viewBox="0 0 {whole:.0f} {height:.0f}" role="img" tabindex="0" '
        f'style="width:{whole:.0f}px;max-width:{"none" if 10 < n_items <= 20 else "100%"};'
        f'min-width:{"34rem" if n_items > 10 else 0}" '
        'aria-label="Share that prefers the item of the row to the item of the '
        'column; arrow keys go through the pairs">'
    )
    for i, name in enumerate(page.items):
        middle = side * (i + 0.5)
        across, down = names + middle + size / 3, top + middle + size / 3
        yield f'<g data-item="{i}"{tip(name) if len(name) > 22 else ""}>'
        yield text(shorten(name, 22), names - 6, down, size, "", "end") + "</g>"
        yield f'<g data-item="{i}" transform="translate({across:.1f},{top - 6}) rotate(-90)">'
        yield text(shorten(name, 16), 0, 0, size) + "</g>"
    for i, name in enumerate(page.items):
        for j, other in enumerate(page.items):
            share = float(shares[i, j])
            if i == j or np.isnan(share):
                continue
            x, y = names + side * j, top + side * i
            words = f"{shorten(name, 40)} before {shorten(other, 40)}: {percent(share, 1)}"
            strength = abs(share - 0.5) * 2
            yield (
                f'<rect class="{"bar" if share >= 0.5 else "against"}" x="{x:.1f}" y="{y:.1f}" '
                f'width="{side - 1:.1f}" height="{side - 1:.1f}" '
                f'fill-opacity="{_DEEPEST * strength:.2f}"{tip(words)}/>'
            )
            if side >= 28:
                yield (
                    f'<text x="{x + side / 2:.1f}" y="{y + side / 2 + 4:.1f}" font-size="11" '
                    'class="cell" text-anchor="middle" pointer-events="none">'
                    f"{round(100 * share)}</text>"
                )
    for i in range(n_items):
        row, column = top + side * i, names + side * i
        length = side * n_items
        yield (
            f'<path class="frame" data-item="{i}" d="M{names:.0f},{row:.1f}h{length:.1f}v{side:.1f}'
            f'h{-length:.1f}ZM{column:.1f},{top:.0f}v{length:.1f}h{side:.1f}v{-length:.1f}Z"/>'
        )
    yield "</svg></div>"
    yield (
        '<p class="soft">Blue: the item of the row is preferred by most of those who compare both; '
        "orange: the item of the column.</p>"
    )


def draw_graph(page: Overview) -> Iterator[str]:
    """The item graph, strongly connected items near each other."""
    assert page.graph is not None
    if not page.graph.n_edges:
        return
    layout = lay_out_graph(page.graph)
    few = len(layout.chosen) <= _FEW_NODES
    width, height, margin, radius = 640.0, 460.0 if few else 620.0, 60.0, 8.0 if few else 6.0
    points = layout.places - layout.places.min(axis=0)
    size = np.maximum(points.max(axis=0), 1e-9)
    points = margin + points / size * (np.array([width, height]) - 2 * margin)
    yield (
        f'<svg viewBox="0 0 {width:.0f} {height:.0f}" role="img" tabindex="0" '
        'style="max-width:46rem" aria-label="Item graph; arrow keys go through the items">'
    )
    strongest = float(layout.weights.max(initial=0.0)) or 1.0
    for (i, j), weight in zip(layout.edges.tolist(), layout.weights.tolist(), strict=True):
        (a, b), (c, d) = points[i], points[j]
        part = weight / strongest
        yield (
            f'<line class="edge" x1="{a:.1f}" y1="{b:.1f}" x2="{c:.1f}" y2="{d:.1f}" '
            f'stroke-width="{0.6 + 4 * part:.1f}" stroke-opacity="{0.2 + 0.6 * part:.2f}"/>'
        )
    weights = page.graph.to_dense()
    for k, number in enumerate(layout.chosen.tolist()):
        name = page.items[number]
        nearest = int(weights[number].argmax())
        words = f"{name}, place {page.consensus.ranking[number]}"
        if weights[number, nearest] > 0:
            words += f"\nmost like {page.items[nearest]} ({weights[number, nearest]:.2f})"
        x, y = points[k]
        yield (
            f'<circle class="node bar rim" data-item="{number}" cx="{x:.1f}" cy="{y:.1f}" '
            f'r="{radius:g}"'
            f"{tip(words)}/>"
        )
    for kind, size in _FONTS.items():
        font = size if few else 0.85 * size
        labels = [shorten(page.items[number], 20) for number in layout.chosen.tolist()]
        boxes = np.array([[text_width(label, font) + 4, 1.25 * font] for label in labels])
        bounds = (1, 1, width - 1, height - 1)
        obstacles = np.column_stack([points - radius, points + radius])
        placed = place_labels(
            points,
            boxes,
            bounds,
            gap=radius + 1,
            reach=2,
            obstacles=obstacles,
            covered=points_along(*points[layout.edges.T]),
        )
        spots = {spot.number: (spot.x, spot.y) for spot in placed}
        for k, label in enumerate(labels):
            # A name without room beside its item shows when the item is chosen.
            later = "" if k in spots else ' class="later"'
            half = boxes[k, 0] / 2
            above = (min(max(points[k, 0], half), width - half), points[k, 1] - radius - 0.6 * font)
            x, y = spots.get(k, above)
            yield f'<g data-item="{int(layout.chosen[k])}"{later}>'
            yield text(label, x, y + 0.36 * font, font, f"halo {kind}", "middle") + "</g>"
    yield "</svg>"
    yield f'<p class="soft">{escape(_edges_said(len(layout.weights), page.graph.n_edges))}</p>'


def _edges_said(drawn: int, every: int) -> str:
    if drawn == every:
        return f"{drawn:,} edges; wider ones are stronger."
    return f"The {drawn:,} strongest of {every:,} edges; wider ones are stronger."
