"""The command line. Nothing heavy is imported before a command needs it."""

import os
import shlex
import signal
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

EXAMPLES = """k-means for dirty data: leaves out the farthest rows as noise and clusters the rest.

\b
  nkmeans fit data.csv -k 10 -z 1% -o out/      cluster, leaving out 1 % of the rows
  nkmeans predict out/model.nkm new.csv         label new rows, on standard output
  nkmeans suggest data.csv                      how many clusters, how many outliers?
  nkmeans demo                                  see it work on dirty GPS fixes
"""


class Scale(StrEnum):
    """How columns are scaled before they are clustered."""

    none = "none"
    standard = "standard"
    robust = "robust"


class Missing(StrEnum):
    """What is done about missing values."""

    error = "error"
    drop = "drop"
    mean = "mean"


class Labels(StrEnum):
    """The format of the labels."""

    parquet = "parquet"
    csv = "csv"


def build() -> Any:
    """The typer application."""
    import typer

    app = typer.Typer(
        add_completion=False,
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    Files = Annotated[
        list[str],
        typer.Argument(
            metavar="FILE...",
            help="CSV (also .gz), Parquet, Arrow/Feather or .npy files, patterns, or - for "
            "standard input",
        ),
    ]
    Delimiter = Annotated[
        str | None,
        typer.Option(
            "--delimiter",
            help="of CSV files, one character; by default found in the first line",
            callback=check_delimiter,
        ),
    ]
    Decimal = Annotated[
        str,
        typer.Option("--decimal", help="mark in the numbers of CSV files, such as a comma"),
    ]
    Header = Annotated[
        bool | None,
        typer.Option(
            "--header/--no-header",
            help="whether CSV files begin with names; by default they do unless the first line is "
            "all numbers",
        ),
    ]
    Columns = Annotated[
        str | None, typer.Option(help="columns to cluster, separated by commas; default all")
    ]
    Drop = Annotated[str | None, typer.Option(help="columns to leave out, separated by commas")]
    Id = Annotated[
        str | None, typer.Option("--id", help="column that names the rows; not clustered")
    ]
    Scaling = Annotated[
        Scale,
        typer.Option(
            help="divide columns by their standard deviation (standard) or interquartile "
            "range (robust)"
        ),
    ]
    Gaps = Annotated[
        Missing,
        typer.Option(help="missing or infinite values: stop, drop their rows, or fill means"),
    ]
    Seed = Annotated[int, typer.Option(help="same seed, same result", min=0)]
    Jobs = Annotated[int | None, typer.Option(help="threads; default all cores")]
    Memory = Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            help="files whose rows take more than this (500MB, 2GB) are read block by block; "
            "default half of the memory available",
        ),
    ]
    Force = Annotated[bool, typer.Option("--force", help="replace earlier results")]
    Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="print nothing but errors")]
    Json = Annotated[bool, typer.Option("--json", help="print the summary as JSON")]

    def show_version(wanted: bool) -> None:
        if wanted:
            from importlib.metadata import version as version_of

            print(f"nkmeans {version_of('nkmeans')}")
            raise typer.Exit

    @app.callback(help=EXAMPLES)
    def nkmeans(
        version: Annotated[
            bool,
            typer.Option("--version", callback=show_version, is_eager=True, help="show and exit"),
        ] = False,
    ) -> None:
        pass

    @app.command()
    def fit(
        files: Files,
        clusters: Annotated[
            str, typer.Option("--clusters", "-k", help='how many clusters, or "auto"')
        ],
        outliers: Annotated[
            str,
            typer.Option(
                "--outliers",
                "-z",
                help="rows to leave out: a count (500), a share (0.01), a percentage (1%), or "
                '"auto": those beyond the break in the distances',
            ),
        ] = "1%",
        out: Annotated[
            Path | None,
            typer.Option("--out", "-o", help="new folder for the results; without it, none"),
        ] = None,
        columns: Columns = None,
        drop: Drop = None,
        id_: Id = None,
        scale: Scaling = Scale.none,
        missing: Gaps = Missing.error,
        delimiter: Delimiter = None,
        decimal: Decimal = ".",
        header: Header = None,
        labels: Annotated[Labels, typer.Option(help="format of the labels")] = Labels.parquet,
        report: Annotated[bool, typer.Option(help="write report.html")] = True,
        force: Force = False,
        seed: Seed = 0,
        n_init: Annotated[int, typer.Option(help="runs, of which the best is kept")] = 1,
        jobs: Jobs = None,
        memory: Memory = None,
        quiet: Quiet = False,
        as_json: Json = False,
    ) -> None:
        """Cluster the rows of files; write labels, centres, a model and a report.

        The folder given with -o gets labels.parquet (id, label with -1 for outliers, squared
        distance, outlier), centers.csv in the data's own units, model.nkm for nkmeans predict, and
        report.html to look at.
        """
        from nkmeans.cli.fit import FitRequest, fit_files, parse_clusters, parse_outliers
        from nkmeans.cli.screen import Screen
        from nkmeans.data.files import CsvOptions
        from nkmeans.data.memory import parse_size
        from nkmeans.data.table import Choice

        screen = Screen(quiet, as_json)
        request = FitRequest(
            files=files,
            choice=Choice(names(columns), names(drop) or (), id_),
            scale=scale.value,
            missing=missing.value,
            csv=CsvOptions(delimiter, header, decimal),
            memory=None if memory is None else parse_size(memory),
            n_clusters=parse_clusters(clusters),
            n_outliers=parse_outliers(outliers),
            out=out,
            labels=labels.value,
            report=report,
            force=force,
            seed=seed,
            n_init=n_init,
            n_jobs=jobs,
            command=shlex.join(["nkmeans", *sys.argv[1:]]),
        )
        result = fit_files(request, screen)
        screen.result(result.summary, result.facts)

    @app.command()
    def predict(
        model: Annotated[Path, typer.Argument(help="model.nkm of nkmeans fit", metavar="MODEL")],
        files: Files,
        out: Annotated[
            str, typer.Option("--out", "-o", help=".csv or .parquet, or - for standard output")
        ] = "-",
        id_: Annotated[
            str | None, typer.Option("--id", help="column that names the rows; default as in fit")
        ] = None,
        missing: Annotated[
            Missing | None, typer.Option(help="missing or infinite values; default as in fit")
        ] = None,
        assign_outliers: Annotated[
            bool, typer.Option("--assign-outliers", help="label far rows, too")
        ] = False,
        delimiter: Delimiter = None,
        decimal: Decimal = ".",
        header: Header = None,
        force: Force = False,
        quiet: Quiet = False,
        as_json: Json = False,
    ) -> None:
        """Label the rows of files by a model: nearest centre, -1 for rows farther than any kept.

        Columns are found by name and prepared as they were for nkmeans fit.
        """
        from nkmeans.cli.predict import PredictRequest, in_words, predict_files
        from nkmeans.cli.screen import Screen
        from nkmeans.data.files import CsvOptions

        screen = Screen(quiet, as_json)
        request = PredictRequest(
            model, files, out, id_, missing and missing.value,
            CsvOptions(delimiter, header, decimal), force, assign_outliers,
        )  # fmt: skip
        facts = predict_files(request, screen)
        place = sys.stderr if out == "-" else None
        screen.result(lambda: in_words(facts), lambda: facts, place)

    @app.command()
    def suggest(
        files: Files,
        clusters: Annotated[
            str | None,
            typer.Option(
                "--clusters", "-k", help="numbers to try: 2-12, or 2,3,5,8; default 2 to 20"
            ),
        ] = None,
        outliers: Annotated[
            str | None,
            typer.Option(
                "--outliers",
                "-z",
                help="counts, shares or percentages to try, separated by commas (0,0.5%,1%,100); "
                "default ten shares from 0 to 15%",
            ),
        ] = None,
        out: Annotated[Path, typer.Option("--out", "-o", help="the page to write")] = Path(
            "suggest.html"
        ),
        page: Annotated[bool, typer.Option(help="write the page")] = True,
        columns: Columns = None,
        drop: Drop = None,
        id_: Id = None,
        scale: Scaling = Scale.none,
        missing: Gaps = Missing.error,
        delimiter: Delimiter = None,
        decimal: Decimal = ".",
        header: Header = None,
        force: Force = False,
        seed: Seed = 0,
        jobs: Jobs = None,
        memory: Memory = None,
        quiet: Quiet = False,
        as_json: Json = False,
    ) -> None:
        """Try numbers of clusters and of outliers on a sample of the rows, and suggest one of each.

        The page shows every solution, with a slider for each number; it opens offline.
        """
        from nkmeans.cli.fit import parse_outliers
        from nkmeans.cli.screen import Screen
        from nkmeans.cli.suggest import SuggestRequest, parse_counts, suggest_files
        from nkmeans.data.files import CsvOptions
        from nkmeans.data.memory import parse_size
        from nkmeans.data.table import Choice

        screen = Screen(quiet, as_json)
        request = SuggestRequest(
            files=files,
            choice=Choice(names(columns), names(drop) or (), id_),
            scale=scale.value,
            missing=missing.value,
            csv=CsvOptions(delimiter, header, decimal),
            memory=None if memory is None else parse_size(memory),
            n_clusters=None if clusters is None else parse_counts(clusters),
            n_outliers=None if outliers is None else [*map(parse_outliers, outliers.split(","))],
            out=out if page else None,
            force=force,
            seed=seed,
            n_jobs=jobs,
        )
        result = suggest_files(request, screen)
        screen.result(result.summary, result.facts)

    @app.command()
    def demo(
        out: Annotated[Path, typer.Option("--out", "-o", help="folder for the results")] = Path(
            "demo-output"
        ),
    ) -> None:
        """Plain k-means and NK-means side by side on dirty GPS fixes, and a report."""
        from nkmeans.demo import run

        run(out)

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
        from nkmeans.cli.bench import SUITES, run_bench

        if what not in SUITES:
            raise typer.BadParameter(f"must be one of {', '.join(SUITES)}; got {what!r}")
        if not 0 < timeout < float("inf"):
            raise typer.BadParameter(f"--timeout must be a number of seconds > 0; got {timeout}")
        run_bench(what, out, quick, timeout, data, only)

    return app


