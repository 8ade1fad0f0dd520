"""Find data sets that may not be redistributed, in a directory that the user names."""

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rankcut.files.preflib import read_preflib
from rankcut.files.sheets import text_blocks
from rankcut.files.streams import Source
from rankcut.rankings.ranking_set import RankingSet

VARIABLE = "RANKCUT_DATA"


def find_files(
    files: Sequence[str],
    folders: Sequence[str],
    data_home: str | os.PathLike[str] | None,
    *,
    address: str,
    terms: str,
) -> list[Path]:
    """The paths of the files, in the user's directory or in one of some folders in it."""
    home = os.environ.get(VARIABLE) if data_home is None else os.fspath(data_home)
    where = "no directory is named" if not home else f"they are not in {home}"
    for folder in ("", *folders):
        paths = [Path(home or ".") / folder / file for file in files]
        if home and all(path.is_file() for path in paths):
            return paths
    raise FileNotFoundError(
        f"the files {', '.join(files)} are needed, but {where}. Get them from {address} "
        f"({terms}), and name their directory by data_home= or by the environment variable "
        f"{VARIABLE}"
    )


def read_columns(
    path: Path, *, delimiter: str = ",", header: int = 1
) -> dict[str, NDArray[np.object_]]:
    """The columns of a text file by name, or by number from 1 without a header."""
    blocks = list(text_blocks(path, delimiter=delimiter, header=header))
    return {
        name: np.concatenate([block.objects(i) for block in blocks])
        for i, name in enumerate(blocks[0].names)
    }


def load_preflib(
    path: Source, *, expand: bool = False, sparse: bool | None = None, as_frame: bool = False
) -> RankingSet:
    r"""A PrefLib file: soc, soi, toc, toi or cat, with a current or an old header.

    The files are at https://preflib.org, each with the citation that it asks for.

    Parameters
    ----------
    path : path or file object
        Plain or gzip.
    expand : bool
        Give each voter a row, instead of a count to each order.
    sparse : bool or None
        Ranks as a CSR array or as a dense one; None makes them dense unless too empty for that.
    as_frame : bool
        Ranks as a pandas frame.

    Returns
    -------
    RankingSet
        ``ranks``, ``counts`` (how many voters each row stands for), ``items``, ``title`` and
        ``metadata`` (the fields of the header).

    Examples
    --------
    >>> import io
    >>> old = "3\n1,toro\n2,uni\n3,ika\n5,5,2\n4,2,1,3\n1,3,1,2\n"
    >>> votes = load_preflib(io.StringIO(old))
    >>> votes.ranks
    array([[2., 1., 3.],
           [2., 3., 1.]])
    >>> votes.counts
    array([4, 1])
    """
    rankings = read_preflib(path, sparse=sparse)
    rankings = rankings.expanded() if expand else rankings
    return rankings.with_frames() if as_frame else rankings
