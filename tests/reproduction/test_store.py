import math

import pytest

from reproduction import store as module
from reproduction.parts import NAMES
from reproduction.store import Store, code_fingerprint, data_fingerprint


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path / "cache")


def test_what_was_written_is_read_again(store):
    records = [{"F1": 0.5, "seed": 4, "lost": float("nan"), "note": None, "name": "Lovász"}]
    store.write("made-up", {"seed": 4}, records, "data")
    (found,) = store.read("made-up", {"seed": 4}, "data")
    assert math.isnan(found.pop("lost"))
    assert found == {"F1": 0.5, "seed": 4, "note": None, "name": "Lovász"}


def test_any_other_setting_is_another_task(store, monkeypatch):
    store.write("made-up", {"seed": 4}, [], "data")
    assert store.read("made-up", {"seed": 5}, "data") is None
    assert store.read("food", {"seed": 4}, "data") is None
    assert store.read("made-up", {"seed": 4}, "other data") is None
    monkeypatch.setattr(module, "code_fingerprint", lambda part: "other code")
    assert store.read("made-up", {"seed": 4}, "data") is None


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"records": [1]}', b"\xff\xfe", b"null"])
def test_a_broken_file_is_as_good_as_none(store, content):
    store.write("made-up", {"seed": 4}, [{"F1": 1.0}])
    (path,) = store.directory.iterdir()
    path.write_bytes(content)
    assert store.read("made-up", {"seed": 4}) is None
    store.write("made-up", {"seed": 4}, [{"F1": 1.0}])
    assert store.read("made-up", {"seed": 4}) == [{"F1": 1.0}]


PART = """
class Sizes(Part):
    name = "sizes"

    def run(self, task):
        return measure(task)

    def verdicts(self, tables):
        return judge(tables)
"""
WORK = """
LIMIT = 3

def measure(task):
    return count(task) < LIMIT

def count(task):
    return 1

def judge(tables):
    return True
"""


@pytest.fixture
def fingerprint(tmp_path):
    """Of the part above, written to files by name."""

    def of(**files):
        folder = tmp_path / str(len(list(tmp_path.iterdir()))) / "package"
        folder.mkdir(parents=True)
        for name, text in files.items():
            (folder / f"{name}.py").write_text(text)
        return code_fingerprint("sizes", (folder,))

    return of


def test_results_are_known_by_the_code_that_computes_them(fingerprint):
    before = fingerprint(part=PART, work=WORK)
    for old, new in (("return 1", "return 2"), ("LIMIT = 3", "LIMIT = 4"), ("<", ">")):
        assert fingerprint(part=PART, work=WORK.replace(old, new)) != before
    assert fingerprint(part=PART.replace("measure(task)", "count(task)"), work=WORK) != before


def test_results_are_not_known_by_files_comments_or_verdicts(fingerprint):
    before = fingerprint(part=PART, work=WORK)
    assert fingerprint(elsewhere="import math\n" + WORK + PART) == before
    commented = WORK.replace("return 1", '"""How many."""\n    return 1  # so far')
    assert fingerprint(part=PART, work=commented) == before
    assert fingerprint(part=PART, work=WORK.replace("return True", "return False")) == before
    assert fingerprint(part=PART.replace("judge(tables)", "None"), work=WORK) == before


def test_names_mean_what_a_module_imports(fingerprint):
    """Not what has the same name elsewhere, in a module or as an attribute."""

    def of(part, value):
        return fingerprint(part=part, work=WORK, other=f"def measure(task):\n    return {value}\n")

    assert of(PART, 5) != of(PART, 6)
    imported = "from package.work import measure\n" + PART
    assert of(imported, 5) == of(imported, 6)
    in_module = "from package import work\n" + PART.replace("measure(task)", "work.measure(task)")
    assert of(in_module, 5) == of(in_module, 6)
    assert of(in_module, 5) != fingerprint(
        part=in_module, work=WORK.replace("return 1", "return 2")
    )
    attribute = imported.replace("measure(task)\n", "measure(task).judge\n")
    changed = WORK.replace("return True", "return False")
    assert fingerprint(part=attribute, work=WORK) == fingerprint(part=attribute, work=changed)


def test_results_are_known_by_the_versions_below(fingerprint, monkeypatch):
    before = fingerprint(part=PART, work=WORK)
    monkeypatch.setattr(module, "version", lambda name: f"99 of {name}")
    assert fingerprint(part=PART, work=WORK) != before


@pytest.mark.slow
def test_every_part_has_a_fingerprint_of_its_own():
    nowhere = code_fingerprint("made-up")
    assert len({nowhere, *map(code_fingerprint, NAMES)}) == len(NAMES) + 1


def test_results_are_known_by_the_data(tmp_path):
    for name in ("sushi3a.5000.10.order", "sushi3b.5000.10.order", "sushi3.idata", "sushi3.udata"):
        (tmp_path / name).write_text(name)
    before = data_fingerprint(tmp_path)
    (tmp_path / "sushi3.udata").write_text("other people")
    assert data_fingerprint(tmp_path) != before
