"""``rankcut consensus``: one ranking from many; ``rankcut transfers``: where ballots go next."""

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from rankcut.cli.command import option, with_options
from rankcut.cli.options import By, GraphOptions, LeftOut, People
from rankcut.cli.output import PICTURES, TABLES, Results, note, working
from rankcut.cli.reading import RankingFile, Reading, known_values, labelled
from rankcut.errors import amount

if TYPE_CHECKING:
    from rankcut.consensus.words import ConsensusReport
    from rankcut.rankings.ranking_set import RankingSet

Method: TypeAlias = Literal["auto", "borda", "graph", "copeland", "kemeny", "strengths"]


@dataclass(frozen=True)
class ConsensusOptions(GraphOptions):
    """What consensus, and of whom."""

    method: Annotated[
        Method,
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
    number: Annotated[int, option("Number of items to list.", "-n", min=1)] = 20
    n_bootstraps: Annotated[int, option("Bootstrap samples of people (0 = no intervals).")] = 1000

    def settings(self) -> dict[str, Any]:
        """As parameters of the estimator."""
        names = ("method", "unranked", "n_bootstraps")
        return {"graph": self.item_graph(near=True)} | {own: getattr(self, own) for own in names}


@with_options(options=ConsensusOptions, results=Results, reading=Reading)
def consensus(
    file: RankingFile, options: ConsensusOptions, results: Results, reading: Reading
) -> None:
    """Rank the items by consensus, with possible places.

    A table with places, the places that are possible, and in how many bootstrap samples each item
    is first; to .csv, .json or .parquet, as a picture (.png, .svg, .pdf), or as a page (.html).
    With --by, one consensus for each group, side by side. If rankings are few, an item graph
    (--items or --graph) helps: similar items get similar strengths, as far as the rankings say.

    Example: rankcut consensus votes.soi --unranked last -o places.html
    """
    outputs = results.open((*TABLES, *PICTURES, ".html"), ".csv")
    settings = options.settings()
    rankings = reading.read_filled(file, no_items=[options.by, options.people])
    report = _report(rankings, file, options, settings)

    def draw() -> Any:
        from rankcut.consensus.figure import draw_consensus, leaderboard
        from rankcut.pictures.figures import draw_figure

        title = rankings.title or "Consensus"
        if options.joined:
            return draw_figure(leaderboard(report, title))
        return draw_consensus(report, title)

    def page() -> str:
        from rankcut.consensus.figure import consensus_page

        return consensus_page(report, rankings.title)

    outputs.write(report.columns(), report.data(), draw=draw, page=page)
    outputs.show(report.data(), lambda: report.lines(options.number))


def _report(
    rankings: "RankingSet", file: str, options: ConsensusOptions, settings: dict[str, Any]
) -> "ConsensusReport":
    """The consensus of all, or of each group."""
    import warnings

    from rankcut.consensus.combining import combine
    from rankcut.consensus.words import ConsensusReport, GroupConsensus
    from rankcut.rankings import read_rankings

    groups = [("", rankings)]
    if options.by is not None:
        groups = _groups(rankings, options.by, file)
    found = []
    with working(f"consensus ({options.method})"), warnings.catch_warnings():
        # Said among the notes.
        warnings.filterwarnings("ignore", message="Nobody ranks")
        for label, group in groups:
            people = None if options.people is None else known_values(group, options.people, file)
            read = read_rankings(group, unranked=options.unranked, people=people)
            model = combine(read, **settings)
            found.append(GroupConsensus.of(model, label))
    items = [str(item) for item in rankings.items]
    return ConsensusReport(items, model.method_, model.confidence, found)


def _groups(rankings: "RankingSet", by: str, file: str) -> "list[tuple[str, RankingSet]]":
    """The rankings of each group, by its name."""
    known, values = labelled(rankings, by, file)
    if len(known) < len(rankings):
        note(f"left out {amount(len(rankings) - len(known), 'row')} without {by!r}")
    return [(value, known.rows(values == value)) for value in sorted(set(values.tolist()))]


@with_options(results=Results, reading=Reading)
def transfers(file: RankingFile, results: Results, reading: Reading) -> None:
    """Show where ballots go next.

    First choices and, for each candidate, the next choices on these ballots, if any; as a picture
    (.png, .svg, .pdf), a page (.html) or a table (.csv, .json, .parquet). This does not count an
    election.

    Example: rankcut transfers ballots.csv -o transfers.html
    """
    from rankcut.consensus.transfers import count_transfers

    outputs = results.open((*TABLES, *PICTURES, ".html"), ".csv")
    rankings = reading.read(file)
    found = count_transfers(rankings)
    title = rankings.title or "Where ballots go next"
    data = asdict(found)
    outputs.write(
        found.columns(), data, draw=lambda: found.plot(title), page=lambda: found.page(title)
    )
    outputs.show(data, found.lines)
