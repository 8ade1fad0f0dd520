"""Weighted coverage: what the items of a set reach together."""

from collections.abc import Hashable, Iterable, Mapping, Sequence

from rankcut._loops.chaining import coverage_increments
from rankcut._loops.types import Floats
from rankcut.partitions import Partitions
from rankcut.setfunctions.checked import nonnegative_array
from rankcut.setfunctions.lists import as_lists
from rankcut.setfunctions.set_function import SetFunction


class Coverage(SetFunction):
    """F(A) = Σ w_u over the elements u that some item of A covers.

    Features say what an item adds to the better ones: new topics, new customers.

    Parameters
    ----------
    covers : list of collections
        For each item, the elements that it covers: labels of any kind.
    weights : mapping from elements to numbers, or None
        Weight of each element, not negative; None is 1 for each.

    Examples
    --------
    >>> topics = Coverage([{"fish", "raw"}, {"fish"}, {"rice"}])
    >>> topics({0}), topics({0, 1}), topics({0, 1, 2})
    (2.0, 2.0, 3.0)
    >>> topics.gains([[1, 0, 2]])
    array([[1., 1., 1.]])
    """

    def __init__(
        self,
        covers: Sequence[Iterable[Hashable]],
        weights: Mapping[Hashable, float] | None = None,
    ) -> None:
        self.n_items = len(covers)
        number: dict[Hashable, int] = {}
        lists = [
            sorted({number.setdefault(element, len(number)) for element in covered})
            for covered in covers
        ]
        if weights is not None:
            missing = [element for element in number if element not in weights]
            if missing:
                raise ValueError(
                    f"element {missing[0]!r} is covered but has no weight; give it one"
                )
        self.weights = nonnegative_array(
            [1.0 if weights is None else weights[element] for element in number],
            1,
            "the weights of elements",
        )
        self._starts, self._elements = as_lists(lists)
        self._total = float(self.weights.sum())

    def increments(self, partitions: Partitions, out: Floats) -> None:
        """One walk over the elements of each item placed."""
        coverage_increments(
            partitions.order,
            partitions.ends,
            partitions.n_groups,
            self._starts,
            self._elements,
            self.weights,
            self._total,
            out,
        )
