"""`nkmeans predict`: labels for new files by a model from `nkmeans fit`."""

import io
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from nkmeans.cli.screen import Screen, Tell, until_enough
from nkmeans.data.columns import DataFile
from nkmeans.data.errors import DataFileError
from nkmeans.data.files import AS_FOUND, STDIN, CsvOptions, local_files, open_file
from nkmeans.data.table import Choice
from nkmeans.data.walk import Walk
from nkmeans.data.writing import new_file, refuse_existing

if TYPE_CHECKING:
    from nkmeans.prepared import PreparedRows


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
    from nkmeans.model_file import load_model

    model = load_model(request.model)
    if getattr(model, "cluster_centers_", None) is None:
        raise ValueError(f"{request.model} holds a {type(model).__name__}, which has no centres")
    with local_files(request.files) as found:
        files = [open_file(path, name, request.csv) for path, name in found]
        walk = Walk(files, choose(model, files[0], request, screen))
        prediction = Prediction(model, walk, request)
        if to_screen:
            # Beside rows on a terminal a bar would be in their way.
            working = no_bar() if sys.stdout.isatty() else screen.working("predicting")
            with until_enough(), working as tell:
                prediction.write(StandardOutput(), ".csv", tell)
        else:
            with (
                new_file(Path(request.out), request.force) as file,
                screen.working("predicting") as tell,
            ):
                prediction.write(file, ending(request.out), tell)
    return prediction.facts(screen)


class Prediction:
    """Labels of files, written piece by piece; only the counts stay."""

    def __init__(self, model: Any, walk: Walk, request: PredictRequest) -> None:
        from nkmeans.preparation import GapCounts

        self.walk, self.request, self.model = walk, request, model
        # Pieces are labelled side by side, each by one thread.
        model.n_jobs = 1
        self.preparation = model.__dict__.pop("preparation_", None)
        fitted = "error" if self.preparation is None else self.preparation.missing
        self.missing = request.missing or fitted
        self.gaps = GapCounts(np.zeros(len(walk.columns), dtype=np.int64))
        self.n_outliers = 0

    def write(self, file: Any, ending: str, tell: Tell) -> None:
        """Label all rows, and write the labels as they come."""
        from nkmeans.cli.labels import LabelWriter, label_pieces, labels_table
        from nkmeans.prepared import prepared_rows

        rows = prepared_rows(self.walk, self.preparation, self.missing, self.gaps, tell)
        with LabelWriter(file, ending) as writer, warnings.catch_warnings():
            # Columns were chosen by the names that scikit-learn misses in an array.
            warnings.filterwarnings("ignore", message="X does not have valid feature names")
            for piece, labels, dist2 in label_pieces(rows, self._label):
                self.n_outliers += int((labels < 0).sum())
                writer.write(labels_table(labels, dist2, piece.ids, piece.dropped, piece.start))

    def _label(self, piece: "PreparedRows") -> tuple[np.ndarray, np.ndarray]:
        from nkmeans.estimators.base import squared_distances

        self._check_means()
        if len(piece.X) == 0:
            return np.empty(0, dtype=np.int32), np.empty(0)
        labels = self.model.predict(piece.X, assign_outliers=self.request.assign_outliers)
        return labels, squared_distances(self.model, piece.X)

    def _check_means(self) -> None:
        fills = self.preparation is not None and len(self.preparation.fill) > 0
        if self.gaps.n_gap_rows and self.missing == "mean" and not fills:
            raise ValueError(
                "--missing mean needs a model that was fitted with --missing mean; "
                f"{self.request.model} has no means"
            )

    def facts(self, screen: Screen) -> dict[str, Any]:
        """The counts; what became of gaps is told."""
        gaps, dropped = self.gaps, self.gaps.n_gap_rows if self.missing == "drop" else 0
        if dropped:
            screen.warn(f"{dropped} rows with missing or infinite values get no label")
        elif gaps.n_gap_rows:
            screen.warn(
                f"{gaps.per_column.sum()} missing or infinite values in {gaps.n_gap_rows} rows are "
                "filled with the means of fit"
            )
        return {
            "rows": gaps.n_rows,
            "rows_dropped": dropped,
            "n_outliers": self.n_outliers,
            "output": None if self.request.out == STDIN else self.request.out,
            "warnings": screen.warnings,
        }


class StandardOutput(io.RawIOBase):
    """Standard output for bytes; its errors call it by its name."""

    def writable(self) -> bool:
        """Always."""
        return True

    def write(self, rows: Any) -> int:
        """Some bytes, at once."""
        try:
            count = sys.stdout.buffer.write(rows)
            sys.stdout.buffer.flush()
        except OSError as error:
            raise OSError(error.errno, error.strerror, "standard output") from error
        return count


@contextmanager
def no_bar() -> Iterator[Tell]:
    """Nobody to be told how much is done."""
    yield lambda share: None


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
