"""A map of rankings laid out on a canvas: the same for pictures and pages."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankcut.pictures.labels import place_labels, points_along, text_width
from rankcut.pictures.ranking_map import HALF, Group, RankingMap
from rankcut.pictures.theme import shorten

# Radius of a mark of one ranking, and the largest, in units of the canvas.
_ONE, _LARGEST, _SMALLEST = 4.5, 26.0, 1.8
# Items with the longest arrows are drawn: more would hide each other.
MOST_ARROWS = 16
# With more groups, only the outlines of ellipses are drawn.
FEW_GROUPS = 3
# Half the length of the head of an arrow.
_HEAD = 4.0
# Part of the canvas that all marks together may cover.
_COVERED = 0.25


class Arrow(NamedTuple):
    """An item, the text beside its arrow, and the arrow's tip."""

    item: int
    label: str
    tip: tuple[float, float]


@dataclass(frozen=True, eq=False)
class Scene:
    """Where everything is; y grows upwards, the origin of the map is at ``origin``.

    Attributes
    ----------
    width, height : float
        Size of the canvas.
    origin : pair of floats
        Where the mean of all rankings is.
    marks : ndarray of shape (n_marks, 2)
        Their middles.
    radius : ndarray of shape (n_marks,)
        Their radii; areas are in proportion to counts.
    order : ndarray
        Marks from the largest to the smallest, so that none is hidden.
    arrows : list of Arrow
        Those of the items.
    means : dict of pairs
        Middle of each group that has one, by its number.
    ellipses : dict of ndarrays of shape (n, 2)
        Outline that would hold half of a group if it were normal, by the group's number.
    sizes : list of (count, radius)
        For a legend.
    """

    width: float
    height: float
    origin: tuple[float, float]
    marks: NDArray[np.float64]
    radius: NDArray[np.float64]
    order: NDArray[np.int64]
    arrows: list[Arrow]
    means: dict[int, tuple[float, float]]
    ellipses: dict[int, NDArray[np.float64]]
    sizes: list[tuple[int, float]]

    def labels(self, font: float) -> dict[int, tuple[float, float]]:
        """Where the labels of arrows are, by the arrows' numbers; only those that have room."""
        named = self.arrows[:MOST_ARROWS]
        if not named:
            return {}
        tips = np.array([arrow.tip for arrow in named])
        boxes = np.array([[text_width(arrow.label, font) + 4, 1.25 * font] for arrow in named])
        bounds = (1, 1, self.width - 1, self.height - 1)
        shafts = points_along(np.broadcast_to(self.origin, tips.shape), tips)
        placed = place_labels(
            tips,
            boxes,
            bounds,
            away=tips - self.origin,
            gap=7,
            reach=3,
            # The head of another arrow must be seen.
            obstacles=np.hstack([tips - _HEAD, tips + _HEAD]),
            covered=np.concatenate([shafts, *self._rims()]),
        )
        return {spot.number: (spot.x, spot.y) for spot in placed}

    def _rims(self) -> list[NDArray[np.float64]]:
        """The middles of all marks, and the outermost points of each."""
        across = np.stack([self.radius, np.zeros_like(self.radius)], axis=1)
        up = across[:, ::-1]
        return [self.marks + step for step in (0 * up, across, -across, up, -up)]


def lay_out(
    found: RankingMap, width: float, height: float, most_arrows: int = MOST_ARROWS
) -> Scene:
    """Lay a map out on a canvas of this size, with at most that many arrows, the longest."""
    outlines = {
        g: _outline(group) for g, group in enumerate(found.groups) if group.spread is not None
    }
    seen = np.vstack([found.places, np.zeros((1, 2)), *outlines.values()])
    low, high = seen.min(axis=0), seen.max(axis=0)
    # Arrows are as long as the cloud allows, and labels need room beyond their tips.
    lengths = np.linalg.norm(found.directions, axis=1)
    reach = float(np.linalg.norm(found.places, axis=1).max()) or 1.0
    stretch = reach / (float(lengths.max()) or 1.0)
    drawn = np.argsort(-lengths, kind="stable")[:most_arrows]
    drawn = drawn[lengths[drawn] > 0.02 * lengths.max(initial=0.0)]
    tips = stretch * found.directions[drawn]
    ends = np.vstack([low, high, tips])
    low, high = ends.min(axis=0), ends.max(axis=0)
    margin = np.array([0.12 * width, 0.07 * height])
    room = np.array([width, height]) - 2 * margin
    scale = float((room / np.maximum(high - low, 1e-12)).min())
    shift = np.array([width, height]) / 2 - scale * (low + high) / 2

    def put(points: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray(scale * points + shift)

    one = min(
        _ONE,
        _LARGEST / float(np.sqrt(found.counts.max())),
        float(np.sqrt(_COVERED * width * height / (np.pi * found.n_rankings))),
    )
    radius = np.maximum(one * np.sqrt(found.counts), _SMALLEST)
    arrows = [
        Arrow(item, shorten(found.items[item], 18), _pair(tip))
        for item, tip in zip(drawn.tolist(), put(tips), strict=True)
    ]
    return Scene(
        width,
        height,
        _pair(put(np.zeros(2))),
        put(found.places),
        radius,
        np.argsort(-radius, kind="stable"),
        arrows,
        {
            g: _pair(put(group.mean))
            for g, group in enumerate(found.groups)
            if group.mean is not None
        },
        {g: put(outline) for g, outline in outlines.items()},
        [(count, float(max(one * np.sqrt(count), _SMALLEST))) for count in _examples(found.counts)],
    )


def _outline(group: Group) -> NDArray[np.float64]:
    """The ellipse that holds half of a normal group, as a polygon."""
    assert group.mean is not None
    assert group.spread is not None
    variances, axes = np.linalg.eigh(group.spread)
    turn = np.linspace(0, 2 * np.pi, 49)
    circle = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    stretched = HALF * circle * np.sqrt(np.maximum(variances, 0.0))
    return np.asarray(group.mean + stretched @ axes.T)


def _examples(counts: NDArray[np.int64]) -> list[int]:
    """A few counts for a legend of sizes, or none if all are equal.

    >>> _examples(np.array([1, 3, 250]))
    [1, 10, 200]
    """
    low, high = int(counts.min()), int(counts.max())
    if low == high:
        return []
    middle = round(float(np.sqrt(low * high)))
    return sorted({low, _round_down(middle), _round_down(high)} - {0})


def _round_down(count: int) -> int:
    """To 1, 2 or 5 times a power of ten."""
    power = int(10 ** (len(str(count)) - 1))
    return max(power * lead for lead in (1, 2, 5) if power * lead <= count)


def _pair(point: NDArray[np.float64]) -> tuple[float, float]:
    return float(point[0]), float(point[1])
