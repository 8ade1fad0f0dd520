"""Dates and numbers as periods."""

import datetime

import numpy as np
import pytest

from rankcut.errors import InputError
from rankcut.strengths.periods import Periods


@pytest.mark.parametrize(
    ("values", "period", "labels", "times"),
    [
        (["2024-01-30", "2024-05-07"], "month", ["2024-01", "2024-05"], [0, 4]),
        (
            [datetime.date(2024, 1, 1), datetime.datetime(2024, 1, 8, 3)],
            "week", ["2024-01-01", "2024-01-08"], [0, 1],
        ),
        (
            np.array(["2023-12-31", "2024-04-01"], dtype="datetime64[s]"),
            "quarter", ["2023 Q4", "2024 Q2"], [0, 2],
        ),
        ([20050103, 20061231], "year", ["2005", "2006"], [0, 1]),
        (["13/05/07", "01/06/2008"], "year", ["2007", "2008"], [0, 1]),
        (["3.4.2020", "4.4.2020"], "day", ["2020-04-03", "2020-04-04"], [0, 1]),
        ([2010, 2014, 2012], None, [2010, 2012, 2014], [0, 1, 2]),
        ([0.1, 0.4, 1.2], 0.5, [0, 1], [0, 2]),
    ],
)  # fmt: skip
def test_periods_are_read_from_dates_and_numbers(values, period, labels, times):
    periods = Periods.of(values, period)
    assert list(periods.labels) == labels
    assert periods.times.tolist() == times
    assert len(periods.codes) == len(values)


def test_the_finest_unit_that_leaves_sixty_periods_is_chosen():
    days = np.datetime64("2015-01-01") + np.arange(0, 2000)
    assert Periods.of(days[:50]).unit == "day"
    assert Periods.of(days[:300]).unit == "week"
    assert Periods.of(days[:1500]).unit == "month"
    assert Periods.of(days).unit == "quarter"
    assert Periods.of(np.linspace(0, 900, 500)).unit == "20"


@pytest.mark.parametrize(
    ("values", "period", "message"),
    [
        (["2024-01-30", "soon"], None, "row 1: 'soon' is neither a date nor a number"),
        (["03/04/2020", "05/06/2020"], None, "could be two dates"),
        ([2001, 2002], "month", "numbers, not dates"),
        (["2024-01-30"], 7, "there are dates"),
        (["2024-01-30"], "decade", "must be one of"),
        ([1.0, None], None, "row 1"),
    ],
)
def test_what_is_no_date_is_named(values, period, message):
    with pytest.raises(InputError, match=message):
        Periods.of(values, period)


@pytest.mark.parametrize("per_second", [1, 1000])
def test_seconds_since_1970_are_dates(per_second):
    seconds = np.array([1682351591.25, 1684943591.0, 1682360000.5]) * per_second
    periods = Periods.of(seconds, "month")
    assert periods.labels == ("2023-04", "2023-05")
    assert periods.codes.tolist() == [0, 1, 0]
    assert Periods.of([100.5, 200.0]).labels == (100.5, 200)
