"""``rankcut demo``: what the embedded data set holds, in four steps and a page."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from rankcut.cli.command import option
from rankcut.cli.output import Outputs, say, styled, working

if TYPE_CHECKING:
    from rankcut.blocs.report import BlocReport
    from rankcut.comparison.results import GroupComparison
    from rankcut.consensus.words import ConsensusReport, GroupConsensus
    from rankcut.pictures.maps import RankingMap
    from rankcut.rankings.ranking_set import RankingSet

NEXT = (
    ("rankcut report YOURS.csv -o report.html", "one page: what stands out, and how sure that is"),
    ("rankcut consensus YOURS.csv -o consensus.html", "one ranking, and how sure each place is"),
    ("rankcut map YOURS.csv --by COLUMN -o map.html", "who ranks alike"),
)
"""Commands to try next, and what they answer."""


def demo(
    output: Annotated[
        str, option("Page to write (.html).", "--output", "-o", metavar="PAGE")
    ] = "demo.html",
) -> None:
    """Show what rankcut finds in a small data set.

    Finds a consensus and two camps, compares two groups, and writes a page with all of it.

    Example: rankcut demo -o demo.html
    """
    outputs = Outputs([output], {".html": None}, ".html")
    with working("looking at 48 lunch rankings"):
        found = find()
    said = outputs.text
    lines = ["48 guests rank eight dishes (a made-up data set that comes with rankcut)."]
    for number, (heading, sentence) in enumerate(story(found), start=1):
        lines += ["", styled(f"{number}. {heading}", said, bold=True), f"   {sentence}"]
    if not outputs.to_stdout:
        lines += ["", f"Look at {Path(output).resolve().as_uri()}", ""]
        lines.append("Next, with your own rankings:")
        lines += [f"  {styled(f'{what:<47}', said, fg='cyan')}  {why}" for what, why in NEXT]
    outputs.write(page=lambda: demo_page(found))
    for line in lines:
        say(line, said)


@dataclass(frozen=True, eq=False)
class Found:
    """Everything that the demo shows."""

    lunch: "RankingSet"
    together: "ConsensusReport"
    camps: "BlocReport"
    n_alike: int  #: guests in the camp of most guests of their kind
    apart: "ConsensusReport"
    comparison: "GroupComparison"
    map: "RankingMap"


def find() -> Found:
    """Find the consensus of all guests, their camps, and how the two kinds of guest differ."""
    from rankcut.blocs.estimator import RankingBlocs
    from rankcut.blocs.report import BlocReport
    from rankcut.comparison.group_differences import compare_groups
    from rankcut.consensus.estimator import Consensus
    from rankcut.consensus.words import ConsensusReport, GroupConsensus
    from rankcut.datasets import load_lunch
    from rankcut.pictures.maps import read_map

    lunch = load_lunch()
    guests, items = lunch["guest"], [str(item) for item in lunch.items]
    kinds = sorted(set(guests.tolist()))
    apart = [(kind, lunch.rows(guests == kind)) for kind in kinds]
    blocs = RankingBlocs().fit(lunch)
    alike = (Counter(blocs.labels_[guests == kind].tolist()) for kind in kinds)
    return Found(
        lunch,
        ConsensusReport(items, "borda", 0.95, [GroupConsensus.of(Consensus().fit(lunch))]),
        BlocReport(blocs),
        sum(camp.most_common(1)[0][1] for camp in alike),
        ConsensusReport(
            items,
            "borda",
            0.95,
            [GroupConsensus.of(Consensus().fit(group), kind) for kind, group in apart],
        ),
        compare_groups(lunch, guests, n_permutations=999),
        read_map(lunch, "guest"),
    )


def story(found: Found) -> list[tuple[str, str]]:
    """What is found, step by step: a heading and a sentence each, computed from the numbers."""
    from rankcut.comparison.results import LEVEL, item_in_words

    together, apart = found.together.groups[0], found.apart.groups
    n_guests, n_items = len(found.lunch), len(found.lunch.items)
    leaders = [f"{_first(found.apart.items, group)} for a {group.group}" for group in apart]
    agreement = [f"{group.agreement.kendall_w:.2f}" for group in apart]
    clear = [row for row in found.comparison.items if row["p_value"] <= LEVEL]
    return [
        (
            "Taken together, they agree on little",
            f"{together.leaders(found.together.items)} Their agreement, Kendall's W, is "
            f"{together.agreement.kendall_w:.2f} (0 = none, 1 = full).",
        ),
        (
            found.camps.sentences()[0].rstrip("."),
            "No label was used to find them. Each point is a guest; arrows point to where a dish "
            f"is ranked high. {found.n_alike} of {n_guests} guests are in the camp of their kind.",
        ),
        (
            f"The two kinds of guest differ about {len(clear)} of {n_items} dishes",
            f"{found.comparison.verdict()} Most clearly {clear[0]['item']}: "
            f"{item_in_words(clear[0], found.comparison.p_floor)}.",
        ),
        (
            "Each camp agrees more",
            f"First comes {' and '.join(leaders)}. Kendall's W is {' and '.join(agreement)} "
            f"instead of {together.agreement.kendall_w:.2f}.",
        ),
    ]


def _first(items: list[str], group: "GroupConsensus") -> str:
    return items[int(group.ranking.argmin())]


def demo_page(found: Found) -> str:
    """The story with its pictures."""
    from rankcut.comparison.page import show_items
    from rankcut.consensus.figure import compared_places, places_table
    from rankcut.pictures.maps import map_picture
    from rankcut.pictures.page import page, show_picture, tag

    together = found.together
    pieces = [
        [places_table(together.groups[0], together.items, together.order())],
        show_picture(map_picture(found.map)),
        show_items(found.comparison.to_dict()),
        compared_places(found.apart),
    ]
    body = [
        tag("h1", f"{len(found.lunch)} guests rank eight dishes"),
        tag(
            "p",
            "A made-up data set that comes with rankcut: two kinds of guest, each with a taste and "
            "some noise. Everything below is found from the rankings.",
            kind="soft",
        ),
    ]
    for number, ((what, why), shown) in enumerate(zip(story(found), pieces, strict=True), start=1):
        body += [tag("h2", f"{number}. {what}"), tag("p", why), *shown]
    body.append(tag("h2", "Next, with your own rankings"))
    for command, what in NEXT:
        line = tag("code", command, style="white-space: normal")
        body += [tag("p", line), tag("p", what, kind="soft")]
    return page("rankcut demo", *body)
