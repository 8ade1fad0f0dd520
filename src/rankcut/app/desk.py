"""The files that are open, what is asked of each, and the process that reads and answers."""

import asyncio
import json
import multiprocessing
import os
import re
import secrets
import shutil
import signal
import tempfile
import time
import warnings
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from rankcut.app.reading import KEYS, Asked, first_rows, look, reading_with, say_mistake

POLL_SECONDS = 0.05
"""Seconds between looks for something new."""

# What people may set, beside how the file is read.
_CHOICES = ("unranked", "by", "people", "method")


class Desk:
    """All files, in a folder that is removed at the end."""

    def __init__(self) -> None:
        # Only its owner can enter it.
        self.folder = Path(tempfile.mkdtemp(prefix="rankcut-"))
        self.files: dict[str, OpenFile] = {}

    def new_folder(self) -> Path:
        """A folder of its own for a file; one that people drop goes into its ``given``."""
        folder = self.folder / secrets.token_hex(8)
        (folder / "given").mkdir(parents=True)
        return folder

    def open(self, name: str, folder: Path | None = None) -> str:
        """Open a file that is in a new folder, or else one here or an example; give its key."""
        place = folder / "given" if folder else Path.cwd()
        folder = folder or self.new_folder()
        self.files[folder.name] = OpenFile(self, Asked(name), place, folder)
        return folder.name

    def close(self) -> None:
        """End all processes; nothing is left of the files."""
        for file in list(self.files.values()):
            file.close()
        shutil.rmtree(self.folder, ignore_errors=True)


class OpenFile:
    """A file, a card for each answer, and keys of answers that wait."""

    def __init__(self, desk: Desk, asks: Asked, place: Path, folder: Path) -> None:
        self.desk, self.asked, self.place, self.folder = desk, asks, place, folder
        self.about: dict[str, Any] | None = None
        self.rows: dict[str, Any] | None = None  #: the first ones, until all are read
        self.cards: dict[str, dict[str, Any]] = {}
        self._waiting: list[str] = []
        self._running, self._reading = "", False
        self._worker: Worker | None = None
        self._task = asyncio.create_task(self._serve())

    def state(self) -> dict[str, Any]:
        """What the page shows, without the contents of cards."""
        settings = {name: getattr(self.asked, name) for name in ("name", "reading", *_CHOICES)}
        return {
            **settings,
            "id": self.folder.name,
            "about": self.about,
            "first": None if self.about else self.rows,
            "cards": self.cards,
        }

    def change(self, wanted: dict[str, Any]) -> None:
        """Take over what people choose; answers that depend on it are made again."""
        for name, act in (("ask", self.ask), ("stop", self.stop)):
            if name in wanted:
                act(wanted[name])
        before, about = self.asked, self.about or {"mistake": True}
        if "role" in wanted and "names" in about:
            column, n_columns = int(wanted["column"]), len(about["names"])
            if not 0 <= column < n_columns:
                raise ValueError(f"there is no column {column} among {n_columns}")
            wanted = self._with_role(about, column, str(wanted["role"]))
        choices: Any = {name: str(wanted[name]) for name in _CHOICES if name in wanted}
        self.asked = replace(before.reading_with(wanted.get("reading", {})), **choices)
        if self.asked.reading != before.reading:
            self.about, self.cards, self._waiting = None, {}, []
            self._end_worker()
        for key in [] if about["mistake"] or not self.about else KEYS:
            if self.asked.relevant(key) != before.relevant(key):
                self.ask(key)

    def _with_role(self, about: dict[str, Any], column: int, role: str) -> dict[str, Any]:
        """What changes when a column gets another role."""
        names, old = about["names"], about["roles"] or ["other"] * len(about["names"])
        choices = {
            setting: names[column] if role == its else ""
            for setting, its in (("by", "group"), ("people", "person"))
            if getattr(self.asked, setting) == names[column] or role == its
        }
        recognised = about.get("recognised", False)
        about_role = (column, role, names, old, self.asked.reading)
        return {**choices, "reading": reading_with(*about_role, recognised=recognised)}

    def ask(self, key: str) -> None:
        """Make an answer, again if there is one."""
        self.stop(key)
        for path in [*self.folder.glob(f"{key}.*"), *self.folder.glob("report.*")]:
            path.unlink()
        self._waiting.append(key)
        self._set(key, "waiting")

    def stop(self, key: str) -> None:
        """Stop making an answer, or waiting for it."""
        self._waiting = [other for other in self._waiting if other != key]
        self._set(key, "stopped")
        if self._running == key:
            self._end_worker()

    def close(self) -> None:
        """End the process; nothing is left of the file."""
        self._task.cancel()
        self.desk.files.pop(self.folder.name, None)
        self._end_worker()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _set(self, key: str, state: str, **more: Any) -> None:
        self.cards[key] = {"state": state, "stamp": time.monotonic(), **more}

    def _end_worker(self) -> None:
        if self._worker is not None:
            self._worker.end()
        self._worker, self._running = None, ""

    async def _serve(self) -> None:
        """Have a process read the file and make one answer after the other; keep what it says."""
        while True:
            while self.about and not self._waiting:
                await asyncio.sleep(POLL_SECONDS)
            worker = self._worker = await asyncio.to_thread(Worker, self.desk.folder)
            try:
                worker.pipe.send(("", self.asked, self.place, self.folder))
                self._reading = True
                while self._worker is worker:
                    if worker.pipe.poll():
                        self._hear(*worker.pipe.recv())
                    elif self._waiting and not self._running and not self._reading:
                        key = self._running = self._waiting.pop(0)
                        self._set(key, "working", said="")
                        worker.pipe.send((key, self.asked, self.place, self.folder))
                    else:
                        await asyncio.sleep(POLL_SECONDS)
            except (EOFError, OSError):
                ended = MemoryError("the process ended: there may be too little memory")
                self._hear("refused", say_mistake(ended))
                self._end_worker()

    def _hear(self, state: str, message: Any) -> None:
        """Take over what the process says about the file, or about the answer it makes."""
        if state == "says":
            self.cards[self._running]["said"] = message
        elif state == "rows":
            self.rows = message
        elif self._reading or not self._running:
            self._reading = False
            self._take_reading(state, message)
        elif state != "over":
            self._set(self._running, state, **message)
        if state in ("over", "refused"):
            self._running = ""

    def _take_reading(self, state: str, reading: Any) -> None:
        """Take over how the file was read, or why it cannot be read."""
        before = self.about
        if state == "refused":
            reading = {"mistake": reading, "roles": [], "names": []}
        if reading["mistake"] and before and not before["mistake"]:
            # The file was read before; what was made of it stays.
            refusal = (
                f"the file cannot be read any more: {reading['mistake']['said']}; open it again"
            )
            for key in self._waiting:
                self._set(key, "refused", said=refusal, remedies=[])
            self._waiting = []
            self._end_worker()
            return
        self.about = reading
        for answer in [] if before or self.about["mistake"] else KEYS:
            self.ask(answer)


