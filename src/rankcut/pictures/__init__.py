"""Pictures, by Matplotlib, and pages, which need nothing else."""

from rankcut.pictures.map_figure import plot_map
from rankcut.pictures.map_page import map_page

__all__ = ["map_page", "plot_map"]
