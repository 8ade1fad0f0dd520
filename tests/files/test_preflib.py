"""PrefLib: real files of all types, errors with their line."""

import io

import numpy as np
import pytest
from hypothesis import given
from ranking_sets import orders_of, ranking_sets

from rankcut import RankingSet, read_file, write_file
from rankcut.files import RankingFileError
from rankcut.files.preflib import read_preflib

CURRENT = """# FILE NAME: lunch.toi
# TITLE: lunch
# DATA TYPE: toi
# NUMBER ALTERNATIVES: 3
# NUMBER VOTERS: 4
# NUMBER UNIQUE ORDERS: 2
# ALTERNATIVE NAME 1: toro
# ALTERNATIVE NAME 2: uni
# ALTERNATIVE NAME 3: ika
3: 2,{1,3}
1: 3
"""
RANKS = [[2, 1, 2], [np.nan, np.nan, 1]]


@pytest.mark.parametrize("text", [CURRENT, CURRENT.replace("\n", "\r\n"), "\ufeff" + CURRENT])
def test_both_line_ends(text):
    votes = read_preflib(io.BytesIO(text.encode()))
    np.testing.assert_array_equal(votes.ranks, RANKS)
    assert votes.counts.tolist() == [3, 1]
    assert votes.item_names == ["toro", "uni", "ika"]
    assert votes.metadata["NUMBER UNIQUE ORDERS"] == "2"


def test_a_category_may_be_empty_and_keeps_its_rank():
    text = CURRENT.replace("toi", "cat").replace("3: 2,{1,3}", "3: {},{1,2,3}")
    text = text.replace("# NUMBER V", "# CATEGORY NAME 1: Yes\n# CATEGORY NAME 2: No\n# NUMBER V")
    votes = read_preflib(io.StringIO(text))
    assert votes.ranks[0].tolist() == [2, 2, 2]
    assert votes.metadata["CATEGORY NAME 2"] == "No"


def test_equal_names_are_told_apart_and_noted():
    votes = read_preflib(io.StringIO(CURRENT.replace("ika", "toro")))
    assert votes.items == ("toro", "uni", "toro (3)")
    assert "toro" in votes.notes[0]


MISTAKES = [
    (CURRENT.replace(old, new), line, says)
    for old, new, line, says in [
        ("1: 3\n", "1: 4\n", 11, "no item 4"),
        ("1: 3\n", "1: 0\n", 11, "no item 0"),
        ("1: 3\n", "1: 3,3\n", 11, "item 3 appears twice"),
        ("1: 3\n", "1: {}\n", 11, "empty"),
        ("1: 3\n", "1: {3\n", 11, "braces"),
        ("1: 3\n", "1: 3}\n", 11, "commas"),
        ("1: 3\n", "1: 3,\n", 11, "an order has the numbers"),
        ("1: 3\n", "1: {3,{1}}\n", 11, "an order has the numbers"),
        ("1: 3\n", "1:\n", 11, "count from 1"),
        ("1: 3\n", "1\n", 11, "':' and an order"),
        ("1: 3\n", "0: 3\n", 11, "count from 1"),
        ("1: 3\n", "x: 3\n", 11, "count from 1"),
        ("1: 3\n", f"{10**16}: 3\n", 11, "2⁵³"),
        ("ALTERNATIVES: 3", "ALTERNATIVES: x", 4, "must be a number, 1 or more"),
        ("ALTERNATIVES: 3", "ALTERNATIVES: 99999999999", 4, "more than the file has characters"),
        ("ALTERNATIVES: 3", "ALTERNATIVES: 2", 4, "names alternative 3"),
        ("NAME 3", "NAME 2", 9, "is given twice"),
        ("# NUMBER ALTERNATIVES: 3\n", "", 9, "NUMBER ALTERNATIVES"),
        ("3: 2,{1,3}\n1: 3\n", "", 9, "no orders"),
    ]
]


@pytest.mark.parametrize(
    ("text", "line", "says"),
    [
        *MISTAKES,
        ("", 1, "not a PrefLib file"),
        ("nothing\n", 1, "not a PrefLib file"),
    ],
)
def test_a_mistake_is_named_with_its_line(text, line, says):
    with pytest.raises(RankingFileError, match=says) as caught:
        read_preflib(io.StringIO(text))
    assert caught.value.line == line


