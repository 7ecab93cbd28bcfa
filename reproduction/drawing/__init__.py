"""Figures of the experiments on data sets, drawn from rows; each function returns figures by file name."""

from ._grids import draw_prior, draw_strength
from ._style import write_figures
from ._tables import draw_table1, draw_table2

__all__ = ["draw_prior", "draw_strength", "draw_table1", "draw_table2", "write_figures"]
