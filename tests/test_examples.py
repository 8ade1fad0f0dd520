"""The examples run and say what they claim; those of other libraries where these are installed."""

import ast
import importlib.util
import json
import warnings
from pathlib import Path

import numpy as np
import pytest
from notebooks import cells, last_value, notebook
from numpy.testing import assert_allclose

from rankcut import KendallKernel, make_food

EXAMPLES = Path(__file__).parents[1] / "examples"
REMEDIES = {
    "gpytorch": "pip install gpytorch brings it, and PyTorch",
    "gpflow": "make bench-gp installs it and runs this",
}


def load(name):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def load_foreign(name):
    """An example of the library that its name begins with."""
    package = name.partition("_")[0]
    with warnings.catch_warnings():
        # What other libraries warn of when they are imported is not for us to mend.
        warnings.simplefilter("ignore")
        remedy = REMEDIES.get(package, "")
        pytest.importorskip(package, reason=f"{package} is not installed; {remedy}")
        return load(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(path.stem for path in EXAMPLES.glob("plot_*.py")))
def test_gallery(name, tmp_path):
    pytest.importorskip("matplotlib", reason="Matplotlib is not installed")
    program = EXAMPLES / f"{name}.py"
    assert len(program.read_text(encoding="utf-8").splitlines()) < 60
    last_value(program).savefig(tmp_path / "picture.png")
    assert (tmp_path / "picture.png").stat().st_size > 5000


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.py")), ids=lambda path: path.stem)
def test_an_example_is_a_notebook(path):
    (kind, text), *rest = cells(path)
    assert kind == "markdown"
    assert text.startswith("# ")
    assert {kind for kind, _ in rest} == {"code"}
    # Nothing of the program is lost between the cells.
    code = "\n".join(text for _, text in rest)
    program = path.read_text(encoding="utf-8")
    assert ast.dump(ast.parse(code)) == ast.dump(ast.parse(program))
    sources = [cell["source"] for cell in json.loads(notebook(path))["cells"]]
    assert sources == [text, *(text for _, text in rest)]


def test_calibration_is_reported_beside_f1():
    table = load("calibration").scores()
    ours, theirs = table["GPClassifier"], table["LogisticRegression"]
    assert set(ours) == {"F1", "log-loss", "calibration error"}
    assert ours["F1"] > 0.6
    assert ours["log-loss"] < theirs["log-loss"]
    assert ours["calibration error"] < theirs["calibration error"]


def test_kernels_are_compared_on_rankings_left_out():
    found = load("compare_kernels").losses(n_rankings=40, n_folds=2)
    assert {name: len(loss) for name, loss in found.items()} == dict.fromkeys(
        ("places", "Kendall", "Mallows"), 2
    )
    # Better than guessing.
    assert all(loss.mean() < np.log(2) for loss in found.values())


def test_covariates_that_matter_are_found_by_scikit_learn():
    found = load("covariate_importance").importances()
    (age, of_age, _), (town, of_town, _), (_, of_height, _) = found
    assert {age, town} == {"age", "town"}
    assert min(of_age, of_town) > 0.1 > abs(of_height)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "name", ["sklearn_gaussian_process", "gpytorch_features", "gpytorch_kernel"]
)
def test_classes_are_predicted(name):
    assert load_foreign(name).accuracy() > 0.85


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["gpflow_features", "gpflow_kernel"])
def test_the_bound_is_that_of_gpflow(name):
    theirs, ours = load_foreign(name).bounds()
    assert ours == pytest.approx(theirs, rel=1e-4)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["gpytorch_features", "gpflow_features"])
def test_the_papers_product_is_timed_on_each_device(name):
    """The Gram matrix of 5,000 rankings, on the processor and on what else there is."""
    found = load_foreign(name).gram_seconds(repeats=1)
    assert next(iter(found)).lower().startswith("cpu")
    assert all(0 < seconds < 60 for seconds in found.values())


@pytest.mark.filterwarnings("ignore")
def test_gram_matrices_in_gpytorch():
    example = load_foreign("gpytorch_kernel")
    torch = pytest.importorskip("torch")
    ranks = make_food(6, kind="incomplete", random_state=0).ranks
    kernel = KendallKernel(unranked="anywhere")
    theirs = example.RankingKernel(kernel).double()
    x = torch.as_tensor(ranks)
    expected = kernel(ranks)
    assert_allclose(theirs(x).to_dense().numpy(), expected, rtol=1e-12)
    assert_allclose(theirs(x, x[:2]).to_dense().numpy(), expected[:, :2], rtol=1e-12)
    assert_allclose(theirs(x, diag=True).numpy(), np.diag(expected), rtol=1e-12)
    batch = theirs(torch.stack([x, x.flip(0)]), x).to_dense().numpy()
    assert_allclose(batch, [expected, expected[::-1]], rtol=1e-12)


@pytest.mark.filterwarnings("ignore")
def test_gram_matrices_in_gpflow():
    example = load_foreign("gpflow_kernel")
    ranks = make_food(6, kind="incomplete", random_state=0).ranks
    kernel = KendallKernel(unranked="anywhere")
    wrapped = example.RankingKernel(kernel, variance=2.0)
    assert_allclose(wrapped(ranks).numpy(), 2.0 * kernel(ranks), rtol=1e-12)
    assert_allclose(wrapped(ranks, full_cov=False).numpy(), 2.0 * kernel.diag(ranks), rtol=1e-12)
