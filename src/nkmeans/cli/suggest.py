"""`nkmeans suggest`: files in, a number of clusters and of outliers out, and a page to look at."""

import csv
import io
import os
import re
import shlex
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from nkmeans.cli.fit import check_installed
from nkmeans.cli.reading import DataRequest, look, must_walk, open_walk, prepare, read
from nkmeans.cli.screen import Screen
from nkmeans.data.files import local_files
from nkmeans.data.writing import new_file, refuse_existing

if TYPE_CHECKING:
    from nkmeans.data.walk import Walk
    from nkmeans.preparation import Preparation
    from nkmeans.suggestion import Suggestion

# Solutions of more clusters than these do not fit into a page.
MOST_ON_A_PAGE = 254


@dataclass(frozen=True, kw_only=True)
class SuggestRequest(DataRequest):
    """What `nkmeans suggest` was asked for; the fields are its options."""

    n_clusters: Sequence[int] | None = None
    n_outliers: Sequence[float] | None = None
    out: Path | None = None
    force: bool = False
    seed: int = 0
    n_jobs: int | None = None


@dataclass(frozen=True)
class Rows:
    """What is clustered: an array or a source, how it was prepared, and what is not in it."""

    X: Any
    preparation: "Preparation"
    dropped: int


def suggest_files(request: SuggestRequest, screen: Screen) -> "Suggested":
    """Read, prepare, try all numbers, and write the page, if one is wanted."""
    started = time.perf_counter()
    if request.out is not None:
        check_page(request.out, request)
    with local_files(request.files) as found:
        check_apart(request.out, found)
        rows = prepared(request, open_walk(request, found, screen), screen)
        suggestion = suggestion_of(request, rows, screen)
    if request.out is not None:
        write_page(request.out, request, suggestion, rows.preparation)
    return Suggested(request, suggestion, rows, screen.warnings, time.perf_counter() - started)


def prepared(request: SuggestRequest, walk: "Walk", screen: Screen) -> Rows:
    """The rows in memory, or a source of them where they are too many."""
    if must_walk(request, walk, screen):
        from nkmeans.prepared import PreparedSource

        survey, preparation = look(request, walk, screen)
        source = PreparedSource(walk, preparation, survey.n_rows)
        return Rows(source, preparation, survey.gaps.n_rows - survey.n_rows)
    X, gaps, preparation = prepare(request, read(request, walk.files, screen), screen)
    return Rows(X, preparation, 0 if gaps is None else int(gaps.rows.sum()))


def suggestion_of(request: SuggestRequest, rows: Rows, screen: Screen) -> "Suggestion":
    """Try all of them; columns have the names of the files."""
    from nkmeans.suggestion import suggest

    with screen.working("trying") as tell:
        found = suggest(
            rows.X,
            request.n_clusters,
            request.n_outliers,
            random_state=request.seed,
            n_jobs=request.n_jobs,
            progress=tell,
        )
    return replace(found, columns=list(rows.preparation.columns))


def check_page(out: Path, request: SuggestRequest) -> None:
    """The page must be possible before the work begins."""
    refuse_existing(out, request.force)
    check_installed("The page", ("jinja2",), "--no-page")
    if request.n_clusters is not None and max(request.n_clusters) > MOST_ON_A_PAGE:
        raise ValueError(
            f"-k must be at most {MOST_ON_A_PAGE} with a page (--no-page writes none); got "
            f"{max(request.n_clusters)}"
        )


def check_apart(out: Path | None, found: Sequence[tuple[Path, str]]) -> None:
    """The page must not replace what is read."""
    for path, name in found:
        if out is not None and os.path.realpath(path) == os.path.realpath(out):
            raise FileExistsError(f"{name} is read; give -o another name")


def write_page(
    out: Path, request: SuggestRequest, suggestion: "Suggestion", preparation: "Preparation"
) -> None:
    """The page, which appears when it is complete."""
    from nkmeans.report.explorer import explorer_page

    html = explorer_page(suggestion, preparation=preparation, command=fit_command(request))
    with new_file(out, request.force) as file:
        file.write(html.encode())


