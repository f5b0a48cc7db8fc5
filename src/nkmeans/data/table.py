"""Data files as one table: a matrix of the chosen columns, and the ids of its rows."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nkmeans.data.columns import DataFile
from nkmeans.data.errors import DataFileError

Progress = Callable[[float], None]
# Room for rows of files that do not tell how many they have.
FIRST_BYTES = 1 << 22


@dataclass(frozen=True)
class Choice:
    """Which columns of a file are what.

    Attributes
    ----------
    columns : tuple of str or None
        The columns to use, in this order; None for all of them.
    drop : tuple of str
        Columns to leave out.
    id : str or None
        The column that names the rows, and is not used otherwise.
    """

    columns: tuple[str, ...] | None = None
    drop: tuple[str, ...] = ()
    id: str | None = None

    def of(self, file: DataFile) -> list[str]:
        """The columns to use of a file, which must have all that are named."""
        check_columns(file, [*(self.columns or ()), *([self.id] if self.id is not None else [])])
        check_columns(file, self.drop, several=True)
        unused = {*self.drop, *([self.id] if self.columns is None else [])}
        chosen = [name for name in self.columns or file.columns if name not in unused]
        if not chosen:
            raise DataFileError(file.name, "no column is left to cluster")
        if self.id in chosen:
            raise DataFileError(
                file.name, f"column {self.id!r} can name the rows or be clustered, not both"
            )
        check_columns(file, chosen)
        twice = [name for name, count in Counter(chosen).items() if count > 1]
        if twice:
            raise DataFileError(file.name, f"column {twice[0]!r} is chosen twice")
        return chosen


@dataclass
class Table:
    """Rows of one or more files.

    Attributes
    ----------
    X : float32 or float64 ndarray of shape (n_rows, n_columns)
        NaN where a value is missing.
    columns : list of str
    ids : pyarrow.ChunkedArray or None
    files : list of DataFile
    starts : list of int
        The number of the first row of each file.
    complete : bool
        Whether every value is there and finite.
    """

    X: np.ndarray
    columns: list[str]
    ids: Any
    files: list[DataFile]
    starts: list[int]
    complete: bool

    def place(self, row: int) -> str:
        """Where a row stands, in words: file and line."""
        number = int(np.searchsorted(self.starts, row, side="right")) - 1
        return self.files[number].place(row - self.starts[number])


def read_table(
    files: Sequence[DataFile], choice: Choice, progress: Progress | None = None
) -> Table:
    """The rows of all files, one after the other.

    The columns are those of the first file; the others must have them too, in any order.
    """
    columns = chosen_columns(files, choice)
    dtype = np.result_type(*(file.dtype(columns) for file in files))
    known = [file.n_rows for file in files]
    n_rows = sum(count for count in known if count is not None)
    if None in known:
        n_rows += max(FIRST_BYTES // (len(columns) * dtype.itemsize), 1)
    rows = GrowingRows(len(columns), dtype, n_rows)
    starts, ids, complete = [], [], True
    for number, file in enumerate(files):
        starts.append(rows.count)
        for piece in file.read(columns, choice.id):
            out = rows.add(piece.n_rows)
            piece.write_to(out)
            with np.errstate(over="ignore", invalid="ignore"):
                complete = complete and bool(np.isfinite(out.sum()))
            ids.append(piece.ids)
            if progress is not None:
                progress((number + file.done()) / len(files))
    if rows.count == 0:
        raise DataFileError(", ".join(file.name for file in files[:3]), "has no rows")
    X = rows.finished()
    release_memory()
    if not complete:
        complete = all(np.isfinite(X[at : at + 65536]).all() for at in range(0, len(X), 65536))
    together = joined(ids) if choice.id is not None else None
    return Table(X, columns, together, list(files), starts, complete)


def chosen_columns(files: Sequence[DataFile], choice: Choice) -> list[str]:
    """The columns of the first file, which the others must have too, in any order."""
    columns = choice.of(files[0])
    for file in files[1:]:
        check_columns(file, [*columns, *([choice.id] if choice.id is not None else [])])
        if choice.columns is None and len(choice.of(file)) != len(columns):
            more = next(name for name in choice.of(file) if name not in columns)
            raise DataFileError(file.name, f"has a column {more!r} that {files[0].name} has not")
    return columns


def release_memory() -> None:
    """Give back what pyarrow keeps for the next file."""
    import pyarrow

    pyarrow.default_memory_pool().release_unused()


def check_columns(file: DataFile, names: Sequence[str], several: bool = False) -> None:
    """The columns must be there, once unless they may be `several`."""
    counts = Counter(file.columns)
    for name in names:
        if name not in counts:
            known = ", ".join(repr(column) for column in file.columns[:12])
            more = ", ..." if len(file.columns) > 12 else ""
            raise DataFileError(file.name, f"has no column {name!r}; it has {known}{more}")
        if counts[name] > 1 and not several:
            raise DataFileError(
                file.name,
                f"has {counts[name]} columns {name!r}; --drop leaves out all of them, --columns "
                "(columns=) chooses others",
            )


def joined(pieces: Sequence[Any]) -> Any:
    """Ids of all pieces; as text where the files disagree about their type."""
    import pyarrow

    arrays = [
        chunk
        for piece in pieces
        for chunk in (piece.chunks if isinstance(piece, pyarrow.ChunkedArray) else [piece])
    ]
    arrays = [plain(array) for array in arrays]
    kinds = {array.type for array in arrays}
    if len(kinds) > 1:
        arrays = [array.cast(pyarrow.string()) for array in arrays]
    return pyarrow.chunked_array(arrays)


def plain(ids: Any) -> Any:
    """Ids of a type that every format can hold."""
    import pyarrow

    if pyarrow.types.is_dictionary(ids.type):
        words = plain(ids.dictionary)
        return pyarrow.DictionaryArray.from_arrays(ids.indices, words).dictionary_decode()
    return ids.cast(plain_type(ids.type))


def plain_type(kind: Any) -> Any:
    """The type of such ids once they are plain."""
    import pyarrow

    if pyarrow.types.is_dictionary(kind):
        return plain_type(kind.value_type)
    views = (pyarrow.string_view(), pyarrow.large_string())
    return pyarrow.string() if kind in views else kind


class GrowingRows:
    """A matrix to which rows are added; it grows in place, so it is in memory only once."""

    def __init__(self, n_columns: int, dtype: np.dtype, capacity: int) -> None:
        self.array = np.empty((max(capacity, 1), n_columns), dtype=dtype)
        self.count = 0

    def add(self, n_rows: int) -> np.ndarray:
        """More rows, to be written at once."""
        end = self.count + n_rows
        if end > len(self.array):
            size = max(end, len(self.array) * 3 // 2)
            self.array.resize((size, self.array.shape[1]), refcheck=False)
        self.count = end
        return self.array[end - n_rows : end]

    def finished(self) -> np.ndarray:
        """The rows, and nothing more."""
        self.array.resize((self.count, self.array.shape[1]), refcheck=False)
        return self.array
