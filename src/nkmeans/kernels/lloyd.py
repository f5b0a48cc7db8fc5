"""Trimmed Lloyd on points that fit in one block: the coreset, or the sample."""

import numpy as np

from nkmeans.kernels.distances import nearest
from nkmeans.kernels.jit import kernel
from nkmeans.kernels.select import trim_farthest


@kernel
def trimmed_cost(points, weight, spread, centers, mass, labels, dist2, kept):  # type: ignore[no-untyped-def]
    """Assign, trim, and return the cost.

    `spread` is what each point costs per unit of weight wherever it goes; empty means nothing.
    """
    origin = np.zeros(points.shape[1], points.dtype)
    nearest(points, origin, centers, labels, dist2)
    if spread.shape[0] > 0:
        for i in range(dist2.shape[0]):
            dist2[i] += spread[i]
    return trim_farthest(dist2, weight, mass, kept)[0]


@kernel
def move_to_means(points, labels, kept, centers):  # type: ignore[no-untyped-def]
    """Move each centre to the mean of what it keeps; one that keeps nothing stays."""
    sums = np.zeros(centers.shape, np.float64)
    total = np.zeros(centers.shape[0], np.float64)
    for i in range(points.shape[0]):
        if kept[i] > 0:
            c = labels[i]
            total[c] += kept[i]
            for j in range(points.shape[1]):
                sums[c, j] += kept[i] * points[i, j]
    for c in range(centers.shape[0]):
        if total[c] > 0:
            for j in range(centers.shape[1]):
                centers[c, j] = sums[c, j] / total[c]


@kernel
def trimmed_lloyd(points, weight, spread, mass, centers, max_iter, tol):  # type: ignore[no-untyped-def]
    """Trimmed Lloyd from `centers`, in place, until the cost falls by less than `tol` of itself.

    Returns
    -------
    cost : trimmed cost at the final centres
    n_iter : rounds made
    """
    labels = np.empty(points.shape[0], np.int32)
    dist2 = np.empty(points.shape[0], points.dtype)
    kept = np.empty(points.shape[0], np.float64)
    cost = trimmed_cost(points, weight, spread, centers, mass, labels, dist2, kept)
    n_iter = 0
    while n_iter < max_iter:
        n_iter += 1
        move_to_means(points, labels, kept, centers)
        before = cost
        cost = trimmed_cost(points, weight, spread, centers, mass, labels, dist2, kept)
        if before - cost <= tol * cost:
            break
    return cost, n_iter
