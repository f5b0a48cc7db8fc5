"""`nkmeans fit`: files in, labels, centres, model and report out."""

import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from nkmeans.cli.screen import Screen
from nkmeans.data.columns import DataFile
from nkmeans.data.files import AS_FOUND, CsvOptions, local_files, open_file
from nkmeans.data.memory import available_memory, matrix_bytes, size_in_words
from nkmeans.data.table import Choice, Table, read_table
from nkmeans.data.walk import Walk
from nkmeans.data.writing import check_replaceable, new_folder

if TYPE_CHECKING:
    from nkmeans.cli.results import Result
    from nkmeans.estimators.nk_means import NKMeans
    from nkmeans.preparation import GapCounts, Gaps, Preparation

LABELS = {"parquet": "labels.parquet", "csv": "labels.csv"}
OUTPUTS = (*LABELS.values(), "centers.csv", "model.nkm", "report.html")


@dataclass(frozen=True)
class FitRequest:
    """What `nkmeans fit` was asked for; the fields are its options."""

    files: Sequence[str]
    n_clusters: int
    n_outliers: float = 0.01
    out: Path | None = None
    choice: Choice = field(default_factory=Choice)
    scale: str = "none"
    missing: str = "error"
    csv: CsvOptions = AS_FOUND
    labels: str = "parquet"
    report: bool = True
    force: bool = False
    seed: int = 0
    n_init: int = 1
    n_jobs: int | None = None
    memory: int | None = None
    command: str = ""


def fit_files(request: FitRequest, screen: Screen) -> "Result":
    """Read, prepare, cluster, and write everything into the folder `out`, if one is given."""
    started = time.perf_counter()
    if request.out is not None:
        check_replaceable(Path(os.path.realpath(request.out)), request.force, OUTPUTS)
    if request.report and request.out is not None:
        check_report()
    with local_files(request.files) as found:
        check_apart(request, found)
        files = [open_file(path, name, request.csv) for path, name in found]
        for words in warn_of_files(files):
            screen.warn(words)
        walk = Walk(files, request.choice)
        if must_walk(request, walk, screen):
            from nkmeans.cli.walking import fit_walking

            result: Result = fit_walking(request, walk, screen)
        else:
            result = fit_in_memory(request, files, screen)
        if request.n_outliers > 0 and len(result.model.outlier_indices_) == 0:
            screen.warn(f"-z is less than one of {result.n_rows} rows: nothing is left out")
        result.warnings = screen.warnings
        result.seconds = time.perf_counter() - started
        if request.out is not None:
            with screen.working("writing"):
                write(request, result, [name for _, name in found])
            result.seconds = time.perf_counter() - started
    return result


def must_walk(request: FitRequest, walk: Walk, screen: Screen) -> bool:
    """Whether the rows would take more memory than they may; then the user is told."""
    size = matrix_bytes(walk.files, walk.columns, walk.dtype)
    limit = available_memory() / 2 if request.memory is None else request.memory
    if size <= limit:
        return False
    which = "half of the memory available" if request.memory is None else "--memory"
    screen.tell(
        f"the files are read block by block: their rows would take about {size_in_words(size)} in "
        f"memory, more than {which} ({size_in_words(limit)})"
    )
    return True


def fit_in_memory(request: FitRequest, files: Sequence[DataFile], screen: Screen) -> "Result":
    """Read everything, prepare it in place, and cluster it."""
    table = read(request, files, screen)
    from nkmeans.cli.results import ResultInMemory
    from nkmeans.estimators.base import squared_distances
    from nkmeans.preparation import warn_of_columns

    for words in warn_of_columns(table, request.scale):
        screen.warn(words)
    X, gaps, preparation = prepare(request, table, screen)
    with screen.working("clustering"):
        model = clustering(request).fit(X)
        dist2 = squared_distances(model, X)
    model.preparation_ = preparation
    return ResultInMemory(model, X, dist2, table.ids, None if gaps is None else gaps.rows)


def clustering(request: FitRequest) -> "NKMeans":
    """The estimator that was asked for."""
    from nkmeans.estimators.nk_means import NKMeans

    return NKMeans(
        request.n_clusters,
        request.n_outliers,
        n_init=request.n_init,
        n_jobs=request.n_jobs,
        random_state=request.seed,
    )


