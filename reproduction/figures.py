"""The paper's figures, drawn again: light, legible on a phone, a colour for each method."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from reproduction.claims import Way
from reproduction.learning import SEEDS
from reproduction.methods import CONSTANT, CUT, DUMMY, KENDALL, MALLOWS

COLOURS = {CUT: "#c8553d", KENDALL: "#2a6f97", MALLOWS: "#588157", DUMMY: "#868e96"}
"""Of a method, and of what its name begins; all else is black."""

Records = Sequence[Mapping[str, Any]]


def draw_lines(title: str, x: str, y: str, points: Sequence[Any], **scales: str) -> Any:
    """A line for each name, by points (name, x, y); the legend has what comes before a colon."""
    figure = Figure(figsize=(4.5, 3.6), layout="constrained")
    axes = figure.subplots()
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color="#d9dde1", linewidth=0.7)
    axes.set_title(title, loc="left", size=10, weight="bold")
    named: set[str] = set()
    for name in dict.fromkeys(name for name, _, _ in points):
        own = sorted((across, up) for each, across, up in points if each == name)
        known = [colour for method, colour in COLOURS.items() if name.startswith(method)]
        style = "--" if "literal" in name or "draws" in name else "-"
        label = name.partition(":")[0]
        label = None if label in named else named.add(label) or label
        axes.plot(*zip(*own, strict=True), style, marker="o", ms=4, label=label, c=(*known, "k")[0])
    axes.set(xlabel=x, ylabel=y, **scales)
    axes.legend(frameon=False, fontsize=8)
    return figure


def noise_figures(records: Records, found: object) -> dict[str, Any]:
    """Figure 4: mean F1 against noise over the paper's seeds, as printed and as published."""
    found: dict[Any, list[float]] = {}
    for row in records:
        if row["variant"] in (Way.PRINTED, Way.PUBLISHED) and row["seed"] in SEEDS:
            key = row["experiment"], row["variant"], row["method"], row["noise"]
            found.setdefault(key, []).append(row["F1"])
    figures = {}
    for name, way in dict.fromkeys(key[:2] for key in found):
        points = [(*key[2:], np.mean(f1)) for key, f1 in found.items() if key[:2] == (name, way)]
        title = f"{name.capitalize()} rankings, {way}"
        figures[f"synthetic-4 {name} {way}"] = draw_lines(title, "σ of the noise", "F1", points)
    return figures


def sushi_figures(records: Records, found: object) -> dict[str, Any]:
    """Figure 5: the ELBO by step as published, and F1 by seed, sorted, in each way to look."""
    figures = {}
    for name in dict.fromkeys(row["experiment"] for row in records):
        own = [row for row in records if row["experiment"] == name]
        path = [
            (f"{r['method']}: {r['seed']}", r["step"], r["bound"]) for r in own if r.get("step")
        ]
        for way in Way:
            scores: dict[str, list[float]] = {}
            for row in own:
                if row["variant"] == way and "F1" in row and row["method"] != CONSTANT:
                    scores.setdefault(row["method"], []).append(row["F1"])
            points = [
                (method, (place + 0.5) / len(f1), score)
                for method, f1 in scores.items()
                for place, score in enumerate(sorted(f1))
            ]
            if points:
                title = f"{name.capitalize()}, {way}"
                figures[f"sushi-5 {name} {way}"] = draw_lines(title, "share of seeds", "F1", points)
        if path:
            title = f"{name.capitalize()}: ELBO as published"
            figures[f"sushi-5 {name} ELBO"] = draw_lines(title, "step", "ELBO", path, xscale="log")
    return figures
