"""What a fit found, as tables in files, as words and as JSON."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from nkmeans.cli.labels import labels_table, parquet_options
from nkmeans.views import ClusterSizes, cluster_sizes


class Result(ABC):
    """A fit of files, whether its rows are in memory or not.

    Attributes
    ----------
    model : NKMeans
        Fitted, with `preparation_`.
    n_rows : int
        Rows that were clustered.
    rows_dropped : int
        Rows left out for missing values.
    sizes : ClusterSizes
    warnings : list of str
    outputs : list of Path
    seconds : float
    """

    model: Any
    n_rows: int
    rows_dropped: int
    warnings: list[str]
    outputs: Sequence[Path] = ()
    seconds: float = 0.0

    @property
    @abstractmethod
    def sizes(self) -> ClusterSizes:
        """How many rows each cluster has, and how wide it is."""

    @abstractmethod
    def write_labels(self, path: Path) -> None:
        """A row for each row of the files, in their order."""

    @abstractmethod
    def rows_shown(self) -> dict[str, Any]:
        """The fields of a report's subject that are about rows."""

    def write_centers(self, path: Path) -> None:
        """A row for each cluster, in the data's own units."""
        import pyarrow
        from pyarrow import csv

        preparation = self.model.preparation_
        centers = preparation.restore(self.model.cluster_centers_)
        label = "cluster"
        while label in preparation.columns:
            label += "_"
        arrays = [pyarrow.array(np.arange(len(centers))), *map(pyarrow.array, centers.T.copy())]
        csv.write_csv(pyarrow.table(arrays, names=[label, *preparation.columns]), path)

    def facts(self) -> dict[str, Any]:
        """Everything in the summary, for JSON."""
        model, preparation = self.model, self.model.preparation_
        centers = preparation.restore(model.cluster_centers_)
        return {
            "rows": self.n_rows + self.rows_dropped,
            "rows_dropped": self.rows_dropped,
            "columns": list(preparation.columns),
            "scale": preparation.scale,
            "missing": preparation.missing,
            "n_clusters": len(centers),
            "n_outliers": len(model.outlier_indices_),
            "break": evidence_of(model),
            "cost": model.inertia_,
            "threshold": finite_or_none(model.threshold_),
            "rows_sampled": self.rows_sampled,
            "clusters": [
                {
                    "label": label,
                    "rows": int(self.sizes.rows[label]),
                    "spread": float(self.sizes.spread[label]),
                    "center": [float(value) for value in centers[label]],
                }
                for label in range(len(centers))
            ],
            "outputs": [str(path) for path in self.outputs],
            "warnings": self.warnings,
            "seconds": round(self.seconds, 3),
        }

    @property
    def rows_sampled(self) -> int:
        """Rows that the first centres were found on."""
        return len(self.model.coreset_.sample_indices)

    def summary(self) -> str:
        """The same in words."""
        model, k, n = self.model, len(self.model.cluster_centers_), self.n_rows
        left_out = len(model.outlier_indices_)
        lines = [
            f"{n + self.rows_dropped:,} rows of {model.n_features_in_} columns: {k} clusters, "
            f"{left_out:,} outliers ({left_out / n:.2%}), cost {model.inertia_:.6g}, "
            f"{self.seconds:.2f} s",
            "",
            f"{'cluster':>7}  {'rows':>12}  {'share':>6}  {'spread':>9}",
        ]
        for label in range(k):
            rows, spread = self.sizes.rows[label], self.sizes.spread[label]
            lines.append(f"{label:>7}  {rows:>12,}  {rows / n:>6.1%}  {spread:>9.4g}")
        lines.append(f"{'outlier':>7}  {left_out:>12,}  {left_out / n:>6.1%}")
        lines.append("")
        found = evidence_of(model)
        if found is not None and found["clear"]:
            lines.append(
                f"The distances break off from {found['outside']:.4g} to {found['inside']:.4g} "
                f"(statistic {found['statistic']:.3g}; a break has 3 or more)."
            )
        if self.rows_dropped:
            lines.append(f"Not clustered, for missing values: {self.rows_dropped:,} rows.")
        lines.append(
            f"The first centres were found on a sample of {self.rows_sampled:,} rows; then every "
            "row was assigned."
            if self.rows_sampled < n
            else "Nothing was sampled."
        )
        lines += [f"Written: {path}" for path in self.outputs]
        return "\n".join(lines)

    def subject(self, files: Sequence[str], command: str) -> Any:
        """What the report is about."""
        from nkmeans.report import Subject

        preparation = self.model.preparation_
        asked = [
            ("files", ", ".join(files)),
            ("command", command),
            ("scaling", preparation.scale),
            ("missing values", preparation.missing),
        ]
        return Subject(
            model=self.model,
            columns=list(preparation.columns),
            restore=preparation.restore,
            asked=[pair for pair in asked if pair[1]],
            warnings=self.warnings,
            rows_dropped=self.rows_dropped,
            **self.rows_shown(),
        )


class ResultInMemory(Result):
    """A fit whose rows are in memory.

    Parameters
    ----------
    model : NKMeans
        Fitted, with `preparation_`.
    X : ndarray
        What was clustered.
    dist2 : ndarray
        Squared distance of each row of X to its centre.
    ids : pyarrow.ChunkedArray or None
        Of all rows, also those left out for missing values.
    dropped : bool ndarray or None
        Which rows of the files are not in X.
    """

    def __init__(
        self, model: Any, X: np.ndarray, dist2: np.ndarray, ids: Any, dropped: np.ndarray | None
    ) -> None:
        self.model, self.X, self.dist2, self.ids, self.dropped = model, X, dist2, ids, dropped
        self.n_rows = len(X)
        self.rows_dropped = 0 if dropped is None else int(dropped.sum())

    @cached_property
    def sizes(self) -> ClusterSizes:
        """How many rows each cluster has, and how wide it is."""
        return cluster_sizes(self.model.labels_, self.dist2, len(self.model.cluster_centers_))

    def write_labels(self, path: Path) -> None:
        """A row for each row of the files, in their order."""
        rows = labels_table(self.model.labels_, self.dist2, self.ids, self.dropped)
        if path.suffix == ".parquet":
            from pyarrow import parquet

            parquet.write_table(rows, path, **parquet_options(rows.schema))
        else:
            from pyarrow import csv

            csv.write_csv(rows, path)

    def rows_shown(self) -> dict[str, Any]:
        """All that were clustered."""
        labels, ids = self.model.labels_, self._kept_ids()
        return {"X": self.X, "labels": labels, "dist2": self.dist2, "ids": ids}

    def _kept_ids(self) -> Any:
        """The ids of the rows of X, or their numbers."""
        import pyarrow

        ids = self.ids
        if self.dropped is None:
            return ids if ids is not None else range(len(self.X))
        rows = np.flatnonzero(~self.dropped)
        return rows if ids is None else ids.take(pyarrow.array(rows))


def evidence_of(model: Any) -> dict[str, Any] | None:
    """The break in the distances, where the number of outliers was chosen by it."""
    found = getattr(model, "outlier_break_", None)
    if found is None:
        return None
    return {
        "clear": found.clear,
        "statistic": found.statistic,
        "inside": found.inside,
        "outside": found.outside,
    }


def finite_or_none(value: float) -> float | None:
    """JSON has no infinity."""
    return value if np.isfinite(value) else None
