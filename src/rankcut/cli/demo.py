"""``rankcut demo``: what the embedded data set holds, in four steps and a page."""

from typing import Annotated

import typer

from rankcut.cli.output import Outputs, styled


def demo(
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="PAGE", help="Page to write (.html).")
    ] = "demo.html",
) -> None:
    """Show what rankcut finds in a small data set.

    Takes rankings together, draws a map, compares groups, and leaves a page to look at.

    Example: rankcut demo -o demo.html
    """
    import sys
    from pathlib import Path

    outputs = Outputs([output], {".html": None}, ".html")

    from rankcut.cli.progress import working

    with working("looking at 48 lunch rankings"):
        from rankcut.cli.demonstration import NEXT, demo_page, find, story
        from rankcut.files.drafts import atomic_file

        found = find()
    said = sys.stderr if outputs.to_stdout else sys.stdout
    print("48 guests rank eight dishes (a made-up data set that comes with rankcut).", file=said)
    for number, (heading, sentence) in enumerate(story(found), start=1):
        print(f"\n{styled(f'{number}. {heading}', said, bold=True)}", file=said)
        print(f"   {sentence}", file=said)

    def write(place: str) -> None:
        with atomic_file(place) as draft:
            draft.write(demo_page(found).encode())

    outputs.write({".html": write})
    if not outputs.to_stdout:
        print(f"\nLook at {Path(output).resolve().as_uri()}\n\nNext, with rankings of yours:")
        for command, what in NEXT:
            print(f"  {styled(f'{command:<47}', said, fg='cyan')}  {what}")
