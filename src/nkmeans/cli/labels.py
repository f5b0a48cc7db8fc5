"""The labels as a table: all at once, or written as they come."""

from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any, Self

import numpy as np

from nkmeans.data.blocks import NO_WEIGHT, ArraySource
from nkmeans.data.columns import one_ahead
from nkmeans.engines.local import LocalEngine, count_threads
from nkmeans.prepared import PreparedRows

COLUMNS = ("id", "label", "squared_distance", "outlier")
# Rows that are written to a Parquet file together.
GROUP_ROWS = 1 << 17


def labels_table(
    labels: np.ndarray, dist2: np.ndarray, ids: Any, dropped: np.ndarray | None, start: int = 0
) -> Any:
    """id, label, squared_distance, outlier; null for rows left out for missing values.

    Without ids they are the numbers of the rows, from `start` on.
    """
    import pyarrow

    n_rows = len(labels) if dropped is None else len(dropped)
    columns = [labels, dist2, labels < 0]
    if dropped is not None:
        columns = [spread_out(column, dropped) for column in columns]
    arrays = [pyarrow.array(column, mask=dropped) for column in columns]
    ids = pyarrow.array(np.arange(start, start + n_rows)) if ids is None else ids
    return pyarrow.table([ids, *arrays], names=COLUMNS)


def label_pieces(
    pieces: Iterator[PreparedRows],
    label: Callable[[PreparedRows], tuple[np.ndarray, np.ndarray]],
    n_jobs: int | None = None,
) -> Iterator[tuple[PreparedRows, np.ndarray, np.ndarray]]:
    """Each piece with its labels and squared distances; some are labelled side by side.

    What comes next is read meanwhile.
    """

    def call(piece: PreparedRows) -> tuple[PreparedRows, np.ndarray, np.ndarray]:
        return piece, *label(piece)

    with LocalEngine(ArraySource(np.empty((0, 1)), NO_WEIGHT), count_threads(n_jobs)) as engine:
        yield from engine.ordered(call, ((piece,) for piece in one_ahead(pieces)))


def spread_out(column: np.ndarray, dropped: np.ndarray) -> np.ndarray:
    """The column with a place for every row."""
    out = np.zeros(len(dropped), dtype=column.dtype)
    out[~dropped] = column
    return out


def parquet_options(schema: Any) -> dict[str, Any]:
    """How labels are stored.

    What repeats or counts up is small by its encoding; distances do not get smaller.
    """
    import pyarrow

    counting = pyarrow.types.is_integer(schema.field("id").type)
    return {
        "use_dictionary": ["label", "outlier"],
        "column_encoding": {"id": "DELTA_BINARY_PACKED"} if counting else None,
        "compression": dict.fromkeys(COLUMNS, "none") | {"id": "none" if counting else "snappy"},
    }


class LabelWriter:
    """Tables of labels into an open file, one after the other.

    Nothing is written before the first table comes.

    Parameters
    ----------
    file : binary file or path
    ending : {".csv", ".parquet"}
    """

    def __init__(self, file: Any, ending: str = ".csv") -> None:
        self._file, self._ending = file, ending
        self._waiting: list[Any] = []
        self._writer: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        if error is None:
            self._flush()
        if self._writer is not None:
            self._writer.close()

    def write(self, table: Any) -> None:
        """More rows."""
        self._waiting.append(table)
        if self._ending == ".csv" or sum(map(len, self._waiting)) >= GROUP_ROWS:
            self._flush()

    def _flush(self) -> None:
        import pyarrow

        if not self._waiting:
            return
        table = pyarrow.concat_tables(self._waiting)
        self._waiting = []
        if self._writer is None:
            self._writer = self._open(table.schema)
        self._writer.write_table(table)

    def _open(self, schema: Any) -> Any:
        if self._ending == ".parquet":
            from pyarrow import parquet

            return parquet.ParquetWriter(self._file, schema, **parquet_options(schema))
        from pyarrow import csv

        return csv.CSVWriter(self._file, schema)
