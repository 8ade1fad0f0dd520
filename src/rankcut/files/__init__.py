"""Files of rankings, items and item graphs, in and out.

``formats`` chooses by the suffix. A format other than tables has a module that reads it into a
:class:`~rankcut.RankingSet`, and writes one as bytes: ``preflib``, ``blt``, ``matrices``. A table
comes as blocks of columns (``tables``) from ``text`` (CSV, TSV), ``stored_tables`` (Parquet, Excel,
SPSS, JSON) or a frame. ``options`` are how a user describes it; ``recognition`` asks each of the
``readings`` what it is where nobody does, and lets the values decide.

To add a format, write its module, name its suffix in :data:`rankcut.vocabulary.Format`, and give
it a line in ``read_file``; a table of another kind needs only a reading.
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
