"""CSV files, compressed or not: chunks are parsed side by side, and errors name the line."""

import codecs
import csv
import io
import re
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any, NoReturn

import joblib
import numpy as np

from nkmeans.data.columns import Piece
from nkmeans.data.csv_parser import Joined, Parser, all_numbers, is_number
from nkmeans.data.errors import DataFileError, blaming, first_line

# Python's reader refuses long fields otherwise; pyarrow does not.
csv.field_size_limit(1 << 30)
CHUNK_BYTES = 1 << 20
# A record must fit into two of these.
STREAM_BYTES = 1 << 23
HEAD_BYTES = 1 << 20
# A row of more lines than this is worth a word.
MANY_LINES = 10
DELIMITERS = (",", ";", "\t", "|")
COMPRESSIONS = {b"\x1f\x8b": "gzip", b"BZh": "bz2", b"\x28\xb5\x2f\xfd": "zstd"}


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
    decimal : str, default="."
    """

    n_rows: int | None = None

    def __init__(
        self,
        path: Path,
        name: str,
        delimiter: str | None = None,
        header: bool | None = None,
        decimal: str = ".",
    ) -> None:
        self.path, self.name, self.decimal = path, name, decimal
        # What a person should know once the file is read.
        self.notes: list[str] = []
        self._size, self._bytes_read = max(path.stat().st_size, 1), 0
        with blaming(name, "CSV"), self._open() as stream:
            head = stream.read(HEAD_BYTES)
            while b"\n" not in head and (more := stream.read(len(head))):
                head += more
            whole = not stream.read(1)
            share = 1.0 if whole else self._raw.tell() / self._size
        # By the lines at its beginning; only reading the file tells how many rows it has.
        self.about_rows = int((head.count(b"\n") + 1) / share)
        text = self._decode(head, whole)
        self.delimiter = delimiter or guess_delimiter(text, decimal)
        try:
            first, n_bytes = first_record(text, self.delimiter)
        except csv.Error as error:
            raise DataFileError(f"{name}, line 1", f"cannot be read as CSV: {error}") from error
        if not first:
            raise DataFileError(name, "is empty")
        values = [field.replace(decimal, ".") for field in first]
        self.has_header = not all_numbers(values) if header is None else header
        # Names among numbers may be a row that begins with its id.
        self.doubtful = header is None and self.has_header and any(map(is_number, values))
        bom = len(codecs.BOM_UTF8) if head.startswith(codecs.BOM_UTF8) else 0
        self._body = bom + (n_bytes if self.has_header else 0)
        names = [field.strip(" \t") for field in first]
        self.columns = names if self.has_header else [f"x{i}" for i in range(len(first))]

    def dtype(self, columns: Sequence[str]) -> np.dtype:
        """Text may hold any number of digits: float64."""
        return np.dtype(np.float64)

    def id_type(self, column: str) -> Any:
        """Ids are text: 007 is not 7."""
        import pyarrow

        return pyarrow.string()

    def done(self) -> float:
        """The share of the file that has been read."""
        return min(self._bytes_read / self._size, 1.0)

    def read(self, columns: Sequence[str], id_column: str | None) -> Iterator[Piece]:
        """The rows in order, piece by piece.

        Chunks that end with a line are parsed side by side. Where a quote is, lines and rows may
        differ: from there on pyarrow reads the rest as one stream.
        """
        parse = Parser(self.columns, self.delimiter, self.decimal, columns, id_column)
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
                        piece = self._result(waiting.popleft(), before, parse)
                        before += piece.n_rows
                        yield piece
                if rest and not more:
                    waiting.append(pool.submit(parse.chunk, rest))
                while waiting:
                    piece = self._result(waiting.popleft(), before, parse)
                    before += piece.n_rows
                    yield piece
                if more:
                    joined = Joined(rest + more, lambda: self._more(stream))
                    n_rows = 0
                    for piece in self._streamed(parse, joined, before):
                        n_rows += piece.n_rows
                        yield piece
                    if n_rows < joined.lines:
                        self._check_quotes()
            finally:
                for future in waiting:
                    future.cancel()

    def place(self, row: int) -> str:
        """File and line of a row, as text editors count lines."""
        line, _ = self._find(row)
        return f"{self.name}, line {line}" if line else f"{self.name}, row {row}"

    def _find(self, row: int) -> tuple[int, list[str]]:
        """The line on which a row begins, and its fields; line 0 where it cannot be told."""
        count = -1 if self.has_header else 0
        try:
            for line, _, record in self._records(strict=False):
                if count == row:
                    return line, record
                count += 1
        except (csv.Error, OSError, ValueError):
            pass
        return 0, []

    def _records(self, strict: bool) -> Iterator[tuple[int, int, list[str]]]:
        """First and last line of each record, and its fields, by Python's slow reader."""
        with closing(self._open()) as stream:
            lines = io.TextIOWrapper(stream, "utf-8-sig", errors="replace", newline="")
            last = 0
            records = csv.reader(lines, delimiter=self.delimiter, strict=strict)
            for record in records:
                if record:
                    yield last + 1, records.line_num, record
                last = records.line_num

    def _check_quotes(self) -> None:
        """A quote that is never closed hides the rest of the file: that is an error.

        A row of many lines may be one that another quote closed, and is told.
        """
        last, longest, where = 0, 1, 0
        try:
            for first, last, _ in self._records(strict=True):
                if last - first + 1 > longest:
                    longest, where = last - first + 1, first
        except csv.Error as error:
            if "unexpected end of data" in str(error):
                raise DataFileError(
                    f"{self.name}, line {last + 1}", "a quote is opened and never closed"
                ) from error
        if longest > MANY_LINES:
            self.notes.append(
                f"{self.name}, line {where}: a row has {longest} lines; is a quote missing?"
            )

    def _streamed(self, parse: "Parser", rest: "Joined", before: int) -> Iterator[Piece]:
        import pyarrow
        from pyarrow import csv as arrow_csv

        try:
            options = parse.options(block_size=STREAM_BYTES)
            with arrow_csv.open_csv(pyarrow.PythonFile(rest, mode="r"), **options) as reader:
                for batch in reader:
                    yield parse.piece(batch)
        except pyarrow.ArrowException as error:
            self._blame(error, before, parse)

    def _result(self, future: "Future[Piece]", before: int, parse: "Parser") -> Piece:
        import pyarrow

        try:
            return future.result()
        except pyarrow.ArrowException as error:
            self._blame(error, before, parse)

    def _describe_text(self, parse: "Parser", row: int, column: int, value: str) -> str:
        """What to say of a row with text in it: all of its columns at once."""
        _, record = self._find(row)
        texts = [
            self.columns[int(place)]
            for place in parse.numbers
            if int(place) < len(record) and not all_numbers([record[int(place)], "0"])
        ]
        names = texts if self.columns[column] in texts else [self.columns[column]]
        listed = ", ".join(repr(name) for name in names[:8]) + (", ..." if len(names) > 8 else "")
        words = f"column{'s' if len(names) > 1 else ''} {listed} must hold numbers; got "
        words += f"{value[:60]!r}. What is not to be clustered can be left out (--drop, columns=) "
        words += "or name the rows (--id)"
        if re.fullmatch(r"[-+]?[\d.]*,\d+", value.strip()):
            words += "; numbers with a decimal comma need --decimal , (decimal=)"
        return words

    def _blame(self, error: Exception, before: int, parse: "Parser") -> NoReturn:
        """Raise what a parser found wrong, with the line it is in."""
        words = first_line(error)
        row = re.search(r"Row #(\d+): ", words)
        place = self.place(before + int(row[1]) - 1) if row else self.name
        shape = re.search(r"Expected (\d+) columns, got (\d+)", words)
        value = re.search(r"CSV column #(\d+):.*invalid value '(.*)'", str(error), re.DOTALL)
        if shape:
            words = f"must have {shape[1]} fields, as the first line has; got {shape[2]}"
        elif value and row:
            words = self._describe_text(parse, before + int(row[1]) - 1, int(value[1]), value[2])
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


def guess_delimiter(text: str, decimal: str) -> str:
    """The delimiter that occurs most often in the first line, outside quotes."""
    line = next((line for line in io.StringIO(text, newline="") if line.strip()), "")
    bare = re.sub(r'"[^"]*"', "", line)
    return max((mark for mark in DELIMITERS if mark != decimal), key=bare.count)


def first_record(text: str, delimiter: str) -> tuple[list[str], int]:
    """The fields of the first record that is not blank, and the bytes up to its end."""
    records = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    for record in records:
        if record:
            lines = io.StringIO(text, newline="")
            ends = [len(next(lines).encode()) for _ in range(records.line_num)]
            return record, sum(ends)
    return [], 0
