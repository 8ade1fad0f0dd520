"""Public names that are loaded when they are first used, so that packages import quickly.

The stub ``__init__.pyi`` beside a package's ``__init__.py`` is the only list of them: type checkers
and editors read it as it is.
"""

import ast
from importlib import import_module
from pathlib import Path
from typing import Any


def homes_beside(file: str) -> dict[str, str]:
    """The module that each public name is imported from, as the stub of a package says."""
    statements = ast.parse(Path(file).with_suffix(".pyi").read_text(encoding="utf-8")).body
    return {
        alias.name: statement.module
        for statement in statements
        if isinstance(statement, ast.ImportFrom) and statement.module is not None
        for alias in statement.names
    }


def load(name: str, homes: dict[str, str], package: str) -> Any:
    """Import a name from its home; if that is the package itself, it is one of its modules."""
    if name not in homes:
        raise AttributeError(f"module {package!r} has no attribute {name!r}")
    if homes[name] == package:
        return import_module(f"{package}.{name}")
    return getattr(import_module(homes[name]), name)
