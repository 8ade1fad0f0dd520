"""``rankcut demo``: the main job on the embedded data set."""

from pathlib import Path
from typing import Annotated

import typer

PICTURES = (".png", ".svg", ".pdf", ".jpg")


def demo(
    output: Annotated[
        Path, typer.Option("--output", "-o", dir_okay=False, help="Where to write the picture.")
    ] = Path("demo.png"),
    seed: Annotated[int, typer.Option(min=0, help="Seed of the synthetic rankings.")] = 0,
) -> None:
    """Show how a classifier learns from rankings.

    Example: rankcut demo -o demo.png
    """
    if output.suffix.lower() not in PICTURES:
        raise typer.BadParameter(f"{output}: a picture ends in {', '.join(PICTURES)}")
    if not output.parent.is_dir():
        raise typer.BadParameter(f"{output}: there is no directory {output.parent}")

    from rankcut.cli.demonstration import run

    run(output, seed=seed)
