"""Tables of scores: means, what each difference between text and program does, labels."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from reproduction import published
from reproduction.claims import Scores, Way, short
from reproduction.learning import SEEDS
from reproduction.methods import CUT, KENDALL
from reproduction.sushi import SHRUNK, VARIANCES

Rows = list[dict[str, Any]]

_CHANGED = (published.NEITHER, published.BOTH, published.CONVERGED, published.OWN)
_CHANGED += (published.OWN_CONVERGED, published.TEXT)
CHANGES = {Way.PUBLISHED: "nothing", **{name: name for name in _CHANGED}, Way.RUN: "labels as run"}


def by_variant(records: Iterable[Mapping[str, Any]]) -> dict[str, Scores]:
    """Scores of each way to look and of each change.

    Where a kernel was not changed, or its labels were not mixed, it is as published.
    """
    rows: dict[str, list[Any]] = {way: [] for way in Way}
    for row in records:
        if "F1" in row:
            rows.setdefault(row["variant"], []).append(row)
    for variant in set(CHANGES) & set(rows):
        own = {(row["experiment"], row["method"]) for row in rows[variant]}
        names = {name for name, _ in own} if variant != Way.RUN else None
        rows[variant] += [
            row
            for row in rows[Way.PUBLISHED]
            if (row["experiment"], row["method"]) not in own
            and (names is None or row["experiment"] in names)
        ]
    return {variant: Scores(own) for variant, own in rows.items()}


def means(found: Mapping[str, Scores], cases: Iterable[tuple[str, str]]) -> Rows:
    """Mean F1 and accuracy in each way to look."""
    return [
        {"rankings": case[0], "method": case[1]}
        | {
            f"F1, accuracy {way}": ", ".join(
                short(found[way].mean(case, score).mean) for score in ("F1", "accuracy")
            )
            for way in Way
            if case in found[way]
        }
        for case in cases
    ]


def against_kendall(found: Scores, name: str) -> dict[str, str]:
    """The graph cut kernel less Kendall's, in both scores."""
    return {
        score: found.difference((name, CUT), (name, KENDALL), score).signed()
        for score in ("F1", "accuracy")
    }


def changes(found: Mapping[str, Scores], names: Iterable[str]) -> Rows:
    """As published, and with one thing changed at a time."""
    return [
        {"rankings": name, "changed": said} | against_kendall(found[variant], name)
        for name in names
        for variant, said in CHANGES.items()
        if variant in found and all((name, m) in found[variant] for m in (CUT, KENDALL))
    ]


def shrinkage(found: Mapping[str, Scores], names: Iterable[str]) -> Rows:
    """As printed, the kernel's variance learned or given."""
    variants = {Way.PRINTED: "learned"} | {SHRUNK.format(v): f"{v:g}" for v in VARIANCES}
    return [
        {"rankings": name, "variance": said} | against_kendall(found[variant], name)
        for name in names
        for variant, said in variants.items()
        if variant in found
    ]


def labels(records: Sequence[Mapping[str, Any]], found: Mapping[str, Scores]) -> Rows:
    """Kendall's kernel with the labels that it was given, over the paper's seeds."""
    mixed = [row for row in records if row.get("right labels") and row["seed"] in SEEDS]
    rows = []
    for name in dict.fromkeys(row["experiment"] for row in mixed):
        right = found[Way.PUBLISHED].by_seed((name, KENDALL), "accuracy")
        own = [row for row in mixed if row["experiment"] == name]
        rows.append(
            {
                "rankings": name,
                "right labels, seed by seed": ", ".join(
                    f"{100 * r['right labels']:.0f} %" for r in own
                ),
                "accuracy": short(float(np.mean([row["accuracy"] for row in own]))),
                "with the right labels": short(float(np.mean([right[seed] for seed in SEEDS]))),
            }
        )
    return rows
