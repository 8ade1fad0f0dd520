"""How large the package is, and how far a call walks through it.

Sizes: files, lines, lines of code (without docstrings, comments and blank lines), numbers that
modules define by name, and functions with more than eight arguments, for each room.

Walks: the files and functions of the package that a call enters, and how often it changes files.
Loops are compiled first, and modules imported, so that a walk is what every later call does.
"""

import argparse
import ast
import contextlib
import io
import os
import sys
import tempfile
import tokenize
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import rankcut

SOURCE = Path(rankcut.__file__).parent
MANY_ARGUMENTS = 8
LAYOUT_TOKENS = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}


def code_lines(source: str) -> int:
    """Lines that hold code: no docstring, no comment, not blank."""
    docstrings = set()
    for node in ast.walk(ast.parse(source)):
        has_text = isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        if has_text and ast.get_docstring(node):
            text = node.body[0]
            docstrings.update(range(text.lineno, (text.end_lineno or text.lineno) + 1))
    lines = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in LAYOUT_TOKENS:
            lines.update(range(token.start[0], token.end[0] + 1))
    return len(lines - docstrings)


def is_number(node: ast.AST | None) -> bool:
    """Whether an expression is a number, or made of numbers alone."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, int | float) and not isinstance(node.value, bool)
    if isinstance(node, ast.UnaryOp):
        return is_number(node.operand)
    if isinstance(node, ast.BinOp):
        return is_number(node.left) and is_number(node.right)
    if isinstance(node, ast.Tuple | ast.List):
        return bool(node.elts) and all(map(is_number, node.elts))
    return False


def measure(source: str) -> Counter[str]:
    """What a module adds to the size of its room."""
    tree = ast.parse(source)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    return Counter(
        {
            "files": 1,
            "lines": len(source.splitlines()),
            "code": code_lines(source),
            "numbers": sum(
                isinstance(node, ast.Assign | ast.AnnAssign) and is_number(node.value)
                for node in tree.body
            ),
            "many arguments": sum(
                len(each.args.posonlyargs + each.args.args + each.args.kwonlyargs) > MANY_ARGUMENTS
                for each in functions
            ),
        }
    )


def print_sizes() -> None:
    rooms: dict[str, Counter[str]] = {}
    for path in sorted(SOURCE.rglob("*.py*")):
        if path.suffix in (".py", ".pyi"):
            parts = path.relative_to(SOURCE).parts
            room = parts[0] if len(parts) > 1 else "(top)"
            rooms.setdefault(room, Counter()).update(measure(path.read_text(encoding="utf-8")))
    columns = ["files", "lines", "code", "numbers", "many arguments"]
    print(f"{'room':14}" + "".join(f"{name:>16}" for name in columns))
    total: Counter[str] = Counter()
    for room, size in rooms.items():
        total.update(size)
        print(f"{room:14}" + "".join(f"{size[name]:16,}" for name in columns))
    print(f"{'all':14}" + "".join(f"{total[name]:16,}" for name in columns))


def walk(call: Callable[[], Any]) -> tuple[set[str], set[tuple[str, str]], int]:
    """The files and functions of the package that a call enters, and the changes of file."""
    files, functions, changes, last = set(), set(), 0, ""
    root = str(SOURCE)

    def enter(frame: Any, event: str, _: Any) -> None:
        nonlocal changes, last
        code = frame.f_code
        if event != "call" or not code.co_filename.startswith(root) or code.co_name == "<module>":
            return
        files.add(code.co_filename)
        functions.add((code.co_filename, code.co_qualname))
        changes += code.co_filename != last
        last = code.co_filename

    sys.setprofile(enter)
    try:
        call()
    finally:
        sys.setprofile(None)
    return files, functions, changes


def command(*words: str) -> Callable[[], None]:
    """A call of the command, silent."""
    from rankcut.cli import app

    def call() -> None:
        with (
            contextlib.redirect_stdout(io.StringIO()),
            contextlib.redirect_stderr(io.StringIO()),
            contextlib.suppress(SystemExit),
        ):
            app(list(words))

    return call


def print_walks(show_files: bool) -> None:
    from rankcut import GraphCutFeatures
    from rankcut.datasets import load_lunch

    ranks = load_lunch().ranks
    calls = {
        "GraphCutFeatures().fit_transform": lambda: GraphCutFeatures().fit_transform(ranks),
        "rankcut consensus lunch:full": command("consensus", "lunch:full"),
        "rankcut compare lunch:full --by guest": command("compare", "lunch:full", "--by", "guest"),
        "rankcut report lunch:full": command("report", "lunch:full", "-o", "report.html"),
    }
    here = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            for name, call in calls.items():
                call()
                files, functions, changes = walk(call)
                print(
                    f"{name:40} {len(files):4} files {len(functions):5} functions "
                    f"{changes:7,} changes of file"
                )
                if show_files:
                    print("\n".join(f"    {Path(f).relative_to(SOURCE)}" for f in sorted(files)))
        finally:
            os.chdir(here)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", action="store_true", help="list the files of each walk")
    options = parser.parse_args()
    print_sizes()
    print()
    print_walks(options.files)


if __name__ == "__main__":
    main()
