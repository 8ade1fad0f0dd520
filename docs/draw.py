"""Draw the pictures that pages show again.

    RANKCUT_DATA=downloads python docs/draw.py

Pictures of data that is not in RANKCUT_DATA stay as they are.
"""

import os
import shlex
import sys
import tempfile
from doctest import DocTestParser
from pathlib import Path

from notebooks import last_value
from tell import reduced

from rankcut import compare_groups
from rankcut.cli import app
from rankcut.datasets import load_eurovision
from rankcut.errors import InputError
from rankcut.pictures.theme import COLOURS

DOCS = Path(__file__).parent
sys.path.append(str(DOCS.parent / "benchmarks"))
DPI = 150

COMMANDS = {
    "consensus": "consensus lunch:top-k --unranked last",
    "consensus_sushi": "consensus sushi:a --method kemeny",
    "consensus_dublin": "consensus {dublin} --unranked anywhere --method kemeny",
    "blocs": "blocs sushi:a -n 4",
}
"""Commands that draw, by the names of their pictures."""


def draw_map(path):
    """The map of the README, which is the first picture of the gallery."""
    last_value(DOCS.parent / "examples/plot_map.py").savefig(path, dpi=DPI)


def draw_eurovision(path):
    """Juries and the public."""
    votes = load_eurovision(first_year=2016)
    result = compare_groups(
        votes, votes["voters"], people=votes["country"], strata=votes["year"], unranked="last"
    )
    result.plot().savefig(path, dpi=DPI)


def draw_worth(path):
    """How close strengths come to those of other people, with and without an item graph."""
    import matplotlib.pyplot as plt
    from strengths_graph import curves

    page = (DOCS / "results" / "strengths_graph.md").read_text(encoding="utf-8")
    titles = {
        "sushi": "100 sushi, lists of 10",
        "films": "400 films, lists of 3 to 5",
        "eurovision": "41 countries, lists of 10",
    }
    found = curves(page)
    figure, panels = plt.subplots(1, 3, figsize=(8.4, 2.9), layout="constrained")
    for axes, (name, title) in zip(panels, titles.items(), strict=True):
        sizes, alone, joined = found[name]
        axes.semilogx(sizes, joined, "o-", color=COLOURS[0], label="with the item graph")
        axes.semilogx(sizes, alone, "o--", color=COLOURS[1], label="without")
        axes.set_xticks(sizes, [f"{size:,.0f}" for size in sizes], fontsize=8)
        axes.minorticks_off()
        axes.set_ylim(0, 0.9)
        axes.set_title(title, fontsize=10)
        axes.set_xlabel("number of lists")
        axes.spines[["top", "right"]].set_visible(False)
    panels[0].set_ylabel("τ with other people's strengths")
    panels[0].legend(frameon=False, fontsize=8, loc="lower right")
    figure.savefig(path, dpi=DPI)
    plt.close(figure)


def draw_leaderboard(path):
    """The example of its page."""
    scope = {}
    page = (DOCS / "leaderboards.md").read_text(encoding="utf-8")
    for example in DocTestParser().get_examples(page):
        exec(compile(example.source, "leaderboards.md", "single"), scope)
    scope["figure"].savefig(path, dpi=DPI)


def draw_command(command, path):
    """What a command draws."""
    found = Path(os.environ.get("RANKCUT_DATA", ".")).rglob("00001-00000001.soi")
    words = shlex.split(command.format(dublin=next(found, "00001-00000001.soi")))
    try:
        app([*words, "-o", str(path)])
    except SystemExit as done:
        if done.code:
            raise InputError("the data is not there") from None


def main():
    """Draw all that can be drawn."""
    programs = {"map": draw_map, "compare-groups": draw_eurovision, "strengths": draw_worth}
    programs["leaderboard"] = draw_leaderboard
    for name, command in COMMANDS.items():
        programs[name] = lambda path, command=command: draw_command(command, path)
    for name, draw in programs.items():
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"{name}.png"
            try:
                draw(path)
            except (InputError, FileNotFoundError) as missing:
                print(f"{name}.png stays as it is: {missing}")
            else:
                (DOCS / path.name).write_bytes(reduced(path))


if __name__ == "__main__":
    main()
