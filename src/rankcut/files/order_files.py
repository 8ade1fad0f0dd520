"""Order files, the format of the sushi data: ``0 10 5 0 3 …``, items counted from 0, best first.

The first line has the number of items and 1; each other line 0, the length of the order, and the
items.
"""

from scipy.sparse import csr_array

from rankcut.errors import RankingFileError
from rankcut.files.streams import Source, decoded, read_all, source_name, whole_number
from rankcut.rankings.ranking_set import RankingSet, fitting_ranks


def read_order(source: Source, *, sparse: bool | None = None) -> RankingSet:
    r"""Read an order file.

    >>> import io
    >>> read_order(io.StringIO("3 1\n0 3 2 0 1\n0 2 1 0\n")).ranks
    array([[ 2.,  3.,  1.],
           [ 2.,  1., nan]])
    """
    name = source_name(source)
    content = decoded(read_all(source))
    starts, columns, ranks = [0], list[int](), list[float]()
    n_items = 0
    for line, text in enumerate(content.split("\n"), start=1):
        fields = text.split()
        if not fields:
            continue
        numbers = [number for field in fields if (number := whole_number(field)) is not None]
        if len(numbers) < len(fields):
            raise RankingFileError("an order file holds only whole numbers", name, line)
        if n_items == 0:
            n_items = numbers[0]
            if len(numbers) != 2 or not 0 < n_items <= len(content):
                raise RankingFileError(
                    "the first line should have the number of items and 1, as in '10 1'",
                    name,
                    line,
                )
            continue
        order = numbers[2:]
        if len(numbers) < 2 or numbers[1] != len(order):
            raise RankingFileError(
                "a line has 0, the length of its order, and the items, as in '0 3 2 0 1'",
                name,
                line,
            )
        if len(set(order)) < len(order) or (order and max(order) >= n_items):
            raise RankingFileError(
                f"an order lists each item once, and items count from 0 to {n_items - 1}",
                name,
                line,
            )
        columns += order
        ranks += range(1, len(order) + 1)
        starts.append(len(columns))
    if len(starts) == 1:
        raise RankingFileError("the file has no orders", name, line)
    listed = csr_array((ranks, columns, starts), (len(starts) - 1, n_items), dtype=float)
    return RankingSet(fitting_ranks(listed, sparse), tuple(range(n_items)))
