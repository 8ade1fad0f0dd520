"""Blocs as an answer: sentences, tables, a picture and a page."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise, repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankcut.consensus.figure import places_picture
from rankcut.errors import amount
from rankcut.maps import map_rankings
from rankcut.parameters import ROUNDING
from rankcut.pictures.page import Cell, Head, Html, in_css, show_picture, table, tag
from rankcut.pictures.scene import Picture
from rankcut.pictures.theme import MOST_IN_FIGURE, colour
from rankcut.rankings.ranking_set import RankingSet
from rankcut.results import Result, Table

# The structures that are no number of camps, in words.
_KINDS = {"crowd": "one crowd, more or less sure", "line": "along a line", "plane": "over a plane"}


# Items of a bloc that a sentence names.
_MOST_NAMED = 5


@dataclass(frozen=True, eq=False, repr=False)
class BlocReport(Result):
    r"""What a fitted :class:`~rankcut.RankingBlocs` says, and a column beside it.

    Tables: ``blocs``, a row for each bloc and item; ``distinctive``, what sets blocs apart; with a
    column beside it ``cross``, how many of each bloc have each of its values.

    >>> from rankcut import RankingBlocs, make_mallows
    >>> centers = [[1, 2, 3, 4, 5], [5, 4, 3, 2, 1]]
    >>> votes = make_mallows(100, 5, phi=0.2, centers=centers, random_state=1)
    >>> report = BlocReport(RankingBlocs().fit(votes.ranks))
    >>> print("\n".join(report.lines(2)))
    People fall into 2 camps.
    Bloc 1 (50 people, 50 %): 0 > 1 > …
      sets it apart: 4 lower by 3.4 places (3.1 to 3.8), 0 higher by 3.3 places (2.9 to 3.7)
    Bloc 2 (50 people, 50 %): 4 > 3 > …
      sets it apart: 4 higher by 3.4 places (3.1 to 3.8), 0 lower by 3.3 places (2.9 to 3.7)
    Mean probability of the assigned bloc: 1.00.
    """

    model: Any
    rankings: RankingSet | None = None  #: what to draw a map of; None draws places
    cross: dict[str, Any] | None = None  #: a column, its values, and how many of a bloc have each

    @cached_property
    def items(self) -> list[str]:
        """The labels of the items."""
        return [str(item) for item in self.model._names()]

    @cached_property
    def distinctive(self) -> dict[str, list[Any]]:
        """What sets blocs apart, with items as text."""
        rows = self.model.distinctive_items_
        return {**rows, "item": [str(item) for item in rows["item"]]}

    def crossed(self, name: str, values: NDArray[Any], counts: NDArray[Any]) -> "BlocReport":
        """The report with a cross table of a column; empty text is unknown."""
        filled = values != ""
        names, codes = np.unique(values[filled].astype(str), return_inverse=True)
        table = np.zeros((len(names), self.model.n_blocs_))
        np.add.at(table, (codes, self.model.labels_[filled]), counts[filled])
        shares = table / np.maximum(table.sum(axis=1, keepdims=True), ROUNDING)
        cross = {"column": name, "values": names.tolist(), "counts": table, "shares": shares}
        return replace(self, cross=cross)

    def share(self, bloc: int) -> str:
        """The size of a bloc in words."""
        size, total = float(self.model.sizes_[bloc]), float(self.model.sizes_.sum())
        return f"{_people(size)}, {100 * size / total:.0f} %"

    def rows_of(self, bloc: int) -> list[int]:
        """The rows of the distinctive items of a bloc."""
        return [row for row, number in enumerate(self.distinctive["bloc"]) if number == bloc]

    def sentences(self) -> list[str]:
        """What people are, each bloc with what sets it apart, and how sure that is."""
        return self._in_words(_MOST_NAMED)

    def remarks(self) -> list[str]:
        """Sentences about all people together."""
        remarks = self._structure()
        if self.model.n_blocs_ > 1:
            remarks.append(f"Mean probability of the assigned bloc: {self.model.certainty_:.2f}.")
        share = self.model.random_share_
        if share * self.model.sizes_.sum() >= 1:
            remarks.append(f"{100 * share:.0f} % fit no bloc better than orders at random do.")
        return [*remarks, *self.model.notes_]

    def _structure(self) -> list[str]:
        """What people are: one crowd, along a line, or in camps."""
        k = self.model.n_blocs_
        if self.model.structure_ == "camps":
            return [f"People fall into {k} camps."]
        cut = [] if k == 1 else [f"Cut into {k} blocs, as asked."]
        if self.model.structure_ == "crowd":
            return ["One crowd: people differ, but not in camps.", *cut]
        if self.model.ends_ is not None:
            one, other = (self._named(end, 3) for end in self.model.ends_)
            return [
                f"People are spread along a line, from those who prefer {one} to those who prefer "
                f"{other}; there are no camps.",
                *(cut or ["To cut the line into parts, give a number of blocs."]),
            ]
        return cut or ["One bloc, as asked."]

    def _named(self, strengths: NDArray[np.float64], most: int) -> str:
        """The strongest items, fewer than half of them."""
        order = np.argsort(-strengths, kind="stable")
        return ", ".join(self.items[i] for i in order[: max(1, min(most, len(order) // 2))])

    def lines(self, most: int = 20) -> list[str]:
        """Text for a terminal, with up to ``most`` items per line."""
        return [*self._in_words(most), *self._cross_lines()]

    def _in_words(self, most: int) -> list[str]:
        first, *others = self.remarks()
        blocs = (line for bloc in range(self.model.n_blocs_) for line in self.about(bloc, most))
        return [first, *blocs, *others]

    def tables(self) -> dict[str, Table]:
        """The blocs, what sets them apart, and the column beside them."""
        tables = {"blocs": Table(self.columns()), "distinctive": Table(self.distinctive)}
        if self.cross is not None:
            columns = {self.cross["column"]: self.cross["values"]}
            for bloc, counts in enumerate(self.cross["counts"].T):
                columns[f"bloc {bloc + 1}"] = [_plain(count) for count in counts.tolist()]
            tables["cross"] = Table(columns)
        return tables

    def columns(self) -> dict[str, list[Any]]:
        """A table with a row for each bloc and item, best item first."""
        model, apart = self.model, self.distinctive
        item = np.argsort(model.rankings_, axis=1, kind="stable").ravel()
        bloc = np.repeat(np.arange(model.n_blocs_), len(self.items))
        columns: dict[str, list[Any]] = {
            "bloc": (bloc + 1).tolist(),
            "size": [_plain(size) for size in model.sizes_[bloc]],
            "place": model.rankings_[bloc, item].tolist(),
            "item": [self.items[i] for i in item],
            "best": model.rank_intervals_[bloc, item, 0].tolist(),
            "worst": model.rank_intervals_[bloc, item, 1].tolist(),
            "strength": model.strengths_[bloc, item].round(6).tolist(),
            "error": model.strength_errors_[bloc, item].round(6).tolist(),
        }
        rows = list(zip(bloc.tolist(), columns["item"], strict=True))
        for name in ("difference", "low", "high"):
            values = map(round, apart[name], repeat(6))
            keys = zip(apart["bloc"], apart["item"], strict=True)
            value_of = dict(zip(keys, values, strict=True))
            columns[name] = [value_of.get(row) for row in rows]
        return columns

    def facts(self) -> dict[str, Any]:
        """The model's numbers."""
        model = self.model
        plain = "structure n_blocs sizes rankings strengths ends selection certainty random_share"
        return {
            "items": self.items,
            **{name: getattr(model, f"{name}_") for name in plain.split()},
            "intervals": model.rank_intervals_,
            "errors": model.strength_errors_,
            "confidence": model.confidence,
            "notes": model.notes_,
        }

    def picture(self) -> Picture:
        """The rankings in two dimensions with the blocs in colours, or the places in each bloc."""
        rankings = self.rankings
        if rankings is None or min(rankings.ranks.shape) < 2:
            return self._places()
        model = self.model
        names = np.array([f"bloc {label + 1}" for label in model.labels_.tolist()], dtype=object)
        title = rankings.title or "Blocs"
        return map_rankings(
            rankings, names, unranked=model.unranked, by_name="bloc", title=title
        ).picture()

    def _places(self) -> Picture:
        """The places of the items in each bloc."""
        model, k = self.model, self.model.n_blocs_
        order = np.argsort(model.sizes_ / model.sizes_.sum() @ model.rankings_, kind="stable")
        names = [f"bloc {bloc + 1}" for bloc in range(k)]
        places = zip(model.rankings_, model.rank_intervals_, strict=True)
        groups = dict(zip(names, places, strict=True))
        title = f"{k} camps" if model.structure_ == "camps" else f"{k} blocs"
        if k == 1:
            title = "People along a line" if model.structure_ == "line" else "One crowd"
        size = amount(round(float(model.sizes_.sum())), "ranking")
        legend = f"{size}. Dots: places in each bloc. Lines: possible places."
        sizes = dict(zip(names, map(_plain, model.sizes_.tolist()), strict=True))
        return places_picture(title, legend, groups, self.items, order.tolist(), sizes)

    def page(self, title: str | None = None) -> str:
        """One HTML page, which needs no network."""
        return super().page(title or (self.rankings and self.rankings.title) or "Blocs")

    def body(self) -> Iterator[Html]:
        """Sentences, the picture, a section for each bloc, a cross table, and the evidence."""
        return _body(self)

    def _cross_lines(self) -> Iterator[str]:
        if self.cross is None:
            return
        column, values, shares = (self.cross[name] for name in ("column", "values", "shares"))
        width = min(28, max(map(len, [column, *values])))
        heads = "".join(f"  {f'bloc {bloc + 1}':>8}" for bloc in range(self.model.n_blocs_))
        yield f"{column[:width]:{width}}{heads}"
        for value, row in zip(values, shares.tolist(), strict=True):
            cells = "".join(f"  {100 * share:>6.0f} %" for share in row)
            yield f"{value[:width]:{width}}{cells}"

    def about(self, bloc: int, most: int) -> Iterator[str]:
        """A bloc's size, its order and what sets it apart, with up to ``most`` items each."""
        yield f"Bloc {bloc + 1} ({self.share(bloc)}): {self._order(bloc, most)}"
        rows = self.rows_of(bloc)
        if not rows:
            if self.model.n_blocs_ > 1:
                yield "  no single item clearly sets it apart"
            return
        yield f"  sets it apart: {', '.join(self.difference(row) for row in rows[:most])}"

    def difference(self, row: int) -> str:
        """A distinctive item in words."""
        difference = self.distinctive["difference"][row]
        ends = sorted(abs(self.distinctive[name][row]) for name in ("low", "high"))
        where = "higher" if difference < 0 else "lower"
        return (
            f"{self.distinctive['item'][row]} {where} by {abs(difference):.1f} places "
            f"({ends[0]:.1f} to {ends[1]:.1f})"
        )

    def _order(self, bloc: int, most: int) -> str:
        ranks = self.model.rankings_[bloc]
        order = np.argsort(ranks, kind="stable")[:most].tolist()
        text: str = self.items[order[0]]
        for before, item in pairwise(order):
            text += f" {'=' if ranks[before] == ranks[item] else '>'} {self.items[item]}"
        return text + (" > …" if most < len(ranks) else "")


