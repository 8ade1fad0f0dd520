"""Sections 2 and 3 of the paper on random graphs and rankings: what is equal, and how often."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankcut.cuts import (
    ConcaveOfCardinality,
    Coverage,
    GaussianEntropy,
    GaussianMutualInformation,
    GraphCut,
)
from rankcut.cuts.feature_map import graph_cut_features
from rankcut.cuts.submodular_features import SubmodularFeatures
from rankcut.graphs import as_item_graph
from rankcut.kernels.graph_cut import graph_cut_kernel
from rankcut.theory import BasePolytope, MajorantCone, TangentCone, ordered_partitions
from rankcut.theory.base_polytope import lovasz_extension
from reproduction.literal import (
    coherent_partitions,
    cut_oracle,
    groups_of,
    pool_literally,
)
from reproduction.parts import Record

# Differences up to this part of the largest number are rounding.
ROUNDING = 1e-9


def _graph(rng: np.random.Generator, n_items: int) -> NDArray[np.float64]:
    weights = np.triu(rng.uniform(0.05, 1.0, (n_items, n_items)), 1)
    return np.asarray(weights + weights.T)


def _full(rng: np.random.Generator, n_items: int) -> NDArray[np.float64]:
    return rng.permutation(n_items).astype(np.float64) + 1.0


def _ranking(rng: np.random.Generator, n_items: int) -> NDArray[np.float64]:
    """A random ranking of all items, with ties or without."""
    return rng.integers(1, n_items + 1, n_items).astype(np.float64)


def _gap(one: Any, other: Any) -> float:
    """The largest difference, as a part of the largest number."""
    first, second = np.asarray(one, dtype=np.float64), np.asarray(other, dtype=np.float64)
    largest = max(float(np.abs(first).max()), float(np.abs(second).max()), 1e-300)
    return float(np.abs(first - second).max()) / largest


def _check_cut(rng: np.random.Generator, times: int) -> Iterator[Record]:
    equal = total = 0
    empty = []
    for _ in range(times):
        weights = _graph(rng, 5)
        cut = cut_oracle(as_item_graph(weights))
        for number in range(32):
            inside = np.array([bool(number >> item & 1) for item in range(5)])
            printed = sum(
                weights[i, j] * abs(int(inside[i]) - int(not inside[j]))
                for i in range(5)
                for j in range(i + 1, 5)
            )
            total += 1
            equal += abs(printed - cut(set(np.flatnonzero(inside)))) < ROUNDING
            if number == 0:
                empty.append(printed / np.triu(weights).sum())
    yield {"sets": total, "equal to the cut": equal, "F(∅) over all weight": float(np.mean(empty))}


def _check_variation(rng: np.random.Generator, times: int) -> Iterator[Record]:
    gaps = []
    for _ in range(times):
        weights, w = _graph(rng, 7), rng.normal(size=7)
        variation = np.triu(weights * np.abs(w[:, None] - w)).sum()
        gaps.append(_gap(lovasz_extension(GraphCut(weights), w), variation))
    yield {"vectors": times, "largest difference": max(gaps)}


def _check_support(rng: np.random.Generator, times: int) -> Iterator[Record]:
    gaps = []
    for _ in range(times):
        function, w = GraphCut(_graph(rng, 5)), rng.normal(size=5)
        largest = float((BasePolytope(function).vertices() @ w).max())
        gaps.append(_gap(lovasz_extension(function, w), largest))
    yield {"vectors": times, "largest difference": max(gaps)}


def _check_faces(rng: np.random.Generator, times: int) -> Iterator[Record]:
    path = np.diag(np.ones(3), 1)
    for name, weights in (("all edges", _graph(rng, 4)), ("a path of four", path + path.T)):
        faces = list(BasePolytope(GraphCut(weights)).faces())
        different = {np.unique(face.vertices.round(9), axis=0).tobytes() for face in faces}
        yield {
            "graph": name,
            "ordered partitions": len(list(ordered_partitions(4))),
            "different faces": len(different),
        }


def _check_outer(rng: np.random.Generator, times: int) -> Iterator[Record]:
    inside = total = 0
    for _ in range(times):
        function = GraphCut(_graph(rng, 5))
        cone = TangentCone(function, groups_of(_ranking(rng, 5)))
        for vertex in BasePolytope(function).vertices():
            total += 1
            inside += cone.contains(vertex)
    yield {"vertices": total, "in the cone": inside}


def _check_tangent(rng: np.random.Generator, times: int) -> Iterator[Record]:
    zero = tangent = same = 0
    for _ in range(times):
        weights, ranks = _graph(rng, 6), _full(rng, 6)
        function, groups = GraphCut(weights), groups_of(ranks)
        features = graph_cut_features(ranks[None], weights)[0]
        point = TangentCone(function, groups).min_norm_point()
        zero += bool(np.abs(point).max() < ROUNDING)
        tangent += _gap(point, features) < ROUNDING
        other = MajorantCone(function, groups).min_norm_point()
        same += _gap(other, features) < ROUNDING
    yield {
        "rankings": times,
        "shortest vector of the tangent cone is 0": zero,
        "shortest vector of the tangent cone is the feature vector": tangent,
        "shortest vector of the majorant cone is the feature vector": same,
    }


def _check_dual(rng: np.random.Generator, times: int) -> Iterator[Record]:
    gaps, relation = [], []
    for _ in range(times):
        # Coverage is not symmetric, so that the tangent cone's point is not 0.
        topics = [set(np.flatnonzero(row).tolist()) for row in rng.random((6, 8)) < 0.4]
        cone = TangentCone(Coverage(topics), groups_of(_ranking(rng, 6)))
        solution = cone.isotonic()
        gaps.append(abs(solution.gap) / max(abs(solution.dual), 1.0))
        spread = np.empty(6)
        for value, group in zip(solution.values, cone.groups, strict=True):
            spread[list(group)] = -value
        relation.append(float(np.abs(spread - cone.min_norm_point()).max()))
    yield {"rankings": times, "largest gap": max(gaps), "largest |s + v|": max(relation)}


def _check_box(rng: np.random.Generator, times: int) -> Iterator[Record]:
    printed = reversed_ = 0
    for _ in range(times):
        weights, ranks = _graph(rng, 6), _full(rng, 6)
        # The paper lists the least preferred first.
        groups = groups_of(-ranks)
        cone = TangentCone(GraphCut(weights), groups)
        values = pool_literally(groups, cut_oracle(as_item_graph(weights)), remember=True)
        v = np.array([values[group[0]] for group in groups])
        printed += cone.objective(v) <= cone.isotonic().primal + ROUNDING and bool(
            (np.diff(v) <= ROUNDING).all()
        )
        features = graph_cut_features(ranks[None], weights)[0]
        reversed_ += _gap([values[item] for item in range(6)], features) < ROUNDING
    yield {
        "rankings": times,
        "the box solves the printed problem": int(printed),
        "the box gives the features": int(reversed_),
    }


def _check_closed(rng: np.random.Generator, times: int) -> Iterator[Record]:
    gaps = []
    for _ in range(times):
        cone = MajorantCone(GraphCut(_graph(rng, 6)), groups_of(_full(rng, 6)))
        basic = MajorantCone(cone.function, cone.basic_partition())
        slopes = basic.rises / [len(group) for group in basic.groups]
        values = [cone.min_norm_point()[group[0]] for group in basic.groups]
        gaps.append(_gap(slopes, values))
    yield {"rankings": times, "largest difference": max(gaps)}


def _check_monotone(rng: np.random.Generator, times: int) -> Iterator[Record]:
    for keep, name in ((1.0, "all edges"), (0.3, "three edges in ten")):
        against = neighbours = pooled = 0
        for _ in range(times):
            weights = _graph(rng, 7)
            kept = np.triu(rng.random((7, 7)) < keep, 1)
            weights *= kept + kept.T
            ranks = np.stack([_full(rng, 7) for _ in range(20)])
            features = graph_cut_features(ranks, weights)
            along = np.take_along_axis(features, np.argsort(ranks, axis=1), axis=1)
            steps = np.diff(along, axis=1)
            against += int((steps > ROUNDING).sum())
            neighbours += steps.size
            pooled += int((np.abs(steps) <= ROUNDING).sum())
        yield {"graph": name, "neighbours": neighbours, "against": against, "pooled": pooled}


def _incomplete(rng: np.random.Generator, n_items: int, n_ranked: int) -> NDArray[np.float64]:
    row = np.full(n_items, np.nan)
    row[rng.permutation(n_items)[:n_ranked]] = np.arange(1.0, n_ranked + 1)
    return row


def _as_ranks(groups: Sequence[Sequence[int]], n_items: int) -> NDArray[np.float64]:
    ranks = np.empty(n_items)
    for rank, group in enumerate(groups, start=1):
        ranks[list(group)] = rank
    return ranks


def _check_mean(rng: np.random.Generator, times: int) -> Iterator[Record]:
    gaps = []
    for _ in range(times):
        weights = _graph(rng, 5)
        rows = np.stack([_incomplete(rng, 5, 3), _incomplete(rng, 5, 2)])
        one, other = (
            np.stack([_as_ranks(groups, 5) for groups in coherent_partitions(row)]) for row in rows
        )
        all_pairs = graph_cut_kernel(one, other, graph=weights).mean()
        ours = graph_cut_kernel(
            rows[:1], rows[1:], graph=weights, unranked="anywhere", completions="exact"
        )
        # Relative to the squared length of a vector, because the value itself may be near 0.
        scale = graph_cut_kernel(one, graph=weights).max()
        gaps.append(abs(float(ours[0, 0]) - float(all_pairs)) / float(scale))
    yield {"pairs of rankings": times, "largest difference": max(gaps)}


def _check_count(rng: np.random.Generator, times: int) -> Iterator[Record]:
    for n_items, n_ranked in ((3, 2), (4, 2), (5, 3), (5, 2), (6, 3)):
        row = np.full(n_items, np.nan)
        row[:n_ranked] = np.arange(1.0, n_ranked + 1)
        every = [
            groups
            for groups in ordered_partitions(n_items)
            if (np.diff(_as_ranks(groups, n_items)[:n_ranked]) > 0).all()
        ]
        apart = [
            groups
            for groups in every
            if all(len(group) == 1 or min(group) >= n_ranked for group in groups)
        ]
        yield {
            "n": n_items,
            "l": n_ranked,
            "(l + 1)^(n − l)": (n_ranked + 1) ** (n_items - n_ranked),
            "each item in a gap, those of a gap tied": len(list(coherent_partitions(row))),
            "those of a gap in any order": len(apart),
            "ties with ranked items too": len(every),
        }


def _check_kernel(rng: np.random.Generator, times: int) -> Iterator[Record]:
    weights = _graph(rng, 7)
    kinds = {
        "full": np.stack([_full(rng, 7) for _ in range(60)]),
        "ties": np.stack([_ranking(rng, 7) for _ in range(60)]),
        "incomplete": np.stack([_incomplete(rng, 7, 4) for _ in range(60)]),
    }
    kinds["top-k"] = np.where(kinds["full"] <= 3, kinds["full"], np.nan)
    for kind, ranks in kinds.items():
        unranked = "last" if kind == "top-k" else "anywhere"
        gram = graph_cut_kernel(ranks, graph=weights, unranked=unranked)  # type: ignore[arg-type]
        eigenvalues = np.linalg.eigvalsh(gram)
        yield {
            "kind": kind,
            "rankings": len(ranks),
            "smallest eigenvalue over largest": float(eigenvalues[0] / eigenvalues[-1]),
        }


def _check_general(rng: np.random.Generator, times: int) -> Iterator[Record]:
    points = rng.normal(size=(6, 9))
    covariance = points @ points.T + np.eye(6)
    topics = [set(np.flatnonzero(row).tolist()) for row in rng.random((6, 10)) < 0.4]
    functions = {
        "coverage": Coverage(topics),
        "square root of cardinality": ConcaveOfCardinality(np.sqrt(np.arange(7.0))),
        "Gaussian entropy": GaussianEntropy(covariance),
        "Gaussian mutual information": GaussianMutualInformation(covariance),
    }
    ranks = np.stack([_full(rng, 6) for _ in range(10 * times)])
    for name, function in functions.items():
        features = SubmodularFeatures(function).fit_transform(ranks)
        along = np.take_along_axis(features, np.argsort(ranks, axis=1), axis=1)
        gram = features @ features.T
        eigenvalues = np.linalg.eigvalsh(gram)
        yield {
            "function": name,
            "rankings": len(ranks),
            "against the ranking": int((np.diff(along, axis=1) > ROUNDING).sum()),
            "different vectors": len(np.unique(features.round(9), axis=0)),
            "smallest eigenvalue over largest": float(eigenvalues[0] / eigenvalues[-1]),
        }


CHECKS: dict[str, Callable[[np.random.Generator, int], Iterator[Record]]] = {
    "cut": _check_cut,
    "variation": _check_variation,
    "support": _check_support,
    "faces": _check_faces,
    "outer": _check_outer,
    "tangent": _check_tangent,
    "dual": _check_dual,
    "box": _check_box,
    "closed": _check_closed,
    "monotone": _check_monotone,
    "mean": _check_mean,
    "count": _check_count,
    "kernel": _check_kernel,
    "general": _check_general,
}
