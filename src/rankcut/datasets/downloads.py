"""Find data sets that may not be redistributed, in a directory that the user names."""

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rankcut.files.sheets import text_blocks

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
