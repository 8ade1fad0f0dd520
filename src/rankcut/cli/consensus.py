"""``rankcut consensus``: one ranking from many, and how sure each place is."""

from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import typer

from rankcut.cli.options import Bootstraps, By, Json, LeftOut, People, Seed, with_options
from rankcut.cli.output import (
    PICTURES,
    TABLES,
    OutputFiles,
    Outputs,
    note,
    page_writer,
    picture_writers,
    print_json,
    table_writers,
)
from rankcut.cli.reading import Rankings, Reading, known_values, labelled
from rankcut.errors import amount

if TYPE_CHECKING:
    from collections.abc import Callable

    from rankcut.consensus.words import ConsensusReport
    from rankcut.rankings.ranking_set import RankingSet

Method: TypeAlias = Literal["borda", "graph", "copeland", "kemeny"]


@with_options(reading=Reading)
def consensus(
    file: Rankings,
    reading: Reading,
    method: Annotated[
        Method,
        typer.Option(
            "--method",
            "-m",
            help="borda: mean position; graph: weighted by an item graph; copeland: pairwise wins; "
            "kemeny: the order that agrees most with all pairwise comparisons.",
        ),
    ] = "borda",
    by: By = None,
    people: People = None,
    unranked: LeftOut = "error",
    graph: Annotated[
        str | None,
        typer.Option(
            "--graph",
            metavar="GRAPH.npz",
            help="Item graph from 'rankcut graph', for --method graph.",
            show_default=False,
        ),
    ] = None,
    number: Annotated[int, typer.Option("-n", min=1, help="Number of items to list.")] = 20,
    confidence: Annotated[
        float, typer.Option("--confidence", help="Confidence of all intervals at once.")
    ] = 0.95,
    bootstraps: Bootstraps = 1000,
    time_limit: Annotated[
        float, typer.Option("--time-limit", help="Seconds for --method kemeny.")
    ] = 60.0,
    seed: Seed = 0,
    output: OutputFiles = None,
    as_json: Json = False,
) -> None:
    """Rank the items by consensus, with confidence sets.

    A table with places, the places that are possible, and in how many bootstrap samples each item
    is first; to .csv, .json or .parquet, as a picture (.png, .svg, .pdf), or as a page (.html).
    With --by, one consensus for each group, side by side.

    Example: rankcut consensus votes.soi --unranked last -o places.html
    """
    from rankcut.cli.progress import working
    from rankcut.cli.vector_options import VectorOptions

    outputs = Outputs(output, {**TABLES, **PICTURES, ".html": None}, ".csv", as_json=as_json)
    settings = {
        "method": method,
        "graph": VectorOptions(graph=graph).item_graph(),
        "unranked": unranked,
        "confidence": confidence,
        "n_bootstraps": bootstraps,
        "random_state": seed,
        "time_limit": time_limit,
    }
    columns = [column for column in (by, people) if column is not None]
    rankings = reading.read(file, no_items=columns)
    with working(f"consensus ({method})") as say:
        report = _report(rankings, file, settings, by, people, say)

    def draw() -> Any:
        from rankcut.consensus.figure import draw_consensus

        return draw_consensus(report, rankings.title or "Consensus")

    def page() -> str:
        from rankcut.consensus.figure import consensus_page

        return consensus_page(report, rankings.title)

    writers = table_writers(report.columns(), report.data()) | picture_writers(draw)
    outputs.write(writers | page_writer(page))
    if as_json:
        print_json(report.data())
    elif not outputs.to_stdout:
        print("\n".join(report.lines(number)))


def _report(
    rankings: "RankingSet",
    file: str,
    settings: dict[str, Any],
    by: str | None,
    people: str | None,
    say: "Callable[[str], None]",
) -> "ConsensusReport":
    """The consensus of all, or of each group."""
    import warnings

    from rankcut.consensus.estimator import Consensus
    from rankcut.consensus.words import ConsensusReport, GroupConsensus
    from rankcut.rankings import read_rankings

    groups: list[tuple[str, RankingSet]] = [("", rankings)]
    if by is not None:
        n_rows = len(rankings)
        rankings, values = labelled(rankings, by, file)
        if len(rankings) < n_rows:
            note(f"left out {amount(n_rows - len(rankings), 'row')} without {by!r}")
        groups = [(value, rankings.rows(values == value)) for value in sorted(set(values.tolist()))]
    found = []
    for label, group in groups:
        persons = None if people is None else known_values(group, people, file)
        of_group = f"{label}, " if label else ""

        def progress(value: float, bound: float, of_group: str = of_group) -> None:
            say(f"{of_group}at most {(bound - value) / bound:.2%} from the best order")

        with warnings.catch_warnings():
            # Said among the notes.
            warnings.filterwarnings("ignore", message="Nobody ranks")
            model = Consensus(**settings).fit_matrix(
                read_rankings(group.ranks, group.items), group.counts, persons, progress
            )
        found.append(GroupConsensus.of(model, label))
    items = [str(item) for item in rankings.items]
    return ConsensusReport(items, settings["method"], settings["confidence"], found)
