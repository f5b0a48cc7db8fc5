"""Scores for clusterings with outliers."""

from typing import Any

import numpy as np
from sklearn.utils import check_array

from nkmeans.assign import assign
from nkmeans.cluster.lower_bound import MOST_POINTS, solve_and_bound
from nkmeans.data.source import Source
from nkmeans.engines import open_engine
from nkmeans.summarize.coreset import Coreset
from nkmeans.survey import survey
from nkmeans.validation import check_parameter, check_weights, count_outliers


def trimmed_cost(
    X: Any, centers: Any, n_outliers: float, sample_weight: Any = None, n_jobs: int | None = None
) -> float:
    """Weighted sum of squared distances to the nearest centre, the farthest z left out.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features), or what `open_source` returns
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
    if not isinstance(X, Source):
        X = check_array(X, dtype="numeric", ensure_all_finite=False, input_name="X")
    who = "trimmed_cost"
    centers = _centers(centers, X, who)
    check_parameter("n_outliers", n_outliers, who)
    check_parameter("n_jobs", n_jobs, who)
    with open_engine(X, check_weights(sample_weight, X, who), n_jobs) as engine:
        facts = survey(engine, who, centers)
        mass = count_outliers(n_outliers, 0, facts, who)
        if mass >= facts.total_weight:
            return 0.0
        return assign(engine, facts.origin, centers, mass).cost


def optimality_gap(
    X: Any,
    centers: Any,
    n_outliers: float | None = None,
    sample_weight: Any = None,
    *,
    centers_at: str = "anywhere",
) -> float:
    """At most how many times the optimal cost these centres cost.

    The trimmed cost of the centres over a lower bound on the trimmed cost of as many centres,
    from the duals of the primal-dual method and subgradient steps. No clustering of X is
    cheaper than `trimmed_cost(X, centers, n_outliers) / optimality_gap(X, centers, n_outliers)`,
    up to the rounding of X's own type in the former.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features), or Coreset
        At most 5000 rows: all pairs are looked at. For more, `model.coreset_`: the gap is then
        that of the coreset's own problem, and tells of the data what the coreset does.
    centers : array-like of shape (n_clusters, n_features)
        From any clustering.
    n_outliers : int or float
        The weight to leave out: a count, or a share in [0, 1) of the total weight. Not with a
        coreset, which has its own.
    sample_weight : array-like of shape (n_samples,), default=None
        Not with a coreset either.
    centers_at : {"anywhere", "rows"}, default="anywhere"
        Whom to compare with: any k centres, or only rows of X. The bound for centres anywhere
        counts squared distances half, so that it is rarely better than 2 on plain rows; on a
        coreset, whose cells have costs of their own, it is often within a few per cent.

    Returns
    -------
    gap : float
        1 is optimal; infinite where the bound is 0 and the cost is not. Below 1 only for
        centres that are not rows with `centers_at="rows"`.

    Examples
    --------
    >>> from nkmeans import NKMeans
    >>> from nkmeans.datasets import make_noisy_blobs
    >>> from nkmeans.metrics import optimality_gap
    >>> X, _, _ = make_noisy_blobs(200_000, 5, 10, 2000, random_state=0)
    >>> model = NKMeans(n_clusters=5, n_outliers=2000, random_state=0).fit(X)
    >>> gap = optimality_gap(model.coreset_, model.cluster_centers_)
    >>> bool(1 <= gap < 1.2)
    True
    """
    who = "optimality_gap"
    check_parameter("centers_at", centers_at, who)
    coreset = X if isinstance(X, Coreset) else None
    if coreset is None:
        check_parameter("n_outliers", n_outliers, who)
    elif n_outliers is not None or sample_weight is not None:
        raise ValueError(f"n_outliers and sample_weight of {who} must be None for a coreset.")
    else:
        X, sample_weight = coreset.points, coreset.weights
    X = check_array(X, dtype=np.float64, input_name="X")
    centers = _centers(centers, X, who)
    if len(X) > MOST_POINTS:
        raise ValueError(
            f"X of {who} must have at most {MOST_POINTS} rows, or be a coreset; got {len(X)} rows."
        )
    given = check_weights(sample_weight, X, who)
    with open_engine(X, given, 1) as engine:
        facts = survey(engine, who, centers)
    mass = coreset.n_outliers if coreset else count_outliers(n_outliers, 0, facts, who)
    rows = np.flatnonzero(np.ones(len(X)) if given is None else given)
    instance = Coreset(
        points=X[rows] - facts.origin,
        weights=np.ones(len(X)) if given is None else given[rows],
        spread=coreset.spread[rows] if coreset else np.zeros(len(rows)),
        n_outliers=mass,
        sample_indices=rows,
        labels=np.arange(len(rows), dtype=np.int32),
        rate=1.0,
    )
    cost = instance.trimmed_cost(centers - facts.origin)
    if not cost > 0:
        return 1.0
    bounds = solve_and_bound(instance, len(centers), cost)
    bound = bounds.anywhere if centers_at == "anywhere" else bounds.at_points
    return cost / bound if bound > 0 else np.inf


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


def _centers(centers: Any, X: np.ndarray, who: str) -> np.ndarray:
    checked: np.ndarray = check_array(centers, dtype=np.float64, input_name="centers")
    if checked.shape[1] != X.shape[1]:
        raise ValueError(
            f"centers of {who} must have as many columns as X, {X.shape[1]}; "
            f"got {checked.shape[1]}."
        )
    return checked


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
