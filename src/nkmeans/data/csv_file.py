"""CSV files, compressed or not: chunks are parsed side by side, and errors name the line."""

import codecs
import csv
import io
import re
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any, NoReturn

import joblib
import numpy as np

from nkmeans.data.columns import Piece, numbers, write_rows
from nkmeans.data.errors import DataFileError, blaming, first_line

# Python's reader refuses long fields otherwise; pyarrow does not.
csv.field_size_limit(1 << 30)
CHUNK_BYTES = 1 << 20
# A record must fit into two of these.
STREAM_BYTES = 1 << 23
HEAD_BYTES = 1 << 20
DELIMITERS = (",", ";", "\t", "|")
COMPRESSIONS = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\x28\xb5\x2f\xfd": "zstd"}
# What pyarrow takes for missing, and two more that data from R and Weka have.
MISSING = [
    "", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN",
    "N/A", "NA", "NULL", "NaN", "n/a", "nan", "null", "None", "?",
]  # fmt: skip


class CsvFile:
    """A delimited text file.

    Parameters
    ----------
    path : Path
    name : str
        What messages call it.
    delimiter : str, default=None
        By default the most frequent of comma, semicolon, tab and bar in the first line.
    header : bool, default=None
        Whether the first line holds the names; by default it does unless it is all numbers.
    """

    n_rows: int | None = None

    def __init__(
        self, path: Path, name: str, delimiter: str | None = None, header: bool | None = None
    ) -> None:
        self.path, self.name = path, name
        self._size, self._bytes_read = max(path.stat().st_size, 1), 0
        with blaming(name, "CSV"), self._open() as stream:
            head = stream.read(HEAD_BYTES)
            while b"\n" not in head and (more := stream.read(len(head))):
                head += more
            whole = not stream.read(1)
        text = self._decode(head, whole)
        self.delimiter = delimiter or guess_delimiter(text)
        try:
            first, n_bytes = first_record(text, self.delimiter)
        except csv.Error as error:
            raise DataFileError(f"{name}, line 1", f"cannot be read as CSV: {error}") from error
        if not first:
            raise DataFileError(name, "is empty")
        self.has_header = not all_numbers(first) if header is None else header
        # Names among numbers may be a row that begins with its id.
        self.doubtful = header is None and self.has_header and any(map(is_number, first))
        bom = len(codecs.BOM_UTF8) if head.startswith(codecs.BOM_UTF8) else 0
        self._body = bom + (n_bytes if self.has_header else 0)
        self.columns = first if self.has_header else [f"x{i}" for i in range(len(first))]

    def dtype(self, columns: Sequence[str]) -> np.dtype:
        """Text may hold any number of digits: float64."""
        return np.dtype(np.float64)

    def done(self) -> float:
        """The share of the file that has been read."""
        return min(self._bytes_read / self._size, 1.0)

    def read(self, columns: Sequence[str], id_column: str | None) -> Iterator[Piece]:
        """The rows in order, piece by piece.

        Chunks that end with a line are parsed side by side. Where a quote is, lines and rows may
        differ: from there on pyarrow reads the rest as one stream.
        """
        parse = Parser(self, columns, id_column)
        threads, before = joblib.cpu_count(), 0
        waiting: deque[Future[Piece]] = deque()
        with closing(self._open()) as stream, ThreadPoolExecutor(threads) as pool:
            try:
                stream.read(self._body)
                rest = b""
                while more := self._more(stream):
                    if b'"' in more:
                        break
                    cut = more.rfind(b"\n") + 1
                    if not cut:
                        rest += more
                        continue
                    chunk = b"".join([rest, memoryview(more)[:cut]])
                    waiting.append(pool.submit(parse.chunk, chunk))
                    rest = more[cut:]
                    while len(waiting) > threads:
                        piece = self._result(waiting.popleft(), before)
                        before += piece.n_rows
                        yield piece
                if rest and not more:
                    waiting.append(pool.submit(parse.chunk, rest))
                while waiting:
                    piece = self._result(waiting.popleft(), before)
                    before += piece.n_rows
                    yield piece
                if more:
                    yield from self._streamed(
                        parse, Joined(rest + more, lambda: self._more(stream)), before
                    )
            finally:
                for future in waiting:
                    future.cancel()

    def place(self, row: int) -> str:
        """File and line of a row, as text editors count lines."""
        try:
            with closing(self._open()) as stream:
                lines = io.TextIOWrapper(stream, "utf-8-sig", errors="replace", newline="")
                start, count = 0, -1 if self.has_header else 0
                records = csv.reader(lines, delimiter=self.delimiter)
                for record in records:
                    if record:
                        if count == row:
                            return f"{self.name}, line {start + 1}"
                        count += 1
                    start = records.line_num
        except (csv.Error, OSError, ValueError):
            pass
        return f"{self.name}, row {row + 1} after the header"

    def _streamed(self, parse: "Parser", rest: "Joined", before: int) -> Iterator[Piece]:
        import pyarrow
        from pyarrow import csv as arrow_csv

        try:
            options = parse.options(block_size=STREAM_BYTES)
            with arrow_csv.open_csv(pyarrow.PythonFile(rest, mode="r"), **options) as reader:
                for batch in reader:
                    yield parse.piece(batch)
        except pyarrow.ArrowException as error:
            self._blame(error, before)

    def _result(self, future: "Future[Piece]", before: int) -> Piece:
        import pyarrow

        try:
            return future.result()
        except pyarrow.ArrowException as error:
            self._blame(error, before)

    def _blame(self, error: Exception, before: int) -> NoReturn:
        """Raise what a parser found wrong, with the line it is in."""
        words = first_line(error)
        row = re.search(r"Row #(\d+): ", words)
        place = self.place(before + int(row[1]) - 1) if row else self.name
        shape = re.search(r"Expected (\d+) columns, got (\d+)", words)
        value = re.search(r"CSV column #(\d+):.*invalid value '(.*)'", str(error), re.DOTALL)
        if shape:
            words = f"must have {shape[1]} fields, as the first line has; got {shape[2]}"
        elif value:
            column = self.columns[int(value[1])]
            words = (
                f"column {column!r} must hold numbers; got {value[2][:60]!r}. A column that is not "
                f"to be clustered can be left out (--drop) or name the rows (--id)"
            )
        elif "straddling" in words:
            words = f"has a record of more than {STREAM_BYTES >> 20} MB, or a quote that never ends"
        elif "invalid UTF8" in words:
            words = "is not UTF-8 text; save the file as UTF-8"
        raise DataFileError(place, words) from error

    def _more(self, stream: Any) -> bytes:
        with blaming(self.name, "CSV"):
            more: bytes = stream.read(CHUNK_BYTES)
        self._bytes_read = self._raw.tell()
        return more

    def _open(self) -> Any:
        """The text, decompressed, as a stream of bytes."""
        import pyarrow

        self._raw = raw = pyarrow.OSFile(str(self.path), "r")
        start = raw.read(4)
        raw.seek(0)
        for magic, compression in COMPRESSIONS.items():
            if start.startswith(magic):
                return pyarrow.CompressedInputStream(raw, compression)
        return raw

    def _decode(self, head: bytes, whole: bool) -> str:
        if b"\x00" in head:
            raise DataFileError(self.name, "is not UTF-8 text: it holds zero bytes")
        try:
            text, _ = codecs.utf_8_decode(head, "strict", whole)
        except UnicodeDecodeError as error:
            line = head[: error.start].count(b"\n") + 1
            raise DataFileError(
                f"{self.name}, line {line}", "is not UTF-8 text; save the file as UTF-8"
            ) from error
        return text.removeprefix("\ufeff")


