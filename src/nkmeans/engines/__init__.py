"""Who maps a function over the blocks. An engine holds no mathematics.

Every module of this folder is an engine. It has

- `accepts(X)`: whether it takes the input; imports nothing heavy to find out;
- `prepare(estimator, X, reset)`: the input checked as scikit-learn's `validate_data` does it;
- `open_engine(data, sample_weight, n_jobs)`: an `Engine` over what `prepare` returned, as a
  context manager that frees its workers.

A new engine is a new file here; the in-memory one takes what no other wants.
"""

import pkgutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from importlib import import_module
from typing import Any, Protocol, TypeVar

import numpy as np

Result = TypeVar("Result")


class Engine(Protocol):
    """What the stages need of whoever holds the data."""

    n_rows: int
    n_features: int
    dtype: np.dtype
    # Of every row, in this process; empty for unit weights.
    weight: np.ndarray
    # Whether there is memory for a label of every row.
    keeps_labels: bool
    # Whether `rows` computes nothing yet.
    lazy: bool

    def map(self, function: Callable[..., Result], *args: Any) -> Iterator[Result]:
        """Yield `function(block, *args)` for every block, in block order."""
        ...

    def rows(self, function: Callable[..., np.ndarray], *args: Any) -> Any:
        """What `function(block, *args)` says of each row, for all rows: an array, or a lazy one."""
        ...

    def run(self, function: Callable[..., Result], tasks: Iterable[tuple]) -> list[Result]:
        """`[function(*task) for task in tasks]`, side by side where that is possible."""
        ...

    def place(self, row: int) -> str:
        """Where a row is, in words."""
        ...

    def local(self, points: np.ndarray, weight: np.ndarray) -> "Engine":
        """An engine over points in this process's memory."""
        ...


def check_features(estimator: Any, n_features: int, columns: list[str] | None, reset: bool) -> None:
    """Set, or check, the features of an estimator, as scikit-learn does for arrays and frames."""
    who = type(estimator).__name__
    if reset:
        estimator.n_features_in_ = n_features
        if columns is not None:
            estimator.feature_names_in_ = np.array(columns, dtype=object)
        return
    if n_features != estimator.n_features_in_:
        raise ValueError(
            f"X has {n_features} features, but {who} is expecting {estimator.n_features_in_} "
            "features as input."
        )
    known = getattr(estimator, "feature_names_in_", None)
    if known is not None and columns is not None and list(known) != columns:
        raise ValueError(
            f"X of {who} must have the columns of fit in their order, {list(known)}; got {columns}."
        )


def engine_for(X: Any) -> Any:
    """The module of the engine that takes X."""
    names = [module.name for module in pkgutil.iter_modules(__path__)]
    for name in sorted(names, key=lambda name: name == "local"):
        engine = import_module(f"{__name__}.{name}")
        if engine.accepts(X):
            break
    return engine


def open_engine(X: Any, sample_weight: Any, n_jobs: int | None) -> AbstractContextManager[Engine]:
    """An engine over data that is prepared."""
    opened: AbstractContextManager[Engine] = engine_for(X).open_engine(X, sample_weight, n_jobs)
    return opened
