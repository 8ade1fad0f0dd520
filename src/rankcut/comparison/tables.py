"""Tables of differences: of items and pairs, and of each two groups."""

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np

from rankcut._loops.types import Flags, Floats
from rankcut.comparison.findings import Findings, Rows
from rankcut.comparison.statistics import two_groups
from rankcut.parameters import EQUAL_WITHIN
from rankcut.results.result import Table


def between_table(
    findings: Findings,
    groups: Sequence[Hashable],
    least: Floats,
    compared: Sequence[bool],
    confidence: float,
) -> Table:
    """Each two of three groups or more that are ``compared``; p is no smaller than ``least``."""
    if len(groups) < 3 or not any(compared):
        return Table({})
    pairs = zip(*two_groups(len(groups)), strict=True)
    two = [pair for pair, may in zip(pairs, compared, strict=True) if may]
    effects = [findings.variation.of_two(*pair).explained(confidence).value for pair in two]
    columns = {
        "first": [groups[one] for one, _ in two],
        "second": [groups[other] for _, other in two],
        "effect_size": effects,
        "p_value": np.maximum(findings.between, least)[list(compared)].tolist(),
    }
    return Table(columns)


def difference_table(
    names: dict[str, Any],
    rows: Rows,
    groups: Sequence[Hashable],
    unit: str,
    *,
    odds: bool,
    least: Floats,
    blind: Flags,
) -> Table:
    """The clearest difference between two groups and where it is, the clearest first.

    ``unit`` is what a mean is called. Intervals are those of the difference, or of the ratio of
    ``odds``, up to what is possible, and all of it if the two groups are ``blind`` to differences;
    no p-value is below ``least`` of its two groups.
    """
    means, clearness = rows.means.copy(), rows.differences.z
    means[np.abs(means) < EQUAL_WITHIN] = 0.0
    every, which = np.arange(means.shape[1]), clearness.argmax(axis=0)
    one, other = (side[which] for side in two_groups(len(groups)))
    gap = means[other, every] - means[one, every]
    # The first place is the highest.
    swapped = (gap > 0) != (unit == "place")
    high, low = np.where(swapped, other, one), np.where(swapped, one, other)
    p_values = np.maximum(rows.judged.each, least[which])
    order = np.lexsort((every, -np.abs(gap), -clearness.max(axis=0), p_values))
    columns = {name: [values[k] for k in order] for name, values in names.items()}
    size = np.abs(gap)
    margin = np.where(blind[which], np.inf, rows.judged.margins[which, every])
    columns["difference"] = size[order].tolist()
    ends = ("more_in", "less_in") if unit in ("listed", "share") else ("higher_in", "lower_in")
    for word, group in zip(ends, (high, low), strict=True):
        columns[word] = [groups[group[k]] if gap[k] else None for k in order]
    columns["p_value"] = p_values[order].tolist()
    largest = means.shape[1] - 1.0 if unit == "place" else 1.0
    # Beyond the largest numbers odds are infinite.
    with np.errstate(over="ignore"):
        if odds:
            size = np.abs(rows.differences.gaps[which, every])
            columns["odds_ratio"] = np.exp(size)[order].tolist()
        for word, end in (("low", size - margin), ("high", size + margin)):
            possible = np.exp(end) if odds else np.clip(end, -largest, largest)
            columns[word] = possible[order].tolist()
    for group, mean in zip(groups, means, strict=True):
        columns[f"{unit} in {group}"] = mean[order].tolist()
    if rows.shrunk is not None:
        columns["shrunk"] = (rows.shrunk[high, every] - rows.shrunk[low, every])[order].tolist()
    return Table(columns)
