"""Threads over blocks of an array in memory."""

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import Any, TypeVar

import joblib
import numpy as np
from sklearn.utils.validation import validate_data

from nkmeans.data.blocks import NO_WEIGHT, ArraySource

Result = TypeVar("Result")


def accepts(X: Any) -> bool:
    """Arrays, and whatever becomes one: this engine is asked last."""
    return True


def prepare(estimator: Any, X: Any, reset: bool) -> np.ndarray:
    """X as a numeric 2-D array, not copied where it is one. Finite values are checked later."""
    array: np.ndarray = validate_data(
        estimator, X, reset=reset, dtype="numeric", ensure_all_finite=False
    )
    if array.dtype.kind in "mM":
        raise ValueError(
            f"X of {type(estimator).__name__} must hold numbers; got dates ({array.dtype}). "
            "Convert them, to days since some date for instance."
        )
    return array


def open_engine(
    X: np.ndarray, sample_weight: np.ndarray | None, n_jobs: int | None
) -> "LocalEngine":
    """An engine over the rows of X."""
    weight = NO_WEIGHT if sample_weight is None else sample_weight
    return LocalEngine(ArraySource(X, weight), count_threads(n_jobs))


def count_threads(n_jobs: int | None) -> int:
    """Threads for `n_jobs`: None is every core, or OMP_NUM_THREADS where that is set.

    joblib sets OMP_NUM_THREADS in its worker processes, so fits inside them do not fight.
    """
    if n_jobs is None:
        limit = os.environ.get("OMP_NUM_THREADS", "")
        cores: int = joblib.cpu_count()
        return max(1, min(cores, int(limit))) if limit.isdigit() else cores
    threads: int = n_jobs if n_jobs > 0 else max(1, joblib.cpu_count() + 1 + n_jobs)
    return threads


class LocalEngine:
    """Maps functions over the blocks of an `ArraySource` with a pool of threads.

    Results come in block order and blocks do not depend on the number of threads, so neither
    does any sum.
    """

    def __init__(self, source: ArraySource, n_threads: int) -> None:
        self.source, self.keeps_labels, self.lazy = source, True, False
        self.n_threads = n_threads
        self.n_rows, self.n_features = source.X.shape
        self.weight = source.weight
        self.dtype = source.dtype
        self._pool: ThreadPoolExecutor | None = None

    def __enter__(self) -> "LocalEngine":
        if self.n_threads > 1:
            self._pool = ThreadPoolExecutor(self.n_threads, thread_name_prefix="nkmeans")
        return self

    def __exit__(self, *error: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def place(self, row: int) -> str:
        """Where a row is, in words."""
        return f"row {row}"

    def local(self, points: np.ndarray, weight: np.ndarray) -> "LocalEngine":
        """An engine over other points in memory, with the same threads."""
        engine = LocalEngine(ArraySource(points, weight), self.n_threads)
        engine._pool = self._pool
        return engine

    def map(self, function: Callable[..., Result], *args: Any) -> Iterator[Result]:
        """Yield `function(block, *args)` for every block, in block order."""

        def call(start: int) -> Result:
            return function(self.source.block(start), *args)

        return self.ordered(call, [(start,) for start in self.source.starts()])

    def rows(self, function: Callable[..., np.ndarray], *args: Any) -> np.ndarray:
        """What `function(block, *args)` says of each row, for all rows."""
        out, start = np.empty(0), 0
        for part in self.map(function, *args):
            if start == 0:
                out = np.empty((self.n_rows, *part.shape[1:]), dtype=part.dtype)
            out[start : start + len(part)] = part
            start += len(part)
        return out

    def run(self, function: Callable[..., Result], tasks: Iterable[tuple]) -> list[Result]:
        """`[function(*task) for task in tasks]`, side by side."""
        return list(self.ordered(function, tasks))

    def ordered(self, call: Callable[..., Result], tasks: Iterable[tuple]) -> Iterator[Result]:
        """Yield `call(*task)` for every task, in their order; a few are worked on at a time."""
        if self._pool is None:
            for task in tasks:
                yield call(*task)
            return
        # A few tasks ahead and no more: what is waiting to be merged stays small.
        waiting: deque[Future[Result]] = deque()
        rest = iter(tasks)
        for task in islice(rest, 4 * self.n_threads):
            waiting.append(self._pool.submit(call, *task))
        while waiting:
            result = waiting.popleft().result()
            for task in islice(rest, 1):
                waiting.append(self._pool.submit(call, *task))
            yield result