def fit_command(request: SuggestRequest) -> str:
    """How to fit the same data, but for -k and -z."""
    choice, text = request.choice, request.csv
    options = {
        "--columns": None if choice.columns is None else listed(choice.columns),
        "--drop": listed(choice.drop) or None,
        "--id": choice.id,
        "--scale": None if request.scale == "none" else request.scale,
        "--missing": None if request.missing == "error" else request.missing,
        "--delimiter": text.delimiter,
        "--decimal": None if text.decimal == "." else text.decimal,
    }
    words = ["nkmeans", "fit", *request.files]
    for name, value in options.items():
        words += [] if value is None else [name, value]
    if text.header is not None:
        words.append("--header" if text.header else "--no-header")
    return shlex.join(words)


def listed(names: Sequence[str]) -> str:
    """Names separated by commas, in quotes where they hold a comma."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(names)
    return line.getvalue()


@dataclass(frozen=True)
class Suggested:
    """A suggestion for files, as words and as JSON."""

    request: SuggestRequest
    suggestion: "Suggestion"
    rows: Rows
    warnings: Sequence[str]
    seconds: float

    @property
    def n_outliers(self) -> int:
        """Rows have no weights here, so these are whole."""
        return int(self.suggestion.n_outliers)

    def table(self) -> list[dict[str, Any]]:
        """A row for each pair of numbers; None where nothing can be said."""
        columns = {name: values.tolist() for name, values in self.suggestion.table.items()}
        rows = (
            dict(zip(columns, values, strict=True))
            for values in zip(*columns.values(), strict=True)
        )
        return [
            {name: None if np.isnan(value) else value for name, value in row.items()}
            for row in rows
        ]

    def facts(self) -> dict[str, Any]:
        """Everything, for JSON."""
        found, preparation = self.suggestion, self.rows.preparation
        return {
            "rows": found.n_rows + self.rows.dropped,
            "rows_dropped": self.rows.dropped,
            "columns": found.columns,
            "scale": preparation.scale,
            "missing": preparation.missing,
            "n_clusters": found.n_clusters,
            "n_outliers": self.n_outliers,
            "clear": found.clear,
            "reason": found.reason,
            "table": self.table(),
            "rows_sampled": len(found.points),
            "output": None if self.request.out is None else str(self.request.out),
            "warnings": self.warnings,
            "seconds": round(self.seconds, 3),
        }

    def summary(self) -> str:
        """The suggestion, its reason, and what was found near it."""
        found = self.suggestion
        k, z, n = found.n_clusters, self.n_outliers, found.n_rows
        lines = [
            f"{n + self.rows.dropped:,} rows of {len(found.columns)} columns: {k} clusters and "
            f"{z:,} outliers ({z / n:.2%}) are suggested, {self.seconds:.2f} s",
            "",
            found.reason,
        ]
        if not found.clear:
            lines.append("The data do not show this clearly; look at the other numbers.")
        lines += ["", *self.near()]
        if self.request.out is not None:
            lines.append(f"Written: {self.request.out}")
        lines.append(f"To fit: {fit_command(self.request)} -k {k} -z {z}")
        return "\n".join(lines)

    def near(self) -> list[str]:
        """A table of all numbers of clusters with the number of outliers nearest to it."""
        found = self.suggestion
        masses = found.outlier_weights
        mass = masses[np.abs(masses - found.n_outliers).argmin()]
        lines = [
            f"With {mass:,.0f} outliers ({mass / found.n_rows:.2%}):",
            f"{'clusters':>8}  {'cost':>12}  {'gain':>6}  {'silhouette':>10}  {'stability':>9}  "
            f"{'smallest':>12}",
        ]
        for row in self.table():
            if row["n_outliers"] == mass:
                gain = "" if row["gain"] is None else f"{row['gain']:.1%}"
                here = "*" if row["n_clusters"] == found.n_clusters else " "
                lines.append(
                    f"{here}{row['n_clusters']:>7}  {row['cost']:>12.6g}  {gain:>6}  "
                    f"{row['silhouette']:>10.2f}  {row['stability']:>9.2f}  "
                    f"{row['smallest']:>12,.0f}"
                )
        return [*lines, ""]


def parse_counts(words: str) -> list[int]:
    """`-k`: numbers and ranges, such as "2-20" or "2,3,5-8"."""
    counts: list[int] = []
    for part in words.split(","):
        found = re.fullmatch(r"\s*(\d{1,6})\s*(?:-\s*(\d{1,6})\s*)?", part)
        first, last = (int(found[1]), int(found[2] or found[1])) if found else (1, 0)
        if first > last:
            raise ValueError(
                f"-k must be numbers and ranges up to 999999, such as 2-20 or 2,3,5-8; "
                f"got {words!r}"
            )
        counts += range(first, last + 1)
    return counts
