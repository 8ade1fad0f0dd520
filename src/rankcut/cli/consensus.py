"""``rankcut consensus``: one ranking from many; ``rankcut transfers``: where ballots go next."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from rankcut.cli.command import option, with_options
from rankcut.cli.options import By, Confidence, GraphOptions, LeftOut, Number, People
from rankcut.cli.output import SUFFIXES, Results, note, working
from rankcut.cli.reading import RankingFile, Reading, column_of, known_values
from rankcut.errors import InputError
from rankcut.vocabulary import ConsensusMethod

if TYPE_CHECKING:
    from rankcut.consensus.combining import CombinesRankings
    from rankcut.rankings.ranking_set import RankingSet
    from rankcut.results import Result


@dataclass(frozen=True)
class ConsensusOptions(GraphOptions):
    """What consensus, and of whom."""

    method: Annotated[
        ConsensusMethod,
        option(
            "borda: mean position; copeland: pairwise wins; kemeny: the order that agrees most "
            "with all comparisons; strengths: Plackett–Luce, which allows for who meets whom; "
            "graph: borda weighted by an item graph; auto: strengths for incomplete lists or with "
            "a graph, or else borda.",
            "--method",
            "-m",
        ),
    ] = "auto"
    by: By = None
    people: People = None
    unranked: LeftOut = "error"
    joined: Annotated[
        bool,
        option(
            "As a picture: mean ranks on a line, joined where they are not clearly different.",
            "--joined",
        ),
    ] = False
    number: Number = 20
    confidence: Confidence = 0.95
    n_bootstraps: Annotated[int, option("Bootstrap samples of people (0 = no intervals).")] = 1000

    def settings(self) -> dict[str, Any]:
        """As parameters of the estimator."""
        names = ("method", "unranked", "confidence", "n_bootstraps")
        return {"graph": self.item_graph(near=True)} | {name: getattr(self, name) for name in names}


@with_options(options=ConsensusOptions, results=Results, reading=Reading)
def consensus(
    file: RankingFile, options: ConsensusOptions, results: Results, reading: Reading
) -> None:
    """Rank the items by consensus, with possible places.

    A table with places, the places that are possible, and in how many bootstrap samples each item
    is first; to .csv, .json, .parquet or .xlsx, as a picture (.png, .svg, .pdf), or as a page
    (.html).
    With --by, one consensus for each group, side by side. If rankings are few, an item graph
    (--items or --graph) helps: similar items get similar strengths, as far as the rankings say.

    Example: rankcut consensus votes.soi --unranked last -o places.html
    """
    outputs = results.open(SUFFIXES, ".csv")
    settings = options.settings()
    rankings = reading.read_filled(
        file, no_items=[options.by, options.people], unranked=options.unranked
    )
    outputs.answer(
        _combined(rankings, file, options, settings),
        rankings.title or "Consensus",
        options.number,
        joined=options.joined,
    )


def _combined(
    rankings: "RankingSet", file: str, options: ConsensusOptions, settings: dict[str, Any]
) -> "Result":
    """The consensus of all, or of each group."""
    import warnings

    from rankcut.consensus.combining import combine
    from rankcut.rankings import read_rankings

    def combined(group: "RankingSet") -> "CombinesRankings":
        people = None if options.people is None else known_values(group, options.people, file)
        read = read_rankings(group, unranked=options.unranked, people=people)
        return combine(read, **settings)

    with working(f"consensus ({options.method})"), warnings.catch_warnings():
        # Said among the notes.
        warnings.filterwarnings("ignore", message="Nobody ranks")
        if options.by is None:
            return combined(rankings)
        from rankcut.consensus.result import GroupedConsensus

        groups = _groups(rankings, options.by, file)
        return GroupedConsensus({name: combined(group) for name, group in groups})


def _groups(rankings: "RankingSet", by: str, file: str) -> "list[tuple[str, RankingSet]]":
    """The rankings of each group of two or more, by its name."""
    import numpy as np

    from rankcut.sample.labels import name_groups, read_groups

    values = column_of(rankings, by, file)
    groups = read_groups(values, len(rankings), "by", rankings.counts)
    sizes = np.bincount(groups.codes + 1, rankings.counts, len(groups.names) + 1)[1:]
    several = np.flatnonzero(sizes > 1).tolist() or range(len(sizes))
    small = [code for code in range(len(sizes)) if code not in several]
    if not groups.names:
        raise InputError(f"column {by!r} has no values", file=file)
    for sentence in groups.notes:
        note(sentence[0].lower() + sentence[1:].rstrip("."))
    if small:
        note(f"left out, with one ranking or none: {name_groups(groups.names, small)}")
    return [(groups.texts[code], rankings.rows(groups.codes == code)) for code in several]


@with_options(results=Results, reading=Reading)
def transfers(file: RankingFile, results: Results, reading: Reading) -> None:
    """Show where ballots go next.

    First choices and, for each candidate, the next choices on these ballots, if any; as a picture
    (.png, .svg, .pdf), a page (.html) or a table (.csv, .json, .parquet). This does not count an
    election.

    Example: rankcut transfers ballots.csv -o transfers.html
    """
    from rankcut.consensus.transfers import count_transfers

    outputs = results.open(SUFFIXES, ".csv")
    rankings = reading.read(file)
    outputs.answer(count_transfers(rankings), rankings.title)
