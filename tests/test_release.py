"""What a release needs: one version everywhere, pinned actions, a wheel and an sdist that work."""

import os
import re
import subprocess
import sys
import tarfile
import tomllib
import venv
from pathlib import Path

import pytest

import rankcut

HOME = Path(__file__).parents[1]
PROJECT = tomllib.loads((HOME / "pyproject.toml").read_text(encoding="utf-8"))


def text_of(name):
    return (HOME / name).read_text(encoding="utf-8")


def test_one_version_everywhere():
    version = re.escape(rankcut.__version__)
    assert re.search(rf"^version: {version}$", text_of("CITATION.cff"), re.M)
    assert re.search(rf'^  version: "{version}"$', text_of("conda/recipe.yaml"), re.M)
    # The newest section of the changelog that has a date is this version's.
    sections = re.findall(r"^## (.+)$", text_of("CHANGELOG.md"), re.M)
    newest = sections[1] if sections[0] == "Unreleased" else sections[0]
    assert re.fullmatch(rf"{version} \(\d{{4}}-\d\d-\d\d\)", newest)


def test_the_conda_package_is_what_the_wheel_is():
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    recipe, project = yaml.safe_load(text_of("conda/recipe.yaml")), PROJECT["project"]
    assert recipe["package"]["name"] == project["name"]
    run = {pin.replace(" ", "") for pin in recipe["requirements"]["run"]}
    assert run == {f"python{project['requires-python']}", *project["dependencies"]}
    assert {*PROJECT["build-system"]["requires"]} < {*recipe["requirements"]["host"]}
    commands = recipe["build"]["python"]["entry_points"]
    assert commands == [f"{name} = {place}" for name, place in project["scripts"].items()]
    about = recipe["about"]
    assert (about["license"], about["homepage"]) == (
        project["license"],
        project["urls"]["Homepage"],
    )
    assert (HOME / about["license_file"]).exists()


@pytest.mark.parametrize("path", sorted((HOME / ".github/workflows").glob("*.yml")), ids=str)
def test_actions_are_pinned_by_commit(path):
    used = re.findall(r"uses: (\S+)", path.read_text(encoding="utf-8"))
    assert used
    assert [action for action in used if not re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", action)] == []


def run(*arguments, **options):
    """A program that must succeed; its output is shown if it does not."""
    done = subprocess.run(
        [*map(str, arguments)], capture_output=True, text=True, timeout=600, check=False, **options
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def dist(tmp_path_factory):
    pytest.importorskip("build", reason="build is not installed")
    if not (HOME / ".git").exists():
        pytest.skip("a release is built from a clone")
    # From a clone, as the workflow does: nothing that lies about here gets in.
    folder = tmp_path_factory.mktemp("release")
    run("git", "clone", "--quiet", HOME, folder / "clone")
    run(sys.executable, "-m", "build", folder / "clone", "--outdir", folder / "dist")
    return folder


@pytest.mark.slow
def test_the_wheel_works_in_a_clean_environment(dist, tmp_path):
    venv.create(tmp_path / "clean", with_pip=True)
    programs = tmp_path / "clean" / ("Scripts" if os.name == "nt" else "bin")
    (wheel,) = (dist / "dist").glob("*.whl")
    alone = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    options = {"cwd": tmp_path, "env": alone}
    run(programs / "python", "-m", "pip", "install", "--quiet", f"{wheel}[plot]", **options)
    run(programs / "rankcut", "demo", "-o", "demo.html", **options)
    assert "</html>" in (tmp_path / "demo.html").read_text(encoding="utf-8")
    said = run(programs / "rankcut", "--version", **options)
    assert rankcut.__version__ in said


@pytest.mark.slow
def test_the_sdist_has_what_is_tracked_and_its_tests_run(dist, tmp_path):
    (path,) = (dist / "dist").glob("*.tar.gz")
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
        archive.extractall(tmp_path, filter="data")
    tracked = set(run("git", "-C", dist / "clone", "ls-files").split("\n"))
    assert names - tracked == {"PKG-INFO"}
    for folder in ("src", "tests", "docs", "examples", "benchmarks", "reproduction", "conda"):
        assert {name for name in tracked if name.startswith(f"{folder}/")} <= names
    (root,) = tmp_path.iterdir()
    paths = os.pathsep.join([str(root / "src"), os.environ.get("PYTHONPATH", "")])
    some = ["tests/rankings", "tests/graphs", "tests/test_release.py", "-m", "not slow"]
    options = {"cwd": root, "env": os.environ | {"PYTHONPATH": paths}}
    run(sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *some, **options)
