"""What a model learned, as tables, words and a picture."""

import html
from dataclasses import dataclass
from typing import Any

from rankcut.comparison.tables import Table
from rankcut.errors import InputError

# An effect is clear if it is this many standard errors from 0.
_CLEAR = 1.96
_MOST_LINES = 10


@dataclass(frozen=True, repr=False)
class Explanation:
    """Effects of places and pairs on a prediction.

    Attributes
    ----------
    items : Table
        ``item``, ``effect`` of moving it from last to first while the others keep their order,
        and ``std_error``; with more than two classes also ``class``. The largest effects are first.
    pairs : Table
        ``first``, ``second``, ``effect`` of the first directly before the second instead of
        directly after it, and ``std_error``.
    unit : str
        What effects are measured in.
    outputs : tuple
        The class that a positive effect favours, for each output; None for a number.
    notes : tuple of str
        What a reader should know.
    """

    items: Table
    pairs: Table
    unit: str
    outputs: tuple[Any, ...]
    notes: tuple[str, ...] = ()

    def to_frame(self, table: str = "items", backend: str | None = None) -> Any:
        """A table as a pandas or Polars frame.

        Parameters
        ----------
        table : {"items", "pairs"}
            Which table.
        backend : {"pandas", "polars", "pyarrow"} or None
            Which library; None is the one that is installed, pandas first.
        """
        if table not in ("items", "pairs"):
            raise InputError(f'must be "items" or "pairs"; got {table!r}', parameter="table")
        return getattr(self, table).to_frame(backend)

    def to_dict(self) -> dict[str, Any]:
        """All of it as plain numbers, text, lists and dictionaries, as for JSON."""
        return {
            "unit": self.unit,
            "outputs": list(self.outputs),
            "items": [_plain(row) for row in self.items],
            "pairs": [_plain(row) for row in self.pairs],
            "notes": list(self.notes),
        }

    def summary(self) -> str:
        """The largest effects in words."""
        towards = ""
        if len(self.outputs) == 1 and self.outputs[0] is not None:
            towards = f"; positive speaks for {self.outputs[0]}"
        lines = [f"Item ranked first instead of last ({self.unit}{towards}):"]
        lines += [f"  {_line(row, str(row['item']))}" for row in list(self.items)[:_MOST_LINES]]
        if len(self.pairs):
            lines.append("First item directly before the second instead of after it:")
            lines += [
                f"  {_line(row, '{first} before {second}'.format(**row))}"
                for row in list(self.pairs)[:_MOST_LINES]
            ]
        return "\n".join([*lines, *self.notes])

    def plot(self) -> Any:
        """The items' effects with 95 % intervals, as a Matplotlib figure."""
        from rankcut.pictures.item_charts import draw_effects

        return draw_effects(self.items, self.unit)

    def __repr__(self) -> str:
        return f"Explanation({len(self.items)} effects of items, {len(self.pairs)} of pairs)"

    def _repr_html_(self) -> str:
        return f"<p>{html.escape(self.unit)}</p>{self.items._repr_html_()}"


def _line(row: dict[str, Any], what: str) -> str:
    effect, error = row["effect"], row["std_error"]
    of = f" [{row['class']}]" if "class" in row else ""
    # NaN is not equal to itself: no error is known.
    sure = "" if error != error else f" ± {_CLEAR * error:.3g}"
    return f"{what}{of}: {effect:+.3g}{sure}"


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    return {name: None if value != value else value for name, value in row.items()}
