"""Files of rankings, items and item graphs, in and out."""

from rankcut.errors import RankingFileError
from rankcut.files.feature_tables import read_items
from rankcut.files.formats import from_frame, read_file, scan_file, to_frame, write_file
from rankcut.files.numpy_files import read_graph, write_graph
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
