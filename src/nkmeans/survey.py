"""One reading of the data before the first stage: is every value finite, and where is it?"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from nkmeans.data.blocks import Block
from nkmeans.engines import Engine
from nkmeans.kernels.ranges import column_range

# Rows, evenly spread, from which the origin is taken.
ORIGIN_ROWS = 1024
# Beyond these, squares of float32 numbers overflow or vanish: such data is taken as float64.
FLOAT32_RANGE = (1e-15, 1e15)


@dataclass(frozen=True)
class Weights:
    """What the rows weigh; known before any of them is read.

    Attributes
    ----------
    total_weight : float
    n_weighted : int
        Number of rows with positive weight.
    whole_weights : bool
        Whether all weights are whole numbers.
    """

    total_weight: float
    n_weighted: int
    whole_weights: bool


@dataclass(frozen=True)
class Survey(Weights):
    """What the stages need to know of the data.

    Attributes
    ----------
    origin : ndarray of shape (n_features,)
        A point amid the data. Every stage works relative to it, in its dtype, so float32
        data far from zero loses nothing.
    errand : callable or None
        What else was done with each block in the same reading.
    fetched : list
        What that returned.
    """

    origin: np.ndarray
    errand: Callable[[Block], Any] | None = None
    fetched: list[Any] = field(default_factory=list)


def weigh(engine: Engine) -> Weights:
    """Sums of the weights."""
    weight = engine.weight
    if len(weight) == 0:
        return Weights(float(engine.n_rows), engine.n_rows, True)
    is_whole = bool((weight == np.floor(weight)).all())
    return Weights(float(weight.sum()), int(np.count_nonzero(weight)), is_whole)


def survey_block(block: Block, stride: int, errand: Callable[[Block], Any] | None) -> tuple:
    """Column minima and maxima, every `stride`-th row, and what the errand returns."""
    first = -block.start % stride
    low, high = column_range(block.X)
    # A copy: a view would keep the whole block in memory.
    rows = block.X[first::stride].copy()
    return low, high, rows, None if errand is None else errand(block)


def survey(
    engine: Engine,
    who: str,
    centers: np.ndarray | None = None,
    errand: Callable[[Block], Any] | None = None,
) -> Survey:
    """Read the data once; raise where a value is not finite or squares leave float64's range.

    Centres that are given must be within reach too. An errand is run with each block on the way.
    """
    low, high, rows, fetched = read(engine, who, errand)
    weights = weigh(engine)
    if centers is not None:
        low, high = np.minimum(low, centers.min(axis=0)), np.maximum(high, centers.max(axis=0))
    origin = np.median(rows, axis=0).astype(engine.dtype)
    reach = np.maximum(high - origin, origin - low)
    check_squares(low, high, reach, max(weights.total_weight, 1.0), who)
    typical = np.abs(rows - origin)
    tiny, huge = FLOAT32_RANGE
    too_small = typical.any() and np.median(typical[typical > 0]) < tiny
    if too_small or not (reach < huge).all():
        origin = origin.astype(np.float64)
    return Survey(**vars(weights), origin=origin, errand=errand, fetched=fetched)


def survey_again(engine: Engine, who: str, origin: np.ndarray, more: bool = False) -> Survey:
    """Read data that is to be measured from the origin of an earlier survey.

    Its type is kept where that of the new data allows. A row so far away that its square
    overflows is no error: it is farther than anything. It is one in `more` data to be clustered.
    """
    low, high, _, _ = read(engine, who)
    weights, dtype = weigh(engine), np.result_type(engine.dtype, origin.dtype)
    reach = np.maximum(high - origin, origin - low)
    if more:
        check_squares(low, high, reach, max(weights.total_weight, 1.0), who)
    if not (reach < FLOAT32_RANGE[1]).all():
        dtype = np.dtype(np.float64)
    return Survey(**vars(weights), origin=origin.astype(dtype))


def read(
    engine: Engine, who: str, errand: Callable[[Block], Any] | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[Any]]:
    """Column minima and maxima in float64, evenly spread rows, and what the errand returned."""
    stride = -(-engine.n_rows // ORIGIN_ROWS)
    lows, highs, rows, fetched = zip(*engine.map(survey_block, stride, errand), strict=True)
    low, high = np.min(lows, axis=0).astype(float), np.max(highs, axis=0).astype(float)
    if not np.isfinite(low).all() or not np.isfinite(high).all():
        raise ValueError(describe_not_finite(engine, who))
    return low, high, np.concatenate(rows), list(fetched)


def check_squares(
    low: np.ndarray, high: np.ndarray, reach: np.ndarray, total: float, who: str
) -> None:
    """Raise where sums of squared distances would overflow, or all of them vanish."""
    column = int(np.argmax(reach))
    spans = f"X of {who} spans {low[column]:g} to {high[column]:g} in column {column}: squared"
    with np.errstate(over="ignore"):
        largest = 4 * (reach**2).sum() * total
    if not np.isfinite(largest):
        raise ValueError(
            f"{spans} distances overflow float64. Rescale that column or drop the rows that "
            "spoil it."
        )
    if 0 < reach[column] < 1e-150:
        raise ValueError(f"{spans} distances vanish in float64. Rescale the data.")


def describe_not_finite(engine: Engine, who: str) -> str:
    """The message for the first value, in reading order, that is not finite."""
    for start, bad in engine.map(first_not_finite):
        if bad is not None:
            row, column, value = bad
            what = "NaN" if np.isnan(value) else "infinity (inf)"
            place = engine.place(start + row)
            return (
                f"Input X of {who} contains {what} at {place}, column {column}; every value must "
                "be finite. Drop or impute such rows first."
            )
    raise AssertionError("every value is finite")


def first_not_finite(block: Block) -> tuple[int, tuple[int, int, float] | None]:
    """Where the block's first value stands that is not finite, and the value."""
    bad = np.argwhere(~np.isfinite(block.X))
    if len(bad) == 0:
        return block.start, None
    row, column = (int(i) for i in bad[0])
    return block.start, (row, column, float(block.X[row, column]))
