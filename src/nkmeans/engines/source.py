"""Blocks read from a `Source`, one after the other, and worked on by threads meanwhile."""

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numpy as np

from nkmeans.data.blocks import NO_WEIGHT, ArraySource, Block
from nkmeans.data.source import Source
from nkmeans.engines import check_features
from nkmeans.engines.local import LocalEngine, count_threads

Result = TypeVar("Result")


def accepts(X: Any) -> bool:
    """What `open_source` returns."""
    return isinstance(X, Source)


def prepare(estimator: Any, X: Source, reset: bool) -> Source:
    """The same source, once its features are those of the estimator."""
    check_features(estimator, X.n_features, X.columns, reset)
    return X


def open_engine(X: Source, sample_weight: np.ndarray | None, n_jobs: int | None) -> "SourceEngine":
    """An engine over the blocks of X."""
    weight = NO_WEIGHT if sample_weight is None else sample_weight
    return SourceEngine(X, weight, count_threads(n_jobs))


class SourceEngine(LocalEngine):
    """Maps functions over blocks as they are read; rows are never all in memory."""

    def __init__(self, source: Source, weight: np.ndarray, n_threads: int) -> None:
        nothing = np.empty((0, source.n_features), dtype=source.dtype)
        super().__init__(ArraySource(nothing, NO_WEIGHT), n_threads)
        self.data, self.weight = source, weight
        self.n_rows, self.dtype, self.keeps_labels = source.n_rows, source.dtype, False

    def map(self, function: Callable[..., Result], *args: Any) -> Iterator[Result]:
        """Yield `function(block, *args)` for every block, in block order."""

        def call(start: int, X: np.ndarray) -> Result:
            weight = self.weight[start : start + len(X)] if len(self.weight) else NO_WEIGHT
            return function(Block(start, X, weight), *args)

        return self.ordered(call, self.data.blocks())

    def place(self, row: int) -> str:
        """Where a row is, in words."""
        return self.data.place(row)
