"""Strengths over time as lines with bands."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from scipy import special

from rankcut._loops.types import Floats
from rankcut.errors import amount
from rankcut.pictures.charts import LETTERS, round_ticks
from rankcut.pictures.scene import LEAST, WIDTH, Path, Picture, Scene, Shape, Text, text_box
from rankcut.pictures.theme import FAINT, SOFT, colour, shorten

if TYPE_CHECKING:
    from rankcut.strengths.over_time import StrengthsOverTime

# Lines at most: the strongest items of the last period; more cannot be told apart.
_MOST_LINES = 8

# Pixels: the height of the drawing, and of the space between the names of two lines.
_TALL, _BETWEEN_NAMES = 360.0, 16.0


def lines_over_time(
    strengths: "StrengthsOverTime", names: Sequence[str], confidence: float = 0.95
) -> Picture:
    """A line and a band for each of the strongest items."""
    times = strengths.times
    top = np.argsort(-strengths.theta[:, -1], kind="stable")[:_MOST_LINES].tolist()
    reach = special.ndtri((1 + confidence) / 2) * strengths.standard_errors
    low, high = (strengths.theta - reach)[top], (strengths.theta + reach)[top]
    least, greatest = float(low.min()), float(high.max())
    labels = [shorten(names[i]) for i in top]
    edge = WIDTH - 12 - max(text_box(label, LETTERS)[0] for label in labels)
    left = 44.0
    span = float(times[-1] - times[0]) or 1.0

    def across(when: Floats) -> Floats:
        return np.asarray(left + (edge - 8 - left) * (when - times[0]) / span)

    def down(value: Floats) -> Floats:
        return np.asarray(8 + (_TALL - 8) * (greatest - value) / ((greatest - least) or 1.0))

    shapes: list[Shape] = []
    for place, words in round_ticks(least, greatest):
        y = float(down(np.array(place)))
        shapes.append(Path([np.array([[left, y], [edge - 8, y]])], FAINT, 0.8))
        shapes.append(Text(words, left - 6, y, LETTERS - 1, SOFT, anchor="end"))
    x = across(times)
    for number in range(len(top)):
        band = np.column_stack(
            [np.append(x, x[::-1]), down(np.append(high[number], low[number][::-1]))]
        )
        shapes.append(Path([band], colour(number), 0.0, 0.15, filled=True))
    for number, item in enumerate(top):
        line = np.column_stack([x, down(strengths.theta[item])])
        shapes.append(Path([line], colour(number), 2.0, tip=names[item]))
    heights = down(strengths.theta[top, -1])
    for number, y in zip(*_apart(heights), strict=True):
        shapes.append(Text(labels[number], edge, y, LETTERS, colour(number), anchor="start"))
    step = max(1, -(-len(times) // 6))
    for k in range(0, len(times), step):
        words = str(strengths.periods[k])
        shapes.append(Text(words, float(x[k]), _TALL + 16, LETTERS - 1, SOFT))
    scene = Scene(WIDTH, _TALL + 32, shapes, "Strengths over time", LEAST)
    caption = (
        f"Bands: {100 * confidence:g} % intervals. Strengths are about the mean of each period."
    )
    n_more = len(names) - len(top)
    if n_more > 0:
        caption += f" Not drawn: {amount(n_more, 'item')} further down."
    return Picture("Strengths over time", caption, scene, [])


def _apart(heights: Floats) -> tuple[list[int], list[float]]:
    """Names from the top, each below the one before it."""
    order = np.argsort(heights, kind="stable").tolist()
    places: list[float] = []
    for number in order:
        lowest = places[-1] + _BETWEEN_NAMES if places else -np.inf
        places.append(max(float(heights[number]), lowest))
    return order, places
