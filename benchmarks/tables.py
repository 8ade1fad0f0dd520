"""Tables of plain text for the benchmark programs, and ± in them: half of a 95 % interval."""

import numpy as np
from scipy.stats import t


def half_width(values):
    """Half of Student's 95 % interval of the mean."""
    n = len(values)
    return float(t.ppf(0.975, n - 1) * np.std(values, ddof=1) / np.sqrt(n))


def print_table(title, header, rows):
    """A title, and cells in columns of their widths."""
    widths = [max(len(str(row[i])) for row in [header, *rows]) for i in range(len(header))]
    print(f"\n{title}")
    for row in [header, *rows]:
        print(
            "  ".join(f"{cell!s:>{width}}" for cell, width in zip(row, widths, strict=True)),
            flush=True,
        )
