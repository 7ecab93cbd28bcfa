"""The figure of `benchmarks.bounds`: a panel for each kind of voters, a row for each bound, a mark for each set."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

MARKS = {"o": "#1b4f8a", "s": "#c8781e", "^": "#3d8b57", "D": "#8b1a1a", "v": "#6b4c9a"}
LEAST, TICKS = 0.1, (0.1, 0.3, 1, 3, 10, 30, 100)  # percent; smaller figures are drawn at the left edge


def picture(results: dict[str, dict[str, dict]], parts: Sequence[Sequence[str]]) -> Any:
    """Means in percent, on a logarithmic axis; the parts of the table are set apart."""
    import matplotlib.pyplot as plt

    places: dict[str, int] = {}
    for k, part in enumerate(parts):
        places |= {row: k + place for place, row in enumerate(part, len(places))}
    looks = dict(zip(dict.fromkeys(name for sets in results.values() for name in sets), MARKS.items(), strict=False))
    columns = min(2, len(results))  # with more, the words are too small on a page
    rows = -(-len(results) // columns)
    size = 3 + 2.8 * columns, 0.3 + (1 + 0.23 * len(places)) * rows
    figure, panels = plt.subplots(rows, columns, figsize=size, sharey=True, squeeze=False, layout="constrained")
    for axes in panels.flat[len(results) :]:
        axes.set_axis_off()
    for axes, (kind, sets) in zip(panels.flat, results.items(), strict=False):
        for name, (marker, colour) in looks.items():
            figures = sets.get(name, {})
            shown = [row for row in places if row in figures]
            x = [max(LEAST, 100 * figures[row][0]) for row in shown]
            axes.plot(x, [places[row] for row in shown], marker, color=colour, alpha=0.8, label=name)
        axes.set(title=kind, xscale="log", xlim=(0.8 * LEAST, 130), xlabel="percent")
        axes.set_xticks(TICKS, [f"{tick:g}" for tick in TICKS])
        axes.minorticks_off()
        axes.grid(color="#e4e4e4")
        axes.set_axisbelow(True)
        axes.spines[["top", "right"]].set_visible(False)
    panels[0, 0].set_yticks(list(places.values()), list(places))
    panels[0, 0].invert_yaxis()
    figure.legend(
        *panels[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=len(looks), frameon=False
    )
    return figure


def save(figure: Any, path: Path) -> None:
    """The same figure gives the same file."""
    import matplotlib.pyplot as plt

    with plt.rc_context({"svg.hashsalt": "stocmv"}):
        figure.savefig(path, metadata={"Date": None})
    plt.close(figure)
