"""Files for the commands to work on."""

import shutil
from importlib.resources import files

import pytest


@pytest.fixture
def lunch(tmp_path, monkeypatch):
    """A directory, in which we are, with the small data sets."""
    for file in (files("rankcut.datasets") / "lunch_files").iterdir():
        shutil.copy(str(file), tmp_path / file.name)
    monkeypatch.chdir(tmp_path)
    return tmp_path
