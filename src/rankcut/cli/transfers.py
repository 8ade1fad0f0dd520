"""``rankcut transfers``: first choices, and where ballots go next."""

from rankcut.cli.command import with_options
from rankcut.cli.output import PICTURES, TABLES, Results
from rankcut.cli.reading import RankingFile, Reading


@with_options(results=Results, reading=Reading)
def transfers(file: RankingFile, results: Results, reading: Reading) -> None:
    """Show where ballots go next.

    First choices, and the next choice of those who chose each candidate, or that they list no
    other; as a picture (.png, .svg, .pdf), a page (.html) or a table (.csv, .json, .parquet). No
    election is counted.

    Example: rankcut transfers ballots.csv -o transfers.html
    """
    from rankcut.consensus.transfers import count_transfers

    outputs = results.open({**TABLES, **PICTURES, ".html": None}, ".csv")
    rankings = reading.read(file)
    found = count_transfers(rankings)
    title = rankings.title or "Where ballots go next"
    data = {
        "items": [str(item) for item in found.items],
        "first": found.first,
        "next": found.next,
        "exhausted": found.exhausted,
    }
    outputs.write(
        found.columns(), data, draw=lambda: found.plot(title), page=lambda: found.page(title)
    )
    outputs.show(data, found.lines)
