"""Running the quality benchmark: mistakes are reported at once, and nothing is judged twice."""

import numpy as np
import pytest
import quality
from quality_scores import RECIPE, Split, load_split, save_split, split_path
from quality_tasks import Classification, Lists

RANKS = np.argsort(np.random.default_rng(0).random((60, 4)), axis=1) + 1.0


@pytest.fixture
def task(monkeypatch):
    """One small task instead of all."""
    lists = Lists(RANKS, np.arange(60), 60)
    target = (RANKS[:, 0] > 2).astype(int)
    small = Classification(
        "small, 40 labels", "family", "sushi", lambda: lists, lambda: target, 40, 2
    )
    monkeypatch.setattr(quality, "all_tasks", lambda data, *, quick: [small])
    return small


@pytest.fixture
def here(tmp_path, monkeypatch):
    """A directory to run in, with a folder for the data of that task."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data" / "sushi").mkdir(parents=True)
    return tmp_path


def known_split(home, task):
    methods = quality.methods_of(task)
    n = len(methods)
    path = split_path(home, task.name, quality.FIRST_SPLIT)
    save_split(path, Split(methods, np.zeros(n), np.zeros((n, 60)), np.zeros(n)))
    return path


def test_a_new_method_is_judged_and_the_others_not_again(task, tmp_path, monkeypatch):
    asked = []

    def method(name):
        def scores(lists, train, labels, test):
            asked.append(name)
            return test[:, 0]

        return scores

    number = quality.FIRST_SPLIT
    methods = {name: method(name) for name in ("Borda", RECIPE)}
    monkeypatch.setattr(quality, "CLASSIFIERS", methods)
    quality.judge("", False, tmp_path, task.name, number)
    first = load_split(split_path(tmp_path, task.name, number))
    methods = {"new": method("new"), **methods}
    monkeypatch.setattr(quality, "CLASSIFIERS", methods)
    assert not quality.is_known(tmp_path, task, number)
    quality.judge("", False, tmp_path, task.name, number)
    second = load_split(split_path(tmp_path, task.name, number))
    assert asked == ["Borda", RECIPE, "new"]
    assert second.methods == ["new", "Borda", RECIPE]
    for name in ("scores", "influences", "seconds"):
        assert np.array_equal(getattr(second, name)[1:], getattr(first, name))
    assert second.scores == pytest.approx(1.0)
    assert quality.is_known(tmp_path, task, number)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "nowhere has no folder sushi"),
        (["data", "--fresh", "--only", "sushy"], "no task has 'sushy' in its name"),
        (["data", "--fresh", "--report"], "--fresh forgets what --report would show"),
        (["data", "--processes", "0"], "must be at least 1"),
        (["data", "--page", "page.md"], "there is no page page.md"),
        (["data", "--page", "empty.md"], "empty.md has no markers"),
    ],
)
def test_a_mistake_is_one_line_and_costs_nothing(
    task, here, monkeypatch, capsys, arguments, message
):
    (here / "empty.md").write_text("")
    path = known_split(here / "results" / "quality", task)
    monkeypatch.setattr("sys.argv", ["quality.py", *arguments])
    with pytest.raises(SystemExit) as stopped:
        quality.main()
    assert stopped.value.code == 2
    assert message in capsys.readouterr().err.splitlines()[-1]
    assert path.exists()


def test_fresh_forgets_the_tasks_of_the_run_alone(task, here, monkeypatch):
    home = here / "results" / "quality"
    path = known_split(home, task)
    other = home / "splits" / "other.1000.npz"
    other.write_bytes(path.read_bytes())
    monkeypatch.setattr("sys.argv", ["quality.py", "data", "--fresh", "--only", "small"])

    def stop(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(quality, "run", stop)
    with pytest.raises(SystemExit, match="the same command goes on"):
        quality.main()
    assert not path.exists()
    assert other.exists()
