"""Results of finished tasks, one file each, so that a run continues where the last one stopped.

A result is known by the task's settings, the data, the versions of the libraries below, and the
code that computes it: the definitions that a part's ``run`` reaches, by the names that it mentions
and by where they are imported from. The names of files, comments and docstrings play no part, nor
does code that only makes tables, figures or verdicts of results.
"""

import ast
import builtins
import hashlib
import json
import platform
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeAlias

import rankcut
from rankcut.datasets.sushi import sushi_files
from rankcut.files.drafts import atomic_file

Task: TypeAlias = dict[str, Any]
"""Settings of one piece of work, as JSON knows them. Nothing else says what is computed."""

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
    For a part that does not exist, only the versions are known.
    """
    digest = hashlib.sha256(platform.python_version().encode())
    for library in _LIBRARIES:
        digest.update(f" {library} {version(library)}".encode())
    code = _Code(sources)
    reached: set[_Definition] = set()
    waiting = list(code.named(f"{part}.run"))
    if not waiting:
        return digest.hexdigest()[:16]
    while waiting:
        definition = waiting.pop()
        if definition not in reached:
            reached.add(definition)
            waiting += code.mentioned(definition)
    texts = sorted(definition.text for definition in reached)
    digest.update(hashlib.sha256("\n".join(texts).encode()).digest())
    return digest.hexdigest()[:16]


def data_fingerprint(data: Path) -> str:
    """A hash of the sushi files' contents."""
    digest = hashlib.sha256()
    for file in sushi_files(data):
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


@dataclass(frozen=True, eq=False)
class _Definition:
    """Code that a name of a module stands for, without comments and docstrings."""

    node: ast.stmt
    module: "_Module"

    @cached_property
    def text(self) -> str:
        return ast.unparse(self.node)


@dataclass(frozen=True, eq=False)
class _Module:
    """What a module defines, and what it imports: where from, and the name there."""

    definitions: dict[str, list[_Definition]] = field(default_factory=dict)
    imports: dict[str, tuple[str, str]] = field(default_factory=dict)

    @classmethod
    def read(cls, path: Path) -> "_Module":
        tree = ast.parse(path.read_text(encoding="utf-8"))
        module = cls()
        for each in ast.walk(tree):
            if isinstance(each, ast.ImportFrom):
                for alias in each.names:
                    module.imports[alias.asname or alias.name] = (each.module or "", alias.name)
            elif isinstance(each, ast.Import):
                for alias in each.names:
                    module.imports[alias.asname or alias.name] = (alias.name, "")
        for name, node in _named(tree.body):
            module.definitions.setdefault(name, []).append(_Definition(node, module))
        return module


@lru_cache(maxsize=2)
class _Code:
    """The modules of some packages."""

    def __init__(self, sources: tuple[Path, ...]) -> None:
        self._modules = {
            ".".join([source.name, *path.relative_to(source).with_suffix("").parts]).removesuffix(
                ".__init__"
            ): _Module.read(path)
            for source in sources
            for path in sorted(source.rglob("*.py"))
        }
        self._packages = {source.name for source in sources}

    def named(self, name: str) -> Iterator[_Definition]:
        """What has that name in any module."""
        for module in self._modules.values():
            yield from module.definitions.get(name, ())

    def mentioned(self, definition: _Definition) -> Iterator[_Definition]:
        """What the code of a definition names, itself or in a module that it names."""
        module = definition.module
        nodes = list(ast.walk(definition.node))
        own = {node.arg for node in nodes if isinstance(node, ast.arg)}
        own |= {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        own |= {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
        for node in nodes:
            if isinstance(node, ast.Name):
                found = self._find(module, node.id)
                if found is not None:
                    yield from found
                elif node.id not in own and not hasattr(builtins, node.id):
                    yield from self.named(node.id)
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                other = self._imported_module(module, node.value.id)
                if other is not None:
                    found = self._find(other, node.attr)
                    yield from self.named(node.attr) if found is None else found

    def _imported_module(self, module: _Module, name: str) -> _Module | None:
        source, original = module.imports.get(name, ("", ""))
        return self._modules.get(f"{source}.{original}" if original else source)

    def _find(self, module: _Module, name: str) -> Sequence[_Definition] | None:
        """What a name means in a module, imported or not; None if that cannot be told."""
        if name in module.definitions:
            return module.definitions[name]
        if name not in module.imports:
            return None
        source, original = module.imports[name]
        if source.split(".")[0] not in self._packages or not original:
            return ()
        if f"{source}.{original}" in self._modules:
            return ()
        return self._find(self._modules[source], original) if source in self._modules else None


def _named(body: Iterable[ast.stmt]) -> Iterator[tuple[str, ast.stmt]]:
    """Definitions of a module; for a part, only its method ``run``."""
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
