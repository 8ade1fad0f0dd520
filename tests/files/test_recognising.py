"""Files of survey tools, elections and benchmarks are read without options, and say as what."""

import csv
import io
import json
import shlex
import zipfile

import numpy as np
import pytest
from commands import fail, run, succeed

from rankcut import read_file, write_file
from rankcut.files import RankingFileError, from_frame, scan_file

NAN = np.nan
RANKS = [[1, 2, 3], [3, 1, 2], [2, 3, 1], [1, 3, 2]]
DISHES = ("toro", "uni", "ika")
ORDERS = [["toro", "uni", "ika"], ["uni", "ika", "toro"], ["ika", "toro", "uni"]]
ORDERS += [["toro", "ika", "uni"]]


def table(rows, delimiter=","):
    text = io.StringIO()
    csv.writer(text, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return text.getvalue()


def qualtrics(names, texts, ids, rows, delimiter=","):
    imported = [json.dumps({"ImportId": own}) for own in ("startDate", "_recordId", *ids)]
    head = [["StartDate", "ResponseId", *names], ["Start Date", "Response ID", *texts], imported]
    cells = [[f"2024-05-0{i + 1} 10:00", f"R_{i}", *row] for i, row in enumerate(rows)]
    return table(head + cells, delimiter)


def workbook(*sheets):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    book.remove(book.active)
    for number, rows in enumerate(sheets):
        sheet = book.create_sheet(f"sheet {number}")
        for row in rows:
            sheet.append(row)
    sink = io.BytesIO()
    book.save(sink)
    return sink.getvalue()


def spss(folder):
    pyreadstat = pytest.importorskip("pyreadstat")
    import pandas as pd

    frame = pd.DataFrame(RANKS, columns=["rank_1", "rank_2", "rank_3"], dtype=float)
    frame.loc[3, "rank_2"] = 99.0
    frame.insert(0, "age", [31.0, 28.0, 55.0, 40.0])
    labels = ["How old are you?", *(f"Rank these dishes: {dish}" for dish in DISHES)]
    place = folder / "made.sav"
    pyreadstat.write_sav(
        frame, str(place), column_labels=labels, missing_ranges={"rank_2": [{"lo": 99, "hi": 99}]}
    )
    return place.read_bytes()


def dominion():
    def session(record, marks, modified=None):
        own = {"Cards": [{"Id": 1, "Contests": [{"Id": 7, "Marks": marks}]}]}
        made = {"RecordId": record, "Original": own}
        if modified is not None:
            made["Modified"] = {"Cards": [{"Id": 1, "Contests": [{"Id": 7, "Marks": modified}]}]}
        return made

    def mark(candidate, rank, vote=True):
        return {"CandidateId": candidate, "Rank": rank, "IsVote": vote, "IsAmbiguous": False}

    sessions = [
        session(1, [mark(1, 1), mark(2, 2), mark(3, 3)]),
        session(2, [mark(2, 1), mark(3, 2), mark(1, 2)]),
        session(3, [mark(9, 1)], modified=[mark(3, 1), mark(1, 2), mark(2, 3)]),
        session(4, [mark(1, 1), mark(3, 2, vote=False), mark(3, 2)]),
    ]
    people = [{"Id": i + 1, "Description": dish, "ContestId": 7} for i, dish in enumerate(DISHES)]
    members = {
        "CvrExport.json": {"Sessions": sessions},
        "ContestManifest.json": {"List": [{"Id": 7, "Description": "Lunch"}]},
        "CandidateManifest.json": {"List": people},
    }
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        for name, content in members.items():
            archive.writestr(f"cvr/{name}", json.dumps(content))
    return sink.getvalue()


Q5 = [f"Q5_{i}" for i in (1, 2, 3)]
ABOUT = [f"Which do you like? - {dish}" for dish in DISHES]
QID = [f"QID5_{i}" for i in (1, 2, 3)]
MONKEY = [["Respondent ID", "Collector ID", "Start Date", "Please rank these", "", "", "Age"]]
MONKEY += [["", "", "", *DISHES, "Response"]]
MONKEY += [[f"118{i}", "9", "01/02/2024", *row, 30 + i] for i, row in enumerate(RANKS)]
WORDS = {1: "1st choice", 2: "Second choice", 3: "3rd choice"}
GRID = [["Timestamp", *(f"Rank the dishes [{dish}]" for dish in DISHES), "Town"]]
ARENA = [
    ["question_id", "model_a", "model_b", "winner", "judge", "conversation_a", "conversation_b"],
    *(
        ["1", "toro", "uni", "model_a", "ann", "x1", "y1"],
        ["2", "uni", "ika", "model_a", "bob", "x2", "y2"],
    ),
    *(
        ["3", "ika", "toro", "tie", "ann", "x3", "y3"],
        ["4", "ika", "uni", "tie (bothbad)", "bob", "x4", "y4"],
    ),
]
VOTES = [[1, 2, NAN], [NAN, 1, 2], [1, NAN, 1], [NAN, 1, 1]]
BALLOTS = [["Mayor Choice 1", "Mayor Choice 2", "Mayor Choice 3", "precinct"]]
BALLOTS += [[*order, f"P{i}"] for i, order in enumerate(ORDERS)]
IDS = dict(zip(DISHES, ("217605", "219978", "218117"), strict=True))
NYC = [["Cast Vote Record", *(f"DEM Mayor Choice {i} of 3 Citywide (02691{i})" for i in (1, 2, 3))]]
NYC += [[f"{i}", *(IDS[dish] for dish in order)] for i, order in enumerate(ORDERS)]
RATED = [[5, 3, 1], [1, 5, 3], [3, 1, 5], [5, 1, 3]]
LOG = [(user, dish, RATED[user][i]) for user in range(4) for i, dish in enumerate(DISHES)]


def each(head, rows, delimiter=","):
    """A table with a row for each ranking, numbered."""
    return table([head, *([i, *row] for i, row in enumerate(rows))], delimiter)


def scored(names, score):
    """A long table of scores, a line for each data set and dish."""
    rows = ([f"d{d}", DISHES[i], score(RANKS[d][i])] for d in range(4) for i in range(3))
    return table([names, *rows])


def logged(line, head="", items=DISHES):
    """A line for each rating."""
    return head + "".join(line.format(u, items[DISHES.index(d)], r, 6 - r) for u, d, r in LOG)


IMPORTED = [json.dumps({"ImportId": own}) for own in ("startDate", *QID)]
ARENA_RECORDS = [dict(zip(ARENA[0], row, strict=True)) for row in ARENA[1:]]
TASKS = [[1, 2, 3], [3, 1, 2]]
C1, SHOWN = ["C1_1", "C1_2", "C1_3"], ["1.1_MAXDIFF", "1.2_MAXDIFF", "1.3_MAXDIFF"]
ASKED = [f"Which do you want? - [Field-{name}]" for name in SHOWN]
MAINE = [f"Rep. to Congress {place} Choice District 2" for place in ("1st", "2nd", "3rd")]

# What files are read as, their ranks of DISHES, and for each kind a name and its content.
READ_AS = [
    ("a Qualtrics rank-order question", RANKS, {
        "Qualtrics": ("q.csv", qualtrics(Q5, ABOUT, QID, RANKS)),
        "Qualtrics, tabs in UTF-16": (
            "q.tsv", qualtrics(Q5, ABOUT, QID, RANKS, "\t").encode("utf-16")),
        "Qualtrics, workbook": (
            "q.xlsx", lambda: workbook([["StartDate", *Q5], ["Start Date", *ABOUT], IMPORTED,
                                        *(["2024-05-01", *row] for row in RANKS)])),
    }),
    ("a Qualtrics drag-and-drop group", RANKS, {
        "Qualtrics, groups": (
            "q.csv", qualtrics([f"Q9_0_{i}_RANK" for i in (1, 2, 3)],
                               [f"Sort these - Tasty - {dish} - Rank" for dish in DISHES],
                               [f"QID9_G0_{i}_RANK" for i in (1, 2, 3)], RANKS)),
    }),
    ("a Microsoft Forms ranking question", RANKS, {
        "Microsoft Forms": (
            "forms.xlsx", lambda: workbook(
                [["ID", "Start time", "Name", "Rank the dishes"],
                 *([i, "1/2/24", f"n{i}", ";".join(o) + ";"] for i, o in enumerate(ORDERS))])),
        "Microsoft Forms, CSV": (
            "forms.csv", each(["ID", "Dishes"], ([";".join(o) + ";"] for o in ORDERS))),
    }),
    ("a Google Forms grid", RANKS, {
        "Google Forms, places in words": (
            "g.csv", table(GRID + [["1/2/2024", *map(WORDS.get, row), "Kobe"] for row in RANKS])),
    }),
    ("a grid of ranks", RANKS, {
        "Google Forms, numbers": (
            "g.csv", table(GRID + [["1/2/2024", *row, "Kobe"] for row in RANKS])),
    }),
    ("a Google Forms grid of places", RANKS, {
        "Google Forms, a column for each place": (
            "g.csv", each(["Timestamp", *(f"Order [{WORDS[i]}]" for i in (2, 1, 3))],
                          ([o[1], o[0], o[2]] for o in ORDERS))),
    }),
    ("a SurveyMonkey rank-order question", RANKS, {"SurveyMonkey": ("m.csv", table(MONKEY))}),
    ("a LimeSurvey ranking question", RANKS, {
        "LimeSurvey": (
            "l.csv", each(["id", "submitdate", "Q1[1]", "Q1[2]", "Q1[3]"],
                          (["2024-01-01", *order] for order in ORDERS))),
        "LimeSurvey, semicolons": (
            "l.csv", each(["id", *(f"dishes[Rank {i}]" for i in (1, 2, 3))], ORDERS, ";")),
    }),
    ("an ODK or Kobo ranking question", RANKS, {
        "ODK": ("odk.csv", each(["SubmissionDate", "dishes", "meta-instanceID"],
                                ([" ".join(o), f"uuid:{i}"] for i, o in enumerate(ORDERS)))),
    }),
    ("lists in one cell", RANKS, {
        "lists with commas": ("l.csv", each(["who", "dishes"], ([", ".join(o)] for o in ORDERS))),
    }),
    ("orders in one column", RANKS, {
        "orders": ("o.csv", each(["id", "vote"], ([" > ".join(order)] for order in ORDERS))),
    }),
    ("ranked ballots", RANKS, {
        "ballots": ("b.csv", table(BALLOTS)),
        "ballots with candidate ids": (
            "nyc.xlsx", lambda: workbook(NYC, [[own, dish] for dish, own in IDS.items()])),
        "ballots in words": ("b.csv", each(["voter", "First", "second choice", "third"], ORDERS)),
        "ballots of Maine": ("maine.csv", each(["Cast Vote Record", *MAINE], ORDERS)),
    }),
    ("ranked ballots", [[1, 2, 3], [NAN, 1, NAN], [2, 3, 1], [1, NAN, 2]], {
        "Dominion": ("cvr.zip", dominion),
    }),
    ("votes between two", VOTES, {
        "votes": ("v.csv", table(ARENA)),
        "votes, JSONL": ("v.jsonl", "\n".join(map(json.dumps, ARENA_RECORDS))),
        "votes, JSON": ("v.json", json.dumps(ARENA_RECORDS)),
        "votes by name": (
            "v.csv",
            "left,right,winner\ntoro,uni,toro\nika,uni,uni\ntoro,ika,draw\nuni,ika,both bad\n"),
        "votes, left or right": (
            "v.csv",
            "left,right,choice\ntoro,uni,left\nika,uni,right\ntoro,ika,tie\nuni,ika,tie\n"),
    }),
    ("votes between two", [[1, 2, NAN], [NAN, 1, 2], [1, NAN, 2]], {
        "winners and losers": ("v.csv", "winner,loser\ntoro,uni\nuni,ika\ntoro,ika\n"),
    }),
    ("best-worst tasks", TASKS, {
        "best and worst": (
            "bw.csv", "respondent,task,item1,item2,item3,best,worst\n"
                      "1,1,toro,uni,ika,toro,ika\n1,2,ika,toro,uni,uni,toro\n"),
        "best and worst, shown in one cell": (
            "bw.csv",
            "respondent,shown,best,worst\n1,toro;uni;ika,toro,ika\n2,ika;toro;uni,uni,toro\n"),
        "best and worst, by number": (
            "bw.csv",
            "id,option_1,option_2,option_3,best,worst\n1,toro,uni,ika,1,3\n2,ika,toro,uni,3,2\n"),
    }),
    ("best-worst tasks of Qualtrics", TASKS, {
        "Qualtrics, MaxDiff module": (
            "q.csv", qualtrics([*C1, *SHOWN], [*ASKED, *SHOWN], [*C1, *SHOWN], [
                ["Most wanted", "", "Least wanted", "toro", "uni", "ika"],
                ["", "Least wanted", "Most wanted", "ika", "toro", "uni"],
            ])),
    }),
    ("scores of models on data sets", RANKS, {
        "scores, long": (
            "s.csv", scored(["dataset", "model", "accuracy"], lambda rank: 0.9 - rank / 10)),
        "errors, long": ("s.csv", scored(["task", "method", "rmse"], lambda rank: rank / 10)),
    }),
    ("a TREC run", RANKS, {"TREC run": ("bm25.run", logged("q{0} Q0 {1} {3} {2}.5 bm25\n"))}),
    ("ratings of RecBole", RANKS, {
        "RecBole": ("lunch.inter", logged(
            "{0}\t{1}\t{2}\n", "user_id:token\titem_id:token\trating:float\n")),
    }),
    ("ratings, one in a row", RANKS, {
        "MovieLens": (
            "ratings.csv", logged("{0},{1},{2},99\n", "userId,movieId,rating,timestamp\n")),
        "MovieLens, two colons": ("ratings.dat", logged("{0}::{1}::{2}::99\n", items="012")),
        "MovieLens, tabs": ("u.data", logged("{0}\t{1}\t{2}\t99\n", items="012")),
    }),
]  # fmt: skip
KINDS = {
    kind: (*file, what, ranks) for what, ranks, files in READ_AS for kind, file in files.items()
}


def read(text, **options):
    return read_file(io.StringIO(text), "csv", **options)


def made(folder, kind):
    name, content, *_ = KINDS[kind]
    content = content() if callable(content) else content
    place = folder / name
    place.write_bytes(content if isinstance(content, bytes) else content.encode())
    return place


@pytest.mark.parametrize("kind", KINDS)
def test_files_of_each_kind_are_read_without_options(kind, tmp_path):
    _, _, what, ranks = KINDS[kind]
    place = made(tmp_path, kind)
    votes = read_file(place)
    expected = np.array(ranks, dtype=float)
    if kind.startswith("MovieLens,"):
        assert {*votes.items} == {"0", "1", "2"}
        votes = votes.with_items(["0", "1", "2"])
    else:
        assert {*votes.items} == {*DISHES}
        votes = votes.with_items(DISHES)
    np.testing.assert_array_equal(np.argsort(votes.dense()), np.argsort(expected))
    np.testing.assert_array_equal(np.isnan(votes.dense()), np.isnan(expected))
    said = votes.metadata["READ AS"]
    assert said.startswith(f"read as {what}: 3 items, {len(expected)} ")
    assert "\n" not in said
    (again,) = scan_file(place, rows=1)
    np.testing.assert_array_equal(again.with_items(votes.items).dense(), votes.dense())


def maxdiff(rows, order="Q{}_DO"):
    """Two tasks of three of four dishes, as a question of Qualtrics."""
    dishes = [*DISHES, "ebi"]
    names = [f"Q{task}_{i}" for task in (1, 2) for i in (1, 2, 3, 4)]
    texts = [f"Most and least? - {dish}" for _ in (1, 2) for dish in dishes]
    names += [order.format(task) for task in (1, 2)]
    texts += ["Most and least? - Display Order"] * 2
    return qualtrics(names, texts, names, rows)


def test_a_maxdiff_question_of_qualtrics():
    rows = [
        [1, "", 2, "", "", 2, "", 1, "3|1|2", "4|2|1"],
        ["", 2, 1, "", "", "", "", "", "1|3|2", "3|4|2"],
    ]
    expected = [[3, 2, 1, NAN], [2, 1, 3, NAN], [2, 1, NAN, 3]]
    for order in ("Q{}_DO", "DO-Q-Q{}"):
        votes = read(maxdiff(rows, order), higher_is_better=True)
        assert votes.items == (*DISHES, "ebi")
        np.testing.assert_array_equal(votes.dense(), expected)
        assert [*votes.people] == ["R_0", "R_1", "R_0"]
        assert votes.unranked == "anywhere"
        assert any("1 task without an answer" in note for note in votes.notes)
    turned = read(maxdiff(rows), higher_is_better=False)
    np.testing.assert_array_equal(turned.dense(), 4 - votes.dense())
    with pytest.raises(RankingFileError, match="nothing says whether higher is better"):
        read(maxdiff(rows))
    # In words, it is plain.
    words = {1: "Least", 2: "Most"}
    said = [[words.get(cell, cell) for cell in row] for row in rows]
    np.testing.assert_array_equal(read(maxdiff(said)).dense(), votes.dense())
    halves = [["Most", "", "", "", "", "Least", "", "", "3|1|2", "4|2|1"]]
    with pytest.raises(RankingFileError, match="no task has one best and one worst") as refused:
        read(maxdiff(halves))
    assert refused.value.line == 4


def test_what_else_qualtrics_writes_is_no_answer():
    names = ["Status", *Q5, *(f"Q5_DO_{i}" for i in (1, 2, 3)), "Q6"]
    texts = [
        "Response Type",
        *ABOUT,
        *(f"{own} - Display Order" for own in ABOUT),
        "Comments,\nif any",
    ]
    rows = [["IP Address", *row, 3, 2, 1, 'fine, "really"\nthanks'] for row in RANKS]
    rows.append(["Survey Preview", 1, 2, 3, 1, 2, 3, ""])
    votes = read(qualtrics(names, texts, names, rows))
    assert votes.items == DISHES
    np.testing.assert_array_equal(votes.ranks, RANKS)
    assert "1 preview left out" in votes.metadata["READ AS"]


SPOKEN = {
    "Spanish": ("Marca temporal", ["1ª opción", "2ª opción", "3ª opción"]),
    "German": ("Zeitstempel", ["1. Wahl", "2. Wahl", "3. Wahl"]),
    "French": ("Horodateur", ["1er choix", "2e choix", "3ème choix"]),
    "ends explained": ("Timestamp", ["1 (best)", "2", "3 (worst)"]),
}
OTHER_FORMS = {
    **{f"places, {language}": "\ufeff" + table(
        [[when, *(f"Order [{dish}]" for dish in DISHES)],
         *(["1/5/2024 10:00 GMT+1", *(places[rank - 1] for rank in row)] for row in RANKS)])
       for language, (when, places) in SPOKEN.items()},
    "SurveyMonkey in German": table(
        [["Befragten-ID", "Startdatum", "Bitte ordnen", "", ""], ["", "", *DISHES],
         *([118 + i, "01.02.2024", *row] for i, row in enumerate(RANKS))], ";"),
    "LimeSurvey, codes and texts": table(
        [["id. Response ID", *(f"Q1[{i}]. Rank these [Rank {i}]" for i in (1, 2, 3))],
         *([i, *order] for i, order in enumerate(ORDERS))]),
    "LimeSurvey in German": table(
        [["Antwort ID", *(f"Bitte ordnen [Rang {i}]" for i in (1, 2, 3))],
         *([i, *order] for i, order in enumerate(ORDERS))]),
    "columns numbered by hand": table(
        [["Name", "Vote 1", "Vote 2", "Vote 3"],
         *([name, *order] for name, order in zip("abcd", ORDERS, strict=True))]),
    "ordinals in words": table(
        [DISHES, *([["first", "second", "third"][rank - 1] for rank in row] for row in RANKS)]),
    "a comment above": "# by Ann, in May\n"
    + table([["who", *DISHES], *(["x", *row] for row in RANKS)]),
}  # fmt: skip


@pytest.mark.parametrize("form", OTHER_FORMS)
def test_forms_of_other_tools_and_people(form):
    votes = read(OTHER_FORMS[form])
    np.testing.assert_array_equal(votes.with_items(DISHES).ranks, RANKS)


@pytest.mark.parametrize(
    ("head", "results"),
    [
        ("system_1,system_2,preference", ["1", "2", "0"]),
        ("answer_a_model,answer_b_model,preferred_answer", ["answer_a", "answer_b", "tie"]),
    ],
)
def test_votes_in_other_words(head, results):
    pairs = ["toro,uni", "uni,ika", "ika,toro"]
    lines = [f"{pair},{won}" for pair, won in zip(pairs, results, strict=True)]
    votes = read("\n".join([head, *lines, ""]))
    expected = [[1, 2, NAN], [NAN, 2, 1], [1, NAN, 1]]
    np.testing.assert_array_equal(votes.with_items(DISHES).ranks, expected)


def test_tasks_whose_columns_have_any_names():
    rows = ["7,toro,uni,ika,toro,ika", "7,ika,toro,uni,uni,toro"]
    votes = read("\n".join(["RespID,Q1a,Q1b,Q1c,Most important,Least important", *rows, ""]))
    np.testing.assert_array_equal(votes.with_items(DISHES).ranks, [[1, 2, 3], [3, 1, 2]])
    assert "2 tasks by 1 person" in votes.metadata["READ AS"]


def test_yes_and_no_are_no_candidates():
    with pytest.raises(RankingFileError, match="hold 'yes', 'no'"):
        read("answer 1,answer 2\nyes,no\nno,yes\n")


def test_a_column_called_by_a_number_sign_is_no_comment():
    rows = [[f"x{i}", ", ".join(order)] for i, order in enumerate(ORDERS)]
    for first in ("#", "# id"):
        votes = read(table([[first, "Rank these"], *rows]))
        np.testing.assert_array_equal(votes.with_items(DISHES).ranks, RANKS)
        assert votes.title == "Rank these"


def test_the_command_says_as_what_it_reads(tmp_path):
    place = made(tmp_path, "Qualtrics")
    done = run("info", place)
    said = "read as a Qualtrics rank-order question: 3 items, 4 respondents; first toro, ika, uni"
    assert said in done.stderr
    assert done.stdout.startswith("Which do you like?\n")
    assert succeed("info", place, "--title", "Lunch").startswith("Lunch\n")


def test_spss_has_labels_and_missing_codes(tmp_path):
    (tmp_path / "votes.sav").write_bytes(spss(tmp_path))
    votes = read_file(tmp_path / "votes.sav")
    assert votes.items == DISHES
    np.testing.assert_array_equal(votes.ranks, [*RANKS[:3], [1, NAN, 2]])
    assert votes.columns["age"].tolist() == [31, 28, 55, 40]
    assert "an SPSS rank-order question: 3 items, 4 respondents" in votes.metadata["READ AS"]


def test_abif(tmp_path):
    text = '{"title": "Lunch"}\n# note\n=T:[toro, fat]\n27: T > uni = ika\n3*ika>T\n2: uni/5, T/1\n'
    (tmp_path / "lunch.abif").write_text(text)
    votes = read_file(tmp_path / "lunch.abif")
    assert (votes.items, votes.title) == (("toro, fat", "uni", "ika"), "Lunch")
    assert votes.counts.tolist() == [27, 3, 2]
    np.testing.assert_array_equal(votes.ranks, [[1, 2, 2], [2, NAN, 1], [2, 1, NAN]])
    for bad, says in [("x: a>b", "a count and an order"), ("3: a>a", "once"), ("# a", "no votes")]:
        with pytest.raises(RankingFileError, match=says):
            read_file(io.StringIO(bad), "abif")


def test_votes_have_judges_and_leave_the_others_anywhere(tmp_path):
    votes = read_file(made(tmp_path, "votes"))
    assert votes.unranked == "anywhere"
    assert votes.people.tolist() == ["ann", "bob", "ann", "bob"]
    assert "4 votes by 2 people" in votes.metadata["READ AS"]
    assert votes.columns["question_id"].tolist() == [1, 2, 3, 4]
    succeed("consensus", made(tmp_path, "votes"))


def test_frames_are_recognised_too(frames):
    votes = from_frame(frames.DataFrame({"winner": ["a", "b"], "loser": ["b", "c"]}))
    assert votes.items == ("a", "b", "c")


def test_scores_ask_which_is_better(tmp_path):
    place = tmp_path / "scores.csv"
    rows = [[dish, *(0.1 * RANKS[d][i] for d in range(4))] for i, dish in enumerate(DISHES)]
    place.write_text(table([["model", *(f"d{d}" for d in range(4))], *rows]))
    fail("info", place, says=r"--higher-is-better \(first uni, ika, toro\) or --lower-is-better")
    for option, ranks in (
        ("--lower-is-better", RANKS),
        ("--higher-is-better", 4 - np.array(RANKS)),
    ):
        succeed("convert", place, tmp_path / "out.csv", option)
        np.testing.assert_array_equal(read_file(tmp_path / "out.csv").ranks, ranks)
    turned = table(
        [["dataset", *DISHES], *([f"d{d}", *(0.1 * r for r in RANKS[d])] for d in range(4))]
    )
    votes = read(turned, higher_is_better=False)
    np.testing.assert_array_equal(votes.ranks, RANKS)
    assert votes.ids == ("d0", "d1", "d2", "d3")


def remedies(said):
    """The options that a message suggests, as words of a command."""
    ways = [part for part in said.split(": ") if part.startswith("--")]
    return [shlex.split(way.split("; ")[0]) for way in ways]


@pytest.mark.parametrize("names", ["choice {}", "Q1[{}]", "Q1 [Rank {}]"])
def test_two_ways_are_both_given_as_options(names, tmp_path):
    place = tmp_path / "votes.csv"
    names = [names.format(i) for i in (1, 2, 3)]
    place.write_text(table([names, [1, 2, 3], [3, 1, 2], [2, 1, 3]]))
    said = fail("info", place, says="can be read in two ways").stderr
    found = []
    for way in sorted(remedies(said)):
        succeed("convert", place, tmp_path / "out.csv", *way)
        found.append(read_file(tmp_path / "out.csv"))
    assert found[0].items == ("1", "2", "3")
    assert found[1].items == tuple(names)
    assert not np.array_equal(found[0].ranks, found[1].ranks)


def test_of_several_questions_one_is_named(tmp_path):
    place = tmp_path / "two.csv"
    names = [*Q5, "Q6_1", "Q6_2"]
    texts = [*ABOUT, "And drinks? - tea", "And drinks? - milk"]
    rows = [[*row, 1 + i % 2, 2 - i % 2] for i, row in enumerate(RANKS)]
    place.write_text(qualtrics(names, texts, [*QID, "QID6_1", "QID6_2"], rows))
    said = fail("info", place, says="").stderr
    assert "has 2 ranking questions: 'Q5' (Which do you like?), 'Q6' (And drinks?)" in said
    (way,) = remedies(said)
    assert way == ["--question", "Q5"]
    succeed("info", place, *way)
    assert read_file(place, question="Q6").items == ("tea", "milk")
    place.write_text(
        "Which do you like? [toro],Which do you like? [uni],"
        "And drinks? [tea],And drinks? [milk]\n1,2,2,1\n2,1,1,2\n"
    )
    assert read_file(place, question="drinks").items == ("tea", "milk")
    assert read_file(place, question="Which do").items == ("toro", "uni")
    with pytest.raises(RankingFileError, match="has 2 ranking questions"):
        read_file(place, question="Q7")


def test_missing_codes_and_blank_rows_leave_no_trace():
    rows = [*RANKS, ["", "", ""], [99, 99, 99], ["-", "N/A", "Don't know"]]
    votes = read(qualtrics(Q5, ABOUT, QID, rows))
    np.testing.assert_array_equal(votes.ranks, RANKS)
    said = votes.metadata["READ AS"]
    assert "99 in 3 cells is no answer" in said
    assert "3 blank rows left out" in said


def test_items_are_never_ids_dates_or_durations():
    rows = [[i, 300 + i, f"2024-01-0{i + 1}", *row] for i, row in enumerate(RANKS)]
    head = ["id", "Duration (in seconds)", "date", *(f"Rank [{dish}]" for dish in DISHES)]
    votes = read(table([head, *rows]))
    assert votes.items == DISHES
    assert list(votes.columns) == ["id", "Duration (in seconds)", "date"]


def test_what_the_first_rows_promise_must_hold_for_all():
    rows = [f"{i},a b,{1 + i % 2},{2 - i % 2}" for i in range(9)] + ["9,b a,1,2", "10,c,1,2"]
    text = "\n".join(["id,note,x,y", *rows, ""])
    (scanned, *_) = scan_file(io.StringIO(text), "csv", rows=10, columns="id")
    assert scanned.items == read(text, columns="id").items == ("x", "y")


def test_ranks_beside_a_class_are_no_votes():
    votes = read("a,b,label\n1,2,1\n2,1,2\n1,2,2\n", columns="label")
    assert votes.items == ("a", "b")
    assert votes.ranks.tolist() == [[1, 2], [2, 1], [1, 2]]


def test_ballots_follow_rules_that_are_said():
    rows = [["toro", "toro", "uni"], ["uni", "overvote", "ika"], ["ika", "skipped", "Write-in"]]
    text = table([["rank1", "rank2", "rank3"], *rows])
    votes = read(text)
    assert votes.items == ("toro", "uni", "ika", "Write-in")
    expected = [[1, 2, NAN, NAN], [NAN, 1, NAN, NAN], [NAN, NAN, 1, 2]]
    np.testing.assert_array_equal(votes.ranks, expected)
    said = votes.metadata["READ AS"]
    for rule in (
        "passed over",
        "overvote ends",
        "one candidate",
        "repeated choice: the first counts",
    ):
        assert rule in said
    np.testing.assert_array_equal(read(text, repeats="end").ranks[0], [1, NAN, NAN, NAN])
    with pytest.raises(RankingFileError, match=r'chosen twice.*repeats="first"'):
        read(text, repeats="error")


def test_contests_are_told_apart():
    head = [f"{office} Choice {i} of 2" for office in ("Mayor", "Judge") for i in (1, 2)]
    text = table([head, ["ann", "bob", "cy", "di"], ["bob", "ann", "di", "cy"]])
    with pytest.raises(RankingFileError, match="2 ranking questions: 'Mayor', 'Judge'"):
        read(text)
    assert read(text, question="judge").items == ("cy", "di")


def test_names_of_people_are_not_places():
    text = "voter,one,two\nann,toro,uni\nbob,uni,toro\n"
    with pytest.raises(RankingFileError, match=r"'voter' shares no item.*columns=.voter"):
        read(text, layout="ballots")
    assert read(text, layout="ballots", columns="voter").items == ("toro", "uni")


def test_weights_are_read(tmp_path):
    votes = read("w,toro,uni\n2.5,1,2\n1,2,1\n", weight="w")
    assert votes.weights.tolist() == [2.5, 1]
    assert votes[[1]].weights.tolist() == [1]
    write_file(votes, tmp_path / "again.csv")
    assert read_file(tmp_path / "again.csv", weight="weight").weights.tolist() == [2.5, 1]
    (tmp_path / "small.csv").write_text("w,toro,uni\n2,1,2\n1,2,1\n")
    assert "if it holds weights, pass --weight w" in run("info", tmp_path / "small.csv").stderr
    assert "pass --weight" not in run("info", tmp_path / "small.csv", "--weight", "w").stderr
    with pytest.raises(RankingFileError, match=r"a weight is a number above 0; .*w!=0"):
        read("w,toro,uni\n0,1,2\n1,2,1\n", weight="w")


def test_a_blank_row_needs_no_weight(tmp_path):
    rows = "w,Best? [toro],Best? [uni]\n2.5,1,2\n,,\n1,2,1\n"
    assert read(rows, weight="w").weights.tolist() == [2.5, 1]
    (tmp_path / "some.csv").write_text(rows + ",1,2\n")
    said = fail("info", tmp_path / "some.csv", "--weight", "w", says="some.csv:5").stderr
    (way,) = remedies(said)
    assert way == ["--where", "w!="]
    succeed("info", tmp_path / "some.csv", "--weight", "w", *way)


def test_a_column_of_orders_does_not_hide_ranks():
    rows = [[f"{i}>x", *row] for i, row in enumerate(RANKS)]
    assert read(table([["order", *DISHES], *rows])).items == DISHES


def test_margins_of_games_are_outcomes():
    rows = ["toro,uni,3", "uni,ika,-7", "ika,toro,NA", "toro,ika,1"]
    votes = read("\n".join(["team,team_other,diff", *rows, ""]))
    np.testing.assert_array_equal(
        votes.with_items(DISHES).ranks, [[1, 2, NAN], [NAN, 2, 1], [1, NAN, 2]]
    )
    assert "diff above 0 is a win of 'team'" in votes.metadata["READ AS"]


def test_two_columns_of_names_beside_a_number_are_no_ballots():
    rows = ["toro,uni,31", "uni,ika,28", "ika,toro,55", "toro,ika,40"]
    with pytest.raises(RankingFileError) as caught:
        read("\n".join(["one,two,age", *rows, ""]))
    assert "ballots" not in str(caught.value)


def test_a_first_line_like_all_others_is_a_row():
    votes = read("\n".join(["toro,uni,0-3", "uni,ika,2-1", "ika,uni,1-1", "uni,toro,0-1", ""]))
    assert len(votes) == 4


@pytest.mark.parametrize(
    ("suffix", "text", "line"),
    [
        (
            "toi",
            "# NUMBER ALTERNATIVES: 3\n# ALTERNATIVE NAME 1: uni\n# ALTERNATIVE NAME 2: ika\n"
            "# ALTERNATIVE NAME 3: uni\n2: 3,{1,2}\n1: 2\n",
            "a PrefLib toi file: 3 items, 3 rankings; first uni (3), ika, uni; item 3 has the name "
            "of another one, 'uni': read as 'uni (3)'",
        ),
        (
            "abif",
            "27: Ann > Bob\n3: Bob/5,Ann/1\n",
            "an ABIF file: 2 items, 30 rankings; first Ann, Bob",
        ),
        ("txt", "27: Ann > Bob\n3: Bob\n", "an ABIF file: 2 items, 30 rankings; first Ann, Bob"),
        (
            "blt",
            '3 1\n-2\n2 3 - 1 0\n1 3 2 0\n0\n"toro"\n"uni"\n"ika"\n',
            "a BLT file: 3 items, 3 rankings; first ika, toro, uni; uni withdrew, and is among the "
            "items; 1 blank place left out",
        ),
        (
            "trec",
            "q1 Q0 d1 1 0.9 r\nq1 Q0 d2 2 0.8 r\nq2 Q0 d1 1 0.7 r\n",
            "a TREC run: 2 items, 2 queries; first d1, d2; 3 other columns",
        ),
    ],
)
def test_every_format_says_as_what_it_was_read(suffix, text, line, tmp_path):
    path = tmp_path / f"votes.{suffix}"
    path.write_text(text)
    (scanned,) = scan_file(path)
    assert read_file(path).metadata["READ AS"] == scanned.metadata["READ AS"] == f"read as {line}"
    done = run("info", path, "--json")
    assert done.stderr == f"rankcut: {path}: read as {line}\n"
    assert json.loads(done.stdout)["read_as"] == {str(path): f"read as {line}"}


def test_a_text_of_ballots_is_read_from_a_pipe(tmp_path):
    options = ["--format", "txt", "-o", tmp_path / "f.csv"]
    done = run("features", "-", *options, input="27: Ann > Bob\n3: Bob > Ann\n")
    line = "read as an ABIF file: 2 items, 30 rankings; first Ann, Bob"
    assert (done.exit_code, done.stderr) == (0, f"rankcut: -: {line}\n"), done.output


def test_blocks_say_as_what_the_first_was_read(tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text("a,b,c\n" + "1,2,3\n" * 600)
    done = run("features", path, "-o", tmp_path / "f.npy", "--block", "512")
    line = "read as ranks: 3 items, 512 rankings; first a, b, c; then more rows, in blocks"
    assert done.stderr == f"rankcut: {path}: {line}\n"


def test_people_without_a_name_are_not_one_person():
    rows = ["model_a,model_b,winner,judge"]
    rows += [
        f"m{i % 3},m{(i + 1) % 3},{'model_a' if i % 4 else 'tie'},{'' if i < 2 else i // 2}"
        for i in range(40)
    ]
    people = read("\n".join(rows) + "\n").people.tolist()
    assert people[:4] == ["unknown 1", "unknown 2", "1", "1"]
    assert len({*people}) == 21
