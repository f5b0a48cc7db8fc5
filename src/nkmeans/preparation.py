"""From raw columns to what is clustered: which columns, what of missing values, which scale."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nkmeans.data.errors import DataFileError
from nkmeans.data.table import Table

SCALES = ("none", "standard", "robust")
MISSING = ("error", "drop", "mean")
# Columns whose spreads differ by more than this factor deserve a word.
UNEQUAL = 1000
GLANCE_ROWS = 10_000
BLOCK_ROWS = 1 << 14


@dataclass(frozen=True)
class Preparation:
    """How raw columns become what is clustered: `(x - shift) / spread`, missing values filled.

    Attributes
    ----------
    columns : tuple of str
    id_column : str or None
        The column that names the rows of the file.
    scale : {"none", "standard", "robust"}
    missing : {"error", "drop", "mean"}
    shift, spread : float64 ndarray of shape (n_columns,)
        Mean and standard deviation, or median and interquartile range; 0 and 1 without scaling.
    fill : float64 ndarray of shape (n_columns,)
        What stands for a missing value: the mean of the column, in its own units. Empty unless
        `missing` is "mean".
    """

    columns: tuple[str, ...]
    id_column: str | None
    scale: str
    missing: str
    shift: np.ndarray
    spread: np.ndarray
    fill: np.ndarray

    def transform(self, X: Any) -> np.ndarray:
        """A raw array, or a frame that has these columns, as what was clustered (a copy)."""
        if hasattr(X, "collect"):
            raise TypeError("X must be a frame in memory; collect() makes it one.")
        names = getattr(X, "column_names", getattr(X, "columns", None))
        if names is not None:
            for name in self.columns:
                if list(names).count(name) != 1:
                    raise ValueError(f"X must have one column {name!r}; it has {list(names)}")
            X = np.column_stack([X[name].to_numpy() for name in self.columns])
        raw = np.array(X, dtype=np.float32 if getattr(X, "dtype", None) == np.float32 else float)
        if raw.ndim != 2 or raw.shape[1] != len(self.columns):
            raise ValueError(
                f"X must have the {len(self.columns)} columns {', '.join(self.columns[:8])}"
                f"{', ...' if len(self.columns) > 8 else ''}; got an array of shape {raw.shape}"
            )
        return self.apply(raw)

    def apply(self, raw: np.ndarray) -> np.ndarray:
        """The same in place."""
        for start in range(0, len(raw), BLOCK_ROWS):
            block = raw[start : start + BLOCK_ROWS]
            if len(self.fill):
                rows, columns = np.nonzero(~np.isfinite(block))
                block[rows, columns] = self.fill[columns]
            if self.scale != "none":
                block -= self.shift.astype(raw.dtype)
                block /= self.spread.astype(raw.dtype)
        return raw

    def restore(self, points: np.ndarray) -> np.ndarray:
        """Points in the units of the raw columns."""
        return points if self.scale == "none" else points * self.spread + self.shift


@dataclass(frozen=True)
class Gaps:
    """Values that are missing or infinite.

    Attributes
    ----------
    per_column : int ndarray of shape (n_columns,)
    rows : bool ndarray of shape (n_rows,)
        Which rows have any.
    first : tuple of int
        Row and column of the first.
    """

    per_column: np.ndarray
    rows: np.ndarray
    first: tuple[int, int]


def find_gaps(table: Table) -> Gaps | None:
    """Where values are missing, if any are."""
    if table.complete:
        return None
    n_rows, n_columns = table.X.shape
    per_column, rows = np.zeros(n_columns, dtype=np.int64), np.zeros(n_rows, dtype=bool)
    for start in range(0, n_rows, BLOCK_ROWS):
        bad = ~np.isfinite(table.X[start : start + BLOCK_ROWS])
        per_column += bad.sum(axis=0)
        rows[start : start + BLOCK_ROWS] = bad.any(axis=1)
    first = int(np.argmax(rows))
    return Gaps(per_column, rows, (first, int(np.argmin(np.isfinite(table.X[first])))))


def refuse_empty_columns(table: Table, gaps: Gaps) -> None:
    """Raise where a column has no value at all."""
    empty = np.flatnonzero(gaps.per_column == len(gaps.rows))
    if len(empty):
        name = table.columns[empty[0]]
        raise DataFileError(
            table.files[0].name,
            f"column {name!r}, number {empty[0] + 1} of those chosen, has no value; --drop it",
        )


def refuse_gaps(table: Table, gaps: Gaps, can_fill: bool = True) -> DataFileError:
    """The error that says where values are missing, and how many."""
    row, column = gaps.first
    worst = np.argsort(-gaps.per_column, kind="stable")[:4]
    counts = [f"{table.columns[j]!r} {gaps.per_column[j]}" for j in worst if gaps.per_column[j]]
    more = ", ..." if (gaps.per_column > 0).sum() > len(counts) else ""
    return DataFileError(
        table.place(row),
        f"column {table.columns[column]!r} is missing or infinite; {gaps.per_column.sum()} such "
        f"values in {gaps.rows.sum()} of {len(gaps.rows)} rows ({', '.join(counts)}{more}). "
        "--missing drop leaves those rows out"
        + (", --missing mean fills in the column's mean" if can_fill else ""),
    )


def drop_rows(X: np.ndarray, dropped: np.ndarray) -> np.ndarray:
    """The other rows, moved to the front of the same memory."""
    count = 0
    for start in range(0, len(X), BLOCK_ROWS):
        rows = X[start : start + BLOCK_ROWS][~dropped[start : start + BLOCK_ROWS]]
        X[count : count + len(rows)] = rows
        count += len(rows)
    return X[:count]


def learn(
    X: np.ndarray, table: Table, scale: str, missing: str, id_column: str | None
) -> Preparation:
    """How to prepare the rows X of a table, and tables like it. Missing values do not count."""
    if len(X) == 0:
        raise DataFileError(table.files[0].name, "has no row without missing values")
    shift, spread = np.zeros(X.shape[1]), np.ones(X.shape[1])
    fill = column_means(X, table) if missing == "mean" else np.empty(0)
    if scale == "standard":
        shift, spread = by_column(X, mean_and_deviation)
    elif scale == "robust":
        shift, spread = by_column(X, median_and_range)
    spread = np.where(spread == 0, 1.0, spread)
    if not np.isfinite([*shift, *spread, *fill]).all():
        wide = int(np.argmin(np.isfinite(shift) & np.isfinite(spread)))
        raise DataFileError(
            table.files[0].name,
            f"column {table.columns[wide]!r} spans too much to be scaled: {X[:, wide].min():g} to "
            f"{X[:, wide].max():g}; --drop it, or drop the rows that spoil it",
        )
    return Preparation(tuple(table.columns), id_column, scale, missing, shift, spread, fill)


def column_means(X: np.ndarray, table: Table) -> np.ndarray:
    """The mean of what is there in each column."""
    return by_column(X, mean_and_deviation)[0]


def by_column(
    X: np.ndarray, measure: Callable[[np.ndarray], tuple[float, float]]
) -> tuple[np.ndarray, np.ndarray]:
    """Two numbers for each column, from its finite values in float64."""
    found = []
    with np.errstate(over="ignore", invalid="ignore"):
        for number in range(X.shape[1]):
            column = X[:, number].astype(np.float64)
            found.append(measure(column[np.isfinite(column)]))
    first, second = np.array(found, dtype=np.float64).T
    return first, second


def mean_and_deviation(x: np.ndarray) -> tuple[float, float]:
    """Mean and standard deviation; 0 of a constant, to the last bit."""
    low, high = x.min(), x.max()
    if low == high:
        return float(low), 0.0
    # In units of the widest value: squares neither overflow nor vanish.
    size = float(max(abs(low), abs(high)))
    mean = float((x / size).mean()) * size
    away = x - mean
    size = float(np.abs(away).max())
    return mean, size * float(np.sqrt(np.mean((away / size) ** 2)))


def median_and_range(x: np.ndarray) -> tuple[float, float]:
    """Median and interquartile range; the standard deviation where half of the values are one."""
    low, middle, high = np.percentile(x, [25, 50, 75])
    return float(middle), float(high - low) or mean_and_deviation(x)[1]


def warn_of_columns(table: Table, scale: str) -> Sequence[str]:
    """What a person should know of the columns before trusting distances over them."""
    said = []
    X = table.X[:: max(1, len(table.X) // GLANCE_ROWS)]
    if scale == "none" and table.X.shape[1] > 1:
        _, spread = by_column(X, lambda x: median_and_range(x) if len(x) else (0.0, 0.0))
        wide, narrow = int(np.argmax(spread)), int(np.argmin(np.where(spread > 0, spread, np.inf)))
        if spread[wide] > UNEQUAL * spread[narrow] > 0:
            said.append(
                f"column {table.columns[wide]!r} spreads {spread[wide] / spread[narrow]:.3g} times "
                f"as wide as {table.columns[narrow]!r} and will decide the clusters; "
                "consider --scale robust or --scale standard"
            )
    counting = [
        table.columns[number]
        for number in range(table.X.shape[1])
        if len(table.X) > 2 and counts_rows(table.X[:, number])
    ]
    if counting:
        more = f" (and {len(counting) - 1} others)" if len(counting) > 1 else ""
        said.append(f"column {counting[0]!r}{more} only counts the rows; consider --id or --drop")
    return said


def counts_rows(column: np.ndarray) -> bool:
    """Whether a column is 0, 1, 2, ... or 1, 2, 3, ..."""
    first, last = column[0], column[-1]
    if first not in (0, 1) or last != first + len(column) - 1:
        return False
    return bool((np.diff(column) == 1).all())
