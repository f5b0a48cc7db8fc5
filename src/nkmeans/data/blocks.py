"""Any array as blocks of consecutive rows, converted one block at a time."""

from dataclasses import dataclass

import numpy as np

NO_WEIGHT = np.empty(0)  # how the kernels spell unit weights

# About this many bytes a block: few enough blocks that scheduling them costs nothing, enough
# of them that every thread has work.
BLOCK_BYTES = 1 << 22


def rows_a_block(n_features: int, dtype: np.dtype) -> int:
    """How many rows make a block; the same for every engine, so that all sums agree."""
    return min(max(BLOCK_BYTES // (n_features * dtype.itemsize), 256), 1 << 16)


@dataclass(frozen=True)
class Block:
    """Consecutive rows of the data.

    Attributes
    ----------
    start : int
        Row number of the first row.
    X : ndarray of shape (rows, n_features), C-contiguous, float32 or float64
    weight : float64 ndarray of shape (rows,), or empty for unit weights
    """

    start: int
    X: np.ndarray
    weight: np.ndarray

    @property
    def rows(self) -> slice:
        """Where these rows stand in the whole."""
        return slice(self.start, self.start + len(self.X))


def refuse_not_finite(block: Block, rows: np.ndarray | slice = slice(None)) -> None:
    """Raise if any of these rows of a block has a value that is not finite."""
    bad = np.flatnonzero(~np.isfinite(block.X[rows]).all(axis=1))
    if len(bad):
        row = block.start + np.arange(len(block.X))[rows][bad[0]]
        raise ValueError(f"Row {row} of the data has a value that is not finite.")


@dataclass(frozen=True)
class ArraySource:
    """An array (C or Fortran order, memmap, integers, floats) cut into blocks.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_features)
    weight : float64 ndarray of shape (n_rows,), or empty for unit weights
    block_rows : int, default=None
        Rows a block; by default as many as make about 4 MB.
    """

    X: np.ndarray
    weight: np.ndarray
    block_rows: int | None = None

    @property
    def dtype(self) -> np.dtype:
        """float32 for float32 and float16 data, float64 for everything else."""
        return np.dtype(np.float32 if self.X.dtype in (np.float32, np.float16) else np.float64)

    def starts(self) -> range:
        """Row numbers at which the blocks begin."""
        rows = self.block_rows or rows_a_block(self.X.shape[1], self.dtype)
        return range(0, len(self.X), rows)

    def block(self, start: int) -> Block:
        """The block that begins at row `start`."""
        rows = slice(start, start + self.starts().step)
        X = np.ascontiguousarray(self.X[rows], dtype=self.dtype)
        return Block(start, X, self.weight[rows])
