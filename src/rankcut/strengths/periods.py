"""Periods of time: dates or numbers, one for each ranking, as a sensible number of periods."""

import datetime
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankcut._loops.types import Floats, Longs
from rankcut.errors import InputError, Setting

#: A calendar unit, or the width of a period of numbers; None: chosen.
Period: TypeAlias = Literal["day", "week", "month", "quarter", "year"] | float | None

UNITS = ("day", "week", "month", "quarter", "year")

# The finest unit is chosen that leaves at most this many periods: more are not told apart in a
# picture, and a random walk hardly moves in shorter ones.
_MOST_PERIODS = 60

_YEAR_FIRST = re.compile(r"(\d{4})[-/.](\d{1,2})(?:[-/.](\d{1,2}))?(?:[T ].*)?")
_YEAR_LAST = re.compile(r"(\d{1,2})([-/.])(\d{1,2})[-/.](\d{2}|\d{4})(?:[T ].*)?")

# Numbers between these are seconds since 1970, or a thousand times as many milliseconds: from 1990
# to 2100.
_FIRST_SECOND, _LAST_SECOND = 631_152_000, 4_102_444_800

# Years of two digits are of this century up to this one, as spreadsheets read them.
_LAST_SHORT_YEAR = 50


@dataclass(frozen=True, eq=False)
class Periods:
    """The period of each ranking.

    Examples
    --------
    >>> periods = Periods.of(["2024-01-30", "2024-02-01", "2024-05-07"], "month")
    >>> periods.labels, periods.times.tolist(), periods.codes.tolist()
    (('2024-01', '2024-02', '2024-05'), [0.0, 1.0, 4.0], [0, 1, 2])
    >>> Periods.of([2019, 2021, 2019]).labels
    (2019, 2021)
    """

    labels: tuple[Any, ...]  #: of the periods in which anybody ranked, in their order
    times: Floats  #: when they are, in units of a period, from 0
    codes: Longs  #: the period of each ranking
    unit: str  #: what a period is, in words

    @classmethod
    def of(cls, values: Any, period: Period = None) -> "Periods":
        """From dates or numbers, one for each ranking.

        Parameters
        ----------
        values : array, series or sequence
            Dates, text such as 2024-01-30 or 30.01.2024, or numbers. Whole numbers like 20240130
            are dates, and so are seconds or milliseconds since 1970.
        period : {"day", "week", "month", "quarter", "year"}, float or None
            A calendar unit, or for numbers the width of a period; None: the finest that leaves at
            most 60 periods.
        """
        cells = _cells(values)
        if isinstance(period, str) and period not in UNITS:
            raise InputError(
                f"must be one of {', '.join(UNITS)}, or a number; got {period!r}",
                parameter="period",
            )
        days = _as_days(cells)
        if days is not None:
            if isinstance(period, int | float):
                raise InputError(
                    "is a number, but there are dates",
                    parameter="period",
                    remedy=["use ", Setting("period", "month")],
                )
            return _of_days(days, period)
        numbers = np.array([_number(cell, row) for row, cell in enumerate(cells)])
        if isinstance(period, str):
            raise InputError(
                f"is {period!r}, but there are numbers, not dates",
                parameter="period",
                remedy="give the width of a period as a number",
            )
        return _of_numbers(numbers, period)

    def __len__(self) -> int:
        return len(self.labels)

    def rows(self, which: Any) -> "Periods":
        """The periods of some rankings."""
        codes, inverse = np.unique(self.codes[which], return_inverse=True)
        labels = tuple(self.labels[code] for code in codes.tolist())
        times = self.times[codes]
        return Periods(labels, times - times[0] if len(times) else times, inverse, self.unit)


def _cells(values: Any) -> list[Any]:
    if hasattr(values, "to_list"):
        return list(values.to_list())
    if isinstance(values, np.ndarray):
        return list(
            (values.astype("datetime64[D]") if values.dtype.kind == "M" else values).tolist()
        )
    return list(values)


def _number(cell: Any, row: int) -> float:
    try:
        number = float(cell)
    except (TypeError, ValueError):
        number = np.nan
    if not np.isfinite(number):
        raise InputError(
            f"{cell!r} is neither a date nor a number",
            row=row,
            remedy="write dates as 2024-01-30, and leave out rows without a date",
        )
    return number


