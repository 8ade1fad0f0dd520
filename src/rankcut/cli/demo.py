"""``rankcut demo``: what the embedded data set holds, in four steps and a page."""

from typing import Annotated

import typer

from rankcut.cli.output import Outputs, page_writer, styled


def demo(
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="PAGE", help="Page to write (.html).")
    ] = "demo.html",
) -> None:
    """Show what rankcut finds in a small data set.

    Finds a consensus, draws a map, compares two groups, and writes a page with all of it.

    Example: rankcut demo -o demo.html
    """
    from pathlib import Path

    outputs = Outputs([output], {".html": None}, ".html")

    from rankcut.cli.progress import working

    with working("looking at 48 lunch rankings"):
        from rankcut.cli.demonstration import NEXT, demo_page, find, story

        found = find()
    said = outputs.text
    print("48 guests rank eight dishes (a made-up data set that comes with rankcut).", file=said)
    for number, (heading, sentence) in enumerate(story(found), start=1):
        print(f"\n{styled(f'{number}. {heading}', said, bold=True)}", file=said)
        print(f"   {sentence}", file=said)

    outputs.write(page_writer(lambda: demo_page(found)))
    if not outputs.to_stdout:
        print(f"\nLook at {Path(output).resolve().as_uri()}\n\nNext, with your own rankings:")
        for command, what in NEXT:
            print(f"  {styled(f'{command:<47}', said, fg='cyan')}  {what}")
