"""Tables from files; an error for a file that is not what it should be names it, and says why."""

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np


def wrong(path: Path, wanted: str, got: str) -> ValueError:
    """The error for a file that is not what it should be."""
    return ValueError(f"{path} must have {wanted}; got {got}")


@contextmanager
def blaming(path: Path, wanted: str) -> Iterator[None]:
    """Errors of the libraries that read a file become one that names it."""
    errors: tuple[type[Exception], ...] = (OSError, EOFError, zipfile.BadZipFile, TypeError)
    with suppress(ImportError):
        import pyarrow

        errors = (*errors, pyarrow.ArrowException)
    try:
        yield
    except errors as error:
        raise wrong(path, wanted, (str(error) or type(error).__name__).splitlines()[0]) from error
    except ValueError as error:
        if str(path) in str(error):
            raise
        raise wrong(path, wanted, str(error).splitlines()[0]) from error


def read_text(
    path: Path, columns: list[str], delimiter: str, header: bool, text: tuple[str, ...] = ()
) -> Any:
    """A delimited file, also as .gz, or the one file of a .zip, as a pyarrow table.

    Columns are numbers unless they are named in `text`; "" and "?" are missing values. A file
    with a header must have these names in it.
    """
    csv, _ = _arrow()
    wanted = f"{len(columns)} columns ({', '.join(columns[:3])}, ..., {columns[-1]})"
    options = {
        "read_options": csv.ReadOptions(column_names=None if header else columns),
        "parse_options": csv.ParseOptions(delimiter=delimiter),
        "convert_options": csv.ConvertOptions(
            column_types={name: "string" if name in text else "float64" for name in columns},
            null_values=["", "?"],
        ),
    }
    with blaming(path, wanted):
        table = _open_csv(path, csv, options)
        if table.column_names != columns:
            raise wrong(path, wanted, f"the columns {table.column_names}")
        if table.num_rows == 0:
            raise wrong(path, "at least one row", "none")
        return table


def _open_csv(path: Path, csv: Any, options: dict[str, Any]) -> Any:
    import pyarrow

    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            names = [n for n in archive.namelist() if not n.endswith("/") and "__MACOSX" not in n]
            if not names:
                raise wrong(path, "a file in it", "an empty archive")
            with archive.open(names[0]) as file:
                return csv.read_csv(file, **options)
    with pyarrow.input_stream(path, compression="detect") as file:
        return csv.read_csv(file, **options)


def read_parquet(path: Path, columns: list[str]) -> Any:
    """These columns of a Parquet file, as a pyarrow table."""
    _, parquet = _arrow()
    wanted = f"the columns {', '.join(columns)}"
    with blaming(path, wanted):
        known = parquet.read_schema(path).names
        missing = [name for name in columns if name not in known]
        if missing:
            raise wrong(path, wanted, f"none called {missing[0]}")
        return parquet.read_table(path, columns=columns)


def read_npz(path: Path, name: str, n_columns: int) -> np.ndarray:
    """An array of so many columns from an .npz file, as float64."""
    wanted = f"an array {name} of numbers with {n_columns} columns"
    with blaming(path, wanted), np.load(path) as arrays:
        if name not in arrays:
            raise wrong(path, wanted, f"the arrays {list(arrays)}")
        X = arrays[name]
        if X.ndim != 2 or X.shape[1] != n_columns:
            raise wrong(path, wanted, f"one of shape {X.shape}")
        return finite(path, X.astype(np.float64))


def numbers(path: Path, table: Any, columns: list[str]) -> np.ndarray:
    """Columns of a table as a float64 array, NaN where a value is missing."""
    with blaming(path, "numbers in its columns"):
        return np.column_stack([table[name].to_numpy().astype(np.float64) for name in columns])


def finite(path: Path, X: np.ndarray) -> np.ndarray:
    """The same array, unless a value is missing or infinite."""
    bad = np.argwhere(~np.isfinite(X))
    if len(bad):
        row, column = bad[0]
        raise wrong(path, "a finite number everywhere",
                    f"{X[row, column]} in row {row}, column {column}")  # fmt: skip
    return X


def _arrow() -> tuple[Any, Any]:
    try:
        from pyarrow import csv, parquet
    except ImportError as error:
        raise ImportError(
            "Reading this file needs pyarrow, which is not installed: pip install 'nkmeans[data]'."
        ) from error
    return csv, parquet
