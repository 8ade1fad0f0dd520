"""How a file was read: a sentence, the role of each column, and remedies that work when clicked."""

import pytest
from files.test_recognising import KINDS, spss, workbook
from files.test_remedies import SUGGESTED

from rankcut.app.reading import Asked, look, reading_with

TABLE = "town,age,toro,uni,ika\nKobe,31,1,2,3\nNara,45,3,1,2\nKobe,28,2,3,1\nNara,52,1,3,2\n"


@pytest.fixture
def looked(tmp_path, monkeypatch):
    """Looks at a file of some content."""
    monkeypatch.chdir(tmp_path)

    def make(name, content, **reading):
        content = content() if callable(content) else content
        data = content.encode() if isinstance(content, str) else content
        (tmp_path / name).write_bytes(data)
        return look(Asked(name, reading=reading))[1]

    return make


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_file_says_what_it_is(looked, kind, tmp_path):
    name, content, what = KINDS[kind][:3]
    about = looked(name, spss(tmp_path) if name.endswith(".sav") else content)
    if about["mistake"] and about["mistake"]["remedies"]:
        # Higher or lower is better: nobody can know.
        sets = about["mistake"]["remedies"][0]["sets"]
        about = looked(name, content, **sets)
    assert about["mistake"] is None
    assert what in about["said"]
    assert about["said"].endswith(".")
    assert {"item", "place"} & {*about["roles"]} or about["fixed"]
    assert len(about["names"]) == len(about["rows"][0])


@pytest.mark.parametrize("case", SUGGESTED)
def test_a_remedy_works_when_it_is_clicked(looked, case):
    text, _ = SUGGESTED[case]
    mistake = looked("votes.csv", text)["mistake"]
    assert mistake["remedies"], mistake
    assert looked("votes.csv", text, **mistake["remedies"][0]["sets"])["mistake"] is None


def test_a_problem_is_shown_at_its_cell(looked):
    rows = "".join("1,2,3\n" for _ in range(30))
    about = looked("votes.csv", f"toro,uni,ika\n{rows}1,x,3\n")
    mistake = about["mistake"]
    row = about["rows"][about["lines"].index(mistake["line"])]
    assert row[about["names"].index(mistake["column"])] == "x"
    assert "votes.csv" not in mistake["said"]


def test_a_remedy_for_several_columns_speaks_of_several(looked):
    pairs = ["1,2,", ",1,2"]
    rows = "".join(f"{3 * k % 50},{20 + 7 * k % 31},{pairs[k % 2]}\n" for k in range(1, 40))
    mistake = looked("votes.csv", f"size,cost,toro,uni,ika\n{rows}")["mistake"]
    assert mistake["remedies"][0]["says"] == "size, cost are not items"


def test_a_column_changes_its_role(looked):
    about = looked("votes.csv", TABLE, columns="age")
    assert about["roles"] == ["other", "other", "item", "item", "item"]
    assert [*about["groups"]] == ["town"]
    names, roles = about["names"], about["roles"]
    changes = reading_with(4, "other", names, roles, {"columns": "age"})
    about = looked("votes.csv", TABLE, **{"columns": "age"} | changes)
    assert about["roles"] == ["other", "other", "item", "item", "other"]
    changes = reading_with(1, "weight", names, about["roles"], {"columns": "age"})
    about = looked("votes.csv", TABLE, **{"columns": "age"} | changes)
    assert about["roles"] == ["other", "weight", "item", "item", "item"]


def test_groups_are_offered_with_their_members_and_comments_are_not(looked):
    lines = ["town,says,who,toro,uni"]
    for k in range(12):
        says = (
            "I would rather have had something else to eat today",
            "it was all very good, thanks",
        )
        lines.append(f"{'Ayr' if k % 3 else 'Bude'},{says[k % 2]},p{k},{1 + k % 2},{2 - k % 2}")
    about = looked("votes.csv", "\n".join(lines).replace(", thanks", " and thanks to all of you"))
    assert about["groups"] == {"town": ["Ayr", "Bude"]}
    about = looked(
        "votes.csv", "\n".join(lines).replace(", thanks", " indeed"), where=["town!=Ayr"]
    )
    assert "4 rankings" in about["said"]


def test_a_question_keeps_the_names_of_its_items(looked):
    name, content, *_ = KINDS["Qualtrics"]
    about = looked(name, content)
    column = about["roles"].index("item")
    assert about["recognised"]
    changes = reading_with(column, "other", about["names"], about["roles"], {}, recognised=True)
    after = looked(name, content, **changes)
    assert "2 items" in after["said"]
    assert after["roles"].count("item") == about["roles"].count("item") - 1


def test_questions_sheets_and_unranked_items_can_be_chosen(looked):
    two = "P [toro],P [uni],Q [a],Q [b]\n1,2,1,2\n2,1,2,1\n2,1,1,2\n"
    about = looked("g.csv", two)
    assert [*about["questions"]] == ["P", "Q"]
    assert looked("g.csv", two, question="Q")["mistake"] is None
    assert looked("v.csv", "toro,uni,ika\n1,2,3\n2,1,3\n")["unranked"] == ""
    assert looked("v.csv", "toro,uni,ika\n1,2,\n2,1,3\n3,1,2\n")["unranked"] == "anywhere"
    book = workbook([["note"], ["see below"]], [["toro", "uni"], [1, 2], [2, 1]])
    about = looked("v.xlsx", book)
    assert [*about["sheets"]] == ["sheet 0", "sheet 1"]
    assert about["mistake"]
    assert looked("v.xlsx", book, sheet="sheet 1")["said"].startswith(
        "Read as ranks: 2 items, 2 rankings"
    )


def test_what_is_no_table_is_shown_as_rankings(looked):
    soc = "# NUMBER ALTERNATIVES: 3\n# ALTERNATIVE NAME 1: toro\n# ALTERNATIVE NAME 2: uni\n"
    about = looked("v.soc", f"{soc}# ALTERNATIVE NAME 3: ika\n2: 1,2,3\n1: 3,2,1\n")
    assert about["fixed"]
    assert about["rows"] == [["1", "2", "3", "2"], ["3", "2", "1", "1"]]
    assert about["roles"] == ["item", "item", "item", "weight"]
    assert "no such file" in look(Asked("other.csv"))[1]["mistake"]["said"].lower()
    assert looked("v.what", "1,2")["mistake"]["remedies"][0]["sets"] == {"format": "csv"}
