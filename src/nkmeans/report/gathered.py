"""What a report needs of rows that pass by: exact totals, and a fair sample of the rows."""

from collections.abc import Callable
from typing import Any

import numpy as np

from nkmeans.report.subject import Totals
from nkmeans.summarize.lowest import Lowest, fair_keys
from nkmeans.views import MEASURED_ROWS, MOST_OUTLIERS, ClusterSizes, ClusterTotals, DistanceCounts

# Samples of wide rows are smaller: so many bytes each.
MOST_BYTES = 1 << 27


class Gathered:
    """Totals of all rows that were added, and some of the rows.

    Kept rows are a fair sample. Outliers are all there, or the farthest and a fair sample.
    """

    def __init__(self, n_clusters: int, n_features: int) -> None:
        most = max(MOST_BYTES // (8 * n_features), 100)
        self._clusters, self._distances = ClusterTotals(n_clusters), DistanceCounts()
        self._kept = Lowest(min(MEASURED_ROWS, most))
        self._outliers = Lowest(min(MOST_OUTLIERS, most))
        self._farthest = Lowest(min(MOST_OUTLIERS, most) // 10)

    def add(
        self,
        first: int,
        X: np.ndarray,
        labels: np.ndarray,
        dist2: np.ndarray,
        ids: Callable[[np.ndarray], np.ndarray],
    ) -> None:
        """More rows, the first of which has this number; `ids` returns those of some of them."""
        self._clusters.add(labels, dist2)
        self._distances.add(dist2)
        keys = fair_keys(first, len(X))

        def add_to(sample: Lowest, rows: np.ndarray, keys: np.ndarray) -> None:
            def take(chosen: np.ndarray) -> tuple[np.ndarray, ...]:
                at = rows[chosen]
                return first + at, X[at], labels[at], dist2[at], ids(at)

            sample.add(keys, take)

        kept, left_out = np.flatnonzero(labels >= 0), np.flatnonzero(labels < 0)
        add_to(self._kept, kept, keys[kept])
        add_to(self._outliers, left_out, keys[left_out])
        add_to(self._farthest, left_out, -dist2[left_out])

    def sizes(self) -> ClusterSizes:
        """How many rows each cluster has, of all, and how wide it is."""
        return self._clusters.sizes()

    def shown(self) -> dict[str, Any]:
        """The fields of a report's subject that are about rows."""
        samples = [sample.columns() for sample in (self._kept, self._outliers, self._farthest)]
        columns = [np.concatenate(parts) for parts in zip(*samples, strict=True)]
        _, once = np.unique(columns[0], return_index=True)
        rows, X, labels, dist2, ids = (column[once] for column in columns)
        sizes, n_rows = self.sizes(), self._distances.n_rows
        n_outliers = n_rows - int(sizes.rows.sum())
        curve = self._distances.curve(n_outliers, at_cut=float(sizes.largest.max()))
        totals = Totals(n_rows, sizes, curve, rows)
        return {"X": X, "labels": labels, "dist2": dist2, "ids": ids, "totals": totals}
