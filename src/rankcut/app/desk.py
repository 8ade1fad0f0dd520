"""The files that are open, what is asked of each, and the process that reads and answers."""

import asyncio
import multiprocessing
import os
import re
import secrets
import shutil
import signal
import tempfile
import warnings
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from rankcut.app.reading import KEYS, Asked, look, say_mistake
from rankcut.errors import InputError
from rankcut.files.preview import reading_with

MOST_FILES = 20
"""Files that can be open at once: each has a process."""

STEP = 0.05
"""Seconds between looks for something new."""

# What people may set, beside how the file is read.
_CHOICES = ("unranked", "by", "people", "method")


class Desk:
    """All files, and a number that grows when anything changes."""

    def __init__(self) -> None:
        # Only its owner can enter it.
        self.folder = Path(tempfile.mkdtemp(prefix="rankcut-"))
        self.files: dict[str, OpenFile] = {}
        self.version = 1

    def new_folder(self) -> Path:
        """A folder of its own for a file; one that people drop goes into its ``given``."""
        if len(self.files) >= MOST_FILES:
            raise InputError(f"{MOST_FILES} files are open; close one first")
        folder = self.folder / secrets.token_hex(8)
        (folder / "given").mkdir(parents=True)
        return folder

    def open(self, name: str, folder: Path | None = None) -> str:
        """Open a file that is in a new folder, or else one here or an example; give its key."""
        place = folder / "given" if folder else Path.cwd()
        folder = folder or self.new_folder()
        self.files[folder.name] = OpenFile(self, Asked(name), place, folder)
        self.version += 1
        return folder.name

    def close(self) -> None:
        """End all processes; nothing is left of the files."""
        for file in list(self.files.values()):
            file.close()
        shutil.rmtree(self.folder, ignore_errors=True)


class OpenFile:
    """A file, a card for each answer, and keys of answers that wait; reading has no key."""

    def __init__(self, desk: Desk, asked: Asked, place: Path, folder: Path) -> None:
        self.desk, self.asked, self.place, self.folder = desk, asked, place, folder
        self.about: dict[str, Any] | None = None
        self.cards: dict[str, dict[str, Any]] = {}
        self._waiting = [""]
        self._running: str | None = None
        self._worker: Worker | None = None
        self._task = asyncio.create_task(self._serve())

    def state(self) -> dict[str, Any]:
        """What the page shows, without the contents of cards."""
        hidden = ("content", "command", "python")
        cards = {
            key: {name: own for name, own in card.items() if name not in hidden}
            for key, card in self.cards.items()
        }
        asked = {name: getattr(self.asked, name) for name in ("name", "reading", *_CHOICES)}
        return {**asked, "id": self.folder.name, "about": self.about, "cards": cards}

    def change(self, wanted: dict[str, Any]) -> None:
        """Take over what people choose; answers that depend on it are made again."""
        for name, act in (("ask", self.ask), ("stop", self.stop)):
            if name in wanted:
                act(wanted[name])
        before, about = self.asked, self.about or {"mistake": True}
        if "role" in wanted and "names" in about:
            wanted = self._with_role(about, int(wanted["column"]), str(wanted["role"]))
        chosen: Any = {name: str(wanted[name]) for name in _CHOICES if name in wanted}
        self.asked = replace(before.reading_with(wanted.get("reading", {})), **chosen)
        self.desk.version += 1
        if self.asked.reading != before.reading:
            self.about, self.cards, self._waiting = None, {}, [""]
            self._interrupt()
        for key in [] if about["mistake"] or not self.about else KEYS:
            if self.asked.relevant(key) != before.relevant(key):
                self.ask(key)

    def _with_role(self, about: dict[str, Any], column: int, role: str) -> dict[str, Any]:
        """What changes when a column gets another role."""
        names, old = about["names"], about["roles"] or ["other"] * len(about["names"])
        chosen = {
            own: names[column] if role == its else ""
            for own, its in (("by", "group"), ("people", "person"))
            if getattr(self.asked, own) == names[column] or role == its
        }
        known = about.get("recognised", False)
        given = (column, role, names, old, self.asked.reading)
        return {**chosen, "reading": reading_with(*given, recognised=known)}

    def ask(self, key: str) -> None:
        """Make an answer, again if there is one."""
        self.stop(key)
        for path in [*self.folder.glob(f"{key}.*"), *self.folder.glob("report.*")]:
            path.unlink()
        self._waiting.append(key)
        self._set(key, "waiting")

    def stop(self, key: str) -> None:
        """Stop making an answer, or waiting for it."""
        self._waiting = [own for own in self._waiting if own != key]
        self._set(key, "stopped")
        if self._running == key:
            self._interrupt()

    def close(self) -> None:
        """End the process; nothing is left of the file."""
        self._task.cancel()
        self.desk.files.pop(self.folder.name, None)
        self.desk.version += 1
        if self._worker is not None:
            self._worker.end()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _set(self, key: str, state: str, **more: Any) -> None:
        self.desk.version += 1
        self.cards[key] = {"state": state, "stamp": self.desk.version, **more}

    def _interrupt(self) -> None:
        if self._worker is not None and self._running is not None:
            self._worker.end()
            self._worker, self._running = None, None

    async def _serve(self) -> None:
        """Hand jobs to the process, one after the other, and keep what it says."""
        while True:
            while not self._waiting:
                await asyncio.sleep(STEP)
            if self._worker is None:
                self._worker = await asyncio.to_thread(Worker, self.desk.folder)
            worker = self._worker
            key = self._running = self._waiting.pop(0)
            if key:
                self._set(key, "working", said="")
            try:
                worker.pipe.send((key, self.asked, self.place, self.folder))
                while self._worker is worker and self._running is not None:
                    if worker.pipe.poll():
                        self._hear(key, *worker.pipe.recv())
                    else:
                        await asyncio.sleep(STEP)
            except (EOFError, OSError):
                ended = MemoryError("the process ended: there may be too little memory")
                self._hear(key, "refused", say_mistake(ended))
                self._worker = None

    def _hear(self, key: str, state: str, found: Any) -> None:
        """Take over what the process says about its job."""
        self.desk.version += 1
        if state == "says":
            self.cards[key]["said"] = found
        elif key and state in ("done", "nothing", "refused"):
            self._set(key, state, **found)
        elif not key and state in ("read", "refused"):
            self.about = found if state == "read" else {"mistake": found, "roles": [], "names": []}
            for answer in [] if self.about["mistake"] else KEYS:
                self.ask(answer)
        if state in ("over", "refused"):
            self._running = None


