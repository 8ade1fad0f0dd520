"""Shell commands of a page, and what they print.

Blocks marked ``console`` hold shell commands, one for each line that starts with ``$``.
"""

import contextlib
import re
import shlex
import subprocess
import textwrap

# Columns of a line of output, as in a terminal: longer lines are folded.
WIDTH = 98
# The same where nothing is beside the text.
WIDE = 160

BLOCK = re.compile(r"^```console\n(.*?)^```$", re.M | re.S)


def run_commands(block, folder):
    """The commands of a block with their output, run in a folder.

    >>> print(run_commands("$ echo hello", "."))
    $ echo hello
    hello
    """
    from typer.testing import CliRunner

    from rankcut.cli import app

    shown = []
    for line in block.strip().splitlines():
        command = line.removeprefix("$ ")
        with contextlib.chdir(folder):
            if command.startswith("rankcut "):
                done = CliRunner().invoke(app, shlex.split(command)[1:])
                failed, output = done.exit_code != 0, done.output
            else:
                done = subprocess.run(command, shell=True, capture_output=True, text=True)
                failed, output = done.returncode != 0, done.stdout + done.stderr
        if failed or "Traceback" in output:
            raise RuntimeError(f"{command}: {output}")
        if shown and not shown[-1].startswith("$"):
            shown.append("")
        shown.append(line)
        if output.strip():
            shown += map(folded, output.rstrip().splitlines())
    return "\n".join(shown)


def folded(line, width=WIDTH):
    """A line of output, folded between words where it is too long for a page.

    >>> print(folded("  " + "word " * 20))
      word word word word word word word word word word word word word word word word word word word
      word
    """
    if len(line) <= width:
        return line
    indent = line[: len(line) - len(line.lstrip())]
    pieces = textwrap.wrap(line, width, subsequent_indent=indent, break_long_words=False)
    return "\n".join(pieces)
