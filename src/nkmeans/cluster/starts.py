"""First centres for a set of survivors: k-means++, or a clusterer of the user's."""

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from nkmeans.cluster.lloyd import lloyd_in_memory
from nkmeans.summarize.seeding import seed_in_memory


def seed_and_lloyd(
    points: np.ndarray,
    weight: np.ndarray,
    k: int,
    rng: np.random.Generator,
    max_iter: int = 300,
    tol: float = 1e-5,
) -> np.ndarray | None:
    """k-means++ and Lloyd, the paper's algorithm A; None with fewer than k distinct points."""
    seeds = seed_in_memory(points, weight, k, rng).seeds
    if len(seeds) < k:
        return None
    return lloyd_in_memory(points, weight, 0.0, seeds, max_iter, tol).centers


def takes_weights(clusterer: Any) -> bool:
    """Whether the clusterer's `fit` has a `sample_weight`."""
    return bool(has_fit_parameter(clusterer, "sample_weight"))


def cluster_with(
    clusterer: Any,
    points: np.ndarray,
    weight: np.ndarray,
    origin: np.ndarray,
    k: int,
    rng: np.random.Generator,
) -> np.ndarray | None:
    """Centres found by a clone of `clusterer`; None with fewer than k distinct points.

    It sees the points in the data's own coordinates. Its `n_clusters` is set where it has one,
    and its `random_state` where that is None, so that a seeded fit stays reproducible. A
    clusterer that takes no weights gets points repeated and left out in proportion to them.
    """
    if len(seed_in_memory(points, weight, k, rng).seeds) < k:
        return None
    model = clone(clusterer)
    parameters = model.get_params(deep=False)
    if "n_clusters" in parameters:
        model.set_params(n_clusters=k)
    if parameters.get("random_state", 0) is None:
        model.set_params(random_state=int(rng.integers(2**31 - 1)))
    absolute = points.astype(np.float64) + origin
    if takes_weights(model):
        model.fit(absolute, sample_weight=weight)
    else:
        if np.ptp(weight) > 0:
            # Systematic resampling: copies as near to proportion as whole numbers can be.
            steps = (np.arange(len(points)) + rng.random()) / len(points)
            absolute = absolute[np.searchsorted(np.cumsum(weight) / weight.sum(), steps)]
        weight = np.ones(len(points))
        model.fit(absolute)
    centers = centers_of(model, absolute, weight)
    if len(centers) != k:
        raise ValueError(
            f"clusterer of NKMeans must find n_clusters={k} clusters; "
            f"{type(model).__name__} found {len(centers)}."
        )
    return (centers - origin).astype(points.dtype)


def centers_of(model: Any, points: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """`cluster_centers_`, or the means of the clusters for models that keep only labels."""
    if hasattr(model, "cluster_centers_"):
        return np.array(model.cluster_centers_, dtype=np.float64)
    if not hasattr(model, "labels_"):
        raise ValueError(
            "clusterer of NKMeans must have cluster_centers_ or labels_ after fit; "
            f"{type(model).__name__} has neither."
        )
    means = []
    for label in np.unique(model.labels_[model.labels_ >= 0]):
        mine = model.labels_ == label
        means.append(np.average(points[mine], axis=0, weights=weight[mine]))
    return np.array(means)
