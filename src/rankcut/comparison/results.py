"""What a comparison says, as numbers, tables, words and pictures."""

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np

from rankcut.parameters import MOST_LISTED
from rankcut.pictures.charts import Row, dot_chart
from rankcut.pictures.page import Html, show_picture, tag
from rankcut.pictures.scene import Dot, Key, Legend, Picture
from rankcut.pictures.theme import OTHERS, colour, group_colours, name_colours, shorten
from rankcut.results.result import Result, Table
from rankcut.results.words import LEVEL, adjusted_in_words, p_in_words

# Characters of the longest bar in a terminal.
_BAR_LETTERS = 12

Measure: TypeAlias = Literal["places", "strengths", "order", "listing"]

MEASURES = {
    "places": (
        "Compared: mean places; each person counts once. They are relative: one item up, the rest "
        "down."
    ),
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

_SCALES = {
    "place": ("Mean places by group", "mean place in the group (1 = best)"),
    "strength": (
        "Strengths by group",
        "strength in the group (log odds of being chosen; 0 = an average item)",
    ),
    "listed": ("Listed by group", "share of the group that lists the item"),
}


@dataclass(frozen=True, repr=False, kw_only=True)
class GroupComparison(Result):
    """What :func:`~rankcut.compare_groups` says.

    Attributes
    ----------
    measure : {"places", "strengths", "order", "listing"}
        What is compared.
    p_value : float
        Chance of a difference as clear as this, or clearer, if there is none.
    effect_size : float
        Share of the variation of rankings that the groups explain, corrected for chance (ε²): its
        mean is 0 if groups mean nothing, so it may be slightly negative.
    effect_interval : (float, float)
        Confidence interval of the effect size, by itself; from 0 to 1 if p cannot be small.
    groups : dict
        The groups, and the number of rankings of each.
    n_units : int
        Number of people, or of rankings if it is not known whose they are.
    design_effect : dict
        With weights or people, how many times larger the variance of a group's mean places is
        than that of as many single rankings of equal weight; otherwise empty.
    items : Table
        For each item the clearest difference between two groups, where the item stands higher and
        lower, a p-value adjusted for all items and all pairs of groups, the limits ``low`` and
        ``high`` of the difference (all that is possible where people are too few for p to be
        small), and the mean place in each group, 1 = best; or the share that
        lists it. If strengths are compared: the strength, 0 = average, and the ``odds_ratio`` of
        being chosen rather than an average item, from ``low`` to ``high``.
    pairs : Table
        For pairs of items: the share of each group that prefers the first item to the second.
    between : Table
        With three groups or more, all pairs of groups, each with its own p-value, adjusted for all
        of them.
    listing : GroupComparison or None
        For partial lists: do groups list different items? None if there is nothing to compare.
    method : str
        How p was computed.
    features : str
        What the overall test looks at.
    n_permutations : int
        Number of draws without a difference.
    confidence : float
        Of intervals: those of ``items`` hold for all items at once, those of ``pairs`` for all
        pairs.
    notes : tuple of str
        What else a reader should know, such as rankings left out.
    """

    measure: Measure
    p_value: float
    effect_size: float
    effect_interval: tuple[float, float]
    groups: dict[Hashable, int]
    n_units: int
    design_effect: dict[Hashable, float]
    items: Table
    pairs: Table
    between: Table
    listing: "GroupComparison | None"
    method: str
    features: str
    n_permutations: int
    confidence: float
    notes: tuple[str, ...]

    @property
    def p_floor(self) -> float:
        """The smallest p-value that this many draws can show."""
        return 1.0 / (1 + self.n_permutations)

    def tables(self) -> dict[str, Table]:
        """Items, pairs of items, and pairs of groups."""
        return {"items": self.items, "pairs": self.pairs, "between": self.between}

    def body(self) -> Iterator[Html]:
        """What a page shows below its heading: the verdict, sizes, and the tables as drawings."""
        from rankcut.comparison.page import show_details

        yield tag("p", self.verdict(), kind="says")
        yield tag("p", f"{sizes_in_words(self.groups)} {self.method}", kind="soft")
        yield from show_details(self.to_dict())

    def verdict(self) -> str:
        """One sentence: whether groups differ, and how much they explain."""
        low, high = (100.0 * end for end in self.effect_interval)
        share = 100.0 * max(self.effect_size, 0.0)
        differ = self.p_value <= LEVEL
        words = "Groups differ" if differ else "No difference between groups was found"
        return (
            f"{words} ({p_in_words(self.p_value, self.p_floor)}); the group explains "
            f"{share:.1f} % of the variation ({low:.1f} to {high:.1f})."
        )

    def headline(self) -> str:
        """The verdict."""
        return self.verdict()

    def facts(self) -> dict[str, Any]:
        """Single values, and what a page needs beside the tables."""
        values: dict[str, Any] = {"verdict": self.verdict(), "p_floor": self.p_floor}
        for name in self.__dataclass_fields__:
            value = getattr(self, name)
            if isinstance(value, Table):
                continue
            if isinstance(value, Result):
                value = value.to_dict()
            elif isinstance(value, dict):
                value = {str(group): number for group, number in value.items()}
            elif isinstance(value, tuple):
                value = list(value)
            values[name] = value
        return values

    def sentences(self) -> list[str]:
        """The answer in plain words; items and pairs with p up to 0.05 are named."""
        lines, clear = [self.verdict()], significant(self.items)
        if clear:
            lines.append("Items that differ:")
            lines += [f"  {row['item']}: {item_in_words(row, self.p_floor)}" for row in clear]
        return [*lines, *self.details()]

    def lines(self, most: int = 20) -> list[str]:
        """Text for a terminal: the verdict, a bar for each item that differs, the details."""
        rows, floor = significant(self.items), self.p_floor
        width = max((len(shorten(row["item"])) for row in rows[:most]), default=0)
        largest = max((row["difference"] for row in rows), default=1.0)
        bars = [
            f"  {shorten(row['item']):<{width}}  "
            f"{'█' * max(1, round(_BAR_LETTERS * row['difference'] / largest)):<{_BAR_LETTERS}}  "
            f"{item_in_words(row, floor)}"
            for row in rows[:most]
        ]
        more = [f"  … and {len(rows) - most} more items differ"] * (len(rows) > most)
        return [self.verdict(), *bars, *more, *self.details()]

    def details(self) -> list[str]:
        """The rest of the summary: pairs, lists, groups, sizes, method, notes."""
        lines, floor = [], self.p_floor
        if self.items and len(self.items):
            what = "odds ratios" if "odds_ratio" in self.items.columns else "differences"
            lines.append(
                f"Intervals are {100 * self.confidence:g} % confidence intervals of the {what} of "
                "all items at once."
            )
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
            count = f"{len(apart)} of {len(self.between)} pairs of groups {_differ(apart)}"
            lines.append(count + (":" if apart else "."))
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

    def picture(self) -> Picture:
        """The items' mean places or strengths in each group, best on top; unclear ones faint."""
        unit, groups = UNITS[self.measure], [str(name) for name in self.groups]
        colours = group_colours({str(name): size for name, size in self.groups.items()})
        entries = []
        for row in self.items:
            means = [row[f"{unit} in {group}"] for group in self.groups]
            dots = [
                Dot(mean, colours[group], tip=f"{group}: {mean:.2f}")
                for group, mean in zip(groups, means, strict=True)
            ]
            # Groups with a colour of their own lie on top, which are drawn last.
            dots.sort(key=lambda dot: dot.colour == OTHERS)
            entries.append((sum(means), Row(str(row["item"]), dots, row["p_value"] > LEVEL)))
        entries.sort(key=lambda entry: entry[0], reverse=unit != "place")
        title, axis = _SCALES[unit]
        sizes = {str(name): size for name, size in self.groups.items()}
        legend = Legend("", [Key(*entry) for entry in name_colours(sizes)])
        faint = " Faint: no difference found." if any(row.faint for _, row in entries) else ""
        rows = [row for _, row in entries]
        words = f"{self.verdict()}{faint}"
        return dot_chart(title, words, rows, axis, joined=True, legends=[legend])


@dataclass(frozen=True, eq=False, repr=False)
class ComparisonSeries(Result):
    """Several comparisons, such as of each year with the one before; p-values hold for all of them.

    Its table ``comparisons`` has a row for each, with p-values adjusted by Holm's method.
    """

    comparisons: Mapping[str, GroupComparison]  #: by their titles

    @cached_property
    def p_adjusted(self) -> list[float]:
        """The p-value of each comparison, adjusted for all of them."""
        from rankcut.comparison.statistics import holm

        adjusted = holm(np.array([each.p_value for each in self.comparisons.values()]))
        return [float(p) for p in adjusted]

    def sentences(self) -> list[str]:
        """How many show a change; then the share and the p-value of each."""
        changed = sum(p <= LEVEL for p in self.p_adjusted)
        head = f"{changed} of {len(self.comparisons)} show a change; p-values here hold for all"
        lines, width = [f"{head} of them (Holm)."], max(map(len, self.comparisons))
        for (title, each), p in zip(self.comparisons.items(), self.p_adjusted, strict=True):
            share = 100 * max(each.effect_size, 0.0)
            mark = "changed" if p <= LEVEL else "no change found"
            lines.append(f"  {title:<{width}}  {share:4.1f} %  {_adjusted(p, each)}, {mark}")
        return lines

    def lines(self, most: int = 20) -> list[str]:
        """Text for a terminal: all comparisons at a glance, then each of them."""
        alone = len(self.comparisons) == 1
        lines = [] if alone else [*self.sentences(), ""]
        for title, each in self.comparisons.items():
            lines += [title, *each.lines(most), ""]
        return lines[:-1]

    def tables(self) -> dict[str, Table]:
        """A row for each comparison."""
        values, ends = self.comparisons.values(), ("effect_low", "effect_high")
        intervals = zip(*(each.effect_interval for each in values), strict=True)
        columns = {
            "title": list(self.comparisons),
            "p_value": [each.p_value for each in values],
            "p_adjusted": self.p_adjusted,
            "effect_size": [each.effect_size for each in values],
            **dict(zip(ends, intervals, strict=True)),
        }
        return {"comparisons": Table(columns)}

    def facts(self) -> dict[str, Any]:
        """What each comparison says."""
        return {"details": {title: each.to_dict() for title, each in self.comparisons.items()}}

    def body(self) -> Iterator[Html]:
        """What a page shows below its heading: the picture, then each comparison."""
        yield from show_picture(self.picture())
        for (title, each), p in zip(self.comparisons.items(), self.p_adjusted, strict=True):
            yield tag("h2", title)
            yield tag("p", f"For all comparisons together: {_adjusted(p, each)}.", kind="soft")
            yield from each.body()

    def picture(self) -> Picture:
        """How much of the variation groups explain in each comparison; unclear ones faint."""
        rows = []
        for (title, each), p in zip(self.comparisons.items(), self.p_adjusted, strict=True):
            low, high = (100 * end for end in each.effect_interval)
            share = 100 * max(each.effect_size, 0.0)
            dot = Dot(share, colour(0), low, high, tip=each.verdict())
            rows.append(Row(title, [dot], p > LEVEL))
        words = self.sentences()[0] + " Faint: no change found." * any(row.faint for row in rows)
        return dot_chart("Comparisons", words, rows, "% of the variation explained")


def _adjusted(p: float, comparison: GroupComparison) -> str:
    return adjusted_in_words(p, comparison.p_value, comparison.p_floor)


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
    where = f"in {row['higher_in']} than in {row['lower_in']}"
    if "odds_ratio" in row:
        ends = f"odds × {row['odds_ratio']:.2f}, {limits_in_words(row)}"
        more = "stronger"
    else:
        ends, more = limits_in_words(row), "places higher"
    if "shrunk" in row:
        p += f"; {row['shrunk']:.2f} with the graph"
    return f"{row['difference']:.2f} {more} {where} ({ends}; {p})"


def limits_in_words(row: Mapping[str, Any]) -> str:
    """An interval; a dash for one without bounds.

    >>> limits_in_words({"low": 0.5, "high": 2.0}), limits_in_words({"low": 0.0, "high": None})
    ('0.50 to 2.00', '–')
    """
    low, high = row["low"], row["high"]
    if high is None or math.isinf(high):  # None in JSON
        return f"{low:.2f} or more" if low else "–"
    return f"{low:.2f} to {high:.2f}"


def _differ(rows: Sequence[Any]) -> str:
    return "differs" if len(rows) == 1 else "differ"


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"
