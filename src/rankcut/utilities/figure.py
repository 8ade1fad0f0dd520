"""How utilities, or part-worths, are distributed over people."""

from collections.abc import Sequence

import numpy as np

from rankcut._loops.types import Floats, Longs
from rankcut.pictures.charts import Row, dot_chart
from rankcut.pictures.scene import Dot, Picture
from rankcut.pictures.theme import colour

AXES = {
    "raw": "utility (log-odds)",
    "zero-centred": "utility (best and worst are 100 apart)",
    "probability": "utility (0 to 100)",
}

# Lines span the middle four fifths and the middle half of people.
_SPANS = ((10.0, 90.0), (25.0, 75.0))


def distributions_picture(
    title: str, names: Sequence[str], values: Floats, axis: str, order: Longs | None = None
) -> Picture:
    """A row for each column: the median person, the middle half and the middle four fifths."""
    rows = []
    for i in range(len(names)) if order is None else order.tolist():
        middle = float(np.median(values[:, i]))
        spans = [np.percentile(values[:, i], ends).tolist() for ends in _SPANS]
        tip = f"{names[i]}: median {middle:.3g}"
        dots = [
            Dot(middle, colour(0), low, high, f"{tip}, {share} of people: {low:.3g} to {high:.3g}")
            for (low, high), share in zip(spans, ("four fifths", "half"), strict=True)
        ]
        rows.append(Row(str(names[i]), dots))
    legend = (
        "Dots: the median person. Lines: the middle half, and the middle four fifths of people."
    )
    return dot_chart(title, legend, rows, axis)
