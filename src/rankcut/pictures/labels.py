"""Where to write labels so that they do not collide, in pictures and on pages."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

_NARROW = frozenset("iljtfrI.,:;'|!()[] -")
_WIDE = frozenset("mwMW@%—…<>=+~#")
# Directions tried around an anchor, from the favoured one to the opposite.
_TURNS = np.deg2rad([0, 30, -30, 60, -60, 90, -90, 120, -120, 150, -150, 180])


class Placed(NamedTuple):
    """A label that found a place: its number, and the middle of its box."""

    number: int
    x: float
    y: float


def text_width(text: str, size: float) -> float:
    """About how wide a text is in a sans serif font of this size; rather more than less.

    >>> text_width("ill", 10) < text_width("mom", 10)
    True
    """
    widths = (
        0.36
        if c in _NARROW
        else 0.95
        if c in _WIDE or ord(c) > 0x2E7F
        else 0.72
        if c.isupper()
        else 0.6
        for c in text
    )
    return size * sum(widths)


def wrapped(text: str, width: float, size: float) -> list[str]:
    """A text as lines of at most this width; a word may be wider. Spaces can be hard ones.

    >>> wrapped("a dot for each place", 60, 10)
    ['a dot for', 'each place']
    """
    lines: list[str] = []
    for word in text.strip().split(" "):
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and text_width(longer, size) <= width:
            lines[-1] = longer
        else:
            lines.append(word)
    return [line for line in lines if line]


def place_labels(
    anchors: NDArray[np.float64],
    sizes: NDArray[np.float64],
    bounds: Sequence[float],
    *,
    away: NDArray[np.float64] | None = None,
    gap: float = 4.0,
    reach: int = 4,
    obstacles: NDArray[np.float64] | None = None,
    covered: NDArray[np.float64] | None = None,
) -> list[Placed]:
    """A box beside each anchor such that no two boxes overlap and none leaves the bounds.

    Labels are placed in their order, each at the free place around its anchor that covers the least
    and is the nearest to where it should be. One that finds none is left out.

    Parameters
    ----------
    anchors : ndarray of shape (n, 2)
        What the labels belong to.
    sizes : ndarray of shape (n, 2)
        Width and height of each label, in the units of the anchors.
    bounds : left, low, right, high
        Where labels may be.
    away : ndarray of shape (n, 2) or None
        The direction in which each label goes if it can; None: away from the other anchors.
    gap : float
        Space between an anchor and its label.
    reach : int
        Distances tried, each a label's height farther than the one before.
    obstacles : ndarray of shape (m, 4) or None
        Boxes (left, low, right, high) that labels stay clear of.
    covered : ndarray of shape (m, 2) or None
        Points that a label covers only if it would be worse off elsewhere.

    Examples
    --------
    >>> two = np.array([[0.0, 0.0], [1.0, 0.0]])
    >>> [placed.number for placed in place_labels(two, np.full((2, 2), 8.0), (-50, -50, 50, 50))]
    [0, 1]
    """
    taken = [] if obstacles is None else list(np.asarray(obstacles, dtype=float))
    placed = []
    directions = _apart(anchors) if away is None else away
    for number, ((x, y), (width, height)) in enumerate(zip(anchors, sizes, strict=True)):
        favoured = float(np.arctan2(directions[number, 1], directions[number, 0]))
        best, least = None, np.inf
        for place, middle in enumerate(_candidates((x, y), (width, height), favoured, gap, reach)):
            if place >= least:
                break
            box = np.concatenate([middle, middle]) + np.array([-width, -height, width, height]) / 2
            inside = (
                box[0] >= bounds[0]
                and box[1] >= bounds[1]
                and box[2] <= bounds[2]
                and box[3] <= bounds[3]
            )
            if inside and not _overlaps(box, taken):
                # It goes three places farther from where it should be rather than cover a point.
                cost = place + 3.0 * _count_inside(box, covered)
                if cost < least:
                    best, least = box, cost
        if best is not None:
            taken.append(best)
            middle = (best[:2] + best[2:]) / 2
            placed.append(Placed(number, float(middle[0]), float(middle[1])))
    return placed


def _candidates(
    anchor: tuple[float, float],
    size: tuple[float, float],
    favoured: float,
    gap: float,
    reach: int,
) -> list[NDArray[np.float64]]:
    """Middles of boxes around an anchor, the best first."""
    found = []
    for step in range(reach):
        for turn in _TURNS:
            across, up = np.cos(favoured + turn), np.sin(favoured + turn)
            # From the anchor to the middle of a box that it touches in that direction.
            touch = min(
                size[0] / 2 / max(abs(across), 1e-9),
                size[1] / 2 / max(abs(up), 1e-9),
            )
            distance = touch + gap + step * size[1]
            found.append(np.array([anchor[0] + distance * across, anchor[1] + distance * up]))
    return found


def _overlaps(box: NDArray[np.float64], taken: Sequence[NDArray[np.float64]]) -> bool:
    if not len(taken):
        return False
    others = np.asarray(taken)
    return bool(
        (
            (box[0] < others[:, 2])
            & (others[:, 0] < box[2])
            & (box[1] < others[:, 3])
            & (others[:, 1] < box[3])
        ).any()
    )


def _count_inside(box: NDArray[np.float64], points: NDArray[np.float64] | None) -> int:
    if points is None:
        return 0
    return int(((points >= box[:2]) & (points <= box[2:])).all(axis=1).sum())


def points_along(
    starts: NDArray[np.float64], ends: NDArray[np.float64], step: float = 8.0
) -> NDArray[np.float64]:
    """Points on lines, every few units, which labels should avoid.

    >>> points_along(np.zeros((1, 2)), np.array([[16.0, 0.0]])).tolist()
    [[0.0, 0.0], [8.0, 0.0], [16.0, 0.0]]
    """
    pieces = [np.zeros((0, 2))]
    for start, end in zip(starts, ends, strict=True):
        steps = 1 + int(np.ceil(np.linalg.norm(end - start) / step))
        pieces.append(np.linspace(start, end, steps))
    return np.concatenate(pieces)


def _apart(anchors: NDArray[np.float64]) -> NDArray[np.float64]:
    """For each anchor the direction away from the others, the near ones most of all."""
    apart = anchors[:, None] - anchors[None]
    lengths = np.linalg.norm(apart, axis=2)
    scale = max(float(lengths.max(initial=0.0)), 1e-9)
    push = apart / (lengths / scale + 0.02)[:, :, None] ** 3
    total = push.sum(axis=1)
    total[np.abs(total).max(axis=1) == 0] = (1.0, 0.0)
    return np.asarray(total)
