"""A survey export whose groups are spelled in several ways, with refusals and a single person."""

import json
import re

import numpy as np
import pytest
from commands import succeed

ITEMS = ["sushi", "pizza", "ramen", "salad"]


@pytest.fixture
def survey(tmp_path):
    """Places of meals by gender; one cell is empty."""
    rng = np.random.default_rng(5)
    spellings = ["female", "Female", "female", "male", "male", "MALE"]
    genders = [spellings[i % 6] for i in range(78)] + ["Prefer not to say"] * 3 + ["non-binary", ""]
    lines = [",".join(["gender", *ITEMS])]
    for row, gender in enumerate(genders):
        order = rng.permutation(4) + 1
        cells = [str(place) for place in order]
        if row == 7:
            cells[int(order.argmax())] = ""
        lines.append(",".join([gender, *cells]))
    path = tmp_path / "survey.csv"
    path.write_text("\n".join(lines))
    return path


def test_compare_consensus_and_report_count_the_same_groups(survey, tmp_path):
    data = json.loads(succeed("compare", survey, "--by", "gender", "--json"))
    assert data["groups"] == {"female": 39, "male": 39}
    assert data["notes"][:2] == [
        "Joined with group 'female': 'Female'.",
        "Joined with group 'male': 'MALE'.",
    ]
    assert "4 rankings without a group left out: 'Prefer not to say' (3)." in data["notes"]
    assert "Left out, with one ranking or none: 'non-binary'." in data["notes"]
    # One empty cell does not make strengths of mean places.
    assert data["measure"] == "places"
    places = succeed("consensus", survey, "--by", "gender")
    assert re.match(r"item +female +male\n", places)
    succeed("report", survey, "--by", "gender", "-o", tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    p_value = re.search(r"\(p [=≤] ([0-9.]+)\)", page)
    assert float(p_value[1]) == float(f"{data['p_value']:.2g}")
    for group in ("female (39)", "male (39)", "non-binary (1)"):
        assert group in page
    assert "left out: &#x27;Prefer not to say&#x27; (3)." in page


def test_a_map_has_the_same_groups(survey):
    header = succeed("map", survey, "--by", "gender").splitlines()[0].split()
    assert header[-4:] == ["female", "male", "non-binary", "unknown"]
