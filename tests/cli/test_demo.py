"""``rankcut demo`` as a user runs it."""

import re
import subprocess
import sys

import pytest
from typer.testing import CliRunner

from rankcut.cli import app


@pytest.mark.slow
def test_prints_vectors_and_scores_and_writes_a_picture(tmp_path):
    picture = tmp_path / "demo.png"
    command = [sys.executable, "-m", "rankcut", "demo", "-o", str(picture)]
    shown = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path)
    assert not shown.stderr
    for words in ("sweet tooth", "juicy eater", "gelato", "majority", "Borda", "graph cut"):
        assert words in shown.stdout
    rows = dict(re.findall(r"│ (full|top 6|top 3|with ties) +│(.*)│", shown.stdout))
    assert len(rows) == 4
    for row in rows.values():
        majority, borda, graph_cut = (float(mean) for mean in re.findall(r"(\d\.\d+) ±", row))
        assert majority < 0.5 < borda
        assert graph_cut > 0.8
    assert picture.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-o", "demo.xyz"], "a picture ends in .png"),
        (["-o", "nowhere/demo.png"], "there is no directory nowhere"),
        (["--seed", "-1"], "--seed"),
    ],
)
def test_mistakes(arguments, message):
    result = CliRunner().invoke(app, ["demo", *arguments])
    assert result.exit_code == 2
    assert message in " ".join(result.output.replace("│", " ").split())
    assert "Traceback" not in result.output


def test_help_has_an_example():
    assert "rankcut demo -o demo.png" in CliRunner().invoke(app, ["demo", "--help"]).output
