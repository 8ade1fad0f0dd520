"""Results of finished tasks, one file each, so that a run continues where the last one stopped.

A result is known by the task's settings, the data, the versions of the libraries below, and the
code that computes it: the definitions that a part's ``run`` reaches, found by their names. The
names of files, imports, comments and docstrings play no part, nor does code that only makes
tables, figures or verdicts of results.
"""

import ast
import hashlib
import json
import platform
from collections.abc import Iterable, Iterator
from functools import cached_property, lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeAlias

import rankcut
from rankcut.datasets.sushi import sushi_files
from rankcut.files.drafts import atomic_file

Task: TypeAlias = dict[str, Any]
"""Settings of one piece of work, as JSON knows them. They alone say what is computed."""

Record: TypeAlias = dict[str, Any]
"""A result, as JSON knows it; NaN is allowed and comes back as NaN."""

# Libraries whose versions may change a result.
_LIBRARIES = ("numpy", "scipy", "scikit-learn", "numba")

_SOURCES = (Path(rankcut.__file__).parent, Path(__file__).parent)


class Store:
    """Records by part and task, in a directory.

    A file's name is a hash of the part's name, the task's settings, and the fingerprints of the
    data and of the code, so that a change of any of them is a new task. What cannot be read is as
    good as missing.

    Examples
    --------
    >>> import tempfile
    >>> store = Store(Path(tempfile.mkdtemp()))
    >>> store.read("sizes", {"n": 3}) is None
    True
    >>> store.write("sizes", {"n": 3}, [{"seconds": 0.5}])
    >>> store.read("sizes", {"n": 3})
    [{'seconds': 0.5}]
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def read(self, part: str, task: Task, data: str | None = None) -> list[Record] | None:
        """The records of a finished task, or None."""
        key = _key(part, task, data)
        try:
            kept = json.loads(self._path(part, key).read_text(encoding="utf-8"))
            # The key is looked at too: 16 digits of a hash name the file.
            records = kept["records"] if kept["key"] == key else None
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return records if isinstance(records, list) else None

    def write(self, part: str, task: Task, records: list[Record], data: str | None = None) -> None:
        """Keep the records of a finished task; the file is whole or not there."""
        key = _key(part, task, data)
        path = self._path(part, key)
        path.parent.mkdir(parents=True, exist_ok=True)
        # NumPy's numbers are as good as Python's.
        text = json.dumps({"key": key, "records": records}, default=lambda number: number.item())
        with atomic_file(path) as file:
            file.write(text.encode())

    def _path(self, part: str, key: dict[str, Any]) -> Path:
        digest = hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()
        return self.directory / f"{part}-{digest[:16]}.json"


def _key(part: str, task: Task, data: str | None) -> dict[str, Any]:
    return {"part": part, "task": task, "data": data, "code": code_fingerprint(part)}


@lru_cache(maxsize=32)
def code_fingerprint(part: str, sources: tuple[Path, ...] = _SOURCES) -> str:
    """A hash of what the records of a part depend on: definitions, and versions of libraries.

    The part is the class whose attribute ``name`` says so; its method ``run`` is where to start.
    Of a part that is nowhere, only the versions are known.
    """
    digest = hashlib.sha256(platform.python_version().encode())
    for library in _LIBRARIES:
        digest.update(f" {library} {version(library)}".encode())
    if not any(f'name = "{part}"' in text for text in _texts(sources)):
        return digest.hexdigest()[:16]
    definitions = _definitions(sources)
    reached: set[str] = set()
    waiting = [f"{part}.run"]
    while waiting:
        name = waiting.pop()
        if name not in reached and name in definitions:
            reached.add(name)
            for definition in definitions[name]:
                waiting += definition.mentioned
    texts = sorted(each.text for name in reached for each in definitions[name])
    digest.update(hashlib.sha256("\n".join(texts).encode()).digest())
    return digest.hexdigest()[:16]


def data_fingerprint(data: Path) -> str:
    """A hash of the sushi files' contents."""
    digest = hashlib.sha256()
    for file in sushi_files(data):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


@lru_cache(maxsize=2)
def _texts(sources: tuple[Path, ...]) -> list[str]:
    """The modules."""
    paths = (path for source in sources for path in source.rglob("*.py"))
    return [path.read_text(encoding="utf-8") for path in paths]


class _Definition:
    """Code that a name stands for: its text without comments, and the names in it."""

    def __init__(self, node: ast.stmt) -> None:
        self._node = node

    @cached_property
    def text(self) -> str:
        return ast.unparse(self._node)

    @cached_property
    def mentioned(self) -> frozenset[str]:
        return frozenset(_mentioned(self._node))


@lru_cache(maxsize=2)
def _definitions(sources: tuple[Path, ...]) -> dict[str, list[_Definition]]:
    """Each name that a module defines, and the code.

    Different modules may define the same name: then all of them count.
    """
    found: dict[str, list[_Definition]] = {}
    for text in _texts(sources):
        for name, node in _named(ast.parse(text).body):
            found.setdefault(name, []).append(_Definition(node))
    return found


def _named(body: Iterable[ast.stmt]) -> Iterator[tuple[str, ast.stmt]]:
    """Definitions of a module; of a part, its method ``run`` alone."""
    for node in body:
        if isinstance(node, ast.FunctionDef):
            yield node.name, _without_docstrings(node)
        elif isinstance(node, ast.ClassDef):
            part = _part_name(node)
            if part is None:
                yield node.name, _without_docstrings(node)
            for method in node.body:
                if part and isinstance(method, ast.FunctionDef) and method.name == "run":
                    yield f"{part}.run", _without_docstrings(method)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                for each in ast.walk(target):
                    if isinstance(each, ast.Name):
                        yield each.id, node
        elif isinstance(node, ast.If | ast.Try):
            yield from _named([each for each in ast.walk(node) if isinstance(each, ast.Assign)])


def _part_name(node: ast.ClassDef) -> str | None:
    """What a part is called; None for other classes."""
    if any(isinstance(base, ast.Name) and base.id == "Part" for base in node.bases):
        for each in node.body:
            if isinstance(each, ast.Assign) and ast.unparse(each.targets[0]) == "name":
                return str(ast.literal_eval(each.value))
    return None


def _without_docstrings(node: ast.stmt) -> ast.stmt:
    for each in ast.walk(node):
        if isinstance(each, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(each) is not None:
            each.body = each.body[1:] or [ast.Pass()]
    return node


def _mentioned(node: ast.stmt) -> Iterator[str]:
    for each in ast.walk(node):
        if isinstance(each, ast.Name):
            yield each.id
        elif isinstance(each, ast.Attribute):
            yield each.attr
        elif isinstance(each, ast.alias):
            # Imported under another name.
            yield each.name.split(".")[-1]
