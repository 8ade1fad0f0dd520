"""Each answer of the page is that of a command, and of Python, when these are pasted."""

import csv
import shlex

import numpy as np
import pytest
from commands import assert_same, succeed
from matplotlib.image import imread

from rankcut.app.answers import Subject
from rankcut.app.reading import KEYS, Asked, look

TOWNS = "town,who,ann,bob,cy,dan\n" + "".join(
    f"{'Kobe' if k % 3 else 'Nara'},p{k % 20},{','.join(map(str, order))}\n"
    for k, order in enumerate(np.random.default_rng(0).permuted([[1, 2, 3, 4]] * 40, axis=1))
)
GAPS = TOWNS.replace(",4\n", ",\n").replace(",4,", ",,") + "Kobe,p9,,,,\n"
CASES = {
    "a data set": (Asked("lunch:full", by="guest"), ""),
    "a data set with gaps": (Asked("lunch:incomplete", unranked="last"), ""),
    "a table": (Asked("votes.csv", by="town", people="who", method="kemeny"), TOWNS),
    "a table with gaps": (Asked("votes.csv", by="town", unranked="last"), GAPS),
    "gaps that say nothing": (Asked("votes.csv", by="town"), GAPS),
}
ODD = "Ayr", "Bude, or 'near' it"
CASES["groups left out"] = (
    Asked("votes.csv", by="town", reading={"where": tuple(f"town!={name}" for name in ODD)}),
    TOWNS + "".join(f'"{name}",p{k},1,2,3,4\n' for k in range(3) for name in ODD),
)
OPTIONS = {"item_columns": "3-5", "weight": "dan"}
CASES["options and a name"] = Asked("-it's a $file.csv", reading=OPTIONS, method="borda"), TOWNS


@pytest.fixture(params=list(CASES))
def subject(request, tmp_path, monkeypatch):
    asked, content = CASES[request.param]
    monkeypatch.chdir(tmp_path)
    if content:
        (tmp_path / asked.name).write_text(content)
    rankings, about = look(asked)
    assert about["mistake"] is None, about["mistake"]
    return lambda key: Subject(asked.relevant(key), rankings, lambda said: None)


def table_of(path):
    with path.open(newline="") as file:
        return [[number(cell) for cell in row] for row in csv.reader(file)]


def number(cell):
    try:
        return float(cell)
    except ValueError:
        return str(cell)


@pytest.mark.parametrize("key", KEYS)
def test_command_and_python_give_the_same(subject, key, tmp_path):
    card = subject(key).card(key)
    if card is None:
        assert key in ("compare", "graph")
        return
    name, *words = shlex.split(card.command)
    assert name == "rankcut"
    succeed(*words, *(["-o", "table.csv"] if "csv" in card.forms else []))
    if "csv" in card.forms:
        card.save(tmp_path / "card.csv")
        assert_same(table_of(tmp_path / "card.csv"), table_of(tmp_path / "table.csv"))
    pictures = {path: imread(path) for path in tmp_path.glob("*.png")}
    assert bool(pictures) == ("png" in card.forms)
    for path in [*pictures, *tmp_path.glob("*.html")]:
        path.unlink()
    exec(compile(card.python, key, "exec"), {})
    assert "png" in card.forms or list(tmp_path.glob("*.html"))
    for path, drawn in pictures.items():
        assert_same_picture(imread(path), drawn)
        card.save(path)
        assert_same_picture(imread(path), drawn)


def assert_same_picture(one, other):
    """Sums in another order may change the colour of a pixel at an edge by a little."""
    assert one.shape == other.shape
    assert np.abs(one - other).mean() < 1e-4
