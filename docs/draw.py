"""Draw the pictures that pages show again.

    RANKCUT_DATA=downloads python docs/draw.py [NAME …]

Pictures of data that is not in RANKCUT_DATA stay as they are.
"""

import base64
import csv
import json
import os
import shlex
import subprocess
import sys
import tempfile
import time
from doctest import DocTestParser
from functools import partial
from pathlib import Path

from notebooks import last_value
from tell import reduced

from rankcut import compare_groups, make_mallows
from rankcut.cli import app
from rankcut.datasets import load_eurovision
from rankcut.errors import InputError
from rankcut.pictures.theme import COLOURS

DOCS = Path(__file__).parent
sys.path += [str(DOCS.parent / folder) for folder in ("", "tests")]
from chromium import find_chromium, opened  # noqa: E402 - from there

DPI = 150

COMMANDS = {
    "consensus": "consensus lunch:top-k --unranked last",
    "consensus_sushi": "consensus sushi:a --method kemeny",
    "consensus_dublin": "consensus {dublin} --unranked anywhere --method kemeny",
}
"""Commands that draw, by the names of their pictures."""


def draw_map(path):
    """The map of the README, which is the first picture of the gallery."""
    last_value(DOCS.parent / "examples/plot_map.py").savefig(path, dpi=DPI)


def draw_eurovision(path):
    """Juries and the public."""
    votes = load_eurovision(first_year=2016)
    result = compare_groups(
        votes,
        votes["voters"],
        measure="places",
        people=votes["country"],
        strata=votes["year"],
        unranked="last",
    )
    result.plot().savefig(path, dpi=DPI)


def draw_worth(path):
    """How close strengths come to those of other people, with and without an item graph."""
    import matplotlib.pyplot as plt

    from benchmarks.strengths.strengths_graph import curves

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


def write_survey(path):
    """A made-up export of Qualtrics: students and staff rank what matters in a phone."""
    wishes = ["Price", "Battery", "Camera", "Screen", "Weight", "Brand", "Storage", "Repair"]
    places = list(range(1, len(wishes) + 1))
    ids = ["startDate", "_recordId", "QID2", *(f"QID5_{k}" for k in places)]
    rows = [["StartDate", "ResponseId", "Q2", *(f"Q5_{k}" for k in places)]]
    question = "What matters most in a phone?"
    rows.append(["Start", "Response ID", "Who are you?", *(f"{question} - {w}" for w in wishes)])
    rows.append([json.dumps({"ImportId": own}) for own in ids])
    camps = [places, [4, 1, 2, 3, 8, 7, 5, 6]]
    votes = make_mallows(118, len(wishes), phi=0.75, centers=camps, random_state=0)
    for i, (ranks, group) in enumerate(zip(votes.ranks, votes.target, strict=True)):
        listed = [""] * len(wishes) if i % 11 == 4 else [f"{rank:g}" for rank in ranks]
        rows.append(
            [f"2026-05-0{i % 9 + 1} 10:{i % 59:02}", f"R_{i}", ["Student", "Staff"][group], *listed]
        )
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(rows)


def draw_page(clicked, shown, path):
    """The page that opens files, with a survey, after some clicks: the part that has an element."""
    if find_chromium() is None:
        raise FileNotFoundError("there is no Chromium")
    survey = path.with_name("phones.csv")
    write_survey(survey)
    words = [sys.executable, "-m", "rankcut", "open", survey.name, "--no-browser"]
    program = subprocess.Popen(words, cwd=survey.parent, stdout=subprocess.PIPE, text=True)
    try:
        address = program.stdout.readline().split()[-1]
        with opened(find_chromium(), address, 1000, path.with_name("profile")) as page:
            for selector in [*clicked, shown]:
                while not page.evaluate(f"document.querySelector({selector!r}) !== null"):
                    time.sleep(0.1)
                if selector != shown:
                    page.click(selector)
            box = page.evaluate(
                f"(() => {{ const b = document.querySelector({shown!r}).closest('section')"
                ".getBoundingClientRect(); return [0, b.y + scrollY - 8, innerWidth,"
                " b.height + 16]; })()"
            )
            area = dict(zip(("x", "y", "width", "height"), box, strict=True), scale=1)
            options = {"clip": area, "captureBeyondViewport": True}
            picture = page.send("Page.captureScreenshot", **options)["data"]
            path.write_bytes(base64.b64decode(picture))
    finally:
        program.terminate()
        program.wait()


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
    programs["open"] = partial(draw_page, [], "#reading .says")
    programs["open-groups"] = partial(draw_page, ["#by-0"], "#content-groups .tools-of")
    for name, command in COMMANDS.items():
        programs[name] = lambda path, command=command: draw_command(command, path)
    for name in sys.argv[1:] or programs:
        draw = programs[name]
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            path = Path(folder) / f"{name}.png"
            try:
                draw(path)
            except (InputError, FileNotFoundError) as missing:
                print(f"{name}.png stays as it is: {missing}")
            else:
                (DOCS / path.name).write_bytes(reduced(path))


if __name__ == "__main__":
    main()
