"""The one place that computes scores."""

from typing import Any

import numpy as np

from nkmeans.bench.data_sets import Prepared
from nkmeans.metrics import outlier_precision, trimmed_cost


def score(data: Prepared, model: Any) -> dict[str, float]:
    """What a fitted model is worth.

    `objective` is the trimmed cost over the data's reference, `precision` the share of the rows
    left out that are outliers (as many are left out as there are, so it is the recall, too).
    """
    centers = np.asarray(model.cluster_centers_, dtype=np.float64)
    return {
        "objective": trimmed_cost(data.X, centers, data.n_outliers) / data.reference,
        "precision": outlier_precision(data.outlier_mask, model.labels_ < 0),
    }
