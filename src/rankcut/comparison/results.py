"""What a comparison found, as numbers, tables, words and pictures."""

import html
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any, ClassVar, Literal, TypeAlias

import narwhals as nw

from rankcut.parameters import MOST_LISTED, check_choice
from rankcut.rankings.value import ROUNDING

# p-values up to this are called a difference.
LEVEL = 0.05

# Numbers of a computer end here: smaller p-values are said to be below it.
SMALLEST = 1e-300

Measure: TypeAlias = Literal["places", "strengths", "order", "listing"]

MEASURES = {
    "places": "Compared: mean places. They are relative: one item up, the rest down.",
    "strengths": "Compared: strengths (log odds of being chosen), whatever is shown or listed.",
    "order": "Compared: strengths among the items that each list has, whatever it leaves out.",
    "listing": "Compared: how often each item is listed, wherever it stands.",
}

# What the mean of a group is called in tables.
UNITS: dict[str, Literal["place", "strength", "listed"]] = {
    "places": "place",
    "strengths": "strength",
    "order": "strength",
    "listing": "listed",
}


class Table:
    """Columns of equal length.

    Parameters
    ----------
    columns : mapping of str to sequence
        The columns, in their order.

    Examples
    --------
    >>> table = Table({"item": ["uni", "ika"], "p_value": [0.0123, 0.5]})
    >>> table
    item  p_value
    uni    0.0123
    ika       0.5
    >>> table["item"], table[1]
    (['uni', 'ika'], {'item': 'ika', 'p_value': 0.5})
    """

    def __init__(self, columns: Mapping[str, Sequence[Any]]) -> None:
        self.columns = {name: list(values) for name, values in columns.items()}

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), []))

    def __getitem__(self, which: int | str) -> Any:
        """A column by its name, or a row by its number."""
        if isinstance(which, str):
            return self.columns[which]
        return {name: values[which] for name, values in self.columns.items()}

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return (self[row] for row in range(len(self)))

    def to_frame(self, backend: Any = None) -> Any:
        """The table as a pandas or Polars frame.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"} or None
            Which library; None is the one that is installed, pandas first.
        """
        if backend is None:
            backend = next((name for name in ("pandas", "polars") if find_spec(name)), None)
        if backend is None:
            raise ModuleNotFoundError(
                "a frame needs pandas or Polars, and neither is installed; read the columns of the "
                "table, or install one of them"
            )
        check_choice(backend, ("pandas", "polars", "pyarrow"), "backend")
        return nw.from_dict(self.columns, backend=backend).to_native()

    def __repr__(self) -> str:
        cells = [[_shown(value) for value in values] for values in self.columns.values()]
        numeric = [all(isinstance(v, int | float) for v in vs) for vs in self.columns.values()]
        widths = [
            max(map(len, [name, *column])) for name, column in zip(self.columns, cells, strict=True)
        ]
        lines = [list(self.columns), *map(list, zip(*cells, strict=True))]
        return "\n".join(
            "  ".join(
                cell.rjust(width) if number else cell.ljust(width)
                for cell, width, number in zip(line, widths, numeric, strict=True)
            ).rstrip()
            for line in lines
        )

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{html.escape(name)}</th>" for name in self.columns)
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(_shown(v))}</td>" for v in row.values()) + "</tr>"
            for row in self
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


