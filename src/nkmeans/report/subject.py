"""What a report is about."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from nkmeans.estimators.base import squared_distances
from nkmeans.views import ClusterSizes, DistanceCurve, cluster_sizes, distance_curve


@dataclass(frozen=True)
class Totals:
    """What is known of all rows, where only some of them are there to be shown.

    Attributes
    ----------
    n_rows : int
        All rows that were clustered.
    sizes : ClusterSizes
    curve : DistanceCurve
    rows : int ndarray
        The numbers of the rows that are there, among all that were clustered.
    """

    n_rows: int
    sizes: ClusterSizes
    curve: DistanceCurve
    rows: np.ndarray


@dataclass(frozen=True)
class Subject:
    """A fitted model, its data, and what is known about them.

    Attributes
    ----------
    model : fitted clustering
    X : ndarray of shape (n, d)
        What was clustered; with `totals` a fair sample of it, and outliers.
    labels : int ndarray of shape (n,)
    dist2 : ndarray of shape (n,)
        Squared distance of each row to its nearest centre.
    columns : list of str
    ids : sequence of n ids
        pyarrow, NumPy or any other; of str, numbers, ...
    restore : callable
        From what was clustered to the units of the data.
    asked : list of (name, value)
        What the user asked for, beyond the model's parameters.
    warnings : list of str
    rows_dropped : int
        Rows that were left out for missing values.
    totals : Totals or None
        Where X is not all that was clustered.
    """

    model: Any
    X: np.ndarray
    labels: np.ndarray
    dist2: np.ndarray
    columns: Sequence[str]
    ids: Any
    restore: Callable[[np.ndarray], np.ndarray]
    asked: Sequence[tuple[str, str]] = field(default_factory=list)
    warnings: Sequence[str] = field(default_factory=list)
    rows_dropped: int = 0
    totals: Totals | None = None

    @property
    def n_rows(self) -> int:
        """All rows that were clustered."""
        return len(self.labels) if self.totals is None else self.totals.n_rows

    @cached_property
    def sizes(self) -> ClusterSizes:
        """How many rows each cluster has, of all, and how wide it is."""
        if self.totals is not None:
            return self.totals.sizes
        return cluster_sizes(self.labels, self.dist2, len(self.model.cluster_centers_))

    @property
    def n_outliers(self) -> int:
        """Rows that are left out, of all."""
        return self.n_rows - int(self.sizes.rows.sum())

    @cached_property
    def curve(self) -> DistanceCurve:
        """The sorted distances of all rows."""
        if self.totals is not None:
            return self.totals.curve
        return distance_curve(self.dist2, self.n_outliers)

    def number_of(self, row: int) -> int:
        """The number of a row, among all that were clustered."""
        return row if self.totals is None else int(self.totals.rows[row])

    def id_of(self, row: int) -> str:
        """The id of a row, as text."""
        value = self.ids[int(row)]
        return str(value.as_py() if hasattr(value, "as_py") else value)


def shortened(text: str, most: int) -> str:
    """The text, or its beginning where it is long."""
    return text if len(text) <= most else text[: most - 1] + "…"


def subject_of(
    model: Any, X: Any, feature_names: Sequence[str] | None = None, ids: Any = None
) -> Subject:
    """A model and data, measured. Data other than fit's is labelled by `predict`."""
    check_is_fitted(model, "cluster_centers_")
    if model.cluster_centers_ is None:
        raise ValueError("model must have centres to be shown; a precomputed metric has none.")
    preparation = getattr(model, "preparation_", None)
    dist2 = squared_distances(model, X)
    labels = labels_of(model, X, dist2)
    if preparation is not None:
        array, names, restore = preparation.transform(X), preparation.columns, preparation.restore
    else:
        array, names, restore = np.asarray(X), getattr(X, "columns", None), as_it_is
    names = feature_names if feature_names is not None else names
    names = [f"x{i}" for i in range(array.shape[1])] if names is None else list(map(str, names))
    if len(names) != array.shape[1]:
        raise ValueError(
            f"feature_names must have a name for each of the {array.shape[1]} columns; "
            f"got {len(names)}."
        )
    ids = range(len(array)) if ids is None else list(ids)
    if len(ids) != len(array):
        raise ValueError(f"ids must have one for each of the {len(array)} rows; got {len(ids)}.")
    return Subject(model, array, labels, dist2, names, ids, restore)


def labels_of(model: Any, X: Any, dist2: np.ndarray) -> np.ndarray:
    """Fit's labels where X is the data of fit, else those of `predict`.

    On the data of fit the two differ only in rows exactly at the threshold: fit leaves out just
    as many as it was asked to.
    """
    labels: np.ndarray = model.predict(X)
    known = getattr(model, "labels_", None)
    if not isinstance(known, np.ndarray) or len(known) != len(labels):
        return labels
    differ = model.labels_ != labels
    at_threshold = (model.labels_ < 0) & (dist2 == largest_distance2(model))
    fits = not (differ & ~at_threshold).any()
    return model.labels_ if fits else labels


def largest_distance2(model: Any) -> float:
    """The squared distance beyond which rows are outliers."""
    return float(model.threshold_ if model._power == 2 else model.threshold_**2)


def as_it_is(points: np.ndarray) -> np.ndarray:
    """The same points: they are in the units of the data."""
    return points
