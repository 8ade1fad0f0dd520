import math

import pytest

from rankcut.experiments.paper import fingerprints
from rankcut.experiments.paper.store import Store


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "cache")


def test_what_was_written_is_read_again(store):
    records = [{"F1": 0.5, "seed": 4, "lost": float("nan"), "note": None, "name": "Lovász"}]
    store.write("sushi", {"seed": 4}, records, "data")
    (found,) = store.read("sushi", {"seed": 4}, "data")
    assert math.isnan(found.pop("lost"))
    assert found == {"F1": 0.5, "seed": 4, "note": None, "name": "Lovász"}


def test_any_other_setting_is_another_task(store, monkeypatch):
    store.write("sushi", {"seed": 4}, [], "data")
    assert store.read("sushi", {"seed": 5}, "data") is None
    assert store.read("food", {"seed": 4}, "data") is None
    assert store.read("sushi", {"seed": 4}, "other data") is None
    monkeypatch.setattr(fingerprints, "of_code", lambda: "other code")
    assert store.read("sushi", {"seed": 4}, "data") is None


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"records": [1]}', b"\xff\xfe", b"null"])
def test_a_broken_file_is_as_good_as_none(store, content):
    store.write("sushi", {"seed": 4}, [{"F1": 1.0}])
    (path,) = store.directory.iterdir()
    path.write_bytes(content)
    assert store.read("sushi", {"seed": 4}) is None
    store.write("sushi", {"seed": 4}, [{"F1": 1.0}])
    assert store.read("sushi", {"seed": 4}) == [{"F1": 1.0}]
