"""``rankcut compare``: verdicts, bars, JSON, pages, periods and mistakes."""

import json

from commands import fail, succeed


def test_a_verdict_and_bars(lunch):
    said = succeed("compare", "full.csv", "--by", "guest", "--permutations", "199")
    assert said.startswith("Groups differ (p ≤ 0.005); the group explains ")
    assert "█" in said
    assert "places higher in sweet tooth than in juicy eater" in said
    assert "Rankings: juicy eater 24, sweet tooth 24. 199 random permutations." in said


def test_json_page_picture_and_table(lunch):
    options = ["--by", "guest", "--permutations", "99", "-o", "page.html", "-o", "items.png"]
    said = succeed(
        "compare", "lunch:top-k", *options, "-o", "items.csv", "--unranked", "last", "--json"
    )
    data = json.loads(said)
    assert data["p_value"] == 0.01
    assert data["verdict"].startswith("Groups differ")
    assert data["listing"]["p_value"] == 0.01
    assert isinstance(data["items"][0]["item"], str)
    page = (lunch / "page.html").read_text()
    assert data["verdict"].replace("'", "&#x27;") in page
    assert page.count("<svg") == 1
    assert "http" not in page
    assert (lunch / "items.png").stat().st_size > 5_000
    header, first, *_ = (lunch / "items.csv").read_text().splitlines()
    assert header.startswith("item,difference,higher_in,lower_in,p_value")
    assert first.startswith(data["items"][0]["item"])


def test_periods_strata_and_people(lunch):
    lines = (lunch / "full.csv").read_text().splitlines()
    table = [f"{lines[0]},year,town,person"]
    table += [f"{line},{2020 + i % 3},t{i % 2},p{i}" for i, line in enumerate(lines[1:])]
    (lunch / "years.csv").write_text("\n".join(table) + "\n")
    options = ["--permutations", "99", "--columns", "guest"]
    said = succeed("compare", "years.csv", "--over", "year", "--strata", "town", *options)
    assert "2020 to 2021" in said
    assert "2021 to 2022" in said
    assert said.count("Rankings: ") == 2
    data = json.loads(succeed("compare", "years.csv", "--over", "year", "--json", *options))
    assert [each["title"] for each in data] == ["2020 to 2021", "2021 to 2022"]
    succeed("compare", "years.csv", "--over", "year", "-o", "page.html", *options)
    assert (lunch / "page.html").read_text().count("<svg") == 2
    options[-1] = "year"
    said = succeed("compare", "years.csv", "--by", "guest", "--people", "person", *options)
    assert "Groups differ" in said


def test_mistakes(lunch):
    fail("compare", "full.csv", says="name the groups with --by COLUMN, or periods with --over")
    fail("compare", "full.csv", "--by", "town", says="no column 'town'")
    fail("compare", "full.csv", "--by", "guest", "-o", "page.doc", says="unknown suffix '.doc'")
    fail("compare", "top-k.csv", "--by", "guest", says="is not ranked.*--unranked last")
