"""``rankcut convert``: from any format to any other."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, get_args

import typer

from rankcut.cli.command import option, with_options
from rankcut.cli.output import OutputFiles, Spreadsheet, check_target
from rankcut.cli.reading import Format, Layout, RankingFile, Reading
from rankcut.cli.writing import for_spreadsheet
from rankcut.errors import InputError, RankingFileError


@dataclass(frozen=True)
class ConvertOptions:
    """What to write."""

    output: OutputFiles = None
    to: Annotated[
        Format | None,
        option("Format of OUT, or of outputs whose suffix does not name it.", "--to", "-t"),
    ] = None
    to_layout: Annotated[Layout, option("Layout of the table to write.")] = "wide"
    expand: Annotated[
        bool, option("Write a row for each ranking instead of counts.", "--expand")
    ] = False
    drop_empty: Annotated[bool, option("Drop rankings that rank nothing.", "--drop-empty")] = False
    spreadsheet: Spreadsheet = False

    def targets(self, out: str | None) -> list[tuple[str, Format]]:
        """Each output and its format, checked before anything is read."""
        from rankcut.files.formats import chosen_format

        names = [*([] if out is None else [out]), *(self.output or [])]
        if not names:
            raise InputError("name an output file, or - for standard output")
        if names.count("-") > 1:
            raise InputError("only one output can go to standard output")
        targets = []
        for name in names:
            if name == "-" and self.to is None:
                raise InputError("standard output has no suffix; name the format with --to")
            check_target(name)
            named = Path(name.removesuffix(".gz")).suffix[1:].lower() in get_args(Format)
            alone = name == out or not named or name == "-"
            targets.append((name, chosen_format(name, self.to if alone else None)))
        return targets


@with_options(options=ConvertOptions, reading=Reading)
def convert(
    file: RankingFile,
    options: ConvertOptions,
    reading: Reading,
    out: Annotated[
        str | None,
        typer.Argument(
            metavar="OUT", help="Output file (- for standard output).", show_default=False
        ),
    ] = None,
) -> None:
    """Convert rankings between formats.

    PrefLib (soc, soi, toc, toi; cat is read only), CSV, TSV and Parquet in five layouts, BLT and
    npy; order is read only. A file whose name ends in .gz is compressed. Name one output, or
    several with -o.

    Example: rankcut convert votes.soi votes.csv --expand
    """
    from rankcut.files.formats import write_file

    targets = options.targets(out)
    rankings = reading.read(file, expand=options.expand)
    if options.drop_empty:
        rankings = rankings.rows(rankings.n_ranked() > 0)
        if len(rankings) == 0:
            raise RankingFileError("no ranking ranks any item", file)
    for target, chosen in targets:
        place = sys.stdout.buffer if target == "-" else target
        safe = options.spreadsheet and chosen in ("csv", "tsv")
        written = for_spreadsheet(rankings) if safe else rankings
        write_file(written, place, chosen, layout=options.to_layout)
    sys.stdout.flush()
