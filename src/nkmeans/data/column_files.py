"""Files with columns of a known type: Parquet, Arrow (Feather), and .npy arrays."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from nkmeans.data.columns import Piece, can_name_rows, is_numeric, numbers, one_ahead
from nkmeans.data.errors import DataFileError, blaming

PIECE_ROWS = 1 << 14


class ArrowTyped(ABC):
    """What Parquet and Arrow files share: a schema, and batches of columns."""

    kind = ""
    n_rows: int | None = None

    def __init__(self, path: Path, name: str) -> None:
        self.path, self.name, self._rows_read = path, name, 0
        with blaming(name, self.kind):
            self._open()
        self.columns: list[str] = list(self.schema.names)

    schema: Any

    @abstractmethod
    def _open(self) -> None:
        """Set `schema` and, where it is known, `n_rows`."""

    @abstractmethod
    def _batches(self, columns: list[str]) -> Iterator[Any]:
        """Record batches that have these columns."""

    def dtype(self, columns: Sequence[str]) -> np.dtype:
        """float32 where all columns are float32 or float16."""
        kinds = {str(self.schema.field(name).type) for name in columns}
        return np.dtype(np.float32 if kinds <= {"float", "halffloat"} else np.float64)

    def id_type(self, column: str) -> Any:
        """As the schema has it."""
        return self.schema.field(column).type

    def read(self, columns: Sequence[str], id_column: str | None) -> Iterator[Piece]:
        """The rows in order, piece by piece."""
        for name in columns:
            kind = self.schema.field(name).type
            if not is_numeric(kind):
                raise DataFileError(
                    self.name,
                    f"column {name!r} must hold numbers; got {kind}. A column that is not to be "
                    "clustered can be left out (--drop, columns=) or name the rows (--id)",
                )
        kind = None if id_column is None else self.schema.field(id_column).type
        if kind is not None and not can_name_rows(kind):
            raise DataFileError(
                self.name, f"column {id_column!r} cannot name rows: it holds {kind}"
            )
        self._rows_read = 0
        wanted = [*dict.fromkeys([*columns, *([id_column] if id_column is not None else [])])]
        batches = one_ahead(self._batches(wanted))
        while True:
            with blaming(self.name, self.kind):
                batch = next(batches, None)
            if batch is None:
                return
            self._rows_read += len(batch)
            values = [numbers(batch.column(name)) for name in columns]
            yield Piece(values, batch.column(id_column) if id_column is not None else None)

    def done(self) -> float:
        """The share of the file that has been read."""
        return self._rows_read / self.n_rows if self.n_rows else 0.0

    def place(self, row: int) -> str:
        """File and row, counted from 0 as in Python."""
        return f"{self.name}, row {row}"


class ParquetFile(ArrowTyped):
    """A Parquet file."""

    kind = "Parquet"

    def _open(self) -> None:
        from pyarrow import parquet

        with parquet.ParquetFile(self.path) as file:
            self.schema, self.n_rows = file.schema_arrow, file.metadata.num_rows

    def _batches(self, columns: list[str]) -> Iterator[Any]:
        from pyarrow import parquet

        # Without these two, all of a row group lies in memory before its first batch comes.
        with parquet.ParquetFile(self.path, pre_buffer=False, buffer_size=1 << 18) as file:
            yield from file.iter_batches(PIECE_ROWS, columns=columns)


class ArrowFile(ArrowTyped):
    """An Arrow IPC file (Feather version 2) or stream."""

    kind = "Arrow"

    def _open(self) -> None:
        from pyarrow import OSFile, ipc

        with OSFile(str(self.path), "r") as source:
            self._is_file = source.read(6) == b"ARROW1"
            source.seek(0)
            self.schema = (ipc.open_file if self._is_file else ipc.open_stream)(source).schema

    def _batches(self, columns: list[str]) -> Iterator[Any]:
        from pyarrow import OSFile, ipc

        with OSFile(str(self.path), "r") as source:
            if not self._is_file:
                yield from ipc.open_stream(source)
                return
            reader = ipc.open_file(source)
            for number in range(reader.num_record_batches):
                yield reader.get_batch(number)


class NpyFile:
    """A NumPy array in a file; its columns are x0, x1 and so on."""

    def __init__(self, path: Path, name: str) -> None:
        self.path, self.name, self._rows_read = path, name, 0
        array = self._open()
        if array.dtype.kind not in "biuf" or array.ndim not in (1, 2):
            raise DataFileError(
                name,
                f"must hold an array of numbers with one or two dimensions; got {array.dtype} "
                f"of shape {array.shape}",
            )
        width = 1 if array.ndim == 1 else array.shape[1]
        if width == 0:
            raise DataFileError(name, f"has no columns: its shape is {array.shape}")
        self.columns = [f"x{i}" for i in range(width)]
        self.n_rows: int | None = len(array)
        self._kind = array.dtype

    def _open(self) -> np.ndarray:
        """The array; it is let go after use, for a process can have only so many files open."""
        with blaming(self.name, ".npy"):
            array: np.ndarray = np.load(self.path, mmap_mode="r", allow_pickle=False)
            return array

    def dtype(self, columns: Sequence[str]) -> np.dtype:
        """float32 for float32 and float16 arrays."""
        return np.dtype(np.float32 if self._kind in (np.float32, np.float16) else np.float64)

    def id_type(self, column: str) -> Any:
        """That of the array, in the byte order of this machine."""
        import pyarrow

        return pyarrow.from_numpy_dtype(self._kind.newbyteorder("="))

    def read(self, columns: Sequence[str], id_column: str | None) -> Iterator[Piece]:
        """The rows in order, piece by piece."""
        import pyarrow

        array = self._open().reshape(-1, len(self.columns))
        chosen = [self.columns.index(name) for name in columns]
        everything = chosen == list(range(array.shape[1]))
        for start in range(0, len(array), PIECE_ROWS):
            rows = array[start : start + PIECE_ROWS]
            self._rows_read = start + len(rows)
            ids = None
            if id_column is not None:
                column = rows[:, self.columns.index(id_column)]
                ids = pyarrow.array(column.astype(column.dtype.newbyteorder("=")))
            yield Piece(rows if everything else rows[:, chosen], ids)

    def done(self) -> float:
        """The share of the file that has been read."""
        return self._rows_read / max(self.n_rows or 0, 1)

    def place(self, row: int) -> str:
        """File and row, counted from 0 as in Python."""
        return f"{self.name}, row {row}"
