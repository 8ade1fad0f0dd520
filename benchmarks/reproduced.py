"""What a full run of the reproduction found: each claim's verdict with its numbers.

Run with: python benchmarks/reproduced.py DIRECTORY, which ``make reproduce DATA=…`` wrote (REPORT
names it); its report.md becomes docs/results/reproduced.md, without figures and most tables.
"""

import re
import sys
from pathlib import Path

from record import RESULTS, header

# Tables that are kept, by how their captions begin.
KEPT = ("As published, and with one thing", "Kendall's kernel with the labels")
COMMAND = "make reproduce DATA=downloads/sushi"


def page(report: str) -> str:
    """The page of results, from a report in Markdown."""
    run = re.search(r"^This was .+$", report, re.M)
    counts = re.search(r"^Verdicts: .+$", report, re.M)
    assert run is not None
    assert counts is not None
    lines = [header("reproduced", COMMAND), run[0], "", counts[0]]
    for section in report.split("\n## ")[1:]:
        title, _, body = section.partition("\n")
        lines += ["", f"## {title}", ""]
        lines += re.findall(r"^(?:- \*\*|  As published: ).+$", body, re.M)
        for block in body.split("\n\n"):
            caption, _, rest = body[body.index(block) :].partition("\n\n")
            if caption.startswith(KEPT):
                lines += ["", caption, "", rest.partition("\n\n")[0].strip()]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    text = (Path(sys.argv[1]) / "report.md").read_text(encoding="utf-8")
    (RESULTS / "reproduced.md").write_text(page(text), encoding="utf-8")
