"""The words that parameters take, and options of the command with them.

They stand by themselves, because the command offers them before it imports what they choose.
"""

from typing import Literal, TypeAlias

Unranked: TypeAlias = Literal["error", "last", "anywhere"]
"""What an unranked item means: an error, tied after all ranked ones, or its place is unknown."""

Ties: TypeAlias = Literal["auto", "davidson", "exact", "efron", "breslow", "half"]
"""What tied items mean: see :func:`rankcut.strengths.fit_strengths`."""

ConsensusMethod: TypeAlias = Literal["auto", "borda", "graph", "copeland", "kemeny", "strengths"]
"""How rankings are combined: see :class:`rankcut.Consensus`."""

Format: TypeAlias = Literal[
    "soc", "soi", "toc", "toi", "cat", "csv", "tsv", "xlsx", "parquet", "json", "sav", "zip",
    "trec", "blt", "abif", "cef", "txt",
]  # fmt: skip
"""The formats of files that are read, by their suffixes."""

Written: TypeAlias = Literal["soc", "soi", "toc", "toi", "csv", "tsv", "parquet", "blt"]
"""Those that are written."""

Layout: TypeAlias = Literal[
    "wide", "transposed", "ratings", "long", "ballots", "orders", "votes", "tasks"
]
"""How a table holds rankings."""
