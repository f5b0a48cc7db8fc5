"""The paper's tables, ours beside its own."""

from collections.abc import Callable, Iterable
from typing import Any

from nkmeans.bench.data_sets import SCORES, DataSet
from nkmeans.bench.methods import methods
from nkmeans.bench.paper import TIMEOUT, numbers, paper
from nkmeans.bench.rows import Rows
from nkmeans.bench.runner import PAPER_LIMIT, Request

LOW_PRECISION = 0.8
Cells = dict[tuple[str, str], "Cell"]


class Cell:
    """The runs of one method on one data set, summed up as the paper does.

    The run of least objective counts; seconds are the total of all runs.
    """

    def __init__(self, runs: list[dict[str, Any]]) -> None:
        self.runs = [run for run in runs if run["status"] == "ok"]
        self.timed_out = any(run["status"] == "timeout" for run in runs)
        self.limit = max((run.get("limit", 0.0) for run in runs), default=0.0)
        self.failed = [run["message"] for run in runs if run["status"] == "failed"]
        whole = bool(self.runs) and not self.timed_out and not self.failed
        best = min(self.runs, key=lambda run: run["objective"]) if whole else {}
        self.objective: float | None = best.get("objective")
        self.precision: float | None = best.get("precision")
        self.seconds = sum(run["seconds"] for run in self.runs) if whole else None
        self.shape = f"{best['n']} x {best['d']}" if best else ""


def cells_of(rows: Rows, data_sets: list[DataSet], suite: str, n: int | None) -> Cells:
    """All cells of a suite by data set and method, of the data sets as they are now."""
    runs: dict[tuple[str, str], list] = {}
    sources = {(data.suite, data.name): data.source for data in data_sets}
    for row in rows.of(suite, n):
        if sources.get((suite, row["data"])) != row["source"]:
            continue
        runs.setdefault((row["data"], row["method"]), []).append(row)
    return {key: Cell(found) for key, found in runs.items()}


def markdown(header: list[str], body: Iterable[list[str]]) -> str:
    """A table."""
    lines = [header, ["---"] * len(header), *body]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def number(value: float | None, digits: int = 4) -> str:
    """A number as the paper writes it."""
    if value is None:
        return "-"
    return f"{value:.{digits}f}" if abs(value) < 10 else f"{value:.1f}"


def beside(cell: Cell | None, ours: float | None, theirs: Any, digits: int) -> str:
    """Our number, the paper's, and ours over theirs."""
    if cell is None:
        return "not run"
    if ours is None:
        late = f"> {cell.limit / 3600:g} h" if cell.limit >= 3600 else f"> {cell.limit:g} s"
        return "failed" if cell.failed else f"{late} ({theirs if theirs is not None else '-'})"
    text = number(ours, digits)
    if theirs is None:
        return f"{text} (-)"
    if isinstance(theirs, str):
        return f"{text} ({theirs}; x {ours / PAPER_LIMIT:.2g})"
    return f"{text} ({theirs:g}; x {ours / theirs:.3g})" if theirs else f"{text} ({theirs:g})"


def by_data_set(
    suite: str, score: str, cells: Cells, names: list[str], value: Callable[[Cell], float | None],
    digits: int = 4,
) -> str:  # fmt: skip
    """A table with a row for each data set and a column for each method."""
    columns = list(methods())
    body = []
    for name in names:
        line = [name]
        for method in columns:
            cell = cells.get((name, method))
            theirs = paper(suite, score, name, method)
            line.append(beside(cell, value(cell) if cell else None, theirs, digits))
        body.append(line)
    return markdown(["data", *columns], body)


def synthetic(rows: Rows, data_sets: list[DataSet], n: int | None, suite: str = "synthetic") -> str:
    """Running time, objective and precision of the 16 synthetic data sets."""
    cells = cells_of(rows, data_sets, suite, n)
    names = [data.name for data in data_sets if data.suite == suite]
    parts = [
        ("Running time, seconds, total of the runs", "seconds", lambda cell: cell.seconds, 2),
        ("Objective, relative to the planted centres, best run", "objective",
         lambda cell: cell.objective, 4),
        ("Precision of that run", "precision", lambda cell: cell.precision, 4),
    ]  # fmt: skip
    return "\n\n".join(
        f"### {title}\n\n{by_data_set(suite, score, cells, names, value, digits)}"
        for title, score, value, digits in parts
    )


def failures(rows: Rows, data_sets: list[DataSet], n: int | None) -> str:
    """How often a method ran out of time, or left out too few of the outliers."""
    cells = cells_of(rows, data_sets, "synthetic", n)
    names = [data.name for data in data_sets if data.suite == "synthetic"]
    theirs, body, columns = numbers()["failures"], [], list(methods())
    run = {m: [cells[name, m] for name in names if (name, m) in cells] for m in columns}
    kinds = {
        "run time": ("out of time", is_late),
        "precision": ("precision < 0.8", is_imprecise),
        "error": ("error", lambda cell: bool(cell.failed)),
        "total": ("total", lambda cell: is_late(cell) or is_imprecise(cell) or bool(cell.failed)),
    }
    for kind, (title, fails) in kinds.items():
        line = [title]
        for method in columns:
            count = sum(fails(cell) for cell in run[method])
            given = theirs.get(kind, {}).get(method)
            paper_has = "-" if given is None else f"{given}/16"
            line.append(f"{count}/{len(run[method])} ({paper_has})")
        body.append(line)
    swapped = (
        "The paper's table has the run times of k-means-- and local search in each other's column: "
        "its own table of seconds stops k-means-- eight times and local search once."
    )
    return f"{markdown(['', *columns], body)}\n\n{swapped}"


