"""Long tables in Dask DataFrames against those in memory."""

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from rankcut import from_long

RNG = np.random.default_rng(0)
LINES = pd.DataFrame(
    {
        "voter": np.repeat(np.arange(100, 120), 3),
        "party": [p for _ in range(20) for p in RNG.permutation(list("abcde"))[:3]],
        "stars": RNG.integers(1, 6, 60),
    }
).sample(frac=1.0, random_state=0, ignore_index=True)
NAMES = {"ranking": "voter", "item": "party", "score": "stars"}


def lazy(lines=LINES, n=4):
    return dd.from_pandas(lines, npartitions=n, sort=False)


@pytest.mark.parametrize("as_sparse", [False, True])
def test_split_rankings_are_brought_together(as_sparse):
    expected = from_long(LINES, **NAMES)
    found = from_long(lazy(), **NAMES, sparse=as_sparse)
    assert found.items == expected.items
    ranks, ids = dask.compute(found.ranks, found.ids, scheduler="sync")
    assert sparse.issparse(ranks) == as_sparse
    assert sorted(ids) == sorted(expected.ids)
    order = [expected.ids.index(own) for own in ids]
    if as_sparse:
        dense = np.full(ranks.shape, np.nan)
        dense[ranks.nonzero()] = ranks.data
        ranks = dense
    np.testing.assert_array_equal(ranks, expected.ranks[order])


def test_an_index_with_divisions_needs_no_shuffle():
    table = lazy().set_index("voter")
    found = from_long(table, **NAMES, items=list("abcde"))
    assert found.ranks.numblocks[0] == table.npartitions
    ids = found.ids.compute(scheduler="sync")
    assert ids.tolist() == list(range(100, 120))
    expected = from_long(LINES.sort_values("voter", kind="stable"), **NAMES, items=list("abcde"))
    np.testing.assert_array_equal(found.ranks.compute(scheduler="sync"), expected.ranks)


def test_mistakes():
    with pytest.raises(ValueError, match="no column 'who'"):
        from_long(lazy(), ranking="who", item="party", score="stars")
    with pytest.raises(ValueError, match="give one of rank and score"):
        from_long(lazy(), ranking="voter", item="party")
    found = from_long(lazy(), **NAMES, items=list("abcd"))
    with pytest.raises(ValueError, match=r"^ranking 1\d\d: item 'e' is not among the"):
        found.ranks.compute(scheduler="sync")


def test_mistakes_name_the_ranking():
    # Lines move, so that their numbers would tell nothing.
    lines = LINES.assign(stars=LINES["stars"].astype(float))
    lines.loc[lines["voter"] == 113, "stars"] = np.inf
    with pytest.raises(ValueError, match=r"^ranking 113: column 'stars' is inf"):
        from_long(lazy(lines), **NAMES).ranks.compute(scheduler="sync")