def _as_days(cells: Sequence[Any]) -> NDArray[np.datetime64] | None:
    """Dates as days; None if they are numbers."""
    first = next((cell for cell in cells if cell is not None), None)
    if isinstance(first, datetime.date):
        return np.array([_day(cell, row) for row, cell in enumerate(cells)], dtype="datetime64[D]")
    distinct = dict.fromkeys(cells)
    if all(isinstance(cell, int | float) for cell in distinct):
        for per_second in (1, 1000):
            if all(_FIRST_SECOND <= cell / per_second < _LAST_SECOND for cell in distinct):
                seconds = [int(cell // per_second) for cell in cells]
                return np.array(seconds, dtype="datetime64[s]").astype("datetime64[D]")
        integers = [int(cell) for cell in distinct if cell == cell and float(cell).is_integer()]
        if len(integers) < len(distinct):
            return None
        texts = {cell: _from_digits(int(cell)) for cell in distinct}
        if not all(texts.values()):
            return None
    elif all(isinstance(cell, str) for cell in distinct):
        texts = _read_texts([cell.strip() for cell in distinct], list(distinct))
        if not any(texts.values()):
            return None
    else:
        return None
    for row, cell in enumerate(cells):
        if texts[cell] is None:
            _number(cell, row)
    return np.array([texts[cell] for cell in cells], dtype="datetime64[D]")


def _day(cell: Any, row: int) -> datetime.date:
    # Pandas' NaT is a date, too, and not even equal to itself.
    if isinstance(cell, datetime.date) and cell == cell:
        return cell.date() if isinstance(cell, datetime.datetime) else cell
    raise InputError(f"{cell!r} is no date", row=row, remedy="leave rows without one out")


def _from_digits(number: int) -> np.datetime64 | None:
    """The date that a number like 20240130 stands for."""
    year, rest = divmod(number, 10_000)
    return _date(year, *divmod(rest, 100)) if 1800 <= year < 2200 else None


def _date(year: int, month: int, day: int) -> np.datetime64 | None:
    try:
        return np.datetime64(datetime.date(year, month, day), "D")
    except ValueError:
        return None


def _read_texts(texts: Sequence[str], cells: Sequence[Any]) -> dict[Any, np.datetime64 | None]:
    """The dates that texts stand for; None where a text is no date."""
    matches = [_YEAR_LAST.fullmatch(text) for text in texts]
    parts = [(int(m[1]), int(m[3])) for m in matches if m]
    day_first = any(first > 12 for first, _ in parts) or any(m and m[2] == "." for m in matches)
    month_first = any(second > 12 for _, second in parts)
    if parts and not day_first and not month_first:
        raise InputError(
            f"{texts[0]!r} could be two dates: is the day or the month first?",
            remedy="write dates as 2024-01-30",
        )
    dates: dict[Any, np.datetime64 | None] = {}
    for cell, text, match in zip(cells, texts, matches, strict=True):
        iso = _YEAR_FIRST.fullmatch(text)
        if iso:
            dates[cell] = _date(int(iso[1]), int(iso[2]), int(iso[3] or 1))
        elif match:
            year = int(match[4])
            if year < 100:
                year += 2000 if year <= _LAST_SHORT_YEAR else 1900
            one, other = int(match[1]), int(match[3])
            day, month = (one, other) if day_first else (other, one)
            dates[cell] = _date(year, month, day)
        else:
            dates[cell] = _from_digits(int(text)) if text.isdigit() and len(text) == 8 else None
    return dates


def _of_days(days: NDArray[np.datetime64], period: str | None) -> Periods:
    units = UNITS if period is None else (period,)
    for unit in units:
        numbers = _calendar(days, unit)
        codes, inverse = np.unique(numbers, return_inverse=True)
        if len(codes) <= _MOST_PERIODS:
            break
    times = (codes - codes[0]).astype(np.float64) if len(codes) else np.zeros(0)
    labels = tuple(_calendar_label(int(code), unit) for code in codes)
    return Periods(labels, times, inverse.astype(np.int64), unit)


def _calendar(days: NDArray[np.datetime64], unit: str) -> Longs:
    """The number of each day's unit, from 1970 on."""
    if unit == "day":
        return days.astype(np.int64)
    if unit == "week":
        # 1970 began on a Thursday; weeks begin on Monday.
        return np.asarray((days.astype(np.int64) + 3) // 7)
    months = days.astype("datetime64[M]").astype(np.int64)
    return np.asarray(months // {"month": 1, "quarter": 3, "year": 12}[unit])


def _calendar_label(number: int, unit: str) -> str:
    if unit in ("day", "week"):
        return str(np.datetime64(number if unit == "day" else 7 * number - 3, "D"))
    if unit == "month":
        return str(np.datetime64(number, "M"))
    if unit == "quarter":
        return f"{1970 + number // 4} Q{number % 4 + 1}"
    return str(1970 + number)


def _of_numbers(numbers: Floats, period: float | None) -> Periods:
    distinct = np.unique(numbers)
    if period is None and len(distinct) > _MOST_PERIODS:
        spread = float(distinct[-1] - distinct[0])
        period = next(
            step * 10.0**power
            for power in range(-300, 300)
            for step in (1, 2, 5)
            if spread / (step * 10.0**power) < _MOST_PERIODS
        )
    if period is None:
        codes, inverse = distinct, np.searchsorted(distinct, numbers)
        gaps = np.diff(distinct)
        width = float(gaps.min()) if len(gaps) else 1.0
        times, unit = (codes - codes[0]) / width, f"{width:g}"
    else:
        if not period > 0:
            raise InputError(f"must be positive; got {period!r}", parameter="period")
        bins, inverse = np.unique(np.floor(numbers / period), return_inverse=True)
        codes, times, unit = bins * period, bins - bins[0], f"{period:g}"
    labels = tuple(int(code) if float(code).is_integer() else float(code) for code in codes)
    return Periods(labels, times.astype(np.float64), inverse.astype(np.int64), unit)
