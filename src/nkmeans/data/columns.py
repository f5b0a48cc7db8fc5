"""Columns of a file as the rows of a matrix."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

# Columns are written into rows so many at a time: what is being filled stays in the cache.
TILE_ROWS = 2048


class Piece(NamedTuple):
    """Consecutive rows of a file: their numbers (NaN where missing), and their ids if wanted.

    `values` is a matrix, or a list of columns.
    """

    values: np.ndarray | list[np.ndarray]
    ids: Any

    @property
    def n_rows(self) -> int:
        """How many rows it has."""
        return len(self.values[0] if isinstance(self.values, list) else self.values)

    def write_to(self, out: np.ndarray) -> None:
        """Write its rows into a matrix of this shape."""
        if isinstance(self.values, list):
            write_rows(self.values, out)
        else:
            out[:] = self.values


class DataFile(Protocol):
    """A file of rows and named columns.

    Attributes
    ----------
    path : Path
    name : str
        What messages call it.
    columns : list of str
    n_rows : int or None
        None where only reading it tells.
    """

    path: Path
    name: str
    columns: list[str]
    n_rows: int | None

    def dtype(self, columns: Sequence[str]) -> np.dtype:
        """float32 where that holds these columns, else float64."""

    def id_type(self, column: str) -> Any:
        """The arrow type of the ids in this column."""

    def read(self, columns: Sequence[str], id_column: str | None) -> Iterator[Piece]:
        """The rows in order, piece by piece."""

    def done(self) -> float:
        """The share of the file that has been read."""

    def place(self, row: int) -> str:
        """Where a row stands, in words: file and line."""


def one_ahead(things: Iterator[Any]) -> Iterator[Any]:
    """The same things; the next is made while this one is used."""
    with ThreadPoolExecutor(1, thread_name_prefix="nkmeans") as pool:
        coming = pool.submit(next, things, None)
        while (thing := coming.result()) is not None:
            coming = pool.submit(next, things, None)
            yield thing


def write_rows(columns: Sequence[np.ndarray], out: np.ndarray) -> None:
    """Columns of equal length side by side into a matrix."""
    for start in range(0, len(out), TILE_ROWS):
        rows = slice(start, start + TILE_ROWS)
        for number, column in enumerate(columns):
            out[rows, number] = column[rows]


def numbers(column: Any) -> np.ndarray:
    """An arrow array or chunked array of any numeric type as floats, NaN where it is null."""
    import pyarrow
    from pyarrow import compute

    if isinstance(column, pyarrow.ChunkedArray):
        column = column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)
    if pyarrow.types.is_boolean(column.type):
        column = compute.cast(column, pyarrow.uint8())
    if not pyarrow.types.is_floating(column.type):
        column = compute.cast(column, pyarrow.float64(), safe=False)
    found: np.ndarray = column.to_numpy(zero_copy_only=False)
    return found


def can_name_rows(kind: Any) -> bool:
    """Whether values of this arrow type can be written as ids to any format."""
    from pyarrow import string_view, types

    if types.is_dictionary(kind):
        return can_name_rows(kind.value_type)
    return bool(
        types.is_string(kind)
        or types.is_large_string(kind)
        or kind == string_view()
        or types.is_integer(kind)
        or types.is_floating(kind)
        or types.is_boolean(kind)
        or types.is_decimal(kind)
        or types.is_temporal(kind)
    )


def is_numeric(kind: Any) -> bool:
    """Whether columns of this arrow type are numbers; booleans are 0 and 1."""
    from pyarrow import types

    return bool(
        types.is_integer(kind)
        or types.is_floating(kind)
        or types.is_decimal(kind)
        or types.is_boolean(kind)
        or types.is_null(kind)
    )
