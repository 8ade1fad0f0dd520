"""A report on a set of rankings: one page, for a notebook or a file."""

import json
import os
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from rankcut.errors import InputError
from rankcut.files.drafts import atomic_file
from rankcut.parameters import seed_from
from rankcut.pictures.page import Html, fill, join, page, read_file, tag
from rankcut.rankings import Rankings, Unranked, read_rankings
from rankcut.rankings.ranking_set import RankingSet
from rankcut.report.overview import Overview, survey
from rankcut.report.panels import make_panels, say_item


@dataclass(frozen=True, eq=False, repr=False)
class Report:
    """A page about a set of rankings; a notebook shows it.

    Attributes
    ----------
    overview : Overview
        The numbers behind the page.
    html : str
        The page, which needs no network.
    """

    overview: Overview
    html: str

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file."""
        with atomic_file(path) as draft:
            draft.write(self.html.encode())

    def __repr__(self) -> str:
        found = self.overview
        n_items = len(found.items)
        return f"Report({found.description.n_rankings:,} rankings, {n_items} items shown)"

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
    items: Sequence[Hashable] | None = None,
    title: str = "",
    random_state: int | np.random.RandomState | None = 0,
    by_name: str = "",
    progress: Callable[[str], None] | None = None,
) -> Report:
    """One page about a set of rankings: consensus, places, pairs, map, blocs, groups, item graph.

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
        Whole numbers: 3 is the same as the row three times.
    items : sequence or None
        Labels of the columns, if ``X`` has none.
    title : str
        Title of the page; empty takes that of the ranking set.
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
    For a catalogue, the page shows the 40 items that most rankings list. Its map and blocs use up
    to 1,000 rankings, drawn at random; everything else uses all of them.

    Examples
    --------
    >>> from rankcut.report import report
    >>> from rankcut.datasets import load_lunch
    >>> page = report(load_lunch(), by="guest")
    >>> page
    Report(48 rankings, 8 items shown)
    """
    about, value = _read(X, items, unranked, sample_weight)
    name = by if isinstance(by, str) else by_name
    if isinstance(by, str):
        if by not in about.columns:
            known = ", ".join(map(repr, about.columns)) or "none"
            raise InputError(f"there is no column {by!r}; found {known}", parameter="by")
        by = about.columns[by]
    found = survey(
        replace(about, title=title or about.title),
        value,
        by,
        by_name=name or "group",
        graph=graph,
        seed=seed_from(random_state),
        progress=progress or (lambda what: None),
    )
    return Report(found, _page(found))


def _page(found: Overview) -> str:
    """The whole page, which needs no network."""
    title = found.title or "Rankings"
    panels = list(make_panels(found))
    links = (tag("a", panel.name, href=f"#p{k}") for k, panel in enumerate(panels))
    body = fill(
        read_file(__package__, "report.html"),
        title=title,
        n_rankings=f"{found.description.n_rankings:,}",
        links=join(*links),
        names=join(*(tag("option", "", value=name) for name in found.items)),
        panels=join(
            *(
                tag(
                    "section",
                    tag("h2", panel.name, id=f"p{k}"),
                    # No line begins with a percent sign.
                    tag("p", panel.said.replace(" %", "\u00a0%"), kind="says"),
                    *panel.content,
                    aria_labelledby=f"p{k}",
                )
                for k, panel in enumerate(panels)
            )
        ),
        items=embed([[name, say_item(found, i)] for i, name in enumerate(found.items)]),
    )
    style, script = (read_file(__package__, f"report.{kind}") for kind in ("css", "js"))
    return page(title, body, style=style, script=script)


def embed(data: Sequence[Any]) -> Html:
    r"""Data for the script, in an element that runs nothing and that no text can close.

    >>> embed(["</script><script>"])
    '["\\u003c/script>\\u003cscript>"]'
    """
    return Html(json.dumps(data, ensure_ascii=False).replace("<", "\\u003c"))


def _read(
    X: Any, items: Sequence[Hashable] | None, unranked: Unranked, sample_weight: ArrayLike | None
) -> tuple[RankingSet, Rankings]:
    """What is known about the rankings, and the rankings that count."""
    value = read_rankings(X, items, unranked=unranked, sample_weight=sample_weight)
    if not value.counted:
        raise InputError(
            "must be whole numbers: how often each row counts", parameter="sample_weight"
        )
    labels = tuple(value.item(column) for column in range(value.shape[1]))
    about = X if isinstance(X, RankingSet) else RankingSet(value.stored, labels)
    counts = value.counts.astype(np.int64)
    about = replace(
        about.rows(counts > 0), ranks=value.stored[counts > 0], counts=counts[counts > 0]
    )
    return about, value if counts.all() else value.rows(counts > 0)
