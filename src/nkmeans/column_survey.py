"""One reading of files: what must be known of their columns before they are clustered."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from nkmeans.data.errors import DataFileError
from nkmeans.data.table import Progress
from nkmeans.data.walk import Walk
from nkmeans.preparation import (
    GapCounts,
    Preparation,
    by_column,
    checked,
    median_and_range,
    warn_of_counting,
    warn_of_spreads,
)
from nkmeans.summarize.lowest import Lowest, fair_keys

# Medians and quartiles are those of a fair sample of so many rows, or of so many bytes.
MOST_ROWS = 200_000
MOST_BYTES = 1 << 28


@dataclass(frozen=True)
class Moments:
    """Count, mean, standard deviation, smallest and largest of the finite values of columns."""

    count: np.ndarray
    mean: np.ndarray
    deviation: np.ndarray
    low: np.ndarray
    high: np.ndarray

    @staticmethod
    def of(X: np.ndarray) -> "Moments":
        """The moments of the columns of X, in float64."""
        X = X.astype(np.float64)
        there = np.isfinite(X)
        count = there.sum(axis=0)
        low = np.where(there, X, np.inf).min(axis=0, initial=np.inf)
        high = np.where(there, X, -np.inf).max(axis=0, initial=-np.inf)
        X = np.where(there, X, 0.0)
        # In units of the widest value: squares neither overflow nor vanish.
        size = unit(np.abs(X).max(axis=0, initial=0.0))
        mean = (X / size).sum(axis=0) / np.maximum(count, 1) * size
        away = np.where(there, X - mean, 0.0)
        size = unit(np.abs(away).max(axis=0, initial=0.0))
        deviation = size * np.sqrt(((away / size) ** 2).sum(axis=0) / np.maximum(count, 1))
        return Moments(count, mean, deviation, low, high)

    def merged(self, other: "Moments") -> "Moments":
        """The moments of both together (Chan, Golub and LeVeque 1979)."""
        count = self.count + other.count
        share = other.count / np.maximum(count, 1)
        apart = np.where((self.count > 0) & (other.count > 0), other.mean - self.mean, 0.0)
        mean = np.where(self.count > 0, self.mean + share * apart, other.mean)
        size = unit(np.maximum(np.abs(apart), np.maximum(self.deviation, other.deviation)))
        variance = (1 - share) * (self.deviation / size) ** 2
        variance += share * (other.deviation / size) ** 2
        variance += share * (1 - share) * (apart / size) ** 2
        low, high = np.minimum(self.low, other.low), np.maximum(self.high, other.high)
        return Moments(count, mean, size * np.sqrt(variance), low, high)

    def means_and_deviations(self) -> tuple[np.ndarray, np.ndarray]:
        """Of all columns; of a constant itself and 0, to the last bit."""
        constant = self.low == self.high
        mean = np.where(constant, self.low, self.mean)
        return mean, np.where(constant, 0.0, self.deviation)


def unit(size: np.ndarray) -> np.ndarray:
    """Sizes to divide by."""
    return np.where(size > 0, size, 1.0)


class ColumnSurvey:
    """What one reading of the files tells.

    Parameters
    ----------
    walk : Walk
    scale, missing : str
        As a `Preparation` has them.

    Attributes
    ----------
    gaps : GapCounts
    n_rows : int
        Rows to be clustered.
    sampled : int
        Rows that medians and quartiles are those of, where they are not those of all rows;
        else 0.
    """

    def __init__(self, walk: Walk, scale: str, missing: str) -> None:
        self.walk, self.scale, self.missing = walk, scale, missing
        n_columns = len(walk.columns)
        self.gaps = GapCounts(np.zeros(n_columns, dtype=np.int64))
        self._moments = Moments.of(np.empty((0, n_columns)))
        self._sample = Lowest(min(MOST_ROWS, MOST_BYTES // (n_columns * walk.dtype.itemsize)))
        self._first = np.empty(0)
        self._counting = np.ones(n_columns, dtype=bool)

    def read(self, progress: Progress | None = None) -> None:
        """Read the files once."""
        for piece in self.walk.pieces(progress):
            self._look_at(piece.start, piece.X)

    def _look_at(self, start: int, X: np.ndarray) -> None:
        bad = self.gaps.add(X)
        self._sample.add(fair_keys(start, len(X)), lambda chosen: (X[chosen],))
        self._look_for_counting(start, X)
        if self.scale != "none" or self.missing == "mean":
            kept = X if bad is None or self.missing == "mean" else X[~bad]
            with np.errstate(over="ignore", invalid="ignore"):
                self._moments = self._moments.merged(Moments.of(kept))

    def _look_for_counting(self, start: int, X: np.ndarray) -> None:
        """Which columns have been 0, 1, 2, ... or 1, 2, 3, ... until now."""
        if start == 0:
            self._first = X[0].astype(np.float64)
            self._counting = np.isin(self._first, (0, 1))
        columns = np.flatnonzero(self._counting)
        if len(columns):
            wanted = np.arange(start, start + len(X))[:, None] + self._first[columns]
            self._counting[columns] = (X[:, columns] == wanted).all(axis=0)

    @property
    def n_rows(self) -> int:
        """Rows to be clustered."""
        return self.gaps.n_rows - (self.gaps.n_gap_rows if self.missing == "drop" else 0)

    @property
    def sampled(self) -> int:
        """Rows that medians and quartiles are those of, if not of all."""
        return self._sample.most if self.gaps.n_rows > self._sample.most else 0

    def warnings(self) -> Iterator[str]:
        """What a person should know of the columns before trusting distances over them."""
        columns = self.walk.columns
        yield from warn_of_spreads(self._sample.columns()[0], columns, self.scale)
        counting = np.flatnonzero(self._counting) if self.gaps.n_rows > 2 else ()
        yield from warn_of_counting([columns[number] for number in counting])

    def _medians_and_ranges(self) -> tuple[np.ndarray, np.ndarray]:
        """Of the sample; means and deviations of all rows where that has nothing to tell."""
        mean, deviation = self._moments.means_and_deviations()
        rows = self._sample.columns()[0]
        if self.missing == "drop":
            rows = rows[np.isfinite(rows).all(axis=1)]
        known = np.isfinite(rows).any(axis=0)
        shift, spread = by_column(rows, lambda x: median_and_range(x) if len(x) else (0.0, 0.0))
        return np.where(known, shift, mean), np.where(spread == 0, deviation, spread)

    def preparation(self, id_column: str | None) -> Preparation:
        """How to prepare the rows. Missing values do not count."""
        walk, n_columns = self.walk, len(self.walk.columns)
        if self.n_rows == 0:
            raise DataFileError(walk.files[0].name, "has no row without missing values")
        shift, spread, fill = np.zeros(n_columns), np.ones(n_columns), np.empty(0)
        if self.missing == "mean":
            fill = self._moments.means_and_deviations()[0]
        if self.scale == "standard":
            shift, spread = self._moments.means_and_deviations()
        elif self.scale == "robust":
            shift, spread = self._medians_and_ranges()
        found = Preparation(
            tuple(walk.columns), id_column, self.scale, self.missing, shift, spread, fill
        )
        low, high = self._moments.low, self._moments.high
        return checked(found, walk, lambda column: (low[column], high[column]))
