"""What a fit found, as tables in files, as words and as JSON."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from nkmeans.views import ClusterSizes, cluster_sizes


@dataclass
class Result:
    """A fit of files.

    Attributes
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

    model: Any
    X: np.ndarray
    dist2: np.ndarray
    ids: Any
    dropped: np.ndarray | None
    warnings: list[str]
    outputs: list[Path] = field(default_factory=list)
    seconds: float = 0.0

    @cached_property
    def sizes(self) -> ClusterSizes:
        """How many rows each cluster has, and how wide it is."""
        return cluster_sizes(self.model.labels_, self.dist2, len(self.model.cluster_centers_))

    def write_labels(self, path: Path) -> None:
        """A row for each row of the files, in their order."""
        rows = labels_table(self.model.labels_, self.dist2, self.ids, self.dropped)
        write_table(rows, path, path.suffix)

    def write_centers(self, path: Path) -> None:
        """A row for each cluster, in the data's own units."""
        import pyarrow

        preparation = self.model.preparation_
        centers = preparation.restore(self.model.cluster_centers_)
        label = "cluster"
        while label in preparation.columns:
            label += "_"
        arrays = [pyarrow.array(np.arange(len(centers))), *map(pyarrow.array, centers.T.copy())]
        write_table(pyarrow.table(arrays, names=[label, *preparation.columns]), path)

    def kept_ids(self) -> Any:
        """The ids of the rows of X, or their numbers."""
        import pyarrow

        ids = self.ids
        if self.dropped is None:
            return ids if ids is not None else range(len(self.X))
        rows = np.flatnonzero(~self.dropped)
        return rows if ids is None else ids.take(pyarrow.array(rows))

    def facts(self) -> dict[str, Any]:
        """Everything in the summary, for JSON."""
        model, preparation = self.model, self.model.preparation_
        centers = preparation.restore(model.cluster_centers_)
        return {
            "rows": len(self.X) + self.rows_dropped,
            "rows_dropped": self.rows_dropped,
            "columns": list(preparation.columns),
            "scale": preparation.scale,
            "missing": preparation.missing,
            "n_clusters": len(centers),
            "n_outliers": len(model.outlier_indices_),
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
    def rows_dropped(self) -> int:
        """Rows left out for missing values."""
        return 0 if self.dropped is None else int(self.dropped.sum())

    @property
    def rows_sampled(self) -> int:
        """Rows that the first centres were found on."""
        return len(self.model.coreset_.sample_indices)

    def summary(self) -> str:
        """The same in words."""
        model, k, n = self.model, len(self.model.cluster_centers_), len(self.X)
        left_out = len(model.outlier_indices_)
        lines = [
            f"{n + self.rows_dropped:,} rows of {self.X.shape[1]} columns: {k} clusters, "
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
            self.model,
            self.X,
            self.model.labels_,
            self.dist2,
            list(preparation.columns),
            self.kept_ids(),
            preparation.restore,
            [pair for pair in asked if pair[1]],
            self.warnings,
            self.rows_dropped,
        )


def labels_table(
    labels: np.ndarray, dist2: np.ndarray, ids: Any, dropped: np.ndarray | None
) -> Any:
    """id, label, squared_distance, outlier; null for rows left out for missing values."""
    import pyarrow

    n_rows = len(labels) if dropped is None else len(dropped)
    columns = [labels, dist2, labels < 0]
    if dropped is not None:
        columns = [spread_out(column, dropped) for column in columns]
    arrays = [pyarrow.array(column, mask=dropped) for column in columns]
    ids = pyarrow.array(np.arange(n_rows)) if ids is None else ids
    return pyarrow.table([ids, *arrays], names=["id", "label", "squared_distance", "outlier"])


def spread_out(column: np.ndarray, dropped: np.ndarray) -> np.ndarray:
    """The column with a place for every row."""
    out = np.zeros(len(dropped), dtype=column.dtype)
    out[~dropped] = column
    return out


def write_table(table: Any, file: Any, ending: str = ".csv") -> None:
    """To a path or an open file, as Parquet or CSV."""
    import pyarrow

    if ending == ".parquet":
        from pyarrow import parquet

        # What repeats or counts up is small by its encoding; distances do not get smaller.
        counting = pyarrow.types.is_integer(table.schema.field("id").type)
        parquet.write_table(
            table,
            file,
            use_dictionary=["label", "outlier"],
            column_encoding={"id": "DELTA_BINARY_PACKED"} if counting else None,
            compression=dict.fromkeys(table.column_names, "none")
            | {"id": "none" if counting else "snappy"},
        )
        return
    from pyarrow import csv

    csv.write_csv(table, file)


def finite_or_none(value: float) -> float | None:
    """JSON has no infinity."""
    return value if np.isfinite(value) else None
