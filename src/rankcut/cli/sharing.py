"""Options that several commands have, declared once: the fields of a class."""

import functools
from collections.abc import Callable
from inspect import Parameter, Signature, signature
from itertools import chain
from typing import Any


def with_options(**shared: type) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command, in the place of some parameters, the options that these are made of.

    ``@with_options(reading=Reading)`` is for a command with a parameter ``reading``. The fields of
    the class, which says by their types how Typer takes them, become options behind its own.
    """

    def sharing(command: Callable[..., None]) -> Callable[..., None]:
        fields = {name: signature(kind).parameters for name, kind in shared.items()}

        @functools.wraps(command)
        def run(**given: Any) -> None:
            made = {
                name: kind(**{field: given.pop(field) for field in fields[name]})
                for name, kind in shared.items()
            }
            command(**given, **made)

        own = [p for name, p in signature(command).parameters.items() if name not in shared]
        others = chain.from_iterable(options.values() for options in fields.values())
        every = [p.replace(kind=Parameter.KEYWORD_ONLY) for p in (*own, *others)]
        # Typer asks for it; inspect lets any function have one, and its type stubs do not say so.
        run.__signature__ = Signature(every)  # type: ignore[attr-defined]
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in every}
        return run

    return sharing