def _body(report: BlocReport) -> Iterator[Html]:
    people = _people(float(report.model.sizes_.sum()))
    yield tag("p", f"{people}, {amount(len(report.items), 'item')}.", kind="soft")
    for sentence in report.remarks():
        yield tag("p", sentence)
    yield from show_picture(report.picture())
    blocs = (tag("section", *_bloc(report, bloc)) for bloc in range(report.model.n_blocs_))
    yield tag("div", *blocs, kind="blocs")
    if report.cross is not None:
        column, values, shares = (report.cross[name] for name in ("column", "values", "shares"))
        yield tag("h2", f"Blocs and {column}")
        heads = [column, *(f"bloc {bloc + 1}" for bloc in range(report.model.n_blocs_))]
        cells = [
            [value, *(Cell(f"{100 * share:.0f}\u00a0%", share) for share in row)]
            for value, row in zip(values, shares.tolist(), strict=True)
        ]
        yield table(heads, cells)
    if report.model.selection_ is not None:
        yield tag("h2", "Camps or not")
        yield tag(
            "p",
            "BIC: how well each structure explains the rankings for its size; the smallest is "
            "best. ICL also counts how unclear it is who belongs to which camp: it chooses the "
            "number of camps, and three or more need the smallest ICL, too. A line has to be "
            "better by 10. For camps or a line, one part of a person's list must also say "
            "something about the rest.",
            kind="soft",
        )
        columns = [report.model.selection_[name] for name in ("n_blocs", "bic", "icl")]
        rows: list[list[Any]] = [
            ["one crowd" if k == 1 else f"{k} camps", *(Cell(f"{v:.1f}", float(v)) for v in values)]
            for k, *values in zip(*columns, strict=True)
        ]
        rows += [
            [_KINDS[name], Cell(f"{value:.1f}", value), ""]
            for name, value in report.model.selection_["structure"].items()
            if name in _KINDS
        ]
        yield table(["people", "BIC", Head("ICL", "number")], rows)


