"""Labels of items: by name where both sides have names, by position where one has none."""

from collections.abc import Hashable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from rankcut.errors import InputError


def labels_beside(
    labels: tuple[Hashable, ...] | None, others: tuple[Hashable, ...] | None
) -> tuple[Hashable, ...] | None:
    """The labels, or positions if there are none and the other labels are positions too.

    Positions are the numbers from 0 up, in any order.
    """
    if labels is None and others is not None and set(others) == set(range(len(others))):
        return tuple(range(len(others)))
    return labels


def order_by_name(
    labels: tuple[Hashable, ...] | None,
    others: tuple[Hashable, ...] | None,
    we: str,
    they: str,
) -> NDArray[np.int64] | None:
    """Where each of the others stands among the labels; None if in the same order, or no names.

    >>> order_by_name(("toro", "uni", "ika"), ("ika", "toro", "uni"), "X", "Y")
    array([2, 0, 1])
    """
    ours, theirs = labels_beside(labels, others), labels_beside(others, labels)
    if ours is None or theirs is None or ours == theirs:
        return None
    check_same_labels(ours, theirs, we, they)
    places = {label: place for place, label in enumerate(ours)}
    return np.array([places[label] for label in theirs])


def check_same_labels(
    ours: Sequence[Hashable], theirs: Sequence[Hashable], we: str, they: str
) -> None:
    """Raise unless both sides have the same labels, in any order; list those missing."""
    if len(set(ours)) < len(ours):
        twice = next(label for i, label in enumerate(ours) if label in ours[:i])
        raise InputError(f"appears twice in {we}; each item needs its own label", item=twice)
    missing = [
        f"{there} lack {some_of(label for label in labels if label not in others)}"
        for there, labels, others in (
            (we, theirs, frozenset(ours)),
            (they, ours, frozenset(theirs)),
        )
        if not others.issuperset(labels)
    ]
    if missing:
        raise InputError(
            f"the items of {we} and of {they} do not match: {'; '.join(missing)}",
            remedy="rename, add or drop items until both sides have the same labels",
        )


def some_of(labels: Iterable[Hashable], most: int = 5) -> str:
    """The first few, for a message.

    >>> some_of("abcdefg")
    "'a', 'b', 'c', 'd', 'e' and 2 more"
    """
    every = [repr(label) for label in labels]
    more = f" and {len(every) - most} more" if len(every) > most else ""
    return ", ".join(every[:most]) + more
