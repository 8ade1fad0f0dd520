"""The examples run and say what they claim; those of other libraries where these are installed."""

import importlib.util
import warnings
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"


def load(name):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def load_foreign(name, package, remedy):
    with warnings.catch_warnings():
        # What other libraries warn of when they are imported is not for us to mend.
        warnings.simplefilter("ignore")
        pytest.importorskip(package, reason=f"{package} is not installed; {remedy}")
        return load(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(path.stem for path in EXAMPLES.glob("plot_*.py")))
def test_gallery(name, tmp_path):
    pytest.importorskip("matplotlib", reason="Matplotlib is not installed")
    program = EXAMPLES / f"{name}.py"
    assert len(program.read_text(encoding="utf-8").splitlines()) < 60
    load(name).draw().savefig(tmp_path / "picture.png")
    assert (tmp_path / "picture.png").stat().st_size > 5000


def test_calibration_is_reported_beside_f1():
    table = load("calibration").scores()
    ours, theirs = table["GPClassifier"], table["LogisticRegression"]
    assert set(ours) == {"F1", "log-loss", "calibration error"}
    assert ours["F1"] > 0.6
    assert ours["log-loss"] < theirs["log-loss"]
    assert ours["calibration error"] < theirs["calibration error"]


def test_our_kernels_in_scikit_learn():
    assert load("sklearn_gaussian_process").accuracy() > 0.85


@pytest.mark.filterwarnings("ignore")
def test_our_features_in_gpytorch():
    example = load_foreign(
        "gpytorch_features", "gpytorch", "pip install gpytorch brings it, and PyTorch"
    )
    assert example.accuracy() > 0.85


@pytest.mark.filterwarnings("ignore")
def test_our_features_in_gpflow():
    example = load_foreign("gpflow_features", "gpflow", "make bench-gp installs it and runs this")
    theirs, ours = example.bounds()
    assert ours == pytest.approx(theirs, rel=1e-4)
