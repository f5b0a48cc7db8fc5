"""The chosen columns of files, piece by piece, as often as they are needed."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from nkmeans.data.blocks import rows_a_block
from nkmeans.data.columns import DataFile
from nkmeans.data.errors import DataFileError
from nkmeans.data.table import Choice, Progress, chosen_columns, joined, plain_type


class RawRows(NamedTuple):
    """Consecutive rows as the files have them, no more than make a block.

    Attributes
    ----------
    start : int
        The number of the first, among the rows of all files.
    X : ndarray of shape (rows, n_columns)
        NaN where a value is missing.
    ids : pyarrow.ChunkedArray or None
    """

    start: int
    X: np.ndarray
    ids: Any


class Walk:
    """Files, one after the other, of which only a piece is in memory.

    Attributes
    ----------
    files : list of DataFile
    columns : list of str
        Those of the first file; the others have them too, in any order.
    dtype : dtype
        float32 where that holds all columns of all files, else float64.
    id_type : pyarrow.DataType or None
        Of the ids in all pieces; text where the files disagree.
    rows : list of int or None
        How many rows each file has; None until it has been read, where only that tells.
    """

    def __init__(self, files: Sequence[DataFile], choice: Choice) -> None:
        self.files = list(files)
        self.columns = chosen_columns(self.files, choice)
        self.dtype = np.result_type(*(file.dtype(self.columns) for file in self.files))
        self._id = choice.id
        self.id_type = None if choice.id is None else common_id_type(self.files, choice.id)
        self.rows = [file.n_rows for file in self.files]
        self._known = [stamp(file.path) for file in self.files]

    def pieces(self, progress: Progress | None = None) -> Iterator[RawRows]:
        """The rows in order; a file that has changed since it was opened is an error."""
        start, size = 0, rows_a_block(len(self.columns), self.dtype)
        for number, file in enumerate(self.files):
            if stamp(file.path) != self._known[number]:
                raise DataFileError(file.name, "has changed since it was opened")
            count = 0
            for piece in file.read(self.columns, self._id):
                X = np.empty((piece.n_rows, len(self.columns)), dtype=self.dtype)
                piece.write_to(X)
                ids = None if self._id is None else joined([piece.ids]).cast(self.id_type)
                for at in range(0, len(X), size):
                    rows = slice(at, at + size)
                    yield RawRows(start + count + at, X[rows], None if ids is None else ids[rows])
                count += len(X)
                if progress is not None:
                    progress((number + file.done()) / len(self.files))
            if self.rows[number] not in (None, count):
                raise DataFileError(file.name, f"had {self.rows[number]} rows and now has {count}")
            self.rows[number] = count
            start += count
        if start == 0:
            raise DataFileError(", ".join(file.name for file in self.files[:3]), "has no rows")

    def place(self, row: int) -> str:
        """Where a row stands, in words: file and line."""
        for file, count in zip(self.files, self.rows, strict=True):
            if count is None or row < count:
                return file.place(row)
            row -= count
        return f"{self.files[-1].name}, after its last row"


def stamp(path: Path) -> tuple[int, int]:
    """What tells a changed file: its size and the time it was written."""
    found = path.stat()
    return found.st_size, found.st_mtime_ns


def common_id_type(files: Sequence[DataFile], column: str) -> Any:
    """The arrow type of the ids of all files; text where they disagree."""
    import pyarrow

    kinds = {plain_type(file.id_type(column)) for file in files if file.n_rows != 0}
    return kinds.pop() if len(kinds) == 1 else pyarrow.string()
