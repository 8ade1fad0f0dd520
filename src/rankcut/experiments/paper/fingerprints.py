"""What results depend on besides their settings: the code that computes them, and the data."""

import hashlib
import platform
import re
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path

import rankcut
from rankcut.datasets.sushi import sushi_files

# Libraries whose versions may change a result.
_LIBRARIES = ("numpy", "scipy", "scikit-learn", "numba")

# Modules that make something of records, by their names: no record depends on them.
_AFTER = re.compile(r"^(cli|pictures)/|(_claims|_figures|_report|_page|/comparisons)\.py$")


@lru_cache(maxsize=1)
def of_code(package: Path = Path(rankcut.__file__).parent) -> str:
    """A hash of the package's sources that records may depend on, and of the versions below."""
    digest = hashlib.sha256(platform.python_version().encode())
    for name in _LIBRARIES:
        digest.update(f" {name} {version(name)}".encode())
    for path in sorted(package.rglob("*.py")):
        name = path.relative_to(package).as_posix()
        if not _AFTER.search(name):
            digest.update(f" {name} ".encode() + hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]


def of_data(data: Path) -> str:
    """A hash of the sushi files' contents."""
    digest = hashlib.sha256()
    for file in sushi_files(data):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]
