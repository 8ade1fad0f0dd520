"""Labels of items on two sides, to be matched by name."""

from collections.abc import Hashable, Iterable, Sequence

_SHOWN = 5


def check_same_labels(
    ours: Sequence[Hashable], theirs: Sequence[Hashable], we: str, they: str
) -> None:
    """Raise unless both sides have the same labels, in whichever order; list those missing."""
    if len(set(ours)) < len(ours):
        twice = next(label for i, label in enumerate(ours) if label in ours[:i])
        raise ValueError(f"item {twice!r} stands twice in {we}; each item needs its own label")
    missing = [
        f"{there} lack {some_of(label for label in labels if label not in others)}"
        for there, labels, others in (
            (we, theirs, frozenset(ours)),
            (they, ours, frozenset(theirs)),
        )
        if not others.issuperset(labels)
    ]
    if missing:
        raise ValueError(
            f"the items of {we} and of {they} do not match: {'; '.join(missing)}. Labels are "
            "matched by name: rename, add or drop items until both sides have the same"
        )


def some_of(labels: Iterable[Hashable]) -> str:
    """The first few, for a message.

    >>> some_of("abcdefg")
    "'a', 'b', 'c', 'd', 'e' and 2 more"
    """
    every = [repr(label) for label in labels]
    more = f" and {len(every) - _SHOWN} more" if len(every) > _SHOWN else ""
    return ", ".join(every[:_SHOWN]) + more
