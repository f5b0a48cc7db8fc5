"""Rows of files as they are clustered, piece by piece."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from nkmeans.data.source import Source
from nkmeans.data.table import Progress
from nkmeans.data.walk import Walk
from nkmeans.preparation import GapCounts, Preparation, refuse_gaps


class PreparedRows(NamedTuple):
    """Consecutive rows of files.

    Attributes
    ----------
    start : int
        The number of the first, among the rows of all files.
    first : int
        The same among the rows that are clustered.
    X : ndarray
        Those that are clustered, prepared.
    ids : pyarrow.ChunkedArray or None
        Of all of them.
    dropped : bool ndarray or None
        Which are not in X.
    """

    start: int
    first: int
    X: np.ndarray
    ids: Any
    dropped: np.ndarray | None

    @property
    def n_rows(self) -> int:
        """How many rows of the files these are."""
        return len(self.X if self.dropped is None else self.dropped)


def prepared_rows(
    walk: Walk,
    preparation: Preparation | None,
    missing: str,
    gaps: GapCounts,
    progress: Progress | None = None,
) -> Iterator[PreparedRows]:
    """All rows of the files, prepared; the gaps among them are counted as they come.

    With `missing` "error" the first gap is one, with "drop" rows with gaps are not in X.
    """
    first = 0
    for start, X, ids in walk.pieces(progress):
        bad = gaps.add(X)
        if bad is not None and missing == "error":
            can_fill = preparation is not None and len(preparation.fill) > 0
            raise refuse_gaps(walk, gaps, can_fill, so_far=True)
        dropped = bad if missing == "drop" else None
        X = X if dropped is None else X[~dropped]
        X = X if preparation is None else preparation.apply(X)
        yield PreparedRows(start, first, X, ids, dropped)
        first += len(X)


class PreparedSource(Source):
    """The rows of files that are clustered, prepared, for a fit.

    Parameters
    ----------
    walk : Walk
    preparation : Preparation
    n_rows : int
        How many rows are clustered.
    """

    def __init__(self, walk: Walk, preparation: Preparation, n_rows: int) -> None:
        self.n_rows, self.n_features, self.dtype = n_rows, len(walk.columns), walk.dtype
        self._walk, self._preparation = walk, preparation

    def pieces(self, progress: Progress | None = None) -> Iterator[PreparedRows]:
        """All rows of the files, with those that are not clustered in their places."""
        gaps = GapCounts(np.zeros(self.n_features, dtype=np.int64))
        missing = self._preparation.missing
        return prepared_rows(self._walk, self._preparation, missing, gaps, progress)

    def read(self) -> Iterator[np.ndarray]:
        """The rows in order."""
        for piece in self.pieces():
            yield piece.X
