"""The worked example: one ranking of ten kinds of sushi, its values, and its reverse."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankcut.cuts.feature_map import graph_cut_features
from rankcut.datasets.sushi import load_sushi
from rankcut.graphs import ItemGraph
from rankcut.graphs.similarities import Similarity
from reproduction.comparisons import share_outcome
from reproduction.encodings import item_graph
from reproduction.findings import Claim, Outcome, Picture, Sheet, Table, Verdict, tiny
from reproduction.panels import FAINT, INK, SOFT, new_panel
from reproduction.parts import Part, Record, Settings, Tables, Task

# As the paper lists it: the least preferred first, items counted from 1.
LISTED = (5, 8, 3, 4, 1, 2, 9, 10, 7, 6)

# What the paper prints for some items.
PRINTED = {5: -4.22, 8: -2.36, 3: -2.36}

TEXT = "text: exp(−½d²/ℓ²)"
EXPERIMENTS = "experiments: exp(−d/ℓ)"
KERNELS: dict[str, Similarity] = {TEXT: "squared_exponential", EXPERIMENTS: "exponential"}
COLOURS = {TEXT: "#c8553d", EXPERIMENTS: "#2a6f97"}

# Two values are as printed if they differ by no more than a unit of the last printed place.
_UNIT = 0.01

# Values are near zero that have less than this of the size of the others, on average.
_NEAR_ZERO = 0.5

# A sign is as stated if this share of the products has it, and in part if more than half have.
_ALWAYS = 0.99

CLAIMS = {
    "values": Claim(
        "In the worked example item 5 has the value −4.22, and items 3 and 8 have −2.36.",
        "Section 3.1",
    ),
    "monotone": Claim(
        "Higher values belong to more preferred items, and items in the middle have values near "
        "zero.",
        "Section 3.1, Figure 2",
    ),
    "signs": Claim(
        "For a ranking and its reverse, every item's two values have opposite signs.",
        "Section 3.1, Figure 3",
    ),
    "similar": Claim(
        "An item that two rankings place similarly adds a positive product, and one that they "
        "place differently a negative one.",
        "Section 3.1",
    ),
}


class Example(Part):
    """Feature values and their geometry."""

    name = "example"
    title = "The worked example"
    claims = CLAIMS
    needs_sushi = True

    def tasks(self, settings: Settings) -> list[Task]:
        """One task for the example, and one for many pairs of rankings."""
        return [
            {"what": "values"},
            {"what": "pairs", "pairs": 1000 if settings.quick else 20_000, "seed": 0},
        ]

    def run(self, task: Task, data: Path | None) -> list[Record]:
        """Values of the ranking and of its reverse; or how often products have the stated sign."""
        sushi = load_sushi("a", data_home=data)
        if task["what"] == "pairs":
            return [
                {"weights": name, **_signs(sushi.ranks, graph, task["pairs"], task["seed"])}
                for name, graph in _graphs(sushi).items()
            ]
        ranks = np.empty(len(LISTED))
        ranks[np.array(LISTED) - 1] = np.arange(len(LISTED), 0, -1)
        both = np.stack([ranks, len(LISTED) + 1 - ranks])
        records = []
        for name, graph in _graphs(sushi).items():
            forward, backward = graph_cut_features(both, graph)
            for place, number in enumerate(LISTED):
                item = number - 1
                records.append(
                    {
                        "weights": name,
                        "place": place + 1,
                        "item": number,
                        "name": sushi.item_names[item],
                        "value": float(forward[item]),
                        "value in the reverse": float(backward[item]),
                        "product": float(forward[item] * backward[item]),
                        "printed": PRINTED.get(number),
                    }
                )
        return records

    def tables(self, records: Sequence[Record]) -> dict[str, Table]:
        """Values of the example, and signs over many pairs."""
        return {
            "example-values": [record for record in records if "value" in record],
            "example-signs": [record for record in records if "value" not in record],
        }

    def figures(self, tables: Tables) -> dict[str, Picture]:
        """The values along the ranking, and both rankings item by item."""
        values = tables["example-values"]
        products = {f"products, {name}": _products(values, name) for name in KERNELS}
        return {
            "example-values": Picture(
                {"values along the ranking": _along(values)},
                "Values along A = 5 ≺ 8 ≺ 3 ≺ 4 ≺ 1 ≺ 2 ≺ 9 ≺ 10 ≺ 7 ≺ 6, least preferred first "
                "(Figure 2 of the paper), with the weights of the text and those of the published "
                "experiments. Crosses are what the paper prints. Items joined by a flat line were "
                "pooled.",
            ),
            "example-geometry": Picture(
                {"values of the ranking and its reverse": _geometry(values), **products},
                "The ranking and its reverse, item by item (Figure 3 of the paper). Every product "
                "is negative or zero: the two rankings agree on nothing.",
            ),
        }

    def sheets(self, tables: Tables) -> list[Sheet]:
        """All values beside each other."""
        rows: dict[int, dict[str, Any]] = {}
        for row in tables["example-values"]:
            cells = rows.setdefault(row["item"], {"item": row["item"], "name": row["name"]})
            cells[row["weights"]] = row["value"]
            cells["printed in the paper"] = row["printed"]
        formats = dict.fromkeys(KERNELS, ".3f") | {"printed in the paper": ".2f"}
        return [Sheet(list(rows.values()), "The values, the least preferred item first.", formats)]

    def verdicts(self, tables: Tables) -> dict[str, Verdict]:
        """As printed up to a unit of the last place; monotone; opposite."""
        values = tables["example-values"]
        return {
            "values": _as_printed(values),
            "monotone": _monotone(values),
            "signs": _opposite(values),
            "similar": _similar(tables["example-signs"]),
        }

    def prose(self, tables: Tables) -> str:
        """What the example is and how the printed numbers come about."""
        return (
            "The paper takes one ranking of the ten kinds of sushi and prints some of its values. "
            "They come out with the recipe of the published experiments: the minor group left out, "
            "the other features divided by their column's maximum, and weights exp(−d/ℓ), where ℓ "
            "is the median over the whole distance matrix with its zero diagonal.\n\n"
            "The text states squared-exponential weights, exp(−½d²/ℓ²). They are shown first; same "
            f"features, same ℓ. A value counts as printed if it differs by no more than {_UNIT}. "
            f"*Near zero* is less than {_NEAR_ZERO:.0%} of the size of the other values, and a "
            f"product has a sign if {_ALWAYS:.0%} of them do; in part, if more than half do."
        )


def sushi_points(sushi: Any) -> NDArray[np.float64]:
    """The items' features as the published experiments take them: codes, each over its maximum."""
    columns = []
    for name, values in sushi.item_features.items():
        if name == "minor group":
            continue
        # One number distinguishes both categories: 1 for "other".
        number = values == "other" if values.dtype == object else values
        columns.append(number / number.max())
    return np.stack(columns, axis=1)


