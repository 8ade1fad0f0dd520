"""The distribution of utilities of each item, the best first."""

from typing import TYPE_CHECKING

import numpy as np

from rankcut.pictures.charts import Row, dot_chart
from rankcut.pictures.scene import Dot, Picture
from rankcut.pictures.theme import colour

if TYPE_CHECKING:
    from rankcut.utilities.estimator import Utilities

AXES = {
    "raw": "utility (log-odds)",
    "zero-centred": "utility (best and worst are 100 apart)",
    "probability": "utility (0 to 100)",
}

# Lines span the middle four fifths and the middle half of people.
_SPANS = ((10.0, 90.0), (25.0, 75.0))


def utilities_picture(model: "Utilities") -> Picture:
    """A row for each item: the median person, the middle half and the middle four fifths."""
    weights = model._weights
    means = weights @ model.utilities_ / weights.sum()
    rows = []
    for i in np.argsort(-means, kind="stable").tolist():
        values = model.utilities_[:, i]
        middle = float(np.median(values))
        spans = [np.percentile(values, ends).tolist() for ends in _SPANS]
        tip = f"{model.item_names[i]}: median {middle:.3g}"
        dots = [
            Dot(middle, colour(0), low, high, f"{tip}, {share} of people: {low:.3g} to {high:.3g}")
            for (low, high), share in zip(spans, ("four fifths", "half"), strict=True)
        ]
        rows.append(Row(str(model.item_names[i]), dots))
    legend = (
        "Dots: the median person. Lines: the middle half, and the middle four fifths of people."
    )
    return dot_chart("Utilities of people", legend, rows, AXES[model.scale])
