"""``rankcut convert``: from any format to any other."""

import sys
from typing import Annotated

import typer

from rankcut.cli.options import Format, Layout, with_options
from rankcut.cli.reading import Rankings, Reading
from rankcut.errors import InputError, RankingFileError


@with_options(reading=Reading)
def convert(
    file: Rankings,
    output: Annotated[
        str, typer.Argument(metavar="OUT", help="Output file (- for standard output).")
    ],
    reading: Reading,
    to: Annotated[
        Format | None, typer.Option("--to", "-t", help="Format to write (default: by suffix).")
    ] = None,
    to_layout: Annotated[Layout, typer.Option(help="Layout of the table to write.")] = "wide",
    expand: Annotated[
        bool, typer.Option("--expand", help="Write a row for each ranking instead of counts.")
    ] = False,
    drop_empty: Annotated[
        bool, typer.Option("--drop-empty", help="Drop rankings that rank nothing.")
    ] = False,
) -> None:
    """Convert rankings between formats.

    PrefLib (soc, soi, toc, toi; cat is read only), CSV, TSV and Parquet in four layouts, BLT and
    npy; order is read only. A file whose name ends in .gz is compressed.

    Example: rankcut convert votes.soi votes.csv --expand
    """
    from rankcut.files.formats import write_file

    if output == "-" and to is None:
        raise InputError("standard output has no suffix; name the format with --to")
    rankings = reading.read(file, expand=expand)
    if drop_empty:
        rankings = rankings.rows(rankings.n_ranked() > 0)
        if len(rankings) == 0:
            raise RankingFileError("every ranking ranks nothing", file)
    write_file(rankings, sys.stdout.buffer if output == "-" else output, to, layout=to_layout)
    sys.stdout.flush()
