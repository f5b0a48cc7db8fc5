"""The rows of files, prepared for whatever a command does with them."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from nkmeans.cli.screen import Screen
from nkmeans.data.columns import DataFile
from nkmeans.data.files import AS_FOUND, CsvOptions, open_file
from nkmeans.data.memory import available_memory, matrix_bytes, size_in_words
from nkmeans.data.table import Choice, Table, read_table
from nkmeans.data.walk import Walk

if TYPE_CHECKING:
    from nkmeans.column_survey import ColumnSurvey
    from nkmeans.preparation import GapCounts, Gaps, Preparation


@dataclass(frozen=True, kw_only=True)
class DataRequest:
    """Which rows of which files a command was asked to work on; the fields are its options."""

    files: Sequence[str]
    choice: Choice = field(default_factory=Choice)
    scale: str = "none"
    missing: str = "error"
    csv: CsvOptions = AS_FOUND
    memory: int | None = None


def open_walk(request: DataRequest, found: Sequence[tuple[Path, str]], screen: Screen) -> Walk:
    """The files and their columns; what a person should know of them is told."""
    files = [open_file(path, name, request.csv) for path, name in found]
    for words in warn_of_files(files):
        screen.warn(words)
    return Walk(files, request.choice)


def must_walk(request: DataRequest, walk: Walk, screen: Screen) -> bool:
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


def read(request: DataRequest, files: Sequence[DataFile], screen: Screen) -> Table:
    """The table; the compiler is imported while it is read."""
    with screen.working("reading") as tell, ThreadPoolExecutor(1) as pool:
        reading = pool.submit(read_table, files, request.choice, tell)
        import nkmeans.estimators.nk_means  # noqa: F401

        table = reading.result()
    warn_of_notes(files, screen)
    from nkmeans.preparation import warn_of_columns

    for words in warn_of_columns(table, request.scale):
        screen.warn(words)
    return table


def prepare(
    request: DataRequest, table: Table, screen: Screen
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


def look(request: DataRequest, walk: Walk, screen: Screen) -> tuple["ColumnSurvey", "Preparation"]:
    """Read files larger than memory once, learn how to prepare them, and tell of them."""
    from nkmeans.column_survey import ColumnSurvey
    from nkmeans.preparation import refuse_empty_columns, refuse_gaps

    survey = ColumnSurvey(walk, request.scale, request.missing)
    with screen.working("reading") as tell:
        survey.read(tell)
    warn_of_notes(walk.files, screen)
    for words in survey.warnings():
        screen.warn(words)
    if survey.gaps.n_gap_rows and request.missing == "error":
        raise refuse_gaps(walk, survey.gaps)
    if survey.gaps.n_gap_rows:
        refuse_empty_columns(walk, survey.gaps)
        screen.warn(what_of_gaps(survey.gaps, request.missing))
    preparation = survey.preparation(request.choice.id)
    if request.scale == "robust" and survey.sampled:
        screen.warn(
            f"medians and interquartile ranges are those of a fair sample of {survey.sampled} of "
            f"{survey.gaps.n_rows} rows"
        )
    return survey, preparation


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
