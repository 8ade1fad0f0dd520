"""What is written once over sentences, tables and a picture."""

import json

import numpy as np
import pytest
from sklearn.base import BaseEstimator

from rankcut.errors import InputError
from rankcut.pictures.charts import Row, dot_chart
from rankcut.pictures.scene import Dot, Key, Legend
from rankcut.results import EstimatorResult, Result, Table
from rankcut.results.result import SUFFIXES


class Answer(Result):
    def sentences(self):
        return ["uni comes first.", "ika & co. follow."]

    def tables(self):
        places = {"item": ["=uni", "<ika>", 3], "place": [1, 2, None], "p": [0.5, np.nan, 1.0]}
        return {"places": Table(places), "pairs": Table({"first": ["a"], "second": ["b"]})}

    def picture(self, joined=False):
        rows = [Row("uni", [Dot(1.0, "#0072B2", 0.5, 2.0)]), Row("ika", [Dot(2.0, "#D55E00")])]
        keys = [Legend("town", [Key("Kobe", "#0072B2"), Key("Nara", "#D55E00")])]
        return dot_chart("Who is first?", "Dots.", rows, "place", legends=keys, joined=joined)


class Silent(Answer):
    def picture(self):
        return None


class Estimator(EstimatorResult, BaseEstimator):
    sentences, tables, picture = Answer.sentences, Answer.tables, Answer.picture

    def __init__(self, alpha=1.0):
        self.alpha = alpha

    def fit(self, X, y=None):
        self.place_ = 1
        return self


def test_words():
    answer = Answer()
    assert answer.summary() == "uni comes first.\nika & co. follow."
    assert repr(answer) == "Answer(uni comes first.)"
    assert answer.lines()[0].startswith("item")
    assert answer.lines()[-2:] == answer.sentences()
    assert answer.lines(1)[2] == "… and 2 more"
    assert "&lt;ika&gt;" in answer._repr_html_()


def test_everything_as_json():
    data = json.loads(json.dumps(Answer().to_dict(), allow_nan=False))
    assert data["sentences"][0] == "uni comes first."
    assert data["places"][1] == {"item": "<ika>", "place": 2, "p": None}
    assert data["pairs"] == [{"first": "a", "second": "b"}]


def test_frames_of_both_libraries_agree():
    for name in (None, "places", "pairs"):
        pandas = Answer().to_frame(name, backend="pandas")
        polars = Answer().to_frame(name, "polars")
        assert list(pandas.columns) == polars.columns
        for column in polars.columns:
            ours, theirs = pandas[column].tolist(), polars[column].to_list()
            same = [
                a == b or (a != a and (b is None or b != b))
                for a, b in zip(ours, theirs, strict=True)
            ]
            assert all(same)
    with pytest.raises(InputError, match="table must be"):
        Answer().to_frame("planes")


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_each_suffix_is_written(tmp_path, suffix):
    path = tmp_path / f"answer{suffix}"
    Answer().save(path, title="Places")
    first = path.read_bytes()
    assert len(first) > 20
    Answer().save(path, title="Places")
    assert path.read_bytes() == first
    if suffix == ".html":
        assert "<h1>Places</h1>" in path.read_text()


def test_an_unknown_suffix_names_those_that_are_written(tmp_path):
    with pytest.raises(InputError, match=r"unknown suffix '.doc'; write one of .csv, "):
        Answer().save(tmp_path / "answer.doc")
    with pytest.raises(InputError, match="nothing to draw"):
        Silent().save(tmp_path / "answer.png")
    assert list(tmp_path.iterdir()) == []
    assert "<svg" not in Silent().page()


def test_workbooks_hold_all_tables_and_no_formula(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    Answer().save(tmp_path / "answer.xlsx")
    book = openpyxl.load_workbook(tmp_path / "answer.xlsx")
    assert book.sheetnames == ["places", "pairs"]
    cell = book["places"]["A2"]
    assert (cell.value, cell.data_type) == ("=uni", "s")
    assert [cell.value for row in book["pairs"] for cell in row] == ["first", "second", "a", "b"]


def test_plots_go_into_the_axes_that_they_are_given():
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 3))
    left, right = figure.subplots(1, 2)
    assert Answer().plot(ax=left, title="Places", joined=True) is figure
    assert left.get_title() == "Places"
    assert {"uni", "ika", "Kobe"} <= {text.get_text() for text in left.texts}
    assert not right.has_data()
    assert not right.texts
    assert len(figure.axes) == 2
    alone = Answer().plot()
    assert alone.texts[0].get_text() == "Who is first?"
    assert len(alone.axes) == 1


def test_an_estimator_is_an_answer_once_it_is_fitted():
    model = Estimator(alpha=2.0)
    assert repr(model) == "Estimator(alpha=2.0)"
    assert "sk-" in model._repr_mimebundle_()["text/html"]
    assert repr(model.fit(None)) == "Estimator(alpha=2.0): uni comes first."
    assert "&lt;ika&gt;" in model._repr_mimebundle_()["text/html"]
