"""An extension of mkdocstrings' reader, for what it would show badly of our docstrings."""

import re

import griffe

_ROLE = re.compile(r":(?:class|func|meth|mod|attr|exc|data):`~?(?:[\w.]+\.)?(\w+)`")

# Parameters that one sentence explains, without a type.
_GROUP = re.compile(r"^((?:\w+, )+\w+)$(?=\n {4,}\S)", re.M)

_EXAMPLES = re.compile(r"^Examples\n-+$", re.M)
_EXAMPLE = re.compile(r"^>>> ", re.M)


class Roles(griffe.Extension):
    """Write ``:func:`~rankcut.explain``` as ``explain``, and head every example.

    Several parameters without a type get any, where they would all get that of the first one.
    """

    def on_instance(self, *, obj, **kwargs):
        """Change the docstring of each object."""
        if obj.docstring is not None:
            text = _GROUP.sub(r"\1 : Any", _ROLE.sub(r"`\1`", obj.docstring.value))
            if not _EXAMPLES.search(text):
                text = _EXAMPLE.sub("Examples\n--------\n>>> ", text, count=1)
            obj.docstring.value = text
