"""The parts of the reproduction, in the order of the report, by name."""

from importlib import import_module

from rankcut.experiments.paper.part import Part

# Where each part is: a module of this package, and a class in it.
_HOMES = {
    "example": ("example", "Example"),
    "theory": ("theory", "Theory"),
    "statements": ("statements", "Statements"),
    "kinds": ("kinds", "Kinds"),
    "synthetic": ("synthetic", "Synthetic"),
    "sushi": ("sushi", "Sushi"),
    "time": ("gram_time", "GramTime"),
    "scale": ("scale", "Scale"),
}

NAMES = tuple(_HOMES)


def part(name: str) -> Part:
    """The part of that name."""
    module, cls = _HOMES[name]
    found: Part = getattr(import_module(f"rankcut.experiments.paper.{module}"), cls)()
    return found
