"""A process for each file that is open: it reads, answers and draws, and can be ended any time."""

import multiprocessing
import os
import shutil
import signal
import warnings
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from rankcut.app.reading import Asked, look, say_mistake
from rankcut.errors import InputError


class Worker:
    """The other end of such a process; ``pipe`` takes jobs and gives results."""

    def __init__(self, folder: Path) -> None:
        methods = multiprocessing.get_all_start_methods()
        context: Any = multiprocessing.get_context(
            "forkserver" if "forkserver" in methods else None
        )
        if "forkserver" in methods:
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


def work(pipe: Connection, folder: Path) -> None:
    """Do jobs until the other end is closed; then nothing is left of the files."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    warnings.simplefilter("ignore")
    bench = _Bench(pipe)
    while True:
        try:
            job = pipe.recv()
        except (EOFError, OSError):
            shutil.rmtree(folder, ignore_errors=True)
            return
        try:
            bench.do(*job)
            result: tuple[str, Any] = ("over", None)
        except InputError as mistake:
            result = ("refused", say_mistake(mistake))
        except Exception as problem:
            memory = "there is not enough memory for this" * isinstance(problem, MemoryError)
            said = memory or str(problem) or type(problem).__name__
            result = ("refused", {"said": said, "remedies": []})
        pipe.send(result)


class _Bench:
    """The rankings of one file, and what is made of them."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._read: Any = None
        self._rankings: Any = None
        self._subjects: list[Any] = []

    def do(self, key: str, asked: Asked, place: str, folder: Path) -> None:
        """Read the file, or make an answer and what can be saved of it."""
        if self._read != (asked.reading, place) or not key:
            os.chdir(place)
            self._rankings, about = look(asked)
            self._read, self._subjects = (asked.reading, place), []
            self._pipe.send(("read", about))
        if key:
            self._answer(key, asked.relevant(key), folder)

    def _answer(self, key: str, asked: Asked, folder: Path) -> None:
        from rankcut.app.answers import ANSWERS, Subject

        if self._rankings is None:
            raise InputError("the file cannot be read")
        known = [subject for subject in self._subjects if subject.asked == asked]
        if not known:
            known = [Subject(asked, self._rankings, lambda said: self._pipe.send(("says", said)))]
            self._subjects += known
        answer = ANSWERS[key](known[0])
        if answer is None:
            self._pipe.send(("nothing", {}))
            return
        # Inline styles are not allowed on the page; its script sets them.
        told: dict[str, Any] = {"content": answer.content.replace(' style="', ' data-style="')}
        told |= {name: getattr(answer, name) for name in ("command", "python", "finding", "forms")}
        self._pipe.send(("done", told))
        for form in answer.forms:
            draft = folder / f"draft.{form}"
            answer.save(draft)
            draft.replace(folder / f"{key}.{form}")
