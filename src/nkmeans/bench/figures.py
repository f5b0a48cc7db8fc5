"""What the tables say, at a glance."""

from pathlib import Path

from nkmeans.bench.data_sets import DataSet
from nkmeans.bench.methods import methods
from nkmeans.bench.paper import paper
from nkmeans.bench.rows import Rows
from nkmeans.bench.runner import PAPER_LIMIT, Request
from nkmeans.bench.tables import Cells, cells_of

OURS, THEIRS, INK = "#4477aa", "#c7c7cc", "#1d1d1f"


def draw(rows: Rows, data_sets: list[DataSet], request: Request, folder: Path) -> list[Path]:
    """All figures of these suites, as PNG files; an empty list without matplotlib."""
    try:
        import matplotlib
    except ImportError:
        return []
    matplotlib.use("Agg")
    drawn = []
    for suite in request.suites:
        cells = cells_of(rows, data_sets, suite, request.rows)
        if not cells:
            continue
        machine = rows.of(suite, request.rows)[0]["machine"]
        for score, label in (("objective", "objective"), ("seconds", "seconds, all runs")):
            names = [d.name for d in data_sets if d.suite == suite and score in d.compared]
            path = folder / f"{suite}-{score}.png"
            draw_dots(cells, suite, score, label, names, machine, path)
            drawn.append(path)
    return drawn


def draw_dots(
    cells: Cells,
    suite: str,
    score: str,
    label: str,
    names: list[str],
    machine: str,
    path: Path,
) -> None:
    """A strip for each method, a dot for each data set: ours in colour, the paper's in grey."""
    from matplotlib import pyplot as plt

    columns, seen = list(methods()), []
    figure, axis = plt.subplots(figsize=(8, 0.5 * len(columns) + 1.2))
    for place, method in enumerate(columns):
        ours = [value_of(cells, suite, score, name, method) for name in names]
        theirs = [limit_or(paper(suite, score, name, method)) for name in names]
        for values, color, shift in ((theirs, THEIRS, 0.16), (ours, OURS, -0.16)):
            known = [value for value in values if value is not None]
            seen += known
            axis.scatter(known, [place + shift] * len(known), s=26, color=color, alpha=0.75,
                         linewidths=0, zorder=3)  # fmt: skip
    scale = "log" if seen and max(seen) > 10 * min(seen) else "linear"
    axis.set(yticks=range(len(columns)), yticklabels=columns, xscale=scale, xlabel=label)
    axis.invert_yaxis()
    axis.grid(axis="x", color="#ececf0", zorder=0)
    for side in ("top", "right", "left"):
        axis.spines[side].set_visible(False)
    axis.tick_params(left=False, colors=INK)
    timed = score == "seconds"
    axis.scatter([], [], s=26, color=OURS, label=f"nkmeans ({machine})" if timed else "nkmeans")
    axis.scatter([], [], s=26, color=THEIRS, label="paper (20 cores)" if timed else "paper")
    axis.legend(frameon=False, loc="upper center", bbox_to_anchor=(0.5, 1.14), ncols=2)
    figure.tight_layout()
    figure.savefig(path, dpi=110)
    plt.close(figure)


def value_of(cells: Cells, suite: str, score: str, name: str, method: str) -> float | None:
    """Our score of a cell; on real data costs are relative to the first method's."""
    cell = cells.get((name, method))
    if cell is None:
        return None
    value: float | None = getattr(cell, score)
    if suite == "real" and score == "objective" and value is not None:
        first = cells.get((name, next(iter(methods()))))
        return value / first.objective if first and first.objective else None
    return value


def limit_or(value: float | str | None) -> float | None:
    """The paper's number, four hours where it stopped."""
    if isinstance(value, str):
        return PAPER_LIMIT
    return value
