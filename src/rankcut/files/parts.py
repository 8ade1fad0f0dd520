"""A directory of parts, each written completely or not at all, and the settings that made them.

Running again finishes an interrupted run: existing parts made with the same settings are kept.
"""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rankcut.errors import RankingFileError
from rankcut.files.drafts import atomic_file

_MANIFEST = "_rankcut.json"

_UNREADABLE = (
    "the file is damaged, so that nobody knows which settings the parts beside it were made with; "
    "name another directory, or start again with --restart"
)


class Parts:
    """The parts of one result.

    Parameters
    ----------
    folder : path
        Where they are; created if missing.
    suffix : str
        How the name of a part ends.
    settings : mapping
        Everything the result depends on, as JSON.
    restart : bool
        Delete parts made with other settings, instead of raising an error.

    Examples
    --------
    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> parts = Parts(folder, "txt", {"normalize": True})
    >>> _ = parts.path(0).write_text("done")
    >>> Parts(folder, "txt", {"normalize": True}).missing(3)
    [1, 2]
    >>> Parts(folder, "txt", {"normalize": False})
    Traceback (most recent call last):
        ...
    rankcut.errors.RankingFileError: ...: was begun with normalize=true, and now it is \
false; finish it as it was begun, name another directory, or start again with --restart
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        suffix: str,
        settings: Mapping[str, Any],
        *,
        restart: bool = False,
    ) -> None:
        self.folder = Path(folder)
        self._suffix = suffix
        wanted = json.loads(json.dumps(settings))
        self.folder.mkdir(parents=True, exist_ok=True)
        manifest = self.folder / _MANIFEST
        if manifest.exists():
            found = _read_settings(manifest)
            if found != wanted and self._any() and not restart:
                if found is None:
                    raise RankingFileError(_UNREADABLE, str(manifest))
                raise RankingFileError(_difference(found, wanted), str(folder))
            if found != wanted:
                self.clear()
        elif any(_MANIFEST not in file.name for file in self.folder.iterdir()):
            raise RankingFileError(
                "this directory has other files in it; name a new or an empty one", str(folder)
            )
        # Left by a process that was killed while writing.
        for name in ("part-", _MANIFEST):
            for draft in self.folder.glob(f".{name}*"):
                draft.unlink(missing_ok=True)
        with atomic_file(manifest) as file:
            file.write(json.dumps(wanted, indent=1).encode())

    def path(self, number: int) -> Path:
        """The file of a part."""
        return self.folder / f"part-{number:06d}.{self._suffix}"

    def missing(self, n_parts: int) -> list[int]:
        """The numbers of the parts that are not there yet."""
        return [number for number in range(n_parts) if not self.path(number).exists()]

    def clear(self) -> None:
        """Delete all parts."""
        for part in self.folder.glob(f"part-*.{self._suffix}"):
            part.unlink()

    def _any(self) -> bool:
        return any(self.folder.glob(f"part-*.{self._suffix}"))


def _read_settings(manifest: Path) -> dict[str, Any] | None:
    """The settings that parts were made with, None if the file does not say."""
    try:
        found = json.loads(manifest.read_bytes())
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _difference(found: Mapping[str, Any], wanted: Mapping[str, Any]) -> str:
    # As text, in which a setting without a value is not one that is missing.
    texts = [{name: json.dumps(value) for name, value in each.items()} for each in (found, wanted)]
    name = next(name for name in {**found, **wanted} if texts[0].get(name) != texts[1].get(name))
    before, now = (text.get(name, "not set") for text in texts)
    what = f"{name}={before}, and now it is {now}" if len(before + now) < 120 else f"other {name}"
    return (
        f"was begun with {what}; finish it as it was begun, name another directory, or start "
        "again with --restart"
    )