@dataclass(frozen=True, repr=False, kw_only=True)
class TestedEffect(ABC):
    """What a test found.

    Attributes
    ----------
    p_value : float
        Chance of a difference as clear as this, or clearer, if there is none.
    effect_size : float
        Share of the variation of rankings that the labels explain, corrected for chance (ε²): its
        mean is 0 if labels mean nothing, so it may be slightly negative.
    effect_interval : (float, float)
        95 % confidence interval of the effect size, by itself.
    method : str
        How p was found: by random permutations, or a normal approximation.
    features : str
        What the overall test looks at.
    n_permutations : int
        Number of permutations.
    notes : tuple of str
        What else a reader should know, such as rankings left out.
    """

    p_value: float
    effect_size: float
    effect_interval: tuple[float, float]
    method: str
    features: str
    n_permutations: int
    notes: tuple[str, ...]

    tables: ClassVar[tuple[str, ...]]
    """The names of the tables, the first one shown in notebooks."""

    @property
    def p_floor(self) -> float:
        """The smallest p-value that this many permutations can show; 0 without them."""
        return 1.0 / (1 + self.n_permutations) if self.n_permutations else 0.0

    @abstractmethod
    def verdict(self) -> str:
        """One sentence: whether something was found, and how much it explains."""

    def to_frame(self, table: str | None = None, backend: str | None = None) -> Any:
        """A table as a pandas or Polars frame.

        Parameters
        ----------
        table : str or None
            One of ``tables``; None is the first.
        backend : {"pandas", "polars", "pyarrow"} or None
            Which library; None is the one that is installed, pandas first.
        """
        if table is not None:
            check_choice(table, self.tables, "table")
        found: Table = getattr(self, self.tables[0] if table is None else table)
        return found.to_frame(backend)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.verdict()})"

    def _repr_html_(self) -> str:
        table: Table = getattr(self, self.tables[0])
        return f"<p>{html.escape(self.verdict())}</p>{table._repr_html_()}"


@dataclass(frozen=True, repr=False, kw_only=True)
class GroupComparison(TestedEffect):
    """What :func:`~rankcut.compare_groups` found, beside what is in each :class:`TestedEffect`.

    Attributes
    ----------
    measure : {"places", "strengths", "order", "listing"}
        What is compared.
    groups : dict
        The groups, and the number of rankings of each.
    n_units : int
        Number of rankings, or of people, among which labels are exchanged.
    design_effect : dict
        With weights or people, how many times larger the variance of a group's mean places is
        than that of as many single rankings of equal weight; otherwise empty.
    items : Table
        For each item the mean place in each group, 1 = best, or the strength, 0 = average, or the
        share that lists it; the clearest difference between two groups, where the item stands
        higher and lower, and a p-value adjusted for all items and all pairs of groups.
    pairs : Table
        The same for pairs: the share of each group that prefers the first item to the second.
    between : Table
        With three groups or more, all pairs of groups, each with its own p-value, adjusted for all
        of them.
    listing : GroupComparison or None
        For partial lists: do groups list different items? None if there is nothing to compare.
    """

    measure: Measure
    groups: dict[Hashable, int]
    n_units: int
    design_effect: dict[Hashable, float]
    items: Table
    pairs: Table
    between: Table
    listing: "GroupComparison | None"

    tables = ("items", "pairs", "between")

    def verdict(self) -> str:
        """One sentence: whether groups differ, and how much they explain."""
        same = "No difference between groups was found"
        return verdict_in_words(self, "Groups differ", same, "group")

    def summary(self) -> str:
        """The findings in plain words; items and pairs with p up to 0.05 are named."""
        lines, found = [self.verdict()], significant(self.items)
        if found:
            lines.append("Items that differ:")
            lines += [f"  {row['item']}: {item_in_words(row, self.p_floor)}" for row in found]
        return "\n".join([*lines, *self.details()])

    def details(self) -> list[str]:
        """The rest of the summary: pairs, lists, groups, sizes, method, notes."""
        lines, floor = [], self.p_floor
        apart = significant(self.pairs)
        if apart:
            row = apart[0]
            lines.append(
                f"{len(apart)} of {len(self.pairs)} pairs {_differ(apart)}, most clearly "
                f"{row['first']} before {row['second']}: {_percent(row['difference'])} points more "
                f"often in {row['more_in']} than in {row['less_in']}."
            )
        if self.listing is not None:
            words = "No difference was found in which items groups list"
            if self.listing.p_value <= LEVEL:
                words = "Groups list different items"
            lines.append(f"{words} ({p_in_words(self.listing.p_value, self.listing.p_floor)}).")
        if len(self.between):
            apart = significant(self.between)
            said = f"{len(apart)} of {len(self.between)} pairs of groups {_differ(apart)}"
            lines.append(said + (":" if apart else "."))
            lines += [
                f"  {row['first']} and {row['second']} ({p_in_words(row['p_value'], floor)}; "
                f"{_percent(row['effect_size'])} %)"
                for row in apart
            ]
        lines += [MEASURES[self.measure], f"{sizes_in_words(self.groups)} {self.method}"]
        if self.design_effect:
            each = (f"{name} {effect:.2f}" for name, effect in self.design_effect.items())
            lines.append(f"Design effect: {', '.join(each)}.")
        return [*lines, *self.notes]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain numbers, text, lists and dictionaries, ready for JSON."""
        plain: dict[str, Any] = {"verdict": self.verdict(), "p_floor": self.p_floor}
        for name in self.__dataclass_fields__:
            value = getattr(self, name)
            if isinstance(value, GroupComparison):
                value = value.to_dict()
            elif isinstance(value, dict):
                value = {str(group): number for group, number in value.items()}
            elif isinstance(value, Table | tuple):
                value = list(value)
            plain[name] = value
        return plain

    def plot(self) -> Any:
        """The items' mean places or strengths in each group, as a Matplotlib figure."""
        from rankcut.pictures.figures import draw_group_places

        unit = UNITS[self.measure]
        return draw_group_places(self.items, self.groups, LEVEL, self.verdict(), unit)


