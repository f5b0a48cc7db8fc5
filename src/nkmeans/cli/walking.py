"""`nkmeans fit` of files larger than memory: they are read once for each step."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from nkmeans.cli.fit import FitRequest, fitted
from nkmeans.cli.labels import LabelWriter, label_pieces, labels_table
from nkmeans.cli.reading import look
from nkmeans.cli.results import Result
from nkmeans.cli.screen import Screen, Tell
from nkmeans.data.walk import Walk
from nkmeans.estimators.base import labelling
from nkmeans.prepared import PreparedRows, PreparedSource
from nkmeans.report.gathered import Gathered
from nkmeans.views import ClusterSizes


def fit_walking(request: FitRequest, walk: Walk, screen: Screen) -> "WalkedResult":
    """Learn the preparation, cluster, and label, each by walking through the files."""
    survey, preparation = look(request, walk, screen)
    rows = PreparedSource(walk, preparation, survey.n_rows)
    with screen.working("clustering"):
        model = fitted(request, rows, screen)
    result = WalkedResult(model, rows, survey.gaps.n_rows - survey.n_rows, request.n_jobs)
    model.preparation_ = preparation
    if request.out is None:
        with screen.working("labelling") as tell:
            result.label(None, tell)
    return result


class WalkedResult(Result):
    """A fit whose rows are in files; sizes are known once every row is labelled."""

    def __init__(
        self, model: Any, rows: PreparedSource, rows_dropped: int, n_jobs: int | None
    ) -> None:
        self.model, self.n_rows, self.rows_dropped = model, rows.n_rows, rows_dropped
        self._rows, self._n_jobs = rows, n_jobs
        self._gathered = Gathered(len(model.cluster_centers_), rows.n_features)

    def label(self, writer: LabelWriter | None, tell: Tell | None = None) -> None:
        """Label every row, write the labels as they come, and gather what there is to tell."""
        label = labelling(self.model, self._rows.dtype)

        def label_piece(piece: PreparedRows) -> tuple[np.ndarray, np.ndarray]:
            return label(piece.first, piece.X)

        pieces = self._rows.pieces(tell)
        for piece, labels, dist2 in label_pieces(pieces, label_piece, self._n_jobs):
            self._gathered.add(piece.first, piece.X, labels, dist2, ids_of(piece))
            if writer is not None:
                writer.write(labels_table(labels, dist2, piece.ids, piece.dropped, piece.start))

    @property
    def sizes(self) -> ClusterSizes:
        """How many rows each cluster has, and how wide it is."""
        return self._gathered.sizes()

    def write_labels(self, path: Path) -> None:
        """A row for each row of the files, in their order."""
        with path.open("wb") as file, LabelWriter(file, path.suffix) as writer:
            self.label(writer)

    def rows_shown(self) -> dict[str, Any]:
        """A fair sample, and what is known of all rows."""
        return self._gathered.shown()


def ids_of(piece: PreparedRows) -> Callable[[np.ndarray], np.ndarray]:
    """A function that returns the ids of some of the rows that are clustered."""
    rows = np.arange(piece.n_rows) if piece.dropped is None else np.flatnonzero(~piece.dropped)

    def some(chosen: np.ndarray) -> np.ndarray:
        if piece.ids is None:
            return piece.start + rows[chosen]
        found = np.empty(len(chosen), dtype=object)
        found[:] = piece.ids.take(rows[chosen]).to_pylist()
        return found

    return some
