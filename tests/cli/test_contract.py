"""What holds for every command that takes rankings, whatever it answers.

Any kind of ranking is taken; the order of the columns does not matter; one row is an answer or one
line; labels are only text; an interrupted command leaves no file; ``-`` is standard input and
standard output. One option has one name and one meaning. That counts are repeated rankings is in
``test_counts``.
"""

import csv
import inspect
import io
import json
import re
from pathlib import Path

import numpy as np
import pytest
import typer
from commands import BALLOTS, ITEMS, assert_same, fail, json_answer, notes, run, succeed

from rankcut.cli import COMMANDS, app
from rankcut.cli.reading import Reading
from rankcut.files import disk

# Beside the file and --unranked: what each command needs to answer on standard output.
ARGUMENTS = {
    "info": ["--json"],
    "convert": ["-", "--to", "csv", "--expand"],
    "consensus": ["--by", "town", "--n-bootstraps", "0", "--json"],
    "leaderboard": ["--json"],
    "utilities": ["--json"],
    "transfers": ["--json"],
    "graph": ["--learn", "agreement", "--json"],
    "features": ["-o", "-"],
    "gram": ["-o", "-"],
    "similar": ["-n", "3", "--json"],
    "compare": ["--by", "town", "--n-permutations", "20", "--json"],
    "blocs": ["-k", "2", "--by", "town", "--json"],
    "complete": ["--json"],
    "classify": ["--target", "town", "--folds", "2", "--json"],
    "regress": ["--target", "age", "--folds", "2", "--json"],
    "learn-ranking": ["--columns", "age", "--folds", "2", "--json"],
    "regress-ranking": ["--on", "town", "--json"],
    "map": ["--by", "town", "-o", "-"],
    "report": ["--by", "town", "-o", "-"],
    "predict": ["--json"],
}
NO_UNRANKED = ("info", "convert", "transfers", "graph", "classify", "regress", "predict")
# The suffixes of files that commands write by themselves, where it is not .csv.
SUFFIXES = {"info": ".json", "graph": ".npz", "compare": ".json", "map": ".html", "report": ".html"}
SUFFIXES |= dict.fromkeys(("classify", "regress", "learn-ranking"), ".skops")
# Those that fit many models take seconds.
COMMAND = pytest.mark.parametrize(
    "command",
    [
        pytest.param(name, marks=pytest.mark.slow) if name in ("learn-ranking", "regress") else name
        for name in ARGUMENTS
    ],
)
# Their low-rank vectors start from random numbers, which are of columns, and stop a little short.
LOW_RANK = ("similar",)


