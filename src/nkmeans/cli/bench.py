"""`nkmeans bench`: the paper's experiments."""

import sys
from pathlib import Path
from typing import Any

SUITES = {
    "synthetic": ["synthetic"],
    "failures": ["synthetic"],
    "sigma": ["sigma"],
    "real": ["real"],
    "all": ["synthetic", "sigma", "real"],
}


def run_bench(
    what: str, out: Path, quick: bool, timeout: float, data: Path | None, only: list[str] | None
) -> None:
    """Run what is missing, then write tables and figures."""
    from nkmeans.bench import figures, tables
    from nkmeans.bench.data_sets import all_data_sets
    from nkmeans.bench.rows import Rows, only_one
    from nkmeans.bench.runner import QUICK_ROWS, Request, run_missing

    request = Request(SUITES[what], QUICK_ROWS if quick else None, timeout, data, only)
    sets = all_data_sets(data)
    names = [each.name for each in sets if each.suite in request.suites]
    for name in only or []:
        if name not in names:
            raise ValueError(f"--only must be one of {', '.join(names)}; got {name!r}.")
    with only_one(out):
        rows = Rows(out / "rows.jsonl")
        with progress_bar() as progress:
            run_missing(request, rows, progress)
        (out / "tables.md").write_text(tables.page(rows, sets, request))
    drawn = figures.draw(rows, sets, request, out)
    failed = {
        (row["data"], "" if row.get("stage") == "data" else row["method"], row["message"])
        for row in rows.found.values()
        if row["status"] == "failed"
    }
    if "synthetic" in request.suites:
        print(tables.failures(rows, sets, request.rows) + "\n")
    print(f"Rows: {rows.path}\nTables: {out / 'tables.md'}")
    for path in drawn:
        print(f"Figure: {path}")
    for data_set, method, message in sorted(failed):
        print(f"Failed: {data_set}{method and ', ' + method}: {message}", file=sys.stderr)
    if failed:
        raise SystemExit(1)


class progress_bar:
    """A bar with the time that remains, on a terminal; a line for each tenth elsewhere."""

    def __enter__(self) -> Any:
        self.bar, self.tenths = None, -1
        if sys.stderr.isatty():
            try:
                from rich.console import Console
                from rich.progress import (
                    BarColumn,
                    MofNCompleteColumn,
                    Progress,
                    TimeRemainingColumn,
                )

                self.bar = Progress(
                    "{task.description}", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(),
                    console=Console(stderr=True),
                )  # fmt: skip
                self.task = self.bar.add_task("bench", total=None)
                self.bar.start()
            except ImportError:
                self.bar = None
        return self.tell

    def tell(self, done: int, total: int, what: str) -> None:
        """Show how far it is."""
        if self.bar is not None:
            self.bar.update(self.task, completed=done, total=total, description=what or "bench")
        elif total and 10 * done // total > self.tenths:
            self.tenths = 10 * done // total
            print(f"{done} of {total} runs {what}", file=sys.stderr, flush=True)

    def __exit__(self, *error: object) -> None:
        if self.bar is not None:
            self.bar.stop()