def significant(table: Table) -> list[dict[str, Any]]:
    """The rows with p-values up to 0.05."""
    return [row for row in table if row["p_value"] <= LEVEL]


def sizes_in_words(groups: Mapping[Any, int]) -> str:
    """How many rankings each group has; of many groups, from how many to how many.

    >>> sizes_in_words({"east": 1200, "west": 3})
    'Rankings: east (1,200), west (3).'
    >>> sizes_in_words({f"town {k}": 2 + k // 20 for k in range(40)})
    'Rankings: 100, in 40 groups of 2 to 3.'
    """
    sizes = list(groups.values())
    if len(sizes) <= MOST_LISTED:
        return f"Rankings: {', '.join(f'{name} ({size:,})' for name, size in groups.items())}."
    low, high = min(sizes), max(sizes)
    each = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    return f"Rankings: {sum(sizes):,}, in {len(sizes)} groups of {each}."


def item_in_words(row: Mapping[str, Any], floor: float = 0.0) -> str:
    """A row of the table of items: by how much, where, and how sure."""
    p = p_in_words(row["p_value"], floor)
    if "more_in" in row:
        points = f"{_percent(row['difference'])} points"
        return f"listed {points} more often in {row['more_in']} than in {row['less_in']} ({p})"
    strength = any(name.startswith("strength in ") for name in row)
    more = "stronger" if strength else "places higher"
    if "shrunk" in row:
        p += f"; {row['shrunk']:.2f} with the graph"
    return f"{row['difference']:.2f} {more} in {row['higher_in']} than in {row['lower_in']} ({p})"


def p_in_words(value: float, floor: float = 0.0) -> str:
    """A p-value with about two digits; up to ``floor`` permutations cannot tell how small it is.

    >>> p_in_words(0.0123), p_in_words(0.001, 0.001), p_in_words(3.14e-9), p_in_words(0.0)
    ('p = 0.012', 'p ≤ 0.001', 'p = 3.1e-09', 'p < 1e-300')
    """
    if value < SMALLEST:
        return f"p < {SMALLEST:g}"
    if value <= floor * (1.0 + ROUNDING):
        return f"p ≤ {value:.2g}"
    return f"p = {value:.2g}" if value < 0.1 else f"p = {value:.2f}"


def adjusted_in_words(adjusted: float, own: float, floor: float) -> str:
    """A p-value adjusted by Holm's method, which is a bound if its own is.

    >>> adjusted_in_words(0.02, 0.01, 0.01), adjusted_in_words(0.04, 0.02, 0.01)
    ('p ≤ 0.02', 'p = 0.04')
    """
    return p_in_words(adjusted, adjusted if own <= floor * (1.0 + ROUNDING) else 0.0)


def verdict_in_words(result: TestedEffect, differ: str, same: str, what: str) -> str:
    """Whether something was found, how sure that is, and how much it explains."""
    low, high = (100.0 * end for end in result.effect_interval)
    share = 100.0 * max(result.effect_size, 0.0)
    words = differ if result.p_value <= LEVEL else same
    return (
        f"{words} ({p_in_words(result.p_value, result.p_floor)}); the {what} explains "
        f"{share:.1f} % of the variation ({low:.1f} to {high:.1f})."
    )


def _differ(rows: Sequence[Any]) -> str:
    return "differs" if len(rows) == 1 else "differ"


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


def _shown(value: Any) -> str:
    if value is None:
        return "–"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