class Parser:
    """Text to numbers and ids, by pyarrow."""

    def __init__(self, file: CsvFile, columns: Sequence[str], id_column: str | None) -> None:
        self.delimiter = file.delimiter
        # Positions are names here: names from a file may be equal or empty.
        self.positions = [str(i) for i in range(len(file.columns))]
        place = dict(zip(file.columns, self.positions, strict=True))
        self.numbers = [place[name] for name in columns]
        self.id = None if id_column is None else place[id_column]

    def options(self, **reading: Any) -> dict[str, Any]:
        """What to read, for pyarrow."""
        from pyarrow import csv as arrow_csv

        types = dict.fromkeys(self.numbers, "float64")
        if self.id is not None:
            types[self.id] = "string"
        return {
            "read_options": arrow_csv.ReadOptions(
                use_threads=False, column_names=self.positions, **reading
            ),
            "parse_options": arrow_csv.ParseOptions(
                delimiter=self.delimiter, newlines_in_values=True
            ),
            "convert_options": arrow_csv.ConvertOptions(
                column_types=types, include_columns=list(types), null_values=MISSING
            ),
        }

    def chunk(self, text: bytes) -> Piece:
        """The rows of some whole lines."""
        import pyarrow
        from pyarrow import csv as arrow_csv

        options = self.options(block_size=len(text) + 1)
        return self.piece(arrow_csv.read_csv(pyarrow.BufferReader(text), **options))

    def piece(self, table: Any) -> Piece:
        """A table's rows."""
        X = np.empty((table.num_rows, len(self.numbers)))
        write_rows([numbers(table[position]) for position in self.numbers], X)
        return Piece(X, None if self.id is None else table[self.id])


class Joined(io.RawIOBase):
    """Bytes that were read already, then the stream that they came from."""

    def __init__(self, start: bytes, more: Callable[[], bytes]) -> None:
        self.start, self.more = start, more

    def readable(self) -> bool:
        """Always."""
        return True

    def read(self, size: int = -1) -> bytes:
        """Up to so many bytes."""
        found: list[bytes] = []
        # All that is asked for: pyarrow takes a short answer for a short block.
        while size and (start := self.start or self.more()):
            part, self.start = (start, b"") if size < 0 else (start[:size], start[size:])
            found.append(part)
            size -= len(part) if size > 0 else 0
        return b"".join(found)


def guess_delimiter(text: str) -> str:
    """The delimiter that occurs most often in the first line, outside quotes."""
    line = next((line for line in io.StringIO(text, newline="") if line.strip()), "")
    bare = re.sub(r'"[^"]*"', "", line)
    return max(DELIMITERS, key=bare.count)


def first_record(text: str, delimiter: str) -> tuple[list[str], int]:
    """The fields of the first record that is not blank, and the bytes up to its end."""
    records = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    for record in records:
        if record:
            lines = io.StringIO(text, newline="")
            ends = [len(next(lines).encode()) for _ in range(records.line_num)]
            return record, sum(ends)
    return [], 0


def all_numbers(fields: Sequence[str]) -> bool:
    """Whether these are values, not names: at least one number, and nothing but missing ones."""
    given = [field for field in fields if field.strip() not in MISSING]
    return bool(given) and all(map(is_number, given))


def is_number(field: str) -> bool:
    """Whether pyarrow reads a field as a number, too."""
    try:
        float(field)
    except ValueError:
        return False
    return "_" not in field
