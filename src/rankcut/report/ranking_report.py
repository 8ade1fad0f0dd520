"""A report on a set of rankings: one page, for a notebook or a file."""

import json
import os
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

import rankcut
from rankcut.files.disk import atomic_file
from rankcut.pictures.page import Html, fill, join, page, read_file, tag
from rankcut.rankings import Unranked
from rankcut.report.panels import PANELS, Panel, find, say_cut, say_item
from rankcut.report.study import Study, read_study


@dataclass(frozen=True, eq=False, repr=False)
class Report:
    """A page about a set of rankings; a notebook shows it."""

    study: Study  #: the numbers behind the page
    panels: dict[str, Panel]  #: its parts
    html: str  #: the page, which needs no network

    @property
    def findings(self) -> list[str]:
        """The sentences that the page begins with, the clearest finding first."""
        return [said for said, _ in find(self.panels)]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file."""
        with atomic_file(path) as draft:
            draft.write(self.html.encode())

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
        Survey weights: how much each ranking counts; each is one person's. Counts come with a
        :class:`~rankcut.RankingSet`.
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
        people=people,
        strata=strata,
        items=items,
        title=title,
        random_state=random_state,
        by_name=by_name,
        progress=progress,
    )
    made = {name: make(study) for name, make in PANELS.items()}
    panels = {name: panel for name, panel in made.items() if panel is not None}
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
                tag("li", _unbroken(said), " ", tag("a", panels[key].name, href=f"#{key}"))
                for said, key in find(panels)
            )
        ),
        links=join(*(tag("a", panel.name, href=f"#{key}") for key, panel in panels.items())),
        names=join(*(tag("option", "", value=name) for name in study.items)),
        panels=join(*(show_panel(key, panel) for key, panel in panels.items())),
        foot=", ".join(filter(None, [source, f"{today.day} {today:%B %Y}", version])),
        items=embed([[name, say_item(study, i)] for i, name in enumerate(study.items)]),
    )
    style, script = (read_file(__package__, f"report.{kind}") for kind in ("css", "js"))
    return page(title, body, style=style, script=script)


def show_panel(key: str, panel: Panel) -> Html:
    """A panel as a section of a page."""
    return tag("section", tag("h2", panel.name, id=key), show_inside(panel), aria_labelledby=key)


def show_inside(panel: Panel) -> Html:
    """What a panel says and shows, without its name."""
    said = tag("p", _unbroken(panel.said), kind="says")
    notes = tag("p", panel.notes, kind="soft") if panel.notes else ""
    return join(said, panel.figure, panel.table, notes)


def _unbroken(said: str) -> str:
    """No line begins with a percent sign."""
    return said.replace(" %", "\u00a0%")


def embed(data: Sequence[Any]) -> Html:
    r"""Data for the script, in an element that runs nothing and that no text can close.

    >>> embed(["</script><script>"])
    '["\\u003c/script>\\u003cscript>"]'
    """
    return Html(json.dumps(data, ensure_ascii=False).replace("<", "\\u003c"))
