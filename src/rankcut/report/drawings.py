"""The panels of a page about rankings that are drawings: lengths, pairs and the item graph."""

from collections.abc import Iterator
from html import escape

import numpy as np

from rankcut.pictures.graph_layout import lay_out_graph
from rankcut.pictures.graph_page import draw_graph_svg
from rankcut.pictures.labels import text_width
from rankcut.pictures.page import text, tip
from rankcut.pictures.theme import shorten
from rankcut.report.overview import Overview
from rankcut.report.words import percent

# List lengths are drawn one by one up to this many; if there are more, several share a bar.
_MOST_BARS = 30
# Colours of cells are pale enough for the numbers on them to be legible.
_DEEPEST = 0.85


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
    chosen, weights = layout.chosen.tolist(), page.graph.to_dense()

    def describe(k: int) -> str:
        own = weights[chosen[k]]
        words = f"{page.items[chosen[k]]}, place {page.consensus.ranking[chosen[k]]}"
        nearest = int(own.argmax())
        if own[nearest] > 0:
            words += f"\nmost like {page.items[nearest]} ({own[nearest]:.2f})"
        return words

    yield from draw_graph_svg(
        layout,
        [page.items[number] for number in chosen],
        lambda k: 'class="node bar rim"',
        describe,
        lambda k: f' data-item="{chosen[k]}"',
    )
    yield f'<p class="soft">{escape(_edges_said(len(layout.weights), page.graph.n_edges))}</p>'


def _edges_said(drawn: int, every: int) -> str:
    if drawn == every:
        return f"{drawn:,} edges; wider ones are stronger."
    return f"The {drawn:,} strongest of {every:,} edges; wider ones are stronger."
