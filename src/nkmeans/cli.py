"""The command line: `nkmeans bench`."""

import sys
from pathlib import Path
from typing import Annotated, Any

SUITES = {
    "synthetic": ["synthetic"],
    "failures": ["synthetic"],
    "sigma": ["sigma"],
    "real": ["real"],
    "all": ["synthetic", "sigma", "real"],
}


def build() -> Any:
    """The typer application."""
    import typer

    app = typer.Typer(add_completion=False, no_args_is_help=True, rich_markup_mode=None)

    @app.callback()
    def nkmeans() -> None:
        """k-means for dirty data."""

    @app.command()
    def bench(
        what: Annotated[
            str,
            typer.Argument(help="synthetic, failures, sigma (the text's 1), real or all"),
        ],
        out: Annotated[
            Path,
            typer.Option(help="folder for rows, tables, figures; what is there is not rerun"),
        ] = Path("bench-results"),
        quick: Annotated[bool, typer.Option("--quick", help="50 000 rows, two minutes")] = False,
        timeout: Annotated[
            float, typer.Option(help="seconds that the runs of a method on a data set may take")
        ] = 14400.0,
        only: Annotated[
            list[str] | None, typer.Option(help="only this data set; may be given several times")
        ] = None,
        data: Annotated[
            Path | None,
            typer.Option(
                help="folder of data files; default NKMEANS_DATA or a cache",
                exists=True,
                file_okay=False,
            ),
        ] = None,
    ) -> None:
        """Run the paper's experiments, and write its tables with ours beside them."""
        if what not in SUITES:
            raise typer.BadParameter(f"must be one of {', '.join(SUITES)}; got {what!r}")
        if not 0 < timeout < float("inf"):
            raise typer.BadParameter(f"--timeout must be a number of seconds > 0; got {timeout}")
        try:
            run_bench(what, out, quick, timeout, data, only)
        except (OSError, ValueError) as error:
            sys.exit(f"nkmeans bench: {error}")

    return app


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
            sys.exit(f"--only must be one of {', '.join(names)}; got {name!r}.")
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


def main() -> None:
    """The `nkmeans` command."""
    try:
        app = build()
    except ImportError:
        sys.exit("The command line needs typer: pip install 'nkmeans[cli]'.")
    app()


if __name__ == "__main__":
    main()
