"""``rankcut demo``: the main job on the embedded data set."""

from pathlib import Path
from typing import Annotated

import typer


def demo(
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Where to write the picture.")
    ] = Path("demo.png"),
    seed: Annotated[int, typer.Option(help="Seed of the synthetic rankings.")] = 0,
) -> None:
    """Show rankings become vectors and a classifier learn from them.

    Example: rankcut demo -o demo.png
    """
    from rankcut.experiments.demo import run

    run(output, seed=seed)
