"""Which numbers are ranks: real rankings pass, and columns that are not items are named."""

import io

import numpy as np
import pytest
from scipy.stats import rankdata

from rankcut import make_food, read_file
from rankcut.datasets import load_lunch
from rankcut.files import RankingFileError, scan_file
from rankcut.files.readings.ranks import rank_evidence
from rankcut.files.readings.scores import check_scores
from rankcut.files.readings.way import CERTAIN, FITS

RNG = np.random.default_rng(0)
N, M = 60, 8
FULL = np.array([RNG.permutation(M) + 1.0 for _ in range(N)])
TOP = np.where(FULL <= 3, FULL, np.nan)
GAPS = np.where(RNG.random(FULL.shape) < 0.6, FULL, np.nan)
LEVELS = RNG.integers(0, 4, FULL.shape)
PAIR = np.column_stack([FULL, FULL[:, 0]])


def ranked(scores, method="dense"):
    return np.apply_along_axis(rankdata, 1, scores, method=method)


LEGITIMATE = {
    "full": FULL,
    "counted from 0": FULL - 1,
    "top 3": TOP,
    "original places with gaps": GAPS,
    "a few rows with gaps": GAPS[:2],
    "two items that are always tied": ranked(PAIR),
    "two items that are often tied": ranked(np.where(np.arange(N)[:, None] % 3, PAIR, 9 - PAIR)),
    "each of three items tied with one of three others": ranked(
        np.array([[*RNG.permutation(3), *RNG.permutation(3)] for _ in range(N)])
    ),
    "a favourite of all": np.column_stack([np.ones(N), FULL + 1]),
    "a Latin square": [[1, 2, 3, 4], [2, 3, 4, 1], [3, 4, 1, 2], [4, 1, 2, 3]],
    "one row": FULL[:1],
    "two items": ranked(RNG.random((N, 2))),
    "two items with ties": ranked(RNG.integers(0, 2, (N, 2))),
    "an item that nobody ranks": np.column_stack([FULL, np.full(N, np.nan)]),
    **{f"ties, {how}": ranked(LEVELS, how) for how in ("dense", "min", "max", "average")},
    **{
        f"food, {kind}": make_food(60, kind=kind, random_state=0).ranks
        for kind in ("ties", "top-k")
    },
    "lunch": load_lunch("incomplete").ranks,
}


@pytest.mark.parametrize("name", LEGITIMATE)
def test_rankings_are_ranks(name):
    evidence = rank_evidence(np.asarray(LEGITIMATE[name], dtype=float))
    assert evidence >= (CERTAIN if name in ("full", "counted from 0") else FITS)


@pytest.mark.parametrize(
    "values",
    [
        RNG.integers(1, 6, (N, 4)),
        RNG.integers(0, 101, (N, 6)),
        RNG.integers(2, 6, (N, 6)),
        RNG.integers(0, 2, (N, 14)),
        np.eye(2)[RNG.integers(0, 2, N)],
        RNG.integers(1, 3, (N, 2)),
        np.where(FULL <= 1, FULL, np.nan),
    ],
    ids=["stars", "sliders", "few stars", "flags", "who won", "codes", "marks of one"],
)
def test_other_numbers_are_no_ranks(values):
    assert (rank_evidence(values.astype(float)) or 0) < FITS


CODES = {
    "years": RNG.integers(1956, 2019, N),
    "ages": RNG.integers(18, 90, N),
    "numbers of rows": np.arange(1, N + 1),
    "a code from 1 to 5": RNG.integers(1, 6, N),
    "a code from 1 to 8": np.random.default_rng(1).integers(1, 9, N),
    "no or yes": RNG.integers(0, 2, N),
    "one of two": RNG.integers(1, 3, N),
    "a constant": np.full(N, 3),
    "an amount": RNG.normal(size=N),
    "a weight": RNG.random(N) + 0.5,
}


def table(values, names):
    rows = [",".join("" if v != v else f"{v:g}" for v in row) for row in values]
    return "\n".join([",".join(names), *rows, ""])


ITEMS = [f"item {i}" for i in range(M)]


@pytest.mark.parametrize("code", CODES)
def test_a_column_beside_permutations_is_no_item(code):
    values = np.column_stack([FULL[:, :2], CODES[code], FULL[:, 2:]])
    votes = read_file(io.StringIO(table(values, [*ITEMS[:2], "x", *ITEMS[2:]])), "csv")
    assert votes.items == tuple(ITEMS)
    assert "'x' is no item" in votes.metadata["READ AS"]