def check_apart(request: FitRequest, found: Sequence[tuple[Path, str]]) -> None:
    """The folder that may be replaced must not hold what is read."""
    if request.out is None:
        return
    out = Path(os.path.realpath(request.out))
    for path, name in found:
        if out in Path(os.path.realpath(path)).parents:
            raise FileExistsError(f"{name} is in the folder {request.out} that is to be written")


def read(request: FitRequest, files: Sequence[DataFile], screen: Screen) -> Table:
    """The table; the compiler is imported while it is read."""
    with screen.working("reading") as tell, ThreadPoolExecutor(1) as pool:
        reading = pool.submit(read_table, files, request.choice, tell)
        import nkmeans.estimators.nk_means  # noqa: F401

        table = reading.result()
    warn_of_notes(files, screen)
    return table


def warn_of_notes(files: Sequence[DataFile], screen: Screen) -> None:
    """What was seen in the files while they were read."""
    for file in files:
        for words in getattr(file, "notes", []):
            screen.warn(words)


def warn_of_files(files: Sequence[DataFile]) -> Iterator[str]:
    """What a person should know of the files before they are read."""
    for file in files:
        if getattr(file, "doubtful", False):
            yield (
                f"{file.name} begins with names and numbers, which are taken for a header; "
                "--no-header takes them for a row"
            )
    names = [file.name for file in files]
    for name in dict.fromkeys(name for name in names if names.count(name) > 1):
        yield f"{name} is given {names.count(name)} times, and its rows count as often"


def prepare(
    request: FitRequest, table: Table, screen: Screen
) -> tuple[np.ndarray, "Gaps | None", "Preparation"]:
    """What is to be clustered: missing values filled or dropped, scaled.

    All in the table's own matrix, which is of no use afterwards.
    """
    from nkmeans.preparation import (
        drop_rows,
        find_gaps,
        learn,
        refuse_empty_columns,
        refuse_gaps,
    )

    X, gaps = table.X, find_gaps(table)
    if gaps is not None and request.missing == "error":
        raise refuse_gaps(table, gaps.counts)
    if gaps is not None:
        refuse_empty_columns(table, gaps.counts)
        screen.warn(what_of_gaps(gaps.counts, request.missing))
    if gaps is not None and request.missing == "drop":
        X = drop_rows(X, gaps.rows)
    preparation = learn(X, table, request.scale, request.missing, request.choice.id)
    if gaps is not None and request.missing == "mean":
        gaps = None
    return preparation.apply(X), gaps, preparation


def what_of_gaps(gaps: "GapCounts", missing: str) -> str:
    """What becomes of missing values, in words."""
    if missing == "drop":
        return (
            f"{gaps.n_gap_rows} of {gaps.n_rows} rows have missing or infinite values and are "
            "left out (--missing drop)"
        )
    return (
        f"{gaps.per_column.sum()} missing or infinite values in {gaps.n_gap_rows} rows are "
        "filled with the mean of their column (--missing mean)"
    )


def write(request: FitRequest, result: "Result", files: Sequence[str]) -> None:
    """Everything into a new folder, which appears when it is complete."""
    from nkmeans.model_file import save_model

    assert request.out is not None
    with new_folder(request.out, request.force, OUTPUTS) as folder:
        result.write_labels(folder / LABELS[request.labels])
        result.write_centers(folder / "centers.csv")
        save_model(result.model, folder / "model.nkm")
        if request.report:
            from nkmeans.report import write_page

            write_page(result.subject(files, request.command), folder / "report.html")
        result.outputs = [request.out / name for name in sorted(os.listdir(folder))]


def check_report() -> None:
    """What the report needs must be installed before the work begins."""
    import importlib.util

    for name in ("plotly", "jinja2"):
        if importlib.util.find_spec(name) is None:
            raise ImportError(
                f"The report needs {name}: pip install 'nkmeans[report]', or give --no-report."
            )


def parse_outliers(words: str) -> Any:
    """`-z`: a count ("500"), a share ("0.01") or a percentage ("1%")."""
    text = words.strip()
    try:
        if text.endswith("%"):
            return float(text[:-1]) / 100
        return int(text) if text.lstrip("+-").isdigit() else float(text)
    except ValueError:
        raise ValueError(
            f"-z must be a count (500), a share (0.01) or a percentage (1%); got {words!r}"
        ) from None
