"""The command ``rankcut``; ``rankcut.cli.command`` says how one is made."""

from importlib import import_module

try:
    from rankcut.cli.command import COMMANDS as COMMANDS
    from rankcut.cli.command import TopicCommand
    from rankcut.cli.command import app as app

    for _name, _module in COMMANDS.items():
        _command = getattr(import_module(f"rankcut.cli.{_module}"), _name.replace("-", "_"))
        app.command(_name, cls=TopicCommand)(_command)
except KeyboardInterrupt:
    # Ctrl-C while modules are imported: as quiet as later.
    raise SystemExit(130) from None
