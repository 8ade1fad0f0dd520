"""Public names that are loaded when they are first used, so that packages import quickly.

The stub ``__init__.pyi`` beside a package's ``__init__.py`` is the only list of them: type checkers
and editors read it as it is.
"""

import ast
import sys
from collections.abc import Callable
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


def lazy_names(
    package: str, file: str
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """``__getattr__``, ``__dir__`` and ``__all__`` of a package, from the stub beside ``file``."""
    homes = homes_beside(file)

    def load(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        # A name whose home is the package itself is one of its modules.
        if homes[name] == package:
            return import_module(f"{package}.{name}")
        value = getattr(import_module(homes[name]), name)
        # Kept, so that it is not asked for again.
        setattr(sys.modules[package], name, value)
        return value

    return load, lambda: sorted(homes), list(homes)
