"""An extension of mkdocstrings' reader: Sphinx roles of docstrings become code."""

import re

import griffe

_ROLE = re.compile(r":(?:class|func|meth|mod|attr|exc|data):`~?(?:[\w.]+\.)?(\w+)`")


class Roles(griffe.Extension):
    """Write ``:func:`~rankcut.plot_map``` as ``plot_map``."""

    def on_instance(self, *, obj, **kwargs):
        """Change the docstring of each object."""
        if obj.docstring is not None:
            obj.docstring.value = _ROLE.sub(r"`\1`", obj.docstring.value)
