"""The panel about utilities: only where people answered several best–worst tasks."""

from best_worst import some_tasks

from rankcut import Utilities
from rankcut.report.panels import make_utilities
from rankcut.report.study import read_study

TASKS = some_tasks(n_people=15, n_tasks=4).meaning("anywhere")


def test_what_the_panel_says_is_what_the_model_says():
    panel = make_utilities(read_study(TASKS))
    best = Utilities().fit(TASKS).tables()["items"]["item"][0]
    assert f"{best} is liked best on average" in panel.said
    assert "by 15 people with 60 tasks" in panel.said
    assert "median person" in panel.notes


def test_others_have_none():
    assert make_utilities(read_study(TASKS.ranks, unranked="anywhere")) is None
    one_each = TASKS.rows(range(0, 60, 4))
    assert make_utilities(read_study(one_each)) is None
