"""``rankcut convert``: from any format to any other."""

import sys
from typing import Annotated

import typer

from rankcut.cli.reading import Rankings, Reading
from rankcut.cli.sharing import with_options
from rankcut.files.formats import Format, write_file
from rankcut.files.roles import Layout


@with_options(reading=Reading)
def convert(
    file: Rankings,
    output: Annotated[str, typer.Argument(metavar="OUT", help="Where to; - is standard output.")],
    reading: Reading,
    to: Annotated[
        Format | None, typer.Option("--to", "-t", help="Format to write, if not by suffix.")
    ] = None,
    to_layout: Annotated[Layout, typer.Option(help="Layout of a table to write.")] = "wide",
    expand: Annotated[
        bool, typer.Option("--expand", help="A row for each ranking instead of counts.")
    ] = False,
    drop_empty: Annotated[
        bool, typer.Option("--drop-empty", help="Leave out rankings that rank nothing.")
    ] = False,
) -> None:
    """Convert rankings between formats.

    PrefLib (soc, soi, toc, toi; cat is read), CSV, TSV and Parquet in four layouts, BLT, npy;
    order is read. A file whose name ends in .gz is packed.

    Example: rankcut convert votes.soi votes.csv --expand
    """
    rankings = reading.read(file, expand=expand)
    if drop_empty:
        rankings = rankings.rows(rankings.n_ranked() > 0)
        if len(rankings) == 0:
            raise ValueError(f"{file}: every ranking ranks nothing")
    if output != "-":
        write_file(rankings, output, to, layout=to_layout)
        return
    if to is None:
        raise ValueError("standard output has no suffix; name the format with --to")
    write_file(rankings, sys.stdout.buffer, to, layout=to_layout)
    sys.stdout.buffer.flush()
