"""Data that is read block by block, as often as it is needed, and never held as a whole."""

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from nkmeans.data.blocks import ArraySource, rows_a_block
from nkmeans.data.columns import DataFile, one_ahead
from nkmeans.data.errors import DataFileError
from nkmeans.data.files import CsvOptions, matching, open_file
from nkmeans.data.table import Choice
from nkmeans.data.walk import Walk


class Source(ABC):
    """Rows in blocks, the same each time they are read.

    Attributes
    ----------
    n_rows : int
    n_features : int
    dtype : dtype
        float32 or float64.
    columns : list of str or None
        Names of the features.
    """

    n_rows: int
    n_features: int
    dtype: np.dtype
    columns: list[str] | None = None

    @abstractmethod
    def read(self) -> Iterator[np.ndarray]:
        """The rows in order, as matrices of this dtype; some may be empty."""

    def blocks(self) -> Iterator[tuple[int, np.ndarray]]:
        """Blocks as an array in memory would be cut, each with the number of its first row.

        What comes next is read meanwhile.
        """
        size = rows_a_block(self.n_features, self.dtype)
        start, filled = 0, 0
        block = np.empty((size, self.n_features), dtype=self.dtype)
        for X in one_ahead(self.read()):
            used = 0
            while used < len(X):
                taken = min(size - filled, len(X) - used)
                block[filled : filled + taken] = X[used : used + taken]
                used, filled = used + taken, filled + taken
                if filled == size:
                    yield start, block
                    start, filled, block = start + size, 0, np.empty_like(block)
        if start + filled != self.n_rows:
            raise DataFileError(
                self.place(start), f"the data had {self.n_rows} rows and now has {start + filled}"
            )
        if filled:
            yield start, block[:filled]

    def place(self, row: int) -> str:
        """Where a row is, in words."""
        return f"row {row}"

    @property
    def shape(self) -> tuple[int, int]:
        """As an array has it."""
        return self.n_rows, self.n_features

    def __len__(self) -> int:
        return self.n_rows


def open_source(
    data: Any,
    *,
    columns: Sequence[str] | None = None,
    delimiter: str | None = None,
    header: bool | None = None,
    decimal: str = ".",
) -> Source:
    """Data to be read block by block, for `fit`, `predict` and `label_source`.

    Parameters
    ----------
    data : str, path, list of those, ndarray, callable, or Source
        Files (CSV, Parquet, Arrow, .npy) and patterns of names; an array or memmap; or a function
        without arguments that returns an iterator of arrays, the same ones each time it is called.
    columns : sequence of str, default=None
        The columns of files to use; by default all of them.
    delimiter, header
        Of CSV files; by default found in their first line.
    decimal : str, default="."
        The mark in the numbers of CSV files.

    Returns
    -------
    source : Source

    Examples
    --------
    >>> import numpy as np
    >>> from nkmeans import NKMeans, open_source
    >>> def blocks():
    ...     for seed in range(20):
    ...         rng = np.random.default_rng(seed)
    ...         yield rng.normal(size=(1000, 2)) + 10 * rng.integers(2, size=(1000, 1))
    >>> source = open_source(blocks)
    >>> model = NKMeans(n_clusters=2, n_outliers=50, random_state=0).fit(source)
    >>> sum(int((labels < 0).sum()) for labels in model.label_source(source))
    50
    """
    if isinstance(data, str | os.PathLike):
        data = [data]
    if isinstance(data, list | tuple) and all(isinstance(name, str | os.PathLike) for name in data):
        if not data:
            raise ValueError("data of open_source must name at least one file; got none.")
        if columns is not None and (isinstance(columns, str) or not len(columns)):
            raise ValueError(
                f"columns of open_source must be a list of at least one name; got {columns!r}."
            )
        options = CsvOptions(delimiter, header, decimal)
        names = matching([os.fspath(name) for name in data])
        found = [open_file(Path(name), name, options) for name in names]
        return FileSource(found, None if columns is None else tuple(columns))
    if (columns, delimiter, header, decimal) != (None, None, None, "."):
        raise ValueError(
            "columns, delimiter, header and decimal of open_source are for files; "
            f"got data of type {type(data).__name__}."
        )
    if isinstance(data, Source):
        return data
    if isinstance(data, np.ndarray):
        return ArrayBlocks(data)
    if callable(data):
        return FactorySource(data)
    raise TypeError(
        "data of open_source must be names of files, an array, or a function that returns an "
        f"iterator of arrays each time it is called; got {type(data).__name__}."
    )


class ArrayBlocks(Source):
    """An array, for instance a memmap, in blocks."""

    def __init__(self, array: np.ndarray) -> None:
        if array.ndim != 2 or array.dtype.kind not in "biuf" or array.size == 0:
            raise ValueError(
                "data of open_source must be a 2-D array of numbers, with rows and columns; "
                f"got {array.dtype} of shape {array.shape}."
            )
        self._source = ArraySource(array, np.empty(0))
        self.n_rows, self.n_features = array.shape
        self.dtype = self._source.dtype

    def read(self) -> Iterator[np.ndarray]:
        """The rows in order."""
        for start in self._source.starts():
            yield self._source.block(start).X


class FactorySource(Source):
    """What a function's iterators yield; read once to see how much that is."""

    def __init__(self, factory: Callable[[], Iterable[Any]]) -> None:
        self._factory = factory
        self.n_rows, self.n_features, self.dtype = 0, 0, np.dtype(np.float32)
        for number, block in enumerate(factory()):
            X = np.asarray(block)
            self._check(X, number)
            self.n_features = X.shape[1]
            self.n_rows += len(X)
            if X.dtype not in (np.float32, np.float16):
                self.dtype = np.dtype(np.float64)
        if self.n_rows == 0:
            raise ValueError("data of open_source has no rows.")

    def _check(self, X: np.ndarray, number: int) -> None:
        fits = X.ndim == 2 and X.shape[1] > 0 and self.n_features in (0, X.shape[1])
        if not fits or X.dtype.kind not in "biuf":
            wanted = f" with {self.n_features} columns" if self.n_features else ""
            raise ValueError(
                f"Block {number} of the data must be a 2-D array of numbers{wanted}; "
                f"got {X.dtype} of shape {X.shape}."
            )

    def read(self) -> Iterator[np.ndarray]:
        """The rows in order."""
        for number, block in enumerate(self._factory()):
            # A copy: the function may write the next block to the same place.
            X = np.array(block, order="C")
            self._check(X, number)
            yield X.astype(self.dtype, copy=False)


class FileSource(Source):
    """Files, one after the other."""

    def __init__(self, files: Sequence[DataFile], columns: tuple[str, ...] | None) -> None:
        self._walk = walk = Walk(files, Choice(columns))
        self.columns, self.n_features, self.dtype = walk.columns, len(walk.columns), walk.dtype
        counts = [count_rows(file, walk.columns) for file in walk.files]
        walk.rows, self.n_rows = list(counts), sum(counts)
        if self.n_rows == 0:
            raise DataFileError(walk.files[0].name, "has no rows")

    def read(self) -> Iterator[np.ndarray]:
        """The rows in order; a file that has changed since it was opened is an error."""
        for piece in self._walk.pieces():
            yield piece.X

    def place(self, row: int) -> str:
        """File and line, or row."""
        return self._walk.place(row)


def count_rows(file: DataFile, columns: Sequence[str]) -> int:
    """How many rows a file has; text must be read for that."""
    if file.n_rows is not None:
        return file.n_rows
    return sum(piece.n_rows for piece in file.read(columns[:1], None))
