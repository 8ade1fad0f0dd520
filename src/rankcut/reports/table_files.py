"""Tables as CSV and JSON."""

import csv
import io
import json
import math
from typing import Any

from rankcut.reports.findings import Table


def columns_of(rows: Table) -> list[str]:
    """All columns, in the order in which rows first have them."""
    return list(dict.fromkeys(column for row in rows for column in row))


def as_csv(rows: Table) -> str:
    """A header and a line for each row; what a row does not have is empty.

    >>> print(as_csv([{"kernel": "Kendall", "seconds": 0.25}, {"kernel": "none"}]), end="")
    kernel,seconds
    Kendall,0.25
    none,
    """
    text = io.StringIO()
    writer = csv.DictWriter(text, columns_of(rows), restval="", lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def as_json(rows: Table) -> str:
    """A list of objects; numbers that JSON does not have are null.

    >>> print(as_json([{"seconds": float("nan")}]), end="")
    [
     {
      "seconds": null
     }
    ]
    """
    return json.dumps(_finite(list(map(dict, rows))), ensure_ascii=False, indent=1) + "\n"


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def shown(value: Any, form: str = "") -> str:
    """A cell as a reader wants it: numbers in the given form, nothing for what is missing.

    >>> shown(0.12345, ".2f"), shown(True), shown(None), shown("–"), shown(1250, ",")
    ('0.12', 'yes', '', '–', '1,250')
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return format(value, form or (".4g" if isinstance(value, float) else ","))
    return str(value)