@pytest.mark.parametrize("code", ["years", "ages", "an amount", "a constant", "no or yes"])
def test_a_column_beside_short_rankings_is_asked_about(code):
    values = np.column_stack([TOP, CODES[code]])
    with pytest.raises(RankingFileError, match=r'as ranks \(first .*columns="x"'):
        read_file(io.StringIO(table(values, [*ITEMS, "x"])), "csv")


@pytest.mark.parametrize("code", ["years", "numbers of rows"])
def test_a_column_that_is_no_score_is_found(code):
    rng = np.random.default_rng(0)
    scores = np.column_stack([rng.integers(1, 6, (N, 4)), CODES[code]]).astype(float)
    assert check_scores(scores, list("abcde"))[0] == [4]


NAMES = ["held in", "side", *"abcdefgh"]
MIXED = table(np.column_stack([CODES["years"], CODES["no or yes"], FULL]), NAMES)


def test_columns_beside_permutations_are_no_items_and_named():
    votes = read_file(io.StringIO(MIXED), "csv")
    assert votes.items == tuple("abcdefgh")
    np.testing.assert_array_equal(votes.ranks, FULL)
    assert "'held in', 'side' are no items" in votes.metadata["READ AS"]
    pieces = list(scan_file(io.StringIO(MIXED), "csv", rows=4))
    assert {piece.items for piece in pieces} == {votes.items}


@pytest.mark.parametrize("read", [read_file, lambda *a, **o: list(scan_file(*a, rows=4, **o))])
def test_readers_refuse_with_the_remedy(read):
    partly = table(np.column_stack([CODES["years"], CODES["no or yes"], TOP]), NAMES)
    with pytest.raises(RankingFileError) as caught:
        read(io.StringIO(partly), "csv")
    said = caught.value.render(lambda setting: f"--{setting.name} {setting.value}")
    assert "column 'held in' reaches" in said
    assert "--columns held in,side" in said
    assert "\n" not in said


def test_ordinals_beside_numbers_are_not_mixed():
    text = "class,a,b\n1,1st,2nd\n2,2nd,1st\n"
    votes = read_file(io.StringIO(text), "csv")
    assert votes.items == ("a", "b")
    assert "'class' is no item" in votes.metadata["READ AS"]
    np.testing.assert_array_equal(votes.ranks, [[1, 2], [2, 1]])


@pytest.mark.parametrize("cell", ["2nd", "second"])
def test_an_ordinal_among_numbers_is_a_rank(cell):
    votes = read_file(io.StringIO(f"toro,uni,ika,ebi\n1,2,3,4\n4,{cell},1,3\n3,4,2,1\n"), "csv")
    np.testing.assert_array_equal(votes.ranks, [[1, 2, 3, 4], [4, 2, 1, 3], [3, 4, 2, 1]])


@pytest.mark.parametrize(
    ("cell", "says"),
    [("-2", "has -2, and ranks are not negative"), ("30", "reaches 30, beyond 8 columns")],
)
def test_the_message_names_the_line_of_the_cell(cell, says):
    rows = table(TOP, "abcdefgh").split("\n")
    # Nothing is missing without the column, so it may be no item.
    rows[9] = f"{cell},{rows[9].partition(',')[2]}"
    with pytest.raises(RankingFileError, match=f"^<stream>:10: .*column 'a' {says}.*columns=\"a\""):
        read_file(io.StringIO("\n".join(rows)), "csv")


def test_the_message_names_the_column_that_has_the_problem():
    rng = np.random.default_rng(0)
    values = np.column_stack([CODES["no or yes"], rng.integers(40, 900, N), TOP])
    with pytest.raises(RankingFileError, match="column 'took' reaches") as caught:
        read_file(io.StringIO(table(values, ["answer", "took", *"abcdefgh"])), "csv")
    assert 'columns="answer,took"' in str(caught.value)
    with pytest.raises(RankingFileError, match="column 'took' reaches 897, beyond 3"):
        read_file(io.StringIO(table(values[:, :3], ["answer", "took", "a"])), "csv")


def test_a_zero_among_ranks_from_1_may_be_no_answer():
    ranks = FULL[:, :4].argsort(axis=1).argsort(axis=1) + 1
    ranks[4, 1] = 0
    table = "toro,uni,ika,ebi\n" + "\n".join(",".join(map(str, row)) for row in ranks)
    with pytest.raises(RankingFileError, match=r'^<stream>:6: .* has 0, .*: missing="0"'):
        read_file(io.StringIO(table), "csv")
    votes = read_file(io.StringIO(table), "csv", missing="0")
    assert np.argwhere(np.isnan(votes.ranks)).tolist() == [[4, 1]]
    assert votes.lines[4] == 6
