"""Examples as notebooks: each is a program of cells, which begin with ``# %%``."""

import ast
import json
import re
from pathlib import Path


def cells(path):
    """The kind of each cell ("markdown" or "code"), and its text."""
    _, *parts = re.split(r"^# %%(.*)\n", path.read_text(encoding="utf-8"), flags=re.M)
    for mark, text in zip(parts[::2], parts[1::2], strict=True):
        if "[markdown]" in mark:
            yield "markdown", re.sub(r"^# ?", "", text.strip(), flags=re.M)
        else:
            yield "code", text.strip()


def notebook(path):
    """The example as Jupyter opens it."""
    code = {"execution_count": None, "outputs": []}
    found = [
        {"cell_type": kind, "id": f"cell-{place}", "metadata": {}, "source": text}
        | (code if kind == "code" else {})
        for place, (kind, text) in enumerate(cells(path))
    ]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    whole = {"cells": found, "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(whole, ensure_ascii=False, indent=1)


def last_value(path):
    """What the last line of an example is: in a notebook, what is shown below it."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    *before, last = tree.body
    names = {"__name__": Path(path).stem}
    exec(compile(ast.Module(before, []), str(path), "exec"), names)
    return eval(compile(ast.Expression(last.value), str(path), "eval"), names)
