"""Blocks that are the chunks of a Dask collection, worked on wherever Dask runs tasks."""

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numpy as np

from nkmeans.data.blocks import NO_WEIGHT, ArraySource, Block
from nkmeans.engines import check_features
from nkmeans.engines.local import LocalEngine, count_threads

Result = TypeVar("Result")


def accepts(X: Any) -> bool:
    """Dask arrays and frames, known by the name of their module."""
    return type(X).__module__.split(".")[0] in ("dask", "dask_expr")


class Chunks:
    """A Dask array as blocks of whole rows: tasks, and where each begins."""

    def __init__(self, array: Any, columns: list[str] | None) -> None:
        self.columns = columns
        self.n_rows, self.n_features = (int(size) for size in array.shape)
        small = array.dtype in (np.float32, np.float16)
        self.dtype = np.dtype(np.float32 if small else np.float64)
        # As they are: an optimized task would bear the name of another one.
        tasks = array.to_delayed(optimize_graph=False).ravel()
        ends = np.cumsum(array.chunks[0])
        self.tasks = [
            (int(end - size), int(size), task)
            for end, size, task in zip(ends, array.chunks[0], tasks, strict=True)
            if size
        ]

    def __len__(self) -> int:
        return self.n_rows


def prepare(estimator: Any, X: Any, reset: bool) -> Chunks:
    """X as chunks of whole rows; their lengths are computed where they are not known."""
    try:
        import dask.array
    except ImportError as error:
        raise ImportError(
            "X is a Dask collection, and dask.array cannot be imported: "
            "pip install 'nkmeans[dask]'."
        ) from error
    who, columns = type(estimator).__name__, None
    if hasattr(type(X), "to_dask_array") and X.ndim == 2:
        names = list(X.columns)
        columns = names if all(isinstance(name, str) for name in names) else None
        X = numbers_of(X, who).to_dask_array(lengths=True)
    if not isinstance(X, dask.array.Array):
        raise TypeError(
            f"X of {who} must be a Dask array or frame, if it is from Dask; got {type(X).__name__}."
        )
    if X.ndim != 2 or X.dtype.kind not in "biuf":
        raise ValueError(
            f"X of {who} must be a 2-D collection of numbers; got {X.dtype} with {X.ndim} "
            "dimensions."
        )
    if any(np.isnan(size) for size in X.chunks[0]):
        X = X.compute_chunk_sizes()
    if len(X.chunks[1]) > 1:
        X = X.rechunk({1: -1})
    for size, what in zip(X.shape, ("sample", "feature"), strict=True):
        if size == 0:
            raise ValueError(
                f"Found array with 0 {what}(s) (shape={X.shape}) while a minimum of 1 is required "
                f"by {who}."
            )
    check_features(estimator, int(X.shape[1]), columns, reset)
    return Chunks(X, columns)


def numbers_of(frame: Any, who: str) -> Any:
    """The frame with columns that become one array of floats."""
    kinds = list(frame.dtypes.items())
    for name, kind in kinds:
        if getattr(kind, "kind", "O") not in "biuf":
            raise ValueError(f"Column {name!r} of X of {who} must hold numbers; got {kind}.")
    plain = all(isinstance(kind, np.dtype) and kind.kind != "b" for _, kind in kinds)
    return frame if plain else frame.astype(np.float64)


def open_engine(X: Chunks, sample_weight: np.ndarray | None, n_jobs: int | None) -> "DaskEngine":
    """An engine over the chunks of X."""
    weight = NO_WEIGHT if sample_weight is None else sample_weight
    return DaskEngine(X, weight, count_threads(n_jobs))


def on_chunk(
    function: Callable[..., Result],
    X: np.ndarray,
    start: int,
    size: int,
    width: int,
    weight: np.ndarray,
    dtype: np.dtype,
    args: tuple,
) -> Result:
    """A function of a block, where the chunk is."""
    if X.shape != (size, width):
        raise ValueError(
            f"The chunk at row {start} must be of shape {(size, width)}; it is of shape {X.shape}."
        )
    return function(Block(start, np.ascontiguousarray(X, dtype=dtype), weight), *args)


class DaskEngine(LocalEngine):
    """Maps functions over chunks with whatever scheduler or client is active.

    Only what the functions return comes to this process.
    """

    def __init__(self, chunks: Chunks, weight: np.ndarray, n_threads: int) -> None:
        nothing = np.empty((0, chunks.n_features), dtype=chunks.dtype)
        super().__init__(ArraySource(nothing, NO_WEIGHT), n_threads)
        self.chunks, self.weight = chunks, weight
        self.n_rows, self.dtype = chunks.n_rows, chunks.dtype
        self.keeps_labels, self.lazy = False, True

    def tasks(self, function: Callable[..., Any], *args: Any) -> list[Any]:
        """A task for each chunk, not yet computed."""
        import dask

        shared = dask.delayed(args, traverse=False)
        call = dask.delayed(on_chunk)
        width = self.chunks.n_features
        return [
            call(
                function,
                X,
                start,
                size,
                width,
                self.weight[start : start + size],
                self.dtype,
                shared,
            )
            for start, size, X in self.chunks.tasks
        ]

    def map(self, function: Callable[..., Result], *args: Any) -> Iterator[Result]:
        """Yield `function(block, *args)` for every chunk, in their order."""
        import dask

        return iter(dask.compute(*self.tasks(function, *args)))

    def rows(self, function: Callable[..., np.ndarray], *args: Any) -> Any:
        """What `function(block, *args)` says of each row, as a Dask array that is not computed."""
        import dask.array

        one = np.zeros((1, self.chunks.n_features), dtype=self.dtype)
        like = function(Block(0, one, np.ones(len(self.weight[:1]))), *args)
        parts = [
            dask.array.from_delayed(task, (size, *like.shape[1:]), like.dtype)
            for task, (_, size, _) in zip(
                self.tasks(function, *args), self.chunks.tasks, strict=True
            )
        ]
        return dask.array.concatenate(parts)
