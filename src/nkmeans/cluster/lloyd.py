"""Trimmed Lloyd (k-means--, Chawla and Gionis 2013) on the sample and on all of the data."""

from typing import NamedTuple

import numpy as np

from nkmeans.assign import UNKNOWN, Assignment, Bracket, assign, pull, weight_at_centers
from nkmeans.engines import Engine
from nkmeans.kernels.distances import nearest
from nkmeans.kernels.select import trim_farthest
from nkmeans.kernels.sums import add_rows


class Solution(NamedTuple):
    """Centres found on points in memory.

    Attributes
    ----------
    cost : float
        Trimmed cost at these centres.
    centers : ndarray of shape (k, d)
    n_iter : int
        Rounds that moved them.
    dist2 : float64 ndarray of shape (m,)
        Squared distances of the points to the nearest centre (plus their spread).
    """

    cost: float
    centers: np.ndarray
    n_iter: int
    dist2: np.ndarray


def lloyd_in_memory(
    points: np.ndarray,
    weight: np.ndarray,
    n_outliers: float,
    centers: np.ndarray,
    max_iter: int,
    tol: float,
    spread: np.ndarray | None = None,
    power: int = 2,
) -> Solution:
    """Trimmed Lloyd on points in memory, until moving gains less than `tol` of the cost.

    Parameters
    ----------
    points : ndarray of shape (m, d)
    weight : float64 ndarray of shape (m,)
    n_outliers : float
        The mass to leave out.
    centers : ndarray of shape (k, d)
        Where to start. A centre that keeps nothing stays where it is.
    spread : float64 ndarray of shape (m,), default=None
        What is added to each point's squared distance wherever it is assigned.
    power : int
        2 for sums of squared distances, 1 for sums of distances.
    """
    centers = centers.astype(points.dtype)
    origin = np.zeros(points.shape[1], points.dtype)
    labels = np.empty(len(points), np.int32)
    dist2 = np.empty(len(points), points.dtype)
    kept = np.empty(len(points))
    n_iter, gain = 0, None
    while True:
        nearest(points, origin, centers, labels, dist2)
        if spread is not None:
            dist2 += spread
        far = dist2.astype(np.float64, copy=False)
        price = np.sqrt(far) if power == 1 else far
        cost, _ = trim_farthest(price, weight, n_outliers, kept)
        if n_iter == max_iter:
            break
        sums, (mass, costs) = np.zeros(centers.shape), np.zeros((2, len(centers)))
        pulled = pull(kept, far, power)
        add_rows(points, origin, pulled, labels, dist2, np.inf, sums, mass, costs)
        at_center = weight_at_centers(kept, far, labels, len(centers), power)
        moved = move(sums, mass, at_center, centers)
        gain = gain_of(mass, centers, moved, power, gain)
        if not gain.to_come > tol * cost:
            break
        centers = moved.astype(points.dtype)
        n_iter += 1
    return Solution(cost, centers, n_iter, far)


def move(
    sums: np.ndarray, mass: np.ndarray, at_center: np.ndarray, centers: np.ndarray
) -> np.ndarray:
    """To the mean of what each centre keeps; a centre that keeps nothing stays.

    Weight that lies at a centre holds it back (Vardi, Zhang 2000, doi:10.1073/pnas.97.4.1423):
    the step is shorter by that weight over the pull of the others, and none where it is more.
    """
    means = centers.astype(np.float64)
    filled = mass > 0
    means[filled] = sums[filled] / mass[filled, None]
    held = np.flatnonzero((at_center > 0) & filled)
    steps = means[held] - centers[held]
    pulls = mass[held] * np.sqrt((steps**2).sum(axis=1))
    share = 1 - at_center[held] / np.maximum(pulls, at_center[held])
    means[held] = centers[held] + share[:, None] * steps
    return means


def in_order(centers: np.ndarray) -> np.ndarray:
    """Centres by their coordinates: clusters get their numbers from where they are."""
    return centers[np.lexsort(centers.T[::-1])]


class Gain(NamedTuple):
    """How much a step lowers the cost at least, and how much all further steps may."""

    step: float
    to_come: float


def gain_of(
    mass: np.ndarray,
    centers: np.ndarray,
    moved: np.ndarray,
    power: int,
    previous: Gain | None,
) -> Gain:
    """What moving the centres gains, known before the next pass.

    For means, the weight of each centre times its squared step; points that change sides add
    about as much again. Weiszfeld steps gain half of that at least, and shrink slowly: what is to
    come is a geometric series with the ratio of the last two steps (0.9 where there was one).
    """
    gain = float(mass @ ((moved - centers) ** 2).sum(axis=1))
    if power == 2:
        return Gain(gain, 2 * gain)
    ratio = 0.9 if previous is None or not previous.step > 0 else gain / previous.step
    return Gain(gain, gain / 2 / (1 - min(ratio, 0.999)))


def lloyd_on_data(
    engine: Engine,
    origin: np.ndarray,
    centers: np.ndarray,
    n_outliers: float,
    max_iter: int,
    tol: float,
    bracket: Bracket = UNKNOWN,
    power: int = 2,
) -> tuple[np.ndarray, Assignment, int]:
    """Trimmed Lloyd over blocks, one pass a round.

    No pass is spent on finding out that nothing changes (`gain_of`), and the assignment
    returned is that of the centres returned.

    Returns
    -------
    centers : ndarray of shape (k, d), in the data's own coordinates
    assignment : Assignment
    n_passes : int
    """
    found, gain = assign(engine, origin, centers, n_outliers, bracket, power=power), None
    for n_passes in range(1, max_iter):
        moved = move(found.sums, found.mass, found.at_center, centers - origin) + origin
        gain = gain_of(found.mass, centers, moved, power, gain)
        if not gain.to_come > tol * found.cost:
            return centers, found, n_passes
        centers = moved
        found = assign(engine, origin, centers, n_outliers, found.bracket, found.labels, power)
    return centers, found, max_iter
