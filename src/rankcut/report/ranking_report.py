"""A report on a set of rankings: one page, for a notebook or a file."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

import rankcut
from rankcut.pictures.page import Html, fill, find_items, items_page, join, read_file, tag
from rankcut.pictures.scene import Picture
from rankcut.rankings import Unranked
from rankcut.report.panels import PANELS, Panel, find, say_cut, say_item
from rankcut.report.study import Study, read_study
from rankcut.results import Result, Table


@dataclass(frozen=True, eq=False, repr=False)
class Report(Result):
    """A page about a set of rankings; a notebook shows it.

    Its sentences are those that the page begins with. Tables: ``places`` of the consensus, its
    ``pairs``, and with groups ``groups``, the items in each.
    """

    study: Study  #: the numbers behind the page
    panels: dict[str, Panel]  #: its parts
    html: str  #: the page, which needs no network

    @property
    def findings(self) -> list[str]:
        """The sentences that the page begins with, the clearest finding first."""
        return [finding for finding, _ in find(self.panels)]

    def sentences(self) -> list[str]:
        """What stands out, the clearest finding first."""
        return self.findings

    def tables(self) -> dict[str, Table]:
        """Places and pairs of the consensus, and the items of groups."""
        tables, comparison = self.study.consensus.tables(), self.study.comparison
        return tables if comparison is None else tables | {"groups": comparison.items}

    def picture(self) -> Picture:
        """The consensus: a dot for each place, a line for the places that are possible."""
        return self.study.consensus.picture()

    def page(self, title: str | None = None) -> str:
        """The page; another heading needs :func:`report` with a ``title``."""
        return self.html

    def __repr__(self) -> str:
        n_rankings, n_items = self.study.description.n_rankings, len(self.study.items)
        return f"Report({n_rankings:,} rankings, {n_items} items shown)"

    def _repr_html_(self) -> str:
        # In a frame of its own, so that styles and scripts do not clash with the notebook's.
        look = "width:100%;height:720px;border:1px solid #8888"
        about = {"sandbox": "allow-scripts", "title": "Report on rankings"}
        return tag("iframe", "", **about, style=look, srcdoc=str(self.html))


def report(
    X: Any,
    by: Any = None,
    *,
    unranked: Unranked = "error",
    graph: Any = None,
    sample_weight: ArrayLike | None = None,
    counts: ArrayLike | None = None,
    people: Any = None,
    strata: Any = None,
    items: Sequence[Hashable] | None = None,
    title: str = "",
    source: str = "",
    random_state: int | np.random.RandomState | None = 0,
    by_name: str = "",
    progress: Callable[[str], None] | None = None,
) -> Report:
    """One page about a set of rankings: what stands out, and how sure that is.

    It has groups, the consensus, a map with camps, pairs, places, an item graph, and what is in the
    file. :data:`rankcut.report.panels.PANELS` makes each part by itself.

    Parameters
    ----------
    X : RankingSet, array, frame or CSR array of shape (n_rankings, n_items)
        Rank matrix: 1 = best, equal = tied, NaN (or absent in a sparse matrix) = not ranked.
    by : str, sequence or None
        The group of each ranking, or the name of a column of a :class:`~rankcut.RankingSet`.
    unranked : {"error", "last", "anywhere"}
        What an unranked item means: it is an error, it is tied with the others after all ranked
        ones (top-k lists), or its place is unknown.
    graph : graph or recipe, or None
        The item graph to draw; None learns one with :class:`~rankcut.AgreementGraph`.
    sample_weight : array of shape (n_rankings,) or None
        Survey weights: how much each ranking counts; each is one person's.
    counts : array of shape (n_rankings,) or None
        How many people each row stands for: 3 is the same as the row three times. None: those of a
        RankingSet, or one each.
    people, strata : str, sequence or None
        Whose ranking it is, if people rank more than once; and the strata within which groups are
        compared. Values, or the name of a column.
    items : sequence or None
        Labels of the columns, if ``X`` has none.
    title : str
        Title of the page; empty takes that of the ranking set.
    source : str
        Where the rankings are from, for the foot of the page.
    random_state : int, RandomState or None
        Seed of bootstraps, permutations and samples.
    by_name : str
        What the groups are called, if ``by`` is not a name.
    progress : callable or None
        Called with a description of each step.

    Returns
    -------
    Report
        With ``save(path)``; a notebook shows it.

    Notes
    -----
    For a catalogue, the page shows the 40 items that most rankings list. Its map and camps use up
    to 1,000 rankings, drawn at random; everything else uses all of them.

    Examples
    --------
    >>> from rankcut.report import report
    >>> from rankcut.datasets import load_lunch
    >>> page = report(load_lunch(), by="guest")
    >>> page
    Report(48 rankings, 8 items shown)
    >>> page.findings[1][:25]
    'People fall into 2 camps.'
    """
    study = read_study(
        X,
        by,
        unranked=unranked,
        graph=graph,
        sample_weight=sample_weight,
        counts=counts,
        people=people,
        strata=strata,
        items=items,
        title=title,
        random_state=random_state,
        by_name=by_name,
        progress=progress,
    )
    every = {name: make(study) for name, make in PANELS.items()}
    panels = {name: panel for name, panel in every.items() if panel is not None}
    return Report(study, panels, _page(study, panels, source))


def _page(study: Study, panels: dict[str, Panel], source: str) -> str:
    """The whole page, which needs no network."""
    title, today = study.about.title or "Rankings", date.today()
    version = f"rankcut {rankcut.__version__}"
    body = fill(
        read_file(__package__, "report.html"),
        title=title,
        n_rankings=f"{study.description.n_rankings:,}",
        cut=say_cut(study),
        findings=join(
            *(
                tag("li", _unbroken(finding), " ", tag("a", panels[key].name, href=f"#{key}"))
                for finding, key in find(panels)
            )
        ),
        links=join(*(tag("a", panel.name, href=f"#{key}") for key, panel in panels.items())),
        tools=find_items([(name, say_item(study, i)) for i, name in enumerate(study.items)]),
        panels=join(*(show_panel(key, panel) for key, panel in panels.items())),
        foot=", ".join(filter(None, [source, f"{today.day} {today:%B %Y}", version])),
    )
    return items_page(title, body, style=read_file(__package__, "report.css"))


def show_panel(key: str, panel: Panel) -> Html:
    """A panel as a section of a page."""
    return tag("section", tag("h2", panel.name, id=key), show_inside(panel), aria_labelledby=key)


def show_inside(panel: Panel) -> Html:
    """What a panel says and shows, without its name."""
    words = tag("p", _unbroken(panel.said), kind="says")
    notes = tag("p", panel.notes, kind="soft") if panel.notes else ""
    return join(words, panel.figure, panel.table, notes)


def _unbroken(words: str) -> str:
    """No line begins with a percent sign."""
    return words.replace(" %", "\u00a0%")