def check_delimiter(words: str | None) -> str | None:
    """One plain character; a tab may be spelled."""
    words = "\t" if words == "\\t" else words
    if words is not None and (len(words) != 1 or not words.isascii() or words in '"\r\n'):
        raise ValueError(f"--delimiter must be one plain character, or \\t; got {words!r}")
    return words


def names(words: str | None) -> tuple[str, ...] | None:
    """Names separated by commas, in quotes where they hold a comma."""
    if words is None:
        return None
    import csv

    return tuple(next(csv.reader([words], skipinitialspace=True), []) or [""])


def main() -> None:
    """The `nkmeans` command."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        # nohup has it ignored, and it stays so.
        if number is not None and signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, end)
    sys.exit(run(sys.argv[1:]))


def end(number: int, frame: Any) -> None:
    """Leave at once, with nothing half written behind.

    An exception from here could rise anywhere, amid an import for instance, and be lost.
    """
    from nkmeans.data.unfinished import remove_all

    remove_all()
    os._exit(128 + number)


def run(arguments: list[str]) -> int:
    """The exit code: 0 when all is well, 2 and one line on stderr when it is not."""
    # pyarrow's own pools keep tens of megabytes for later.
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    try:
        app = build()
    except ImportError:
        print("The command line needs typer: pip install 'nkmeans[cli]'.", file=sys.stderr)
        return 2
    try:
        code = app(arguments, prog_name="nkmeans", standalone_mode=False)
    except SystemExit as end:
        code = end.code
    except (OSError, ValueError, ImportError, MemoryError) as error:
        print(f"nkmeans: {in_one_line(error)}", file=sys.stderr)
        return 2
    except Exception as error:
        if not hasattr(error, "format_message"):
            raise
        # typer's word for a wrong option; without any, its help.
        words = error.format_message()
        one_line = f"nkmeans: {' '.join(words.split())} (nkmeans --help tells more)"
        print(words if words.startswith("Usage") else one_line, file=sys.stderr)
        return 2
    return int(code or 0)


def in_one_line(error: BaseException) -> str:
    """What went wrong, with the file where the system knows it."""
    if isinstance(error, OSError) and error.strerror:
        place = f"{error.filename}: " if error.filename is not None else ""
        return f"{place}{error.strerror}"
    if isinstance(error, MemoryError):
        return "not enough memory for this data"
    return " ".join(str(error).split())