class Worker:
    """A process that can be ended any time; ``pipe`` takes jobs and gives results.

    The first takes seconds to start, since it loads all modules for later ones too.
    """

    def __init__(self, folder: Path) -> None:
        forks = "forkserver" in multiprocessing.get_all_start_methods()
        context: Any = multiprocessing.get_context("forkserver" if forks else None)
        if forks:
            # Processes start with all modules loaded.
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
    """Do jobs until the other end is closed; then nothing is left of the files."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    warnings.simplefilter("ignore")
    bench = _Bench(pipe)
    while True:
        try:
            job = pipe.recv()
        except (EOFError, OSError):
            shutil.rmtree(home, ignore_errors=True)
            return
        try:
            bench.do(*job)
            pipe.send(("over", None))
        except Exception as problem:
            pipe.send(("refused", say_mistake(problem)))


class _Bench:
    """The rankings of one file, and what is made of them."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._read: Any = None
        self._rankings: Any = None
        self._subjects: list[Any] = []

    def do(self, key: str, asked: Asked, place: Path, folder: Path) -> None:
        """Read the file, or make an answer and what can be saved of it."""
        from rankcut.app.answers import ANSWERS, Subject

        if self._read != asked.reading or not key:
            os.chdir(place)
            self._rankings, about = look(asked)
            self._read, self._subjects = asked.reading, []
            self._pipe.send(("read", about))
        if not key:
            return
        if self._rankings is None:
            raise InputError("the file cannot be read")
        asked = asked.relevant(key)
        known = [subject for subject in self._subjects if subject.asked == asked]
        if not known:
            known = [Subject(asked, self._rankings, lambda said: self._pipe.send(("says", said)))]
            self._subjects += known
        answer = ANSWERS[key](known[0])
        if answer is None:
            self._pipe.send(("nothing", {}))
            return
        # Inline styles are not allowed on the page; its script sets them.
        content = answer.content.replace(' style="', ' data-style="')
        if key in ("map", "blocs") or asked.method != "auto":
            # Items have other numbers than in the other panels.
            content = re.sub(r' data-item="\d+"', "", content)
        told = {"content": content}
        told |= {name: getattr(answer, name) for name in ("command", "python", "finding", "forms")}
        self._pipe.send(("done", told))
        for form in answer.forms:
            draft = folder / f"draft.{form}"
            answer.save(draft)
            draft.replace(folder / f"{key}.{form}")
