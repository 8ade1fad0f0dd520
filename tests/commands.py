"""Commands in this process, and what they say."""

import re

from typer.testing import CliRunner

from rankcut.cli import app


def run(*arguments, **options):
    return CliRunner().invoke(app, [str(argument) for argument in arguments], **options)


def succeed(*arguments, **options):
    done = run(*arguments, **options)
    assert done.exit_code == 0, done.output
    return done.stdout


def fail(*arguments, says, **options):
    done = run(*arguments, **options)
    assert done.exit_code in (1, 2), done.output
    assert done.stderr.startswith("rankcut: "), done.output
    assert done.stderr.count("\n") == 1, done.stderr
    assert re.search(says, done.stderr), done.stderr
    return done
