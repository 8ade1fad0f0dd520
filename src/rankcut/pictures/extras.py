"""Import Matplotlib and Plotly, or say how to install them."""

from typing import Any

_REMEDY = 'pip install "rankcut[plot]"'


def import_figure() -> Any:
    """Matplotlib's figure class, which needs no display."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ModuleNotFoundError(f"pictures need Matplotlib: {_REMEDY}") from None
    return Figure


def import_plotly() -> Any:
    """Plotly's graph objects."""
    try:
        import plotly.graph_objects
    except ImportError:
        raise ModuleNotFoundError(f"HTML maps need Plotly: {_REMEDY}") from None
    return plotly.graph_objects