def is_late(cell: Cell) -> bool:
    """Whether a cell ran out of time."""
    return cell.timed_out


def is_imprecise(cell: Cell) -> bool:
    """Whether a cell's precision is below what the paper accepts."""
    return cell.precision is not None and cell.precision < LOW_PRECISION


def real(rows: Rows, data_sets: list[DataSet], n: int | None) -> str:
    """Objective relative to NK-means', precision and seconds of the real data sets."""
    cells = cells_of(rows, data_sets, "real", n)
    columns = list(methods())
    body, notes = [], []
    for data in [data for data in data_sets if data.suite == "real"]:
        mine = {method: cells.get((data.name, method)) for method in columns}
        shape = next((cell.shape for cell in mine.values() if cell and cell.shape), "")
        first = mine[columns[0]]
        scale = first.objective if first and first.objective else None
        for score, digits in (("objective", 4), ("precision", 4), ("seconds", 2)):
            line = [data.name + (" *" if data.note else ""), shape]
            if score != SCORES[0]:
                line = ["", ""]
            for method, cell in mine.items():
                ours = normalized(cell, score, scale)
                theirs = paper("real", score, data.name, method)
                if score not in data.shown:
                    line.append("-")
                elif score not in data.compared:
                    line.append(number(ours, digits))
                else:
                    line.append(beside(cell, ours, theirs, digits))
            body.append([*line[:2], score, *line[2:]])
        if data.note:
            notes.append(f"\\* {data.name}: {data.note}.")
    return "\n\n".join([markdown(["data", "rows x columns", "", *columns], body), *notes])


def normalized(cell: Cell | None, score: str, scale: float | None) -> float | None:
    """A score of a cell; the objective over that of NK-means."""
    if cell is None:
        return None
    value: float | None = getattr(cell, score)
    if score == "objective":
        return value / scale if value is not None and scale else None
    return value


def summary(rows: Rows, data_sets: list[DataSet], suite: str, n: int | None) -> str:
    """For each method, how often it is no worse than the paper's, and its time."""
    cells = cells_of(rows, data_sets, suite, n)
    body = []
    for method in methods():
        lines: dict[str, list[tuple[float, float]]] = {"objective": [], "precision": []}
        seconds, missing = 0.0, 0
        for data in [data for data in data_sets if data.suite == suite]:
            cell = cells.get((data.name, method))
            seconds += (cell.seconds or 0.0) if cell else 0.0
            missing += cell is None or cell.objective is None
            first = cells.get((data.name, next(iter(methods()))))
            scale = first.objective if suite == "real" and first else 1.0
            for score, pairs in lines.items():
                ours = normalized(cell, score, scale)
                theirs = paper(suite, score, data.name, method)
                if ours is not None and score in data.compared and isinstance(theirs, float):
                    pairs.append((ours, theirs))
        lower = sum(ours <= theirs for ours, theirs in lines["objective"])
        higher = sum(round(ours, 4) >= theirs for ours, theirs in lines["precision"])
        body.append(
            [method, f"{lower} of {len(lines['objective'])}",
             f"{higher} of {len(lines['precision'])}", str(missing), f"{seconds:.1f}"]
        )  # fmt: skip
    header = ["method", "objective no higher than the paper's", "precision no lower",
              "cells without a result", "seconds, all runs"]  # fmt: skip
    return markdown(header, body)


def page(rows: Rows, data_sets: list[DataSet], request: Request) -> str:
    """Everything there is for data of this size, with what the numbers are."""
    n = request.rows
    suites = [suite for suite in ("synthetic", "sigma", "real") if rows.of(suite, n)]
    mine = [row for suite in suites for row in rows.of(suite, n)]
    commits = sorted({row.get("commit", "") for row in mine} - {""})
    parts = [
        "# The paper's tables",
        "Each entry: ours (the paper's; ours over the paper's). The paper's machine had 20 cores, "
        f'and its runs were stopped after four hours ("{TIMEOUT}"; the ratio is then to four '
        "hours). The run of least objective counts, and the total of the runs' seconds.",
    ]
    if n is not None:
        parts.append(f"**A quick run on {n} rows**: seconds cannot be compared with the paper's.")
    if mine:
        versions = ", ".join(f"{name} {version}" for name, version in mine[0]["versions"].items())
        parts.append(
            f"{mine[0]['machine']}, Python {mine[0]['python']}, {versions}; commit "
            f"{', '.join(commits) or 'unknown'}."
        )
    if "synthetic" in suites:
        parts += ["## Synthetic data", summary(rows, data_sets, "synthetic", n)]
        parts += [synthetic(rows, data_sets, n)]
        parts += ["## Failures", failures(rows, data_sets, n)]
    if "sigma" in suites:
        title = "## Synthetic data with sigma = 1, as the paper's text has it"
        parts += [title, synthetic(rows, data_sets, n, "sigma")]
    if "real" in suites:
        parts += ["## Real data", summary(rows, data_sets, "real", n), real(rows, data_sets, n)]
    return "\n\n".join(parts) + "\n"