def _bloc(report: BlocReport, bloc: int) -> Iterator[Html]:
    dot = tag("span", "", kind="key", style=f"background:{in_css(colour(bloc))}")
    yield tag("h2", dot, f"Bloc {bloc + 1}")
    yield tag("p", report.share(bloc), kind="soft")
    rows = report.rows_of(bloc)
    if rows:
        apart = "; ".join(report.difference(row) for row in rows[:_MOST_NAMED])
        yield tag("p", f"What sets it apart: {apart}.")
    ranking, cells = report.model.rankings_[bloc], []
    for i in ranking.argsort(kind="stable").tolist()[:MOST_IN_FIGURE]:
        low, high = report.model.rank_intervals_[bloc, i].tolist()
        possible = str(low) if low == high else f"{low} to {high}"
        cells.append([int(ranking[i]), report.items[i], possible])
    yield table(["place", "item", "possible"], cells)


def _people(size: float) -> str:
    """A number of people; survey weights make it no whole number.

    >>> _people(1.0), _people(1200.0), _people(336.315)
    ('1 person', '1,200 people', '336.3 people by weight')
    """
    if round(size, 6).is_integer():
        return amount(round(size), "person", "people")
    return f"{size:,.1f} people by weight"


def _plain(size: float) -> int | float:
    """A whole number where it is one."""
    return int(size) if float(size).is_integer() else round(float(size), 9)