class Worker:
    """A process that can be ended any time; ``pipe`` takes jobs and gives results.

    The first takes seconds to start, since it loads all modules for later ones too.
    """

    def __init__(self, folder: Path) -> None:
        forks = "forkserver" in multiprocessing.get_all_start_methods()
        context: Any = multiprocessing.get_context("forkserver" if forks else None)
        if forks:
            context.set_forkserver_preload(["rankcut.app.answers", "matplotlib.figure"])
        self.pipe, other = context.Pipe()
        self._process = context.Process(target=work, args=(other, folder), daemon=True)
        self._process.start()
        other.close()

    def end(self) -> None:
        """Stop at once, whatever it does."""
        self._process.terminate()
        self._process.join()


def work(pipe: Connection, home: Path) -> None:
    """Do jobs until the program ends; then nothing is left of the files."""
    from rankcut.app.answers import Subject

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    warnings.simplefilter("ignore")
    rankings: Any = None
    subjects: dict[Asked, Any] = {}

    def say(words: str) -> None:
        pipe.send(("says", words))

    try:
        while True:
            key, asks, place, folder = pipe.recv()
            try:
                if key:
                    asks = asks.relevant(key)
                    if asks not in subjects:
                        subjects[asks] = Subject(asks, rankings, say)
                    _answer(key, subjects[asks], pipe, folder)
                    pipe.send(("over", None))
                else:
                    os.chdir(place)
                    pipe.send(("rows", first_rows(asks)))
                    rankings, about = look(asks)
                    pipe.send(("read", about))
            except Exception as problem:
                pipe.send(("refused", say_mistake(problem)))
    except (EOFError, OSError):
        # If only this file was closed, others are still there.
        multiprocessing.parent_process().join()  # type: ignore[union-attr]
        shutil.rmtree(home, ignore_errors=True)


def _answer(key: str, subject: Any, pipe: Connection, folder: Path) -> None:
    """Make an answer, then what can be saved of it."""
    card = subject.card(key)
    if card is None:
        pipe.send(("nothing", {}))
        return
    # Inline styles are not allowed on the page; its script sets them.
    content = card.content.replace(' style="', ' data-style="')
    if key in ("map", "blocs") or subject.asked.method != "auto":
        # Items have other numbers than in the other panels.
        content = re.sub(r' data-item="\d+"', "", content)
    data = {"content": content, "command": card.command, "python": card.python}
    (folder / f"{key}.json").write_text(json.dumps(data), encoding="utf-8")
    pipe.send(("done", {"forms": card.forms}))
    for form in card.forms:
        draft = folder / f"draft.{form}"
        card.save(draft)
        draft.replace(folder / f"{key}.{form}")
