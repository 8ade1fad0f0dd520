"""Where data sets that may not be passed on are found: in a directory that the user names."""

import os
from collections.abc import Sequence
from pathlib import Path

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
        f"the files {', '.join(files)} are needed, and {where}. Get them from {address} "
        f"({terms}), and name their directory by data_home= or by the environment variable "
        f"{VARIABLE}"
    )
