"""Local search by single swaps, on any instance that can tell what candidates cost.

Each candidate is tried against all k centres in O(m), from nearest and second-nearest
distances (`kernels/swaps.py`).
"""

from collections.abc import Callable, Iterator

import numpy as np
from scipy.spatial.distance import cdist

from nkmeans.cluster.lloyd import lloyd_in_memory
from nkmeans.kernels.swaps import best_swap, cost_after, two_nearest
from nkmeans.summarize.coreset import Coreset

# Distances to this many candidates are computed at a time.
CANDIDATES_AT_ONCE = 64
# A swap must lower the cost by more than this share: less is rounding.
ROUNDING = 1e-9

# Costs of all clients (columns) at a few candidates (rows).
Columns = Callable[[np.ndarray], np.ndarray]


class Swaps:
    """k centres among candidates, and what every swap of one of them would cost.

    Parameters
    ----------
    columns : callable
        `columns(candidates)` is an array of shape (len(candidates), m): the distances of the m
        clients to each of those candidates, squared or not as the cost has it.
    weight : float64 ndarray of shape (m,)
    spread : float64 ndarray of shape (m,)
        Added to each client's distance wherever it goes.
    mass : float
        Weight to leave out from the far end.
    to_center : float64 ndarray of shape (m, k)
        Distances to the first centres.
    """

    def __init__(
        self,
        columns: Columns,
        weight: np.ndarray,
        spread: np.ndarray,
        mass: float,
        to_center: np.ndarray,
    ) -> None:
        m, k = to_center.shape
        self.columns, self.weight, self.spread, self.mass = columns, weight, spread, float(mass)
        self.to_center = np.ascontiguousarray(to_center, dtype=np.float64)
        # The candidate that each centre is; -1 for a centre that was there at the beginning.
        self.centers = np.full(k, -1)
        self.label = np.empty(m, dtype=np.int32)
        self.near, self.second, self.kept = np.empty(m), np.empty(m), np.empty(m)
        self.update()

    def update(self) -> None:
        """Nearest two centres, cost and boundary, from the distances to the centres."""
        two_nearest(self.to_center, self.label, self.near, self.second)
        nobody = np.full(len(self.near), np.inf)
        self.cost, self.cut = cost_after(
            self.weight, self.spread, self.mass, 2, self.label, self.near, self.second, nobody,
            -1, np.empty_like(nobody), self.kept,
        )  # fmt: skip

    def trials(self, candidates: np.ndarray, share: float) -> Iterator[tuple]:
        """For each candidate its best swap that costs less than `share` of the present cost.

        Yields candidate, its distances, the centre that leaves (-1 for none) and the cost; the
        caller may apply the swap before it asks for the next.
        """
        for start in range(0, len(candidates), CANDIDATES_AT_ONCE):
            some = candidates[start : start + CANDIDATES_AT_ONCE]
            for candidate, entering in zip(some, self.columns(some), strict=True):
                leaving, cost, _ = best_swap(
                    self.weight, self.spread, self.mass, 2, self.label, self.near, self.second,
                    entering, self.cost * share, self.cut, len(self.centers),
                )  # fmt: skip
                yield candidate, entering, leaving, cost

    def apply(self, candidate: int, entering: np.ndarray, leaving: int) -> None:
        """Put the candidate in place of the centre that leaves."""
        self.to_center[:, leaving] = entering
        self.centers[leaving] = candidate
        self.update()

    def descend(self, candidates: np.ndarray, share: float = 1 - ROUNDING) -> int:
        """Take every swap that lowers the cost to less than `share` of it, until there is none.

        Returns
        -------
        n_swaps : int
        """
        n_swaps, since = 0, 0
        while since < len(candidates):
            for candidate, entering, leaving, _ in self.trials(candidates, share):
                since += 1
                if leaving >= 0:
                    self.apply(candidate, entering, leaving)
                    n_swaps, since = n_swaps + 1, 0
                if since == len(candidates):
                    break
        return n_swaps

    def best(self, candidates: np.ndarray) -> tuple[float, tuple | None]:
        """The least cost of no swap and of every swap, and that swap, for `apply`."""
        cost, swap = self.cost, None
        for candidate, entering, leaving, its_cost in self.trials(candidates, 1.0):
            if leaving >= 0 and its_cost < cost:
                cost, swap = its_cost, (candidate, entering.copy(), leaving)
        return cost, swap

    def leave_out(self, weight: np.ndarray, mass: float) -> None:
        """Go on with other weights, and another mass to leave out of them."""
        self.weight, self.mass = weight.copy(), float(mass)
        self.update()

    def placed(self, points: np.ndarray, first: np.ndarray) -> np.ndarray:
        """Coordinates of the centres; `first` are those of the beginning."""
        centers = first.astype(points.dtype)
        swapped = self.centers >= 0
        centers[swapped] = points[self.centers[swapped]]
        return centers


def squared_distances(points: np.ndarray) -> Columns:
    """The columns of an instance of points: squared Euclidean distances."""
    exact = points.astype(np.float64, copy=False)
    return lambda candidates: cdist(exact[candidates], exact, "sqeuclidean")


def swaps_on(coreset: Coreset, centers: np.ndarray) -> Swaps:
    """Swaps among the points of a coreset, under its trimmed cost."""
    exact = coreset.points.astype(np.float64, copy=False)
    to_center = cdist(exact, centers.astype(np.float64), "sqeuclidean")
    columns = squared_distances(exact)
    return Swaps(columns, coreset.weights, coreset.spread, coreset.n_outliers, to_center)


def local_search(
    coreset: Coreset, centers: np.ndarray, eps: float, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Local search with outliers (Gupta et al. 2017): centres, and the weights it kept.

    It starts with Z, the z points farthest from the centres, and goes on while the cost falls
    by a factor `1 - eps / k`: (i) single swaps on the points without Z; then whichever costs
    less of (ii) z more outliers and (iii) a swap together with z more. Z stays within 2z, the
    most that was ever seen in the paper's experiments.
    """
    z, candidates = coreset.n_outliers, rng.permutation(len(coreset.points))
    share = min(1 - eps / len(centers), 1 - ROUNDING)
    swaps = swaps_on(coreset, centers)
    swaps.leave_out(swaps.kept, 0.0)
    swaps.descend(candidates, share)
    if z > 0:
        before, kept = swaps.cost, swaps.weight
        swaps.leave_out(kept, z)
        cost, swap = swaps.best(candidates)
        if cost < share * before:
            if swap is not None:
                swaps.apply(*swap)
            kept = swaps.kept
        swaps.leave_out(kept, 0.0)
        swaps.descend(candidates, share)
    return swaps.placed(coreset.points, centers), swaps.weight


def swap_and_move(
    coreset: Coreset, centers: np.ndarray, max_iter: int, tol: float, rng: np.random.Generator
) -> np.ndarray:
    """Swaps and Lloyd rounds in turn, leaving out exactly z, until neither lowers the cost."""
    points, weights, z = coreset.points, coreset.weights, coreset.n_outliers
    candidates, least = rng.permutation(len(points)), np.inf
    while True:
        swaps = swaps_on(coreset, centers)
        swaps.descend(candidates)
        centers = swaps.placed(points, centers)
        if not swaps.cost < least * (1 - ROUNDING):
            return centers
        least = swaps.cost
        found = lloyd_in_memory(points, weights, z, centers, max_iter, tol, coreset.spread)
        if found.cost < least:  # where the cost is zero, a mean may be off by rounding
            centers, least = found.centers, found.cost
