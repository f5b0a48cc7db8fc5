"""From raw columns to what is clustered: which columns, what of missing values, which scale."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nkmeans.data.errors import DataFileError
from nkmeans.data.table import Table
from nkmeans.data.walk import Walk

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


@dataclass
class GapCounts:
    """How many values are missing or infinite, in the rows looked at so far.

    Attributes
    ----------
    per_column : int ndarray of shape (n_columns,)
    n_rows : int
        The rows looked at.
    n_gap_rows : int
        Those of them that have gaps.
    first : tuple of int
        Row and column of the first gap, if there is one.
    """

    per_column: np.ndarray
    n_rows: int = 0
    n_gap_rows: int = 0
    first: tuple[int, int] = (-1, -1)

    def add(self, X: np.ndarray) -> np.ndarray | None:
        """Look at the next rows; which of them have gaps, if any have."""
        start, self.n_rows = self.n_rows, self.n_rows + len(X)
        with np.errstate(over="ignore", invalid="ignore"):
            if np.isfinite(X.sum()):
                return None
        bad = ~np.isfinite(X)
        rows: np.ndarray = bad.any(axis=1)
        if not rows.any():
            return None
        if self.n_gap_rows == 0:
            row = int(np.argmax(rows))
            self.first = start + row, int(np.argmax(bad[row]))
        self.per_column = self.per_column + bad.sum(axis=0)
        self.n_gap_rows += int(rows.sum())
        return rows


@dataclass(frozen=True)
class Gaps:
    """The gaps of a table.

    Attributes
    ----------
    counts : GapCounts
    rows : bool ndarray of shape (n_rows,)
        Which rows have any.
    """

    counts: GapCounts
    rows: np.ndarray


def find_gaps(table: Table) -> Gaps | None:
    """Where values are missing, if any are."""
    if table.complete:
        return None
    n_rows, n_columns = table.X.shape
    counts, rows = GapCounts(np.zeros(n_columns, dtype=np.int64)), np.zeros(n_rows, dtype=bool)
    for start in range(0, n_rows, BLOCK_ROWS):
        bad = counts.add(table.X[start : start + BLOCK_ROWS])
        if bad is not None:
            rows[start : start + BLOCK_ROWS] = bad
    return Gaps(counts, rows)


def refuse_empty_columns(table: Table | Walk, gaps: GapCounts) -> None:
    """Raise where a column has no value at all."""
    empty = np.flatnonzero(gaps.per_column == gaps.n_rows)
    if len(empty):
        name = table.columns[empty[0]]
        raise DataFileError(
            table.files[0].name,
            f"column {name!r}, number {empty[0] + 1} of those chosen, has no value; --drop it",
        )


def refuse_gaps(
    table: Table | Walk, gaps: GapCounts, can_fill: bool = True, so_far: bool = False
) -> DataFileError:
    """The error that says where values are missing, and how many (so far)."""
    row, column = gaps.first
    worst = np.argsort(-gaps.per_column, kind="stable")[:4]
    counts = [f"{table.columns[j]!r} {gaps.per_column[j]}" for j in worst if gaps.per_column[j]]
    more = ", ..." if (gaps.per_column > 0).sum() > len(counts) else ""
    return DataFileError(
        table.place(row),
        f"column {table.columns[column]!r} is missing or infinite; {gaps.per_column.sum()} such "
        f"values in {gaps.n_gap_rows} of {'the first ' if so_far else ''}{gaps.n_rows} rows "
        f"({', '.join(counts)}{more}). --missing drop leaves those rows out"
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
    fill = by_column(X, mean_and_deviation)[0] if missing == "mean" else np.empty(0)
    if scale == "standard":
        shift, spread = by_column(X, mean_and_deviation)
    elif scale == "robust":
        shift, spread = by_column(X, median_and_range)
    found = Preparation(tuple(table.columns), id_column, scale, missing, shift, spread, fill)
    return checked(found, table, lambda column: (X[:, column].min(), X[:, column].max()))


def checked(
    found: Preparation, table: Table | Walk, extent: Callable[[int], tuple[float, float]]
) -> Preparation:
    """The same, with 1 for spreads of 0; raise where a column of this extent has no scale."""
    if not np.isfinite([*found.shift, *found.spread, *found.fill]).all():
        wide = int(np.argmin(np.isfinite(found.shift) & np.isfinite(found.spread)))
        low, high = extent(wide)
        raise DataFileError(
            table.files[0].name,
            f"column {table.columns[wide]!r} spans too much to be scaled: {low:g} to {high:g}; "
            "--drop it, or drop the rows that spoil it",
        )
    return replace(found, spread=np.where(found.spread == 0, 1.0, found.spread))


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
    counting = [
        table.columns[number]
        for number in range(table.X.shape[1])
        if len(table.X) > 2 and counts_rows(table.X[:, number])
    ]
    return [*warn_of_spreads(table.X, table.columns, scale), *warn_of_counting(counting)]


def warn_of_spreads(X: np.ndarray, columns: Sequence[str], scale: str) -> Iterator[str]:
    """Where one column spreads much wider than another, by a glance at the rows."""
    if scale != "none" or X.shape[1] == 1:
        return
    X = X[:: max(1, len(X) // GLANCE_ROWS)]
    _, spread = by_column(X, lambda x: median_and_range(x) if len(x) else (0.0, 0.0))
    wide, narrow = int(np.argmax(spread)), int(np.argmin(np.where(spread > 0, spread, np.inf)))
    if spread[wide] > UNEQUAL * spread[narrow] > 0:
        yield (
            f"column {columns[wide]!r} spreads {spread[wide] / spread[narrow]:.3g} times "
            f"as wide as {columns[narrow]!r} and will decide the clusters; "
            "consider --scale robust or --scale standard"
        )


def warn_of_counting(columns: Sequence[str]) -> Iterator[str]:
    """Columns that are row numbers."""
    if columns:
        more = f" (and {len(columns) - 1} others)" if len(columns) > 1 else ""
        yield f"column {columns[0]!r}{more} only counts the rows; consider --id or --drop"


def counts_rows(column: np.ndarray) -> bool:
    """Whether a column is 0, 1, 2, ... or 1, 2, 3, ..."""
    first, last = column[0], column[-1]
    if first not in (0, 1) or last != first + len(column) - 1:
        return False
    return bool((np.diff(column) == 1).all())
