"""Runs and ratings as retrieval and recommender tools write them.

========== ======================================================================================
TREC run   ``query Q0 document rank score tag``: each query ranks documents by score
RecBole    ``user_id:token``, ``item_id:token``, ``rating:float`` in a header, tabs between
MovieLens  ``userId,movieId,rating,timestamp``; ``1::1193::5::978300760``; or tabs and no header
========== ======================================================================================
"""

import re
from collections.abc import Iterator

import numpy as np

from rankcut.errors import RankingFileError
from rankcut.files.roles import Guess
from rankcut.files.tables import TableBlock
from rankcut.files.text import Source, open_text, source_name

_USERS = {"user", "userid", "user_id", "reviewer", "reviewerid", "reviewer_id", "user id"}
_ITEMS = {
    *("item", "itemid", "item_id", "movie", "movieid", "movie_id", "film", "filmid", "film_id"),
    *("product", "productid", "product_id", "book", "book_id", "bookid", "asin", "isbn"),
}
_RATINGS = {"rating", "ratings", "stars", "score", "points"}


def log_blocks(source: Source) -> Iterator[TableBlock]:
    """The table of a TREC run, or of a MovieLens file without a header."""
    name = source_name(source)
    with open_text(source) as text:
        lines = [(n, line.strip()) for n, line in enumerate(text, start=1) if line.strip()]
    rows = [re.split(r"::|\s+", line) for _, line in lines]
    known = {
        6: ["query", "Q0", "item", "rank in the run", "score", "run"],
        4: ["user", "item", "rating", "timestamp"],
    }
    width = len(rows[0]) if rows else 0
    is_run = width == 6 and all(row[1:2] in (["Q0"], ["0"]) for row in rows)
    if not is_run and not (width == 4 and all(len(r) == 4 and r[1].isdigit() for r in rows)):
        raise RankingFileError(
            "neither a TREC run ('query Q0 document rank score tag') nor ratings of MovieLens "
            "('user::film::rating::time')",
            name,
            1,
            remedy="if it is a table, name its format: csv or tsv",
        )
    for (line, _), row in zip(lines, rows, strict=True):
        if len(row) != width:
            raise RankingFileError(f"this line has {len(row)} fields, not {width}", name, line)
    columns = list(zip(*rows, strict=True))
    yield TableBlock(name, known[width], columns, np.array([line for line, _ in lines]))


def ratings(block: TableBlock) -> list[Guess]:
    """Ratings by users, or a TREC run: one row for each item of a ranking."""
    bare = [name.strip().partition(":")[0].lower() for name in block.names]
    if "Q0" in block.names:
        told = {"layout": "long", "ranking": "query", "item": "item", "score": "score"}
        return [Guess("a TREC run", block, told, noun="query", unranked="last")]
    found = [
        [i for i, own in enumerate(bare) if own in each] for each in (_USERS, _ITEMS, _RATINGS)
    ]
    if any(len(own) != 1 for own in found):
        return []
    names = [block.names[own[0]] for own in found]
    told = {"layout": "long", **dict(zip(("ranking", "item", "score"), names, strict=True))}
    typed = all(":" in name for name in names)
    what = "ratings of RecBole" if typed else "ratings, one in a row"
    return [Guess(what, block, told, noun="user", unranked="anywhere", said=("higher is better",))]