def _graphs(sushi: Any) -> dict[str, ItemGraph]:
    return {name: item_graph(sushi_points(sushi), kernel) for name, kernel in KERNELS.items()}


def _signs(ranks: Any, graph: ItemGraph, n_pairs: int, seed: int) -> Record:
    """How often a product has the sign that the paper states, over items of random pairs."""
    rng = np.random.default_rng(seed)
    one, other = (rng.integers(0, len(ranks), n_pairs) for _ in range(2))
    features = graph_cut_features(ranks, graph)
    middle = (ranks.shape[1] + 1) / 2
    products = features[one] * features[other]
    # Similarly: on the same side of the middle. Each item of ten is on one side of 5.5.
    same = (ranks[one] < middle) == (ranks[other] < middle)
    near = np.abs(ranks[one] - ranks[other]) <= 1
    return {
        "pairs": n_pairs,
        "same half, product above 0": float((products[same] > 0).mean()),
        "different halves, product below 0": float((products[~same] < 0).mean()),
        "at most one place apart, product above 0": float((products[near] > 0).mean()),
    }


def _of(values: Table, weights: str) -> list[Any]:
    return [row for row in values if row["weights"] == weights]


def _as_printed(values: Table) -> Verdict:
    differences = {
        name: max(
            abs(row["value"] - row["printed"])
            for row in _of(values, name)
            if row["printed"] is not None
        )
        for name in KERNELS
    }
    good = [name for name, difference in differences.items() if difference <= _UNIT]
    ours = {row["item"]: row["value"] for row in _of(values, EXPERIMENTS)}
    text = {row["item"]: row["value"] for row in _of(values, TEXT)}
    outcome = Outcome.HOLDS if TEXT in good else Outcome.IN_PART if good else Outcome.FAILS
    return Verdict(
        outcome,
        f"With the experiments' weights: {ours[5]:.3f}, {ours[3]:.3f} and {ours[8]:.3f}. With the "
        f"weights that the text states: {text[5]:.2f}, {text[3]:.2f} and {text[8]:.2f}"
        + ("." if abs(text[3] - text[8]) <= _UNIT else ", so that items 3 and 8 are not pooled."),
    )


