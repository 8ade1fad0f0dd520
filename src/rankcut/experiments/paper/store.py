"""Results of finished tasks, one file each, so that a run goes on where the last one stopped."""

import hashlib
import json
from pathlib import Path
from typing import Any

from rankcut.experiments.paper import fingerprints
from rankcut.experiments.paper.part import Record, Task
from rankcut.files.drafts import atomic_file


class Store:
    """Records by part and task, in a directory.

    A file's name is a hash of the part's name, the task's settings, and the fingerprints of the
    data and of the code, so that a change of any of them is a new task. What cannot be read is as
    good as missing.

    Examples
    --------
    >>> import tempfile
    >>> store = Store(Path(tempfile.mkdtemp()))
    >>> store.read("sizes", {"n": 3}) is None
    True
    >>> store.write("sizes", {"n": 3}, [{"seconds": 0.5}])
    >>> store.read("sizes", {"n": 3})
    [{'seconds': 0.5}]
    """

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    def read(self, part: str, task: Task, data: str | None = None) -> list[Record] | None:
        """The records of a finished task, or None."""
        key = _key(part, task, data)
        try:
            kept = json.loads(self._path(part, key).read_text(encoding="utf-8"))
            # The key is looked at too: 16 digits of a hash name the file.
            records = kept["records"] if kept["key"] == key else None
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return records if isinstance(records, list) else None

    def write(self, part: str, task: Task, records: list[Record], data: str | None = None) -> None:
        """Keep the records of a finished task; the file is whole or not there."""
        key = _key(part, task, data)
        path = self._path(part, key)
        path.parent.mkdir(parents=True, exist_ok=True)
        # NumPy's numbers are as good as Python's.
        text = json.dumps({"key": key, "records": records}, default=lambda number: number.item())
        with atomic_file(path) as file:
            file.write(text.encode())

    def _path(self, part: str, key: dict[str, Any]) -> Path:
        digest = hashlib.sha256(json.dumps(key, sort_keys=True).encode()).hexdigest()
        return self.directory / f"{part}-{digest[:16]}.json"


def _key(part: str, task: Task, data: str | None) -> dict[str, Any]:
    return {"part": part, "task": task, "data": data, "code": fingerprints.of_code()}
