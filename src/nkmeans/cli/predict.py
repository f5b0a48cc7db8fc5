"""`nkmeans predict`: labels for new files by a model from `nkmeans fit`."""

import sys
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from nkmeans.cli.screen import Screen, until_enough
from nkmeans.data.columns import DataFile
from nkmeans.data.errors import DataFileError
from nkmeans.data.files import AS_FOUND, STDIN, CsvOptions, local_files, open_file
from nkmeans.data.table import Choice, read_table
from nkmeans.data.writing import new_file, refuse_existing


@dataclass(frozen=True)
class PredictRequest:
    """What `nkmeans predict` was asked for; the fields are its arguments and options."""

    model: Path
    files: Sequence[str]
    out: str = STDIN
    id: str | None = None
    missing: str | None = None
    csv: CsvOptions = AS_FOUND
    force: bool = False
    assign_outliers: bool = False


def predict_files(request: PredictRequest, screen: Screen) -> dict[str, Any]:
    """Label every row of the files, write the labels, and return the counts."""
    to_screen = request.out == STDIN
    if to_screen and sys.stdout is None:
        raise OSError("standard output is closed")
    if not to_screen:
        refuse_existing(Path(request.out), request.force)
        ending(request.out)
    from nkmeans.estimators.base import squared_distances
    from nkmeans.model_file import load_model

    model = load_model(request.model)
    if getattr(model, "cluster_centers_", None) is None:
        raise ValueError(f"{request.model} holds a {type(model).__name__}, which has no centres")
    with local_files(request.files) as found:
        files = [open_file(path, name, request.csv) for path, name in found]
        choice = choose(model, files[0], request, screen)
        with screen.working("reading") as tell:
            table = read_table(files, choice, tell)
        from nkmeans.preparation import drop_rows, find_gaps, refuse_gaps

        preparation = model.__dict__.pop("preparation_", None)
        missing = request.missing or (preparation.missing if preparation else "error")
        gaps = find_gaps(table)
        X, dropped = table.X, None
        if gaps is not None and missing == "error":
            raise refuse_gaps(table, gaps, bool(preparation and len(preparation.fill)))
        if gaps is not None and missing == "drop":
            dropped = gaps.rows
            X = drop_rows(X, dropped)
            screen.warn(f"{dropped.sum()} rows with missing or infinite values get no label")
        if gaps is not None and missing == "mean" and not (preparation and len(preparation.fill)):
            raise ValueError(
                "--missing mean needs a model that was fitted with --missing mean; "
                f"{request.model} has no means"
            )
        if gaps is not None and missing == "mean":
            screen.warn(
                f"{gaps.per_column.sum()} missing or infinite values in {gaps.rows.sum()} rows are "
                "filled with the means of fit"
            )
        if preparation is not None:
            X = preparation.apply(X)
    with screen.working("predicting"), warnings.catch_warnings():
        # Columns were chosen by the names that scikit-learn misses in an array.
        warnings.filterwarnings("ignore", message="X does not have valid feature names")
        labels, dist2 = np.empty(0, dtype=np.int32), np.empty(0)
        if len(X):
            labels = model.predict(X, assign_outliers=request.assign_outliers)
            dist2 = squared_distances(model, X)
    from nkmeans.cli.results import labels_table, write_table

    rows = labels_table(labels, dist2, table.ids, dropped)
    if to_screen:
        with until_enough():
            try:
                write_table(rows, sys.stdout.buffer)
                sys.stdout.buffer.flush()
            except OSError as error:
                raise OSError(error.errno, error.strerror, "standard output") from error
    else:
        with new_file(Path(request.out), request.force) as file:
            write_table(rows, file, ending(request.out))
    return {
        "rows": len(rows),
        "rows_dropped": 0 if dropped is None else int(dropped.sum()),
        "n_outliers": int((labels < 0).sum()),
        "output": None if to_screen else request.out,
        "warnings": screen.warnings,
    }


def choose(model: Any, file: DataFile, request: PredictRequest, screen: Screen) -> Choice:
    """The columns that the model was fitted on, and the id."""
    preparation = getattr(model, "preparation_", None)
    id_column = request.id
    if id_column is None and preparation is not None:
        id_column = preparation.id_column
        if id_column is not None and id_column not in file.columns:
            screen.warn(f"{file.name} has no column {id_column!r}: ids are row numbers")
            id_column = None
    if preparation is not None:
        return Choice(preparation.columns, id=id_column)
    if hasattr(model, "feature_names_in_"):
        return Choice(tuple(model.feature_names_in_), id=id_column)
    columns = [name for name in file.columns if name != id_column]
    if len(columns) != model.n_features_in_:
        raise DataFileError(
            file.name,
            f"must have the {model.n_features_in_} columns that {request.model} was fitted on; "
            f"got {len(columns)}",
        )
    return Choice(tuple(columns), id=id_column)


def ending(name: str) -> str:
    """The ending of an output file, which says its format."""
    suffix = Path(name).suffix.lower()
    if suffix not in (".csv", ".parquet"):
        raise ValueError(f"-o must end in .csv or .parquet, or be '-'; got {name!r}")
    return suffix


def in_words(facts: dict[str, Any]) -> str:
    """What was done, for people."""
    rows, left_out = facts["rows"], facts["n_outliers"]
    return f"{rows:,} rows, {left_out:,} outliers ({left_out / max(rows, 1):.2%})" + (
        f"\nWritten: {facts['output']}" if facts["output"] else ""
    )
