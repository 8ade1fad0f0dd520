"""Mistakes in a user's input, as data: where they are, what is wrong and what to do.

The library says ``row 17: item 'toro' is not ranked; pass unranked="last"``; the command says the
same in its own words, ``… pass --unranked last``. So an error keeps its fields separate, and names
parameters by :class:`Setting`, which each renders in its own way.
"""

import shlex
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType
from typing import Any, Self, TypeAlias, TypeVar


@dataclass(frozen=True)
class Setting:
    """A parameter, or a value for it, as an error message mentions it.

    >>> str(Setting("unranked", "last")), str(Setting("tolerance"))
    ('unranked="last"', 'tolerance')
    """

    name: str
    value: Any = None

    def __str__(self) -> str:
        if self.value is None:
            return self.name
        return f"{self.name}={in_python(self.value)}"

    def as_option(self, names: Mapping[str, str] = MappingProxyType({})) -> list[str]:
        """The words of a command that say the same; ``names`` are those that differ there.

        >>> Setting("item_columns", "3-9").as_option()
        ['--item-columns', '3-9']
        >>> Setting("higher_is_better", False).as_option()
        ['--lower-is-better']
        """
        name = names.get(self.name, self.name)
        if self.name == "higher_is_better" and self.value is False:
            name = "lower_is_better"
        option = f"--{name.replace('_', '-')}"
        flag = self.value is None or isinstance(self.value, bool)
        return [option] if flag else [option, str(self.value)]


def in_python(value: Any) -> str:
    r"""A value as Python writes it, text in double quotes where that is the same.

    >>> in_python("last"), in_python('"'), in_python(3)
    ('"last"', '\'"\'', '3')
    """
    text = repr(value)
    return f'"{text[1:-1]}"' if isinstance(value, str) and '"' not in text else text


def in_shell(word: str) -> str:
    r"""A word as a shell reads it; control characters are spelled out, since pasted ones act.

    >>> print(in_shell("a b"), in_shell("a\x03b\u202e"))
    'a b' $'a\x03b\u202e'
    """
    if word.isprintable():
        return shlex.quote(word)
    plain = word.replace("\\", "\\\\").replace("'", "\\'")
    spelled = (c if c.isprintable() else c.encode("unicode_escape").decode() for c in plain)
    return f"$'{''.join(spelled)}'"


Text: TypeAlias = str | Sequence[str | Setting]

Mistake = TypeVar("Mistake", bound="InputError")


class InputError(ValueError):
    """What is wrong with an input, where, and the remedy.

    Parameters
    ----------
    problem : str or sequence of str and Setting
        What is wrong.
    remedy : str or sequence of str and Setting
        What to do about it.
    file, line : str and int or None
        The file, and the line in it, counted from 1; or the line of a table in memory, from 0.
    row : int or None
        The row of the rank matrix, counted from 0.
    item : label or None
        The item, by its label or its position.
    parameter : str or None
        The parameter whose value is wrong.
    column : str or None
        The column of a table, which the problem names.

    Examples
    --------
    >>> mistake = InputError("is not ranked", row=17, item="toro",
    ...                      remedy=["pass ", Setting("unranked", "last")])
    >>> print(mistake)
    row 17: item 'toro' is not ranked; pass unranked="last"
    >>> mistake.render(lambda setting: f"--{setting.name} {setting.value}")
    "row 17: item 'toro' is not ranked; pass --unranked last"
    """

    def __init__(
        self,
        problem: Text,
        *,
        remedy: Text = "",
        file: str | None = None,
        line: int | None = None,
        row: int | None = None,
        item: Hashable | None = None,
        parameter: str | None = None,
        column: str | None = None,
    ) -> None:
        self.problem = problem
        self.remedy = remedy
        self.file = file
        self.line = line
        self.row = row
        self.item = item
        self.parameter = parameter
        self.column = column
        super().__init__(self.render())

    def render(self, words: Callable[[Setting], str] = str) -> str:
        """The message; ``words`` says how to spell a setting."""
        problem = _spelled(self.problem, words)
        if self.parameter is not None:
            problem = f"{words(Setting(self.parameter))} {problem}"
        elif self.item is not None:
            problem = f"item {self.item!r} {problem}"
        remedy = _spelled(self.remedy, words)
        place = self.place()
        return f"{place + ': ' if place else ''}{problem}{'; ' + remedy if remedy else ''}"

    def place(self) -> str:
        """Where the mistake is: ``votes.soi:12``, ``row 17``, ``votes.parquet: row 17``."""
        if self.file is not None and self.line is not None:
            return f"{self.file}:{self.line}"
        row = None if self.row is None else f"row {self.row}"
        line = None if self.line is None else f"line {self.line}"
        return ": ".join(place for place in (self.file, row or line) if place is not None)

    def remedies(self) -> list[dict[str, Any]]:
        """The settings that each remedy sets; those with only a space between them go together.

        >>> both = ["pass ", Setting("layout", "ballots"), " ", Setting("columns", "age")]
        >>> InputError("has names", remedy=[*both, " or ", Setting("format", "csv")]).remedies()
        [{'layout': 'ballots', 'columns': 'age'}, {'format': 'csv'}]
        """
        settings: list[dict[str, Any]] = []
        together = False
        for part in [self.remedy] if isinstance(self.remedy, str) else self.remedy:
            if isinstance(part, str):
                together = together and not part.strip()
            elif part.value is not None:
                settings += [] if together else [{}]
                settings[-1][part.name] = part.value
                together = True
        return settings

    def moved(self, **fields: Any) -> Self:
        """The mistake at another place: ``error.moved(row=1017)``."""
        return _restored(type(self), self.__dict__ | fields)

    def __str__(self) -> str:
        return self.render()

    def __reduce__(self) -> Any:
        # By default only the text is pickled, and the fields of a worker's error would be lost.
        return _restored, (type(self), dict(self.__dict__))


def _spelled(text: Text, words: Callable[[Setting], str]) -> str:
    if isinstance(text, str):
        return text
    return "".join(part if isinstance(part, str) else words(part) for part in text)


def _restored(kind: type[Mistake], fields: dict[str, Any]) -> Mistake:
    error = kind.__new__(kind)
    error.__dict__.update(fields)
    ValueError.__init__(error, error.render())
    return error


class RankingFileError(InputError):
    """What is wrong with a file, as an :class:`InputError`.

    >>> str(RankingFileError("item 9 does not exist", "votes.soi", 12))
    'votes.soi:12: item 9 does not exist'
    """

    def __init__(
        self,
        problem: Text,
        file: str,
        line: int | None = None,
        *,
        remedy: Text = "",
        column: str | None = None,
    ) -> None:
        super().__init__(problem, remedy=remedy, file=file, line=line, column=column)


def amount(number: int, noun: str, plural: str | None = None) -> str:
    """A number of things, in the singular or the plural.

    >>> amount(1, "ranking"), amount(2000, "ranking"), amount(2, "person", "people")
    ('1 ranking', '2,000 rankings', '2 people')
    """
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def needed(module: str, what: str) -> Any:
    """A module that not everyone needs; if it is missing, the error says how to get it."""
    try:
        return import_module(module)
    except ImportError:
        library = module.partition(".")[0]
        raise ModuleNotFoundError(f"{what} need {library}: pip install {library}") from None