def table(rows, items=ITEMS):
    """A wide table of (count, town, age, ranks), with a row for each ranking."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["town", "age", *items])
    for count, town, age, ranks in rows:
        writer.writerows([[town, age, *ranks.split(",")]] * count)
    return out.getvalue()


def turned_table(rows):
    """The same table with its items in another order."""
    order = [2, 0, 3, 1]
    turned = [(*about, ",".join(ranks.split(",")[i] for i in order)) for *about, ranks in rows]
    return table(turned, [ITEMS[i] for i in order])


def arguments(command, unranked="last"):
    if command == "complete" and unranked == "error":
        unranked = "anywhere"
    options = [] if command in NO_UNRANKED else ["--unranked", unranked]
    about = [] if command == "learn-ranking" else ["--columns", "age"]
    return [*ARGUMENTS[command], *options, *about]


def asked(command, file, *rest):
    """A command about a file; of one that takes a model, too, this is of blocs."""
    if command != "predict":
        return [command, file, *rest]
    # Beside the folder, in which each test knows all files.
    model = Path.cwd().with_suffix(".skops")
    if not model.exists():
        learned = file if file == "odd.csv" else "votes.csv"
        about = ["--unranked", "last", "--columns", "town,age"]
        succeed("blocs", learned, "-k", "2", *about, "-o", model)
    return [command, model, file, *rest]


def answer(command, file, unranked="last"):
    return succeed(*asked(command, file, *arguments(command, unranked)))


@pytest.fixture
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "votes.csv").write_text(table(BALLOTS), encoding="utf-8")
    return tmp_path


def test_every_command_is_here():
    assert set(ARGUMENTS) == set(COMMANDS) - {"demo", "help", "open"}


# --- any kind of ranking -----------------------------------------------------------------------

KINDS = {
    "full": ("1,2,3,4 2,1,4,3 4,3,2,1 1,3,2,4 3,4,1,2 2,3,1,4", "error"),
    "ties": ("1,1,2,3 2,1,2,1 3,2,1,1 1,2,2,2 2,2,1,1 1,1,1,2", "error"),
    "top-k": ("1,2,, 2,1,, ,,1,2 1,,2, ,1,2, 2,,,1", "last"),
    "incomplete": ("1,,2,3 2,1,,3 ,2,1, 1,3,2, 3,,1,2 ,3,1,2", "anywhere"),
    # Nobody differs, or nobody orders anything.
    "equal": (" ".join(["1,2,3,4"] * 6), "error"),
    "tied": (" ".join(["1,1,1,1"] * 6), "error"),
}


@COMMAND
@pytest.mark.parametrize("kind", KINDS)
def test_any_kind_of_ranking_is_answered(here, command, kind):
    ranks, unranked = KINDS[kind]
    rows = [
        (1, ("Kobe", "Nara")[i % 2], 30 + 7 * i, each) for i, each in enumerate(2 * ranks.split())
    ]
    (here / "kind.csv").write_text(table(rows), encoding="utf-8")
    if (command, kind) == ("complete", "tied"):
        fail(command, "kind.csv", *arguments(command, unranked), says="nothing to learn")
        return
    said = answer(command, "kind.csv", unranked)
    assert said
    assert "nan" not in said.lower().split()


# --- the order of columns ----------------------------------------------------------------------


def without_order(command, said):
    """What is said of each item, pair, ranking or group, whatever the order of the columns."""
    if command in ("convert", "features"):
        return [dict(sorted(row.items())) for row in csv.DictReader(said.splitlines())]
    if command == "gram":
        return [[float(cell) for cell in row] for row in list(csv.reader(said.splitlines()))[1:]]
    if command == "report":
        return sorted(re.findall(r'<p class="says">(.*?)</p>', said, re.S))
    if command == "map":
        return sorted(re.findall(r'data-tip="(.*?)"', said, re.S))
    found = json_answer(said)
    if command == "compare":  # which of a pair is named first follows the columns
        pairs = found.pop("pairs")
        shown = [[*sorted((row["first"], row["second"])), row["p_value"]] for row in pairs]
        verdict = re.sub(r", most of all .*", "", found.pop("verdict"))
        return sort_lists([verdict, found["p_value"], found["effect_size"], found["items"], shown])
    if command == "similar":
        return [row["similarity"] for row in found["pairs"]]
    if command == "predict":
        return found
    return sort_lists(found)


def sort_lists(value):
    """Lists of entries in one order, names of items in a pair too."""
    if isinstance(value, dict):
        return {name: sort_lists(each) for name, each in sorted(value.items())}
    if isinstance(value, list):
        inner = [sort_lists(each) for each in value]
        return sorted(inner, key=lambda each: json.dumps(rounded(each), sort_keys=True))
    return value


def rounded(value, digits=6):
    if isinstance(value, dict):
        return {name: rounded(each, digits) for name, each in value.items()}
    if isinstance(value, list):
        return [rounded(each, digits) for each in value]
    return round(value, digits) + 0.0 if isinstance(value, float) else value


@COMMAND
def test_the_order_of_columns_does_not_matter(here, command):
    # No two items are liked alike, and no two neighbours are equally near.
    ranks = "1,2,3,4 1,2,4,3 1,3,2,4 2,1,3,4 1,4,2,3 1,2,3,4 "
    ranks += "4,3,2,1 3,4,2,1 4,2,3,1 2,4,3,1 3,4,1,2 1,3,4,2"
    rows = [
        (1, "Kobe" if i < 6 else "Nara", 30 + 3 * i, own) for i, own in enumerate(ranks.split())
    ]
    for folder, text in (("one", table(rows)), ("two", turned_table(rows))):
        (here / folder).mkdir()
        (here / folder / "votes.csv").write_text(text, encoding="utf-8")
    one, two = (
        without_order(command, answer(command, f"{folder}/votes.csv", "error"))
        for folder in ("one", "two")
    )
    if command in LOW_RANK:
        np.testing.assert_allclose(one, two, atol=0.1)
    else:
        # Variances are searched for: a flat loss fixes half of their digits.
        digits = {"digits": 4} if command == "regress" else {}
        assert_same(rounded(one, **digits), rounded(two, **digits))


# --- one row -----------------------------------------------------------------------------------


@COMMAND
def test_one_row_is_an_answer_or_one_line(here, command):
    (here / "one.csv").write_text(table([(1, "Kobe", 31, "1,2,3,4")]))
    done = run(*asked(command, "one.csv", *arguments(command)))
    if done.exit_code:
        assert (done.exit_code, notes(done.stderr).count("\n")) in ((1, 1), (2, 1)), done.output
        assert done.stderr.startswith("rankcut: ")
    else:
        assert done.stdout


# --- hostile labels ----------------------------------------------------------------------------

HOSTILE = ["</script><script>alert(1)</script>", '"><img src=x onerror=alert(2)>', "a,b\n;c", "ünï"]
TOWNS = {"Kobe": "=1+1", "Nara": "' onload='alert(3)"}


@COMMAND
def test_labels_are_only_text(here, command):
    rows = [(count, TOWNS[town], age, ranks) for count, town, age, ranks in BALLOTS]
    (here / "odd.csv").write_text(table(rows, HOSTILE), encoding="utf-8")
    said = answer(command, "odd.csv")
    if command in ("map", "report"):
        assert len(re.findall("<script", said)) == {"map": 1, "report": 3}[command]
        assert "<img" not in said
        assert not re.search(r"<[^>]* on\w+=", re.sub(r'"[^"]*"', '""', said))
    elif command in ("convert", "features"):
        (again, *_) = csv.DictReader(io.StringIO(said))
        assert {name.removeprefix("rank: ") for name in again} >= set(HOSTILE)
    elif command != "gram":
        json.loads(said)


# --- interrupted -------------------------------------------------------------------------------


def interrupt(path):
    raise KeyboardInterrupt


@COMMAND
def test_an_interrupted_command_leaves_no_file(here, command, monkeypatch):
    target = here / f"out{SUFFIXES.get(command, '.csv')}"
    target.write_bytes(b"before")
    words = asked(command, "votes.csv", *to_file(command, target))
    monkeypatch.setattr(disk, "_settle", interrupt)
    done = run(*words)
    assert done.exit_code not in (0, 2)
    assert "Traceback" not in done.output
    assert target.read_bytes() == b"before"
    assert {path.name for path in here.iterdir()} == {"votes.csv", target.name}


def to_file(command, target):
    """The same arguments, but for the result, which goes to a file."""
    plain = [each for each in arguments(command) if each not in ("-o", "-", "--json")]
    at = plain.index("--to") if "--to" in plain else len(plain)
    return [*plain[:at], *plain[at + 2 :], *(["-o"] if command != "convert" else []), target]


# --- standard input and output -----------------------------------------------------------------


@COMMAND
def test_standard_input(here, command):
    text = (here / "votes.csv").read_text(encoding="utf-8")
    words = asked(command, "-", *arguments(command), "--format", "csv")
    piped = succeed(*words, input=text)
    # A report names its file, and JSON what was read.
    from_file = answer(command, "votes.csv").replace("votes.csv, ", "")
    assert piped == from_file.replace('"votes.csv": "read as', '"-": "read as')


@COMMAND
def test_standard_output(here, command):
    target = here / f"out{SUFFIXES.get(command, '.csv')}"
    named = ["--to", "csv"] if command == "convert" else []
    succeed(*asked(command, "votes.csv", *to_file(command, target)))
    done = run(*asked(command, "votes.csv", *to_file(command, "-"), *named))
    assert done.exit_code == 0, done.output
    assert done.stdout_bytes == target.read_bytes()


@pytest.mark.parametrize("command", [each for each in ARGUMENTS if "--json" in ARGUMENTS[each]])
def test_standard_output_holds_one_thing(here, command):
    done = run(*asked(command, "votes.csv", *arguments(command), "-o", "-"))
    assert done.exit_code != 0
    assert "cannot hold both the output and JSON" in done.output


# --- one grammar -------------------------------------------------------------------------------

# Options that several commands have, and that mean the same in each of them.
SHARED = ("--by", "--unranked", "--json", "--seed", "--people", "--folds", "--explain")


def test_an_option_has_one_name_and_one_meaning():
    group = typer.main.get_command(app)
    found = {}
    for name in COMMANDS:
        for option in group.commands[name].params:
            for spelling in option.opts:
                found.setdefault(spelling, {})[name] = option
    # A table of items is not a file of rankings: there, columns and formats are of items. Boards
    # and utilities are printed on a scale, and are not made of ratings in words.
    of_others = {("--unranked", "complete"), ("--scale", "leaderboard"), ("--scale", "utilities")}
    reading = {f"--{field.replace('_', '-')}" for field in inspect.signature(Reading).parameters}
    for spelling in {*SHARED, *reading}:
        helps = {
            option.help
            for name, option in found[spelling].items()
            if name != "graph" and (spelling, name) not in of_others
        }
        assert len(helps) == 1, (spelling, helps)
    assert all("-o" in option.opts for option in found["--output"].values())
    assert set(found["--output"]) == set(COMMANDS) - {"convert", "help", "open"}
    random = {"compare", "complete", "leaderboard", "utilities"}
    random |= {"classify", "regress", "learn-ranking"}
    assert set(found["--seed"]) == random
    # The others write a file, or a table on standard output.
    assert set(COMMANDS) - set(found["--json"]) == {
        *("demo", "convert", "features", "gram", "help", "open", "report")
    }
    letters = {spelling for spelling in found if len(spelling) == 2}
    assert letters == {"-f", "-k", "-m", "-n", "-o", "-t"}


PARAMETERS = {
    "seed": "random_state",
    "random_seed": "random_state",
    "rng": "random_state",
    "weights_of_people": "sample_weight",
    "sample_weights": "sample_weight",
    "unlisted": "unranked",
    "missing": "unranked",
}


def test_a_parameter_has_one_name():
    import rankcut

    named = set()
    for name in rankcut.__all__:
        public = getattr(rankcut, name)
        for made in (public, *(getattr(public, m, None) for m in ("fit", "score"))):
            if callable(made) and not inspect.ismodule(made):
                named |= set(inspect.signature(made).parameters)
    assert named & set(PARAMETERS) == set()
    assert {"random_state", "sample_weight", "unranked", "by"} <= named
