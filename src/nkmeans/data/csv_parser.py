"""Text to numbers and ids, by pyarrow."""

import io
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from nkmeans.data.columns import Piece, numbers, write_rows

# What pyarrow takes for missing, and two more that data from R and Weka have.
MISSING = [
    "", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN",
    "N/A", "NA", "NULL", "NaN", "n/a", "nan", "null", "None", "?",
]  # fmt: skip


class Parser:
    """Text to numbers and ids, by pyarrow."""

    def __init__(
        self,
        names: Sequence[str],
        delimiter: str,
        decimal: str,
        columns: Sequence[str],
        id_column: str | None,
    ) -> None:
        self.delimiter, self.decimal = delimiter, decimal
        # Positions are names here: names from a file may be equal or empty.
        self.positions = [str(i) for i in range(len(names))]
        place = dict(zip(names, self.positions, strict=True))
        self.numbers = [place[name] for name in columns]
        self.id = None if id_column is None else place[id_column]

    def options(self, kind: str = "float64", **reading: Any) -> dict[str, Any]:
        """What to read, for pyarrow, and as which type."""
        from pyarrow import csv as arrow_csv

        types = dict.fromkeys(self.numbers, kind)
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
                column_types=types,
                include_columns=list(types),
                null_values=MISSING,
                decimal_point=self.decimal,
            ),
        }

    def chunk(self, text: bytes) -> Piece:
        """The rows of some whole lines."""
        import pyarrow
        from pyarrow import csv as arrow_csv

        size = len(text) + 1
        try:
            table = arrow_csv.read_csv(pyarrow.BufferReader(text), **self.options(block_size=size))
        except pyarrow.ArrowInvalid as error:
            if "invalid value" not in str(error):
                raise
            # Blanks around a missing value, perhaps.
            options = self.options("string", block_size=size)
            table = self.trimmed(arrow_csv.read_csv(pyarrow.BufferReader(text), **options))
        return self.piece(table)

    def trimmed(self, table: Any) -> Any:
        """A table of text as numbers; missing values may have blanks around them."""
        import pyarrow
        from pyarrow import compute

        for position in self.numbers:
            words = compute.utf8_trim_whitespace(table[position])
            missing = compute.is_in(words, value_set=pyarrow.array(MISSING))
            words = compute.if_else(missing, None, words)
            if self.decimal != ".":
                words = compute.replace_substring(words, self.decimal, ".")
            try:
                values = compute.cast(words, pyarrow.float64())
            except pyarrow.ArrowInvalid:
                texts = words.to_pylist()
                row = next(i for i, text in enumerate(texts) if text and not is_number(text))
                raise pyarrow.ArrowInvalid(
                    f"In CSV column #{position}: Row #{row + 1}: invalid value '{texts[row]}'"
                ) from None
            table = table.set_column(table.column_names.index(position), position, values)
        return table

    def piece(self, table: Any) -> Piece:
        """A table's rows."""
        X = np.empty((table.num_rows, len(self.numbers)))
        write_rows([numbers(table[position]) for position in self.numbers], X)
        return Piece(X, None if self.id is None else table[self.id])


class Joined(io.RawIOBase):
    """Bytes that were read already, then the stream that they came from."""

    def __init__(self, start: bytes, more: Callable[[], bytes]) -> None:
        self.start, self.more, self.lines = start, more, 0

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
        answer = b"".join(found)
        self.lines += answer.count(b"\n")
        return answer


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
