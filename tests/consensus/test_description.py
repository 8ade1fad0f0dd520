"""What is in a set of rankings, against slow counting."""

import numpy as np
from hypothesis import given
from ranking_sets import orders_of, ranking_sets

from rankcut import RankingSet
from rankcut.consensus.description import describe


def beats(rankings):
    """The share of the others in a ranking that each item beats, by comparing all pairs."""
    shares = {item: [] for item in rankings.items}
    for row, count in zip(rankings.dense(), rankings.counts.tolist(), strict=True):
        ranked = [i for i, rank in enumerate(row) if not np.isnan(rank)]
        for i in ranked:
            against = [(row[i] < row[j]) + (row[i] == row[j]) / 2 for j in ranked if j != i]
            if against:
                shares[rankings.items[i]].append((np.mean(against), count))
    return {
        item: sum(share * count for share, count in found) / sum(count for _, count in found)
        for item, found in shares.items()
        if found
    }


def leads(rankings):
    """What share of its comparisons each item wins, minus what share it loses."""
    signs = np.sign(rankings.dense()[:, None, :] - rankings.dense()[:, :, None])
    signs[:, np.eye(signs.shape[1], dtype=bool)] = np.nan
    counts = rankings.counts[:, None, None]
    won, met = (np.nansum(counts * each, axis=(0, 2)) for each in (signs, 1 + 0 * signs))
    return dict(zip(rankings.items, won / np.maximum(met, 1), strict=True))


@given(ranking_sets())
def test_description_agrees_with_counting(rankings):
    found = describe(rankings)
    orders = orders_of(rankings)
    assert found.n_distinct == len(orders)
    assert found.most_repeated == max(orders.values())
    assert sum(found.kinds.values()) == found.n_rankings == sum(orders.values())
    tied = [order for order in orders if any(len(group) > 1 for group in order)]
    assert found.n_tied == sum(orders[order] for order in tied)
    lengths = [sum(map(len, order)) for order in orders]
    assert (found.lengths[0], found.lengths[2]) == (min(lengths), max(lengths))
    expected = beats(rankings)
    for preference in found.preferred:
        np.testing.assert_allclose(preference.beats, expected[preference.item])
    won = leads(rankings)
    scores = [won[preference.item] for preference in found.preferred]
    assert (np.diff(scores) <= 1e-9).all()


@given(ranking_sets())
def test_only_the_order_of_ranks_matters(rankings):
    stretched = type(rankings)(
        rankings.ranks * 3 - 7, rankings.items, rankings.counts, rankings.ids, rankings.columns
    )
    assert describe(stretched) == describe(rankings)


def test_missing_values_of_a_column_are_not_values():
    columns = {
        "town": np.array(["Kobe", None, "Nara", None], dtype=object),
        "age": np.array([30.0, np.nan, np.nan, 30.0]),
    }
    votes = RankingSet(np.tile([1.0, 2.0], (4, 1)), ("toro", "uni"), columns=columns)
    assert describe(votes).columns == {"town": 2, "age": 1}


def test_rows_sent_twice_and_a_few_with_ties_are_said():
    ranks = np.array([[1.0, 2.0, 3.0], [2.0, 1.0, 3.0]] * 20)
    people = np.array([f"p{i}" for i in range(40)], dtype=object)
    people[9], ranks[30] = "p7", [1, 1, 2]
    said = describe(RankingSet(ranks, ("a", "b", "c"), columns={"who": people})).problems
    assert "1 row again, with the same answers in every column: sent twice?" in said
    assert "1 ranking ranks some items equal, and all others none" in said
    assert not describe(RankingSet(ranks[:30], ("a", "b", "c"))).problems
