"""Sets of rankings in use: by name, by row, in scikit-learn."""

import numpy as np
import pytest
from sklearn.model_selection import train_test_split

from rankcut import GraphCutFeatures, RankingSet
from rankcut.errors import InputError

VOTES = RankingSet(
    np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 2.0]]),
    ("toro", "uni"),
    columns={"town": np.array(["Kobe", "Nara", "Ise"], dtype=object)},
)


def test_fields_and_columns_go_by_name():
    assert VOTES["ranks"] is VOTES.ranks
    assert VOTES["town"].tolist() == ["Kobe", "Nara", "Ise"]
    assert VOTES["item_names"] == VOTES.item_names == ["toro", "uni"]
    with pytest.raises(KeyError, match="rows"):
        VOTES["rows"]


@pytest.mark.parametrize("key", [1, slice(1, 2), [1], np.array([False, True, False])])
def test_rows_keep_what_is_known_of_them(key):
    assert VOTES[key].shape == (1, 2)
    assert VOTES[key]["town"].tolist() == ["Nara"]


def test_scikit_learn_splits_a_set():
    train, test = train_test_split(VOTES, test_size=1, random_state=0)
    assert isinstance(train, RankingSet)
    assert GraphCutFeatures().fit(train).transform(test).shape == (1, 2)


@pytest.mark.parametrize("count", [0, -1, 1.5, np.nan, np.inf, 10**16, 10**400, "many", None])
def test_a_count_is_a_whole_number_that_files_can_hold(count):
    with pytest.raises(InputError, match=r"whole numbers? from 1 to 9,007,199,254,740,992"):
        RankingSet(np.array([[1.0, 2.0], [2.0, 1.0]]), ("toro", "uni"), counts=[1, count])
    largest = RankingSet(np.array([[1.0, 2.0]]), ("toro", "uni"), counts=[2**53])
    assert largest.n_rankings == 2**53


def test_other_items_leave_a_sparse_set_as_it_was():
    votes = RankingSet(np.array([[1.0, 2.0, 3.0], [2.0, np.nan, 1.0]]), ("a", "b", "c"))
    votes = RankingSet(votes.sparse(), votes.items)
    moved = votes.with_items(("c", "d", "b", "a"))
    np.testing.assert_array_equal(moved.dense(), [[3, np.nan, 2, 1], [1, np.nan, np.nan, 2]])
    np.testing.assert_array_equal(votes.dense(), [[1, 2, 3], [2, np.nan, 1]])
