"""The worked example: one ranking of ten kinds of sushi, its values, and its reverse."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.distance import pdist, squareform

from rankcut import SimilarityGraph, graph_cut_features
from rankcut.datasets import load_sushi
from reproduction.claims import Outcome, Verdict, Way, holds_if, shared
from reproduction.methods import Floats, item_graph, sushi_points
from reproduction.published import released_sample
from reproduction.store import Record

NEEDS_DATA = True

LISTED = (5, 8, 3, 4, 1, 2, 9, 10, 7, 6)
"""As the paper lists it, items counted from 1; a ≺ b says that b is preferred."""

# What the paper prints for some items, to a unit of the last place.
PRINTED, _UNIT = {5: -4.22, 8: -2.36, 3: -2.36}, 0.01

# Values are near zero that have less than this of the size of the others, on average.
_NEAR_ZERO = 0.5

# A sign is as stated if this share of the products has it, and in part if more than half have.
_ALWAYS = 0.99


class Example(NamedTuple):
    """Values by item for each reading of the weights; the sample's third ranking; the data."""

    values: dict[str, Floats]
    third: tuple[int, ...]
    ranks: Floats
    points: Floats


def values_of(ranks: Floats, points: Floats, kernel: Any, scale: float) -> Floats:
    """Vectors with weights of a kind and a lengthscale."""
    graph = SimilarityGraph(points, kernel=kernel, lengthscale=scale).build()
    return np.asarray(graph_cut_features(ranks, graph))


def found(records: list[Record], data: Path | None) -> Example:
    """Read the data and compute the values, the first item taken as the least preferred."""
    sushi = load_sushi("a", data_home=data)
    points, ranks = sushi_points(sushi), np.argsort(LISTED)[None].astype(float)
    ranks = len(LISTED) - ranks
    with_zeros, without = (float(np.median(d)) for d in (squareform(pdist(points)), pdist(points)))
    readings = {
        "median, zeros included": with_zeros,
        "median, without zeros": without,
        "1 over the median, zeros included": 1 / with_zeros,
        "1 over the median, without zeros": 1 / without,
    }
    values = {"exp(−d/ℓ), as published": values_of(ranks, points, "exponential", with_zeros)[0]}
    for said, scale in readings.items():
        own = values_of(ranks, points, "squared_exponential", scale)[0]
        values[f"exp(−½d²/ℓ²), ℓ = {said}"] = own
    people = released_sample(np.asarray(sushi.target), 2500, 0)
    third = tuple((np.argsort(sushi.ranks[people[2]]) + 1).tolist())
    return Example(values, third, np.asarray(sushi.ranks), points)


def tables(records: list[Record], example: Example) -> dict[str, list[Record]]:
    """The values of the items that the paper prints, for each reading of the weights."""
    return {
        "The example by each reading of the weights": [
            {"weights": name} | {f"item {item}": f"{each[item - 1]:.3f}" for item in PRINTED}
            for name, each in example.values.items()
        ]
    }


def printed_values(example: Example, way: Way) -> Verdict:
    published, *readings = example.values.items()
    chosen = readings if way is Way.PRINTED else [published]
    held = [
        all(abs(each[item - 1] - value) <= _UNIT for item, value in PRINTED.items())
        for _, each in chosen
    ]
    said = "; ".join(
        f"{name}: " + ", ".join(f"{each[item - 1]:.2f}" for item in PRINTED)
        for name, each in chosen
    ).replace("-", "−")
    return holds_if(any(held), f"Items 5, 8 and 3 with {said}.")


def higher_values_for_preferred_items(example: Example, way: Way) -> Verdict:
    along = np.array(list(example.values.values()))[:, np.array(LISTED) - 1]
    rises = bool((np.diff(along, axis=1) >= -1e-9).all())
    size = np.abs(along)
    middle = size[:, 3:7].mean(axis=1) / np.delete(size, range(3, 7), axis=1).mean(axis=1)
    if way is Way.PRINTED:
        return Verdict(
            shared([rises, bool((middle < _NEAR_ZERO).all())]),
            f"Read as printed, 5 the least preferred, values {'never' if rises else 'sometimes'} "
            f"fall along A. The four in the middle have {100 * middle.min():.0f} % to "
            f"{100 * middle.max():.0f} % of the size of the others.",
        )
    same = example.third == LISTED
    return holds_if(
        not (same and rises),
        f"A is {'the third row' if same else 'not the third row'} of their sample. The data lists "
        "the most preferred item first, so that item 5 is preferred most and has the lowest value.",
    )


def reverse_has_opposite_signs(example: Example, way: Way) -> Verdict:
    ranks = np.stack([np.argsort(LISTED) + 1.0, len(LISTED) - np.argsort(LISTED)])
    products: list[float] = []
    scale = float(np.median(squareform(pdist(example.points))))
    for kernel in ("squared_exponential", "exponential"):
        forward, backward = values_of(ranks, example.points, kernel, scale)
        products += (forward * backward).tolist()
    negative = [product < 0 for product in products]
    return Verdict(
        shared(negative),
        f"{sum(negative)} of {len(products)} products are negative, with the "
        "weights of the text and with those of the experiments.",
    )


def similar_places_add_positive_products(example: Example, way: Way) -> Verdict:
    rng, ranks = np.random.default_rng(0), example.ranks
    one, other = (rng.integers(0, len(ranks), 20_000) for _ in range(2))
    vectors: Any = graph_cut_features(ranks, item_graph(example.points, "squared_exponential"))
    products = vectors[one] * vectors[other]
    # Similarly: on the same side of the middle, or at most one place apart.
    same = (ranks[one] <= 5) == (ranks[other] <= 5)
    near = np.abs(ranks[one] - ranks[other]) <= 1
    shares = [
        (products[same] > 0).mean(),
        (products[~same] < 0).mean(),
        (products[near] > 0).mean(),
    ]
    always = min(shares) >= _ALWAYS
    return Verdict(
        Outcome.HOLDS if always else Outcome.IN_PART if min(shares) > 0.5 else Outcome.FAILS,
        f"Over 20,000 pairs: in the same half {100 * shares[0]:.0f} % of the products are "
        f"positive, in different halves {100 * shares[1]:.0f} % negative, at most one place apart "
        f"{100 * shares[2]:.0f} % positive. A tendency, not a law.",
    )
