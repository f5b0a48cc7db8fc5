"""Rows and a metric: distances are computed when they are asked for, never all pairs at once."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.metrics import pairwise_distances

from nkmeans.engines import Engine

# Rows whose distances one task computes.
ROWS_A_TASK = 4096
# scikit-learn computes these by products, which lose digits where points are near each other.
EXACT = {"euclidean": "euclidean", "l2": "euclidean", "sqeuclidean": "sqeuclidean"}


class MetricSpace:
    """The rows of some data, and how to measure between them.

    Parameters
    ----------
    data : ndarray of shape (n, d), or (n, n) with metric "precomputed"
    metric : str or callable
        A name that scikit-learn's `pairwise_distances` knows, "precomputed", or a function of
        two rows.
    engine : Engine
        Whose threads compute.
    who : str
        For messages.
    """

    def __init__(self, data: np.ndarray, metric: str | Callable, engine: Engine, who: str) -> None:
        self.data, self.metric, self.engine, self.who = data, metric, engine, who

    def check(self) -> None:
        """Raise where the metric cannot measure the data, or a matrix is not one of distances."""
        if isinstance(self.metric, str) and self.metric == "precomputed":
            if self.data.shape[0] != self.data.shape[1]:
                raise ValueError(
                    f"X of {self.who} must be square with metric 'precomputed'; got shape "
                    f"{self.data.shape}."
                )
            if self.data.min() < 0:
                row, column = np.unravel_index(self.data.argmin(), self.data.shape)
                raise ValueError(
                    f"X of {self.who} must hold distances that are not negative with metric "
                    f"'precomputed'; got {self.data[row, column]} at row {row}, column {column}."
                )
            return
        try:
            distances(self.data[:1], self.data[:1], self.metric)
        except (ValueError, TypeError) as error:
            raise ValueError(
                f"metric of {self.who} must be the name of a metric, a function of two rows, or "
                f'"precomputed"; {self.metric!r} cannot measure X: {error}'
            ) from error

    def between(self, rows: np.ndarray | slice, candidates: np.ndarray) -> np.ndarray:
        """Distances of shape (len(candidates), len(rows)), from each row to each candidate."""
        data = self.data[rows]
        if isinstance(self.metric, str) and self.metric == "precomputed":
            return self.checked(np.ascontiguousarray(data[:, candidates].T, dtype=np.float64))
        return self.measure(data, self.data[candidates])

    def measure(self, data: np.ndarray, targets: np.ndarray) -> np.ndarray:
        """Distances of shape (len(targets), len(data)), from each row to each target."""
        out = np.empty((len(targets), len(data)))

        def fill(start: int) -> None:
            rows = slice(start, start + ROWS_A_TASK)
            out[:, rows] = distances(data[rows], targets, self.metric).T

        self.engine.run(fill, [(start,) for start in range(0, len(data), ROWS_A_TASK)])
        return self.checked(out)

    def smallest_floored(self, targets: np.ndarray, floor: np.ndarray) -> np.ndarray:
        """For each row the minimum over targets of `max(distance, floor)`.

        Targets are points, or columns of a matrix that is "precomputed".
        """
        out = np.empty(len(self.data))

        def fill(start: int) -> None:
            rows = self.data[start : start + ROWS_A_TASK]
            if isinstance(self.metric, str) and self.metric == "precomputed":
                to_targets = rows[:, targets]
            else:
                to_targets = distances(rows, targets, self.metric)
            floored = np.maximum(self.checked(to_targets), floor)
            out[start : start + ROWS_A_TASK] = floored.min(axis=1)

        self.engine.run(fill, [(start,) for start in range(0, len(out), ROWS_A_TASK)])
        return out

    def checked(self, distances: np.ndarray) -> np.ndarray:
        """The same distances, unless one is not a distance."""
        if not (distances >= 0).all() or not np.isfinite(distances).all():
            wrong = distances[~((distances >= 0) & np.isfinite(distances))][0]
            raise ValueError(
                f"metric of {self.who} must give finite distances that are not negative; "
                f"{self.metric!r} gave {wrong}."
            )
        return distances


def distances(rows: np.ndarray, targets: np.ndarray, metric: str | Callable) -> Any:
    """Distances of shape (len(rows), len(targets))."""
    if isinstance(metric, str) and metric in EXACT:
        return cdist(rows, targets, EXACT[metric])
    return pairwise_distances(rows, targets, metric=metric)