@pytest.mark.parametrize(
    ("kind", "ranks", "says"),
    [
        ("soc", [[1, 2, np.nan]], r"leaves out 1 of 3 items.*write \.soi"),
        ("soi", [[1, 1, 2]], r"has ties.*write \.toi"),
        ("toi", [[np.nan, np.nan, np.nan]], "ranks no item"),
    ],
)
def test_a_type_that_does_not_fit_is_refused(kind, ranks, says):
    with pytest.raises(RankingFileError, match=says):
        write_file(RankingSet(np.array(ranks), ("a", "b", "c")), io.BytesIO(), kind)


def their_orders(instance):
    names = instance.alternatives_name
    return {
        tuple(frozenset(names[i] for i in group) for group in order): count
        for order, count in instance.multiplicity.items()
    }


@given(ranking_sets(least_ranked=1))
def test_preflibtools_reads_what_we_write(rankings):
    instances = pytest.importorskip("preflibtools.instances")
    sink = io.BytesIO()
    write_file(rankings, sink, "toi")
    theirs = instances.OrdinalInstance()
    theirs.parse_str(sink.getvalue().decode(), "toi", file_name="votes.toi")
    named = {number: f"#{number}" for number in range(1, len(rankings.items) + 1)}
    assert theirs.alternatives_name == dict(
        zip(named, (" ".join(str(item).split()) for item in rankings.items), strict=True)
    )
    assert their_orders(theirs) == orders_of(rankings)


def real_files(home):
    return sorted(
        path
        for path in (home / "preflib").glob("*/*")
        if path.suffix in (".soc", ".soi", ".toc", ".toi", ".cat")
    )


def test_real_files_have_the_totals_that_their_headers_state(data_home):
    paths = real_files(data_home)
    assert {path.suffix for path in paths} >= {".soc", ".soi", ".toc", ".cat"}
    for path in paths:
        votes = read_preflib(path)
        header = votes.metadata
        unique = header.get("NUMBER UNIQUE ORDERS") or header["NUMBER UNIQUE PREFERENCES"]
        assert str(votes.n_rankings) == header["NUMBER VOTERS"], path
        assert str(len(votes)) == unique, path
        assert str(len({row.tobytes() for row in votes.dense()})) == unique, path
        if path.suffix in (".soc", ".toc", ".cat"):
            assert (votes.n_ranked() == len(votes.items)).all(), path
        if path.suffix in (".soc", ".soi"):
            strict = [len(set(row[~np.isnan(row)])) for row in votes.dense()]
            assert strict == votes.n_ranked().tolist(), path


def test_real_files_keep_their_orders_when_written(data_home, tmp_path):
    for path in real_files(data_home)[::7]:
        votes = read_preflib(path)
        kind = "toc" if path.suffix == ".cat" else path.suffix[1:]
        if path.suffix == ".cat":
            # A category that nobody is in has no place among ties.
            votes = votes.rows(votes.n_ranked() > 0)
        write_file(votes, tmp_path / f"votes.{kind}.gz")
        assert orders_of(read_file(tmp_path / f"votes.{kind}.gz")) == orders_of(votes), path


@pytest.mark.parametrize(
    "file", ["00001-irish/00001-00000002.soi", "00006-skate/00006-00000001.toc"]
)
def test_preflibtools_reads_the_same_rankings(data_home, file):
    instances = pytest.importorskip("preflibtools.instances")
    path = data_home / "preflib" / file
    theirs = instances.OrdinalInstance(str(path))
    assert orders_of(read_preflib(path)) == their_orders(theirs)


def test_alternatives_may_count_from_0():
    text = (
        "# NUMBER ALTERNATIVES: 2\n# ALTERNATIVE NAME 0: toro\n# ALTERNATIVE NAME 1: uni\n"
        "3: 1,0\n1: 0\n"
    )
    votes = read_preflib(io.StringIO(text))
    assert votes.items == ("toro", "uni")
    np.testing.assert_array_equal(votes.ranks, [[2, 1], [1, np.nan]])
    with pytest.raises(RankingFileError, match=r"no item 2: .* counted from 0"):
        read_preflib(io.StringIO(text + "1: 2\n"))


@pytest.mark.parametrize("suffix", ["toi", "blt", "csv", "parquet"])
def test_the_largest_count_is_read_again(tmp_path, suffix):
    votes = RankingSet(np.array([[1.0, 2.0]]), ("toro", "uni"), counts=[2**53])
    write_file(votes, tmp_path / f"votes.{suffix}")
    assert read_file(tmp_path / f"votes.{suffix}").counts.tolist() == [2**53]
