"""A process for each file that is open: it reads, answers and draws, and can be ended any time."""

import multiprocessing
import os
import shutil
import signal
import warnings
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from rankcut.app.answers import MAKERS, Subject
from rankcut.app.reading import Asked, look, say_mistake
from rankcut.errors import InputError
from rankcut.files.text import defused, format_text
from rankcut.pictures.figures import save_figure

# What some answers depend on, beside the rankings and what unranked items mean; others, on people.
_USES = {
    "consensus": {"people", "method"},
    "groups": {"by", "people"},
    "map": {"by"},
    "report": {"by", "people"},
}


def relevant(asked: Asked, key: str) -> Asked:
    """What an answer depends on; anything else is as if nobody had chosen it.

    >>> relevant(Asked("votes.csv", by="town", method="kemeny"), "map").method
    'auto'
    """
    usual = {"people": "", "by": "", "method": "auto"}
    others = usual.keys() - _USES.get(key, {"people"})
    changes: dict[str, Any] = {name: usual[name] for name in others}
    return replace(asked, **changes)


class Worker:
    """The other end of such a process; ``pipe`` takes jobs and gives results."""

    def __init__(self, folder: Path) -> None:
        methods = multiprocessing.get_all_start_methods()
        context: Any = multiprocessing.get_context(
            "forkserver" if "forkserver" in methods else None
        )
        if "forkserver" in methods:
            # Later processes start with all modules loaded.
            context.set_forkserver_preload([__name__, "matplotlib.figure"])
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
            said = str(problem) or type(problem).__name__
            memory = isinstance(problem, MemoryError)
            said = "there is not enough memory for this" if memory else said
            result = ("refused", {"said": said, "remedies": []})
        pipe.send(result)


class _Bench:
    """The rankings of one file, and what is made of them."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe
        self._read: Any = None
        self._rankings: Any = None
        self._subjects: list[Subject] = []

    def do(self, key: str, asked: Asked, place: str, folder: Path) -> None:
        """Read the file, or make an answer and what can be saved of it."""
        if self._read != (asked.reading, place) or not key:
            os.chdir(place)
            self._rankings, about = look(asked)
            self._read, self._subjects = (asked.reading, place), []
            self._pipe.send(("read", about))
        if not key:
            return
        answer = MAKERS[key](self._subject(relevant(asked, key)))
        if answer is None:
            self._pipe.send(("nothing", {}))
            return
        told: dict[str, Any] = {
            name: getattr(answer, name) for name in ("command", "python", "finding")
        }
        forms = ["png", "svg"] * (answer.draw is not None) + ["csv"] * (answer.columns is not None)
        forms += ["html"] * bool(answer.page)
        # Inline styles are not allowed on the page; its script sets them.
        told |= {"content": answer.content.replace(' style="', ' data-style="'), "forms": forms}
        self._pipe.send(("done", told))
        if answer.page:
            _put(folder / f"{key}.html", answer.page.encode())
        if answer.columns is not None:
            table = {defused(n): [*map(defused, own)] for n, own in answer.columns.items()}
            _put(folder / f"{key}.csv", format_text(table, ","))
        if answer.draw is not None:
            figure = answer.draw()
            for form in ("png", "svg"):
                draft = folder / f"draft.{form}"
                save_figure(figure, draft)
                draft.replace(folder / f"{key}.{form}")

    def _subject(self, asked: Asked) -> Subject:
        if self._rankings is None:
            raise InputError("the file cannot be read")
        known = [subject for subject in self._subjects if subject.asked == asked]
        if not known:
            known = [Subject(asked, self._rankings, lambda said: self._pipe.send(("says", said)))]
            self._subjects += known
        return known[0]


def _put(path: Path, content: bytes) -> None:
    """Write a file whole or not at all."""
    draft = path.with_name(f"draft{path.suffix}")
    draft.write_bytes(content)
    draft.replace(path)
