"""Files of rankings, in and out."""

from rankcut.errors import RankingFileError
from rankcut.files.formats import from_frame, read_file, scan_file, to_frame, write_file
from rankcut.ranking_set import RankingSet

__all__ = [
    "RankingFileError",
    "RankingSet",
    "from_frame",
    "read_file",
    "scan_file",
    "to_frame",
    "write_file",
]
