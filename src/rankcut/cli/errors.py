"""A user's mistake is one line on standard error and a non-zero exit code, never a traceback."""

import errno
import os
import re
import signal
import sys
import threading
from typing import Any

from typer.core import TyperGroup


class OneLineErrors(TyperGroup):
    """The command's group: says in one line what went wrong."""

    def main(self, *args: Any, **options: Any) -> Any:
        """Run a command; see the module."""
        alone = options.pop("standalone_mode", True)
        options["standalone_mode"] = False
        if not alone:
            return super().main(*args, **options)
        # Whoever ends the process politely should find no half-written file either.
        before = signal.signal(signal.SIGTERM, _stop) if _in_main_thread() else None
        try:
            code = super().main(*args, **options)
        except (ValueError, OSError, ModuleNotFoundError, MemoryError) as problem:
            _say(_message(problem))
            sys.exit(1)
        except Exception as problem:
            # Typer's own complaints, of an unknown option and the like; without arguments it
            # complains by the whole help text.
            if not hasattr(problem, "format_message"):
                raise
            if type(problem).__name__ == "NoArgsIsHelpError":
                problem.show()  # type: ignore[attr-defined]
            else:
                _say(problem.format_message())
            sys.exit(getattr(problem, "exit_code", 2))
        finally:
            if before is not None:
                signal.signal(signal.SIGTERM, before)
        sys.exit(code if isinstance(code, int) else 0)


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


def _stop(number: int, frame: Any) -> None:
    sys.exit(128 + number)


def _message(problem: BaseException) -> str:
    # Python's own has no message, and NumPy's is about one array.
    if isinstance(problem, MemoryError) and (type(problem) is not MemoryError or not str(problem)):
        return "there is not enough memory for this; try fewer rankings, or features in blocks"
    if isinstance(problem, OSError) and problem.errno is not None:
        where = f"{problem.filename}: " if problem.filename else ""
        return (
            f"{where}{os.strerror(problem.errno) if problem.errno in errno.errorcode else problem}"
        )
    return str(problem)


def _say(message: str) -> None:
    # The library's remedy is a parameter; here it is an option.
    remedy = re.sub(r'unranked="(\w+)"', r"--unranked \1", " ".join(message.split()))
    remedy = remedy.replace("unlisted_weight", "--unlisted-weight")
    print(f"rankcut: {remedy}", file=sys.stderr)
