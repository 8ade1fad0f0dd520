"""Files of rankings, items and item graphs, in and out.

``formats`` chooses by the suffix. A format other than tables has a module that reads it into a
:class:`~rankcut.RankingSet`, and writes one as bytes: ``preflib``, ``blt``, ``matrices``. A table
comes as blocks of columns (``tables``) from ``text`` (CSV, TSV), ``stored_tables`` (Parquet, Excel,
SPSS, JSON) or a frame; ``roles`` says what each column is, ``guessing`` what it seems to be where
nobody says, and ``layouts`` turns tables into rankings and back.

What tools write is recognised by ``recognising``, which asks each family in turn: ``surveys``,
``ballots`` and ``votes``. A family turns a table into one that a layout can read.

To add a format, write its module, name its suffix in ``formats.Format``, and give it a line in
``read_file``; a survey that is a table needs only a function that recognises it.
"""

from rankcut.errors import RankingFileError
from rankcut.files.feature_tables import read_items
from rankcut.files.formats import from_frame, read_file, scan_file, to_frame, write_file
from rankcut.files.matrices import read_graph, write_graph
from rankcut.rankings.ranking_set import RankingSet

__all__ = [
    "RankingFileError",
    "RankingSet",
    "from_frame",
    "read_file",
    "read_graph",
    "read_items",
    "scan_file",
    "to_frame",
    "write_file",
    "write_graph",
]
