import pytest

from rankcut.experiments.paper import fingerprints


@pytest.fixture
def of_code():
    """Without what is remembered from one call to the next."""
    return fingerprints.of_code.__wrapped__


def test_results_are_known_by_the_code_that_computes_them(tmp_path, of_code):
    for name in ("kernels/kendall.py", "cli/reproduce.py", "experiments/paper/sushi_claims.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("x = 1\n")
    before = of_code(tmp_path)
    # What is made of results may change without them.
    (tmp_path / "cli" / "reproduce.py").write_text("x = 2\n")
    (tmp_path / "experiments" / "paper" / "sushi_claims.py").write_text("x = 2\n")
    assert of_code(tmp_path) == before
    (tmp_path / "kernels" / "kendall.py").write_text("x = 2\n")
    changed = of_code(tmp_path)
    assert changed != before
    (tmp_path / "kernels" / "kendall.py").rename(tmp_path / "kernels" / "other.py")
    assert of_code(tmp_path) not in (before, changed)


def test_results_are_known_by_the_versions_below(tmp_path, monkeypatch, of_code):
    before = of_code(tmp_path)
    monkeypatch.setattr(fingerprints, "version", lambda name: f"99 of {name}")
    assert of_code(tmp_path) != before


def test_results_are_known_by_the_data(tmp_path):
    for name in ("sushi3a.5000.10.order", "sushi3b.5000.10.order", "sushi3.idata", "sushi3.udata"):
        (tmp_path / name).write_text(name)
    before = fingerprints.of_data(tmp_path)
    (tmp_path / "sushi3.udata").write_text("other people")
    assert fingerprints.of_data(tmp_path) != before
