"""Trimmed Lloyd (k-means--, Chawla and Gionis 2013) on the sample and on all of the data."""

import numpy as np

from nkmeans.assign import UNKNOWN, Assignment, Bracket, assign
from nkmeans.engines import Engine
from nkmeans.kernels.distances import nearest
from nkmeans.kernels.select import trim_farthest
from nkmeans.kernels.sums import add_rows


def lloyd_in_memory(
    points: np.ndarray,
    weight: np.ndarray,
    n_outliers: float,
    centers: np.ndarray,
    max_iter: int,
    tol: float,
    spread: np.ndarray | None = None,
) -> tuple[float, np.ndarray, int]:
    """Trimmed Lloyd on points in memory until a round gains less than `tol` of the cost.

    Parameters
    ----------
    points : ndarray of shape (m, d)
    weight : float64 ndarray of shape (m,)
    n_outliers : float
        The mass to leave out.
    centers : ndarray of shape (k, d)
        Where to start. A centre that keeps nothing stays where it is.
    spread : float64 ndarray of shape (m,), default=None
        What each point costs per unit of weight wherever it is assigned.

    Returns
    -------
    cost : float
        Trimmed cost at the final centres.
    centers : ndarray of shape (k, d)
    n_iter : int
    """
    centers = centers.astype(points.dtype)
    origin = np.zeros(points.shape[1], points.dtype)
    labels = np.empty(len(points), np.int32)
    dist2 = np.empty(len(points), points.dtype)
    kept = np.empty(len(points))
    cost = np.inf
    for n_iter in range(max_iter + 1):
        before = cost
        nearest(points, origin, centers, labels, dist2)
        if spread is not None:
            dist2 += spread
        cost, _ = trim_farthest(dist2.astype(np.float64, copy=False), weight, n_outliers, kept)
        if n_iter == max_iter or before - cost <= tol * cost:
            break
        sums, mass = np.zeros(centers.shape), np.zeros(len(centers))
        add_rows(points, origin, kept, labels, dist2, np.inf, sums, mass)
        filled = mass > 0
        centers[filled] = sums[filled] / mass[filled, None]
    return cost, centers, n_iter


def lloyd_on_data(
    engine: Engine,
    origin: np.ndarray,
    centers: np.ndarray,
    n_outliers: float,
    max_iter: int,
    tol: float,
    bracket: Bracket = UNKNOWN,
) -> tuple[np.ndarray, Assignment, int]:
    """Trimmed Lloyd over blocks, one pass a round.

    A round moves the centres only when that lowers the cost by more than `tol` of it: what
    moving alone will gain is known before the next pass (the weight of each centre times its
    squared step), so no pass is spent on finding out that nothing changes, and the assignment
    returned is that of the centres returned.

    Returns
    -------
    centers : ndarray of shape (k, d), in the data's own coordinates
    assignment : Assignment
    n_passes : int
    """
    found = assign(engine, origin, centers, n_outliers, bracket)
    for n_passes in range(1, max_iter):
        filled = found.mass > 0
        means = centers.copy()
        means[filled] = found.sums[filled] / found.mass[filled, None] + origin
        gain = found.mass @ ((means - centers) ** 2).sum(axis=1)
        # Points that change sides add to the gain, about as much again.
        if 2 * gain <= tol * found.cost:
            return centers, found, n_passes
        centers = means
        found = assign(engine, origin, centers, n_outliers, found.bracket, reuse=found)
    return centers, found, max_iter
