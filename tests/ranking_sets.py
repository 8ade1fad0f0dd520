"""Random sets of rankings, and rank matrices that store only what is ranked."""

import numpy as np
from hypothesis import strategies as st
from scipy import sparse

from rankcut import RankingSet

MEANT = {"ranking", "count", "item", "rank", "score", "known", "place", "na", "n/a", "nan"}
MEANT |= {"null", "none", ".", "skipped", "undervote", "blank", "overvote", "number"}

# Names that every format can hold: printable, no white space at the ends or doubled.
names = st.text(
    st.characters(exclude_categories=["C", "Z"], exclude_characters='"#()', codec="utf-8"),
    min_size=1,
    max_size=8,
).filter(lambda name: name.lower() not in MEANT)


def stored(ranks):
    """The ranks as a CSR array; what is NaN has no entry."""
    rows, columns = np.nonzero(~np.isnan(ranks))
    return sparse.csr_array((ranks[rows, columns], (rows, columns)), shape=ranks.shape)


@st.composite
def ranking_sets(draw, *, ties=True, incomplete=True, least_ranked=0, most_items=6):
    """Rankings of any kind with counts, ids and columns."""
    n_items = draw(st.integers(1, most_items))
    items = draw(st.lists(names, min_size=n_items, max_size=n_items, unique=True))
    n_rows = draw(st.integers(1, 6))
    ranks = np.full((n_rows, n_items), np.nan)
    for row in ranks:
        order = draw(st.permutations(range(n_items)))
        fewest = n_items if not incomplete else min(least_ranked, n_items)
        length = draw(st.integers(fewest, n_items))
        group = 0
        for i in order[:length]:
            group += 1 if not ties or group == 0 else draw(st.integers(0, 1))
            row[i] = group
    counts = draw(st.lists(st.integers(1, 10**6), min_size=n_rows, max_size=n_rows))
    ids = tuple(f"r{i}" for i in range(n_rows)) if draw(st.booleans()) else None
    columns = {}
    if draw(st.booleans()):
        values = draw(st.lists(st.none() | names, min_size=n_rows, max_size=n_rows))
        # A word in it keeps the column from being taken for numbers.
        columns["known"] = np.array(["word", *values[1:]], dtype=object)
    return RankingSet(ranks, tuple(items), counts=counts, ids=ids, columns=columns)


def orders_of(rankings):
    """How often each order occurs, items by name: what no format may change."""
    found = {}
    for row, count in zip(rankings.dense(), rankings.counts.tolist(), strict=True):
        groups = {}
        for item, rank in zip(rankings.items, row, strict=True):
            if not np.isnan(rank):
                groups.setdefault(rank, set()).add(str(item))
        order = tuple(frozenset(groups[rank]) for rank in sorted(groups))
        found[order] = found.get(order, 0) + count
    return found
