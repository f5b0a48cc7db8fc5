"""Scores for clusterings with outliers."""

from typing import Any

import numpy as np
from sklearn.utils import check_array

from nkmeans.assign import assign
from nkmeans.engines import open_engine
from nkmeans.survey import survey
from nkmeans.validation import check_parameter, check_weights, count_outliers


def trimmed_cost(
    X: Any, centers: Any, n_outliers: float, sample_weight: Any = None, n_jobs: int | None = None
) -> float:
    """Weighted sum of squared distances to the nearest centre, the farthest z left out.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
    centers : array-like of shape (n_clusters, n_features)
    n_outliers : int or float
        The weight to leave out: a count, or a share in [0, 1) of the total weight. The row
        on the boundary keeps the rest of its weight.
    sample_weight : array-like of shape (n_samples,), default=None
    n_jobs : int, default=None
        Threads; None means all cores.

    Returns
    -------
    cost : float

    Examples
    --------
    >>> from nkmeans.metrics import trimmed_cost
    >>> trimmed_cost([[0.0], [1.0], [3.0], [100.0]], [[0.0]], n_outliers=1)
    10.0
    """
    X = check_array(X, dtype="numeric", ensure_all_finite=False, input_name="X")
    centers = check_array(centers, dtype=np.float64, input_name="centers")
    if centers.shape[1] != X.shape[1]:
        raise ValueError(
            f"centers of trimmed_cost must have as many columns as X, {X.shape[1]}; "
            f"got {centers.shape[1]}."
        )
    who = "trimmed_cost"
    check_parameter("n_outliers", n_outliers, who)
    check_parameter("n_jobs", n_jobs, who)
    with open_engine(X, check_weights(sample_weight, X, who), n_jobs) as engine:
        facts = survey(engine, who, centers)
        mass = count_outliers(n_outliers, 0, facts, who)
        if mass >= facts.total_weight:
            return 0.0
        return assign(engine, facts.origin, centers, mass).cost


def outlier_precision(true_mask: Any, found_mask: Any) -> float:
    """Share of the points found that are outliers; 1 when none were found.

    Examples
    --------
    >>> from nkmeans.metrics import outlier_precision
    >>> outlier_precision([True, True, False, False], [True, False, True, False])
    0.5
    """
    true, found = _masks(true_mask, found_mask)
    return float((true & found).sum() / found.sum()) if found.any() else 1.0


def outlier_recall(true_mask: Any, found_mask: Any) -> float:
    """Share of the outliers that were found; 1 when there are none.

    Examples
    --------
    >>> from nkmeans.metrics import outlier_recall
    >>> outlier_recall([True, True, True, False], [True, False, True, False])
    0.666...
    """
    return outlier_precision(found_mask, true_mask)


def _masks(true_mask: Any, found_mask: Any) -> tuple[np.ndarray, np.ndarray]:
    true, found = np.asarray(true_mask), np.asarray(found_mask)
    for name, mask in (("true_mask", true), ("found_mask", found)):
        if mask.dtype != bool or mask.ndim != 1:
            raise ValueError(
                f"{name} must be a 1-D boolean array; got dtype {mask.dtype} and shape "
                f"{mask.shape}. For labels use `labels == -1`."
            )
    if len(true) != len(found):
        raise ValueError(
            f"true_mask and found_mask must be of equal length; got {len(true)}, {len(found)}."
        )
    return true, found
