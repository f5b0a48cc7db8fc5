"""Any data file, opened by what is in it; one that is not what its ending says is an error."""

import glob
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from nkmeans.data import unfinished
from nkmeans.data.columns import DataFile
from nkmeans.data.errors import DataFileError

STDIN = "-"
MAGIC = {
    b"PAR1": "Parquet",
    b"ARROW1": "Arrow",
    b"\xff\xff\xff\xff": "Arrow",
    b"\x93NUMPY": ".npy",
    b"FEA1": "Feather version 1",
    b"PK\x03\x04": "zip or Excel",
    b"\xd0\xcf\x11\xe0": "old Excel",
    b"\x89HDF": "HDF5",
}
ENDINGS = {
    ".csv": "CSV",
    ".tsv": "CSV",
    ".txt": "CSV",
    ".parquet": "Parquet",
    ".pq": "Parquet",
    ".arrow": "Arrow",
    ".arrows": "Arrow",
    ".feather": "Arrow",
    ".ipc": "Arrow",
    ".npy": ".npy",
}
KINDS = ("CSV", "Parquet", "Arrow", ".npy")


@contextmanager
def local_files(names: Sequence[str]) -> Iterator[list[tuple[Path, str]]]:
    """The files that these names, patterns and "-" mean, each with what messages call it.

    Standard input and pipes are copied to temporary files: data is read more than once.
    """
    copies: list[Path] = []
    try:
        found: list[tuple[Path, str]] = []
        for name in names:
            if name == STDIN:
                if sys.stdin is None:
                    raise DataFileError("standard input", "is closed")
                found.append((copied(sys.stdin.buffer, copies), "standard input"))
            elif os.path.exists(name) and not (os.path.isfile(name) or os.path.isdir(name)):
                with open(name, "rb") as pipe:
                    found.append((copied(pipe, copies), name))
            else:
                found += [(Path(match), match) for match in matching([name])]
        yield found
    finally:
        for path in copies:
            unfinished.remove(path)


def matching(names: Sequence[str]) -> list[str]:
    """The files that these names and patterns mean, those of a pattern in their order."""
    found: list[str] = []
    for name in names:
        if os.path.lexists(name) or not glob.has_magic(name):
            found.append(name)
            continue
        matches = sorted(glob.glob(name, recursive=True))
        if not matches:
            raise DataFileError(name, "no file matches this pattern")
        found += matches
    return found


def copied(stream: IO[bytes], copies: list[Path]) -> Path:
    """A file with what a stream holds; it is one of the copies from its beginning."""
    handle, name = tempfile.mkstemp(prefix="nkmeans-")
    copies.append(unfinished.add(Path(name)))
    with os.fdopen(handle, "wb") as copy:
        shutil.copyfileobj(stream, copy, 1 << 20)
    return copies[-1]


@dataclass(frozen=True)
class CsvOptions:
    """How CSV files are read.

    Attributes
    ----------
    delimiter : str or None
        By default the most frequent of comma, semicolon, tab and bar in the first line.
    header : bool or None
        Whether the first line holds the names; by default it does unless it is all numbers.
    decimal : str
        The mark between a number's whole part and the rest.
    """

    delimiter: str | None = None
    header: bool | None = None
    decimal: str = "."


AS_FOUND = CsvOptions()


def open_file(path: Path, name: str, options: CsvOptions = AS_FOUND) -> DataFile:
    """A data file; the options are for CSV."""
    try:
        import pyarrow  # noqa: F401
    except ImportError as error:
        raise ImportError(
            f"Reading {name} needs pyarrow, which is not installed: pip install 'nkmeans[data]'."
        ) from error
    from nkmeans.data import column_files, csv_file

    kind = kind_of(path, name)
    if kind == "CSV":
        return csv_file.CsvFile(path, name, options.delimiter, options.header, options.decimal)
    openers: dict[str, Any] = {
        "Parquet": column_files.ParquetFile,
        "Arrow": column_files.ArrowFile,
        ".npy": column_files.NpyFile,
    }
    file: DataFile = openers[kind](path, name)
    return file


def kind_of(path: Path, name: str) -> str:
    """What a file is, by its first bytes; CSV where they say nothing."""
    if path.is_dir():
        raise DataFileError(name, "is a folder; give its files, as in 'folder/*.csv'")
    with path.open("rb") as file:
        start = file.read(8)
    if not start:
        raise DataFileError(name, "is empty")
    kind = next((kind for magic, kind in MAGIC.items() if start.startswith(magic)), "CSV")
    endings = [ending.lower() for ending in path.suffixes]
    said = next((ENDINGS[ending] for ending in reversed(endings) if ending in ENDINGS), kind)
    if kind not in KINDS:
        raise DataFileError(name, f"must be one of {', '.join(KINDS)}; got a file of {kind}")
    if kind != said:
        ending = next(ending for ending in reversed(endings) if ending in ENDINGS)
        raise DataFileError(name, f"is not what its ending {ending} says: its content is {kind}")
    return kind