def _monotone(values: Table) -> Verdict:
    worst, middle = 0.0, []
    for name in KERNELS:
        along = np.array([row["value"] for row in _of(values, name)])
        worst = min(worst, float(np.diff(along).min()))
        middle.append(float(np.abs(along[3:7]).mean() / np.abs(along[[0, 1, 2, 7, 8, 9]]).mean()))
    rises = worst >= -1e-9
    return Verdict(
        share_outcome([rises, max(middle) < _NEAR_ZERO]),
        f"Values {'never fall' if rises else 'fall somewhere'} along the ranking, with either "
        f"weights. The four middle items have {middle[0]:.0%} and {middle[1]:.0%} of the size of "
        "the others.",
    )


def _opposite(values: Table) -> Verdict:
    products = [row["product"] for row in values]
    negative = [product < 0 for product in products]
    apart = max(abs(row["value"] + row["value in the reverse"]) for row in values)
    return Verdict(
        share_outcome(negative),
        f"{sum(negative)} of {len(products)} products are negative, from {min(products):.2f} to "
        f"{max(products):.2f}. The reverse has the opposite vector, to {tiny(apart)}.",
    )


def _similar(signs: Table) -> Verdict:
    text = next(row for row in signs if row["weights"] == TEXT)
    same = text["same half, product above 0"]
    different = text["different halves, product below 0"]
    near = text["at most one place apart, product above 0"]
    least = min(same, different, near)
    always = least >= _ALWAYS
    return Verdict(
        Outcome.HOLDS if always else Outcome.IN_PART if least > 0.5 else Outcome.FAILS,
        f"Over {text['pairs']:,} pairs of rankings of sushi a: placed in the same half, "
        f"{same:.0%} of the products are positive; in different halves, {different:.0%} are "
        f"negative; at most one place apart, {near:.0%} are positive."
        + (" It is a tendency, not a law." if not always and least > 0.5 else ""),
    )


def _along(values: Table) -> Any:
    figure, axes = new_panel(height=3.7)
    for name, colour in COLOURS.items():
        rows = _of(values, name)
        axes.plot(
            [row["place"] for row in rows],
            [row["value"] for row in rows],
            color=colour,
            marker="o",
            markersize=6,
            linewidth=1.8,
            label=name,
        )
    marked = [row for row in _of(values, TEXT) if row["printed"] is not None]
    axes.plot(
        [row["place"] for row in marked],
        [row["printed"] for row in marked],
        "x",
        color=INK,
        markersize=9,
        markeredgewidth=2,
        label="printed in the paper",
        zorder=5,
    )
    axes.axhline(0, color=SOFT, linewidth=0.8)
    rows = _of(values, TEXT)
    axes.set_xticks(
        [row["place"] for row in rows],
        [f"{row['name'].replace('_', ' ')} {row['item']}" for row in rows],
        rotation=50,
        ha="right",
        rotation_mode="anchor",
    )
    axes.set(ylabel="value", xlabel="the least preferred first")
    axes.legend(frameon=False)
    return figure


def _geometry(values: Table) -> Any:
    figure, axes = new_panel("Values of A and of its reverse")
    rows = sorted(_of(values, TEXT), key=lambda row: row["item"])
    items = np.array([row["item"] for row in rows])
    for shift, key, colour, label in (
        (-0.2, "value", "#c8553d", "φ(A)"),
        (0.2, "value in the reverse", "#e0a899", "φ(A′), the reverse"),
    ):
        axes.bar(items + shift, [row[key] for row in rows], 0.4, color=colour, label=label)
    axes.axhline(0, color=SOFT, linewidth=0.8)
    axes.set_xticks(items)
    axes.grid(axis="x", visible=False)
    axes.set(xlabel="item", ylabel="value, weights of the text")
    axes.legend(frameon=False)
    return figure


def _products(values: Table, name: str) -> Any:
    figure, axes = new_panel(f"Products, weights of the {name.split(':')[0]}")
    rows = sorted(_of(values, name), key=lambda row: row["item"])
    axes.bar(
        [row["item"] for row in rows],
        [row["product"] for row in rows],
        0.7,
        color=COLOURS[name],
        edgecolor=FAINT,
    )
    axes.set_xticks([row["item"] for row in rows])
    axes.grid(axis="x", visible=False)
    axes.set(xlabel="item", ylabel="φ(A)·φ(A′)")
    return figure
