"""``python -m rankcut`` is the command ``rankcut``."""

from rankcut.cli import app

app(prog_name="rankcut")
