"""Trimmed Lloyd (k-means--, Chawla and Gionis 2013) on the sample and on all of the data."""

import numpy as np

from nkmeans.assign import UNKNOWN, Assignment, Bracket, assign
from nkmeans.data.blocks import NO_WEIGHT
from nkmeans.engines import Engine
from nkmeans.kernels.lloyd import trimmed_lloyd


def lloyd_in_memory(
    points: np.ndarray,
    weight: np.ndarray,
    n_outliers: float,
    centers: np.ndarray,
    max_iter: int,
    tol: float,
    spread: np.ndarray = NO_WEIGHT,
) -> tuple[float, np.ndarray, int]:
    """Trimmed Lloyd on points in memory: the trimmed cost, the centres, and the rounds made."""
    centers = centers.astype(points.dtype)
    cost, n_iter = trimmed_lloyd(points, weight, spread, n_outliers, centers, max_iter, tol)
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
