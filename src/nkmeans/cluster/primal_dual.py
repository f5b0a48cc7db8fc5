"""Primal-dual k-means with outliers: facility location with penalties, binary search on the fee."""

from dataclasses import dataclass, replace

import numpy as np

from nkmeans.kernels.facilities import raise_duals, without_conflicts
from nkmeans.kernels.select import trim_farthest

# Fees tried for a guess, at most, and when two of them are as good as one.
MOST_FEES, NARROW = 60, 1e-3
# Guesses of Opt, at most: powers of two from the best cost known down to the best bound known.
MOST_GUESSES = 60


@dataclass(frozen=True)
class Instance:
    """Points as clients and facilities.

    Attributes
    ----------
    costs : float64 ndarray of shape (m, m)
        What a unit of client j's (column's) weight costs at facility i (row).
    order : int32 ndarray of shape (m, m)
        Sorts each row of `costs`.
    weight : float64 ndarray of shape (m,)
    n_clusters : int
    n_outliers : float
    """

    costs: np.ndarray
    order: np.ndarray
    weight: np.ndarray
    n_clusters: int
    n_outliers: float

    @classmethod
    def of_points(
        cls, dist2: np.ndarray, weight: np.ndarray, spread: np.ndarray, k: int, z: float
    ) -> "Instance":
        """The instance of points with these squared distances and spreads."""
        costs = dist2 + spread
        order = np.argsort(costs, axis=1, kind="stable").astype(np.int32)
        return cls(costs, order, weight, k, z)

    def cost(self, centers: np.ndarray) -> float:
        """Trimmed cost of centres given by their numbers."""
        return self.trimmed(self.costs[centers].min(axis=0))

    def trimmed(self, price: np.ndarray) -> float:
        """Sum of weight times price without the mass z of the highest prices."""
        kept = np.empty(len(self.weight))
        return float(trim_farthest(price, self.weight, self.n_outliers, kept)[0])


@dataclass(frozen=True)
class Dual:
    """A feasible dual solution.

    No facility is offered more than its fee, and no dual is above the penalty.

    Attributes
    ----------
    alpha : float64 ndarray of shape (m,)
    fee, penalty : float
    value : float
        `sum w alpha - k fee - z penalty`: no k centres at points cost less.
    """

    alpha: np.ndarray
    fee: float
    penalty: float
    value: float


@dataclass(frozen=True)
class PrimalDual:
    """The best centres, by their numbers, their cost, and the best dual."""

    centers: np.ndarray
    cost: float
    dual: Dual


def solve_facilities(instance: Instance, fee: float, penalty: float) -> tuple[np.ndarray, Dual]:
    """Facilities that no client pays twice, and the dual solution that chose them."""
    m, k, z = len(instance.weight), instance.n_clusters, instance.n_outliers
    alpha, opened, chosen = np.empty(m), np.empty(m, dtype=np.int64), np.empty(m, dtype=np.int64)
    n_opened = raise_duals(
        instance.costs, instance.order, instance.weight, fee, penalty, alpha, opened
    )
    n_chosen = without_conflicts(instance.costs, alpha, opened, n_opened, chosen)
    left_out = z * penalty if z > 0 else 0.0
    value = float(instance.weight @ alpha) - k * fee - left_out
    return chosen[:n_chosen].copy(), Dual(alpha, fee, penalty, value)


def search_fee(
    instance: Instance, penalty: float, around: float | None = None
) -> tuple[np.ndarray, Dual, float]:
    """Search for the fee at which k facilities are chosen; the best dual on the way.

    Binary search on its logarithm; from `around`, a fee that may be near, in steps of a factor
    of four until it is between two of them. Where the number of facilities jumps over k, the
    fewer are completed from the more; the best k of the more are tried as well.

    Returns
    -------
    centers : ndarray of shape (k,)
    dual : Dual
    fee : float
        Where the search ended.
    """
    k = instance.n_clusters
    high = float(instance.costs.max() * instance.weight.sum())
    low = high * 1e-15
    nobody, everyone = np.empty(0, dtype=np.int64), np.arange(len(instance.weight))
    fewer, more = nobody, everyone
    best = Dual(np.zeros(len(instance.weight)), 0.0, penalty, 0.0)
    fee, factor = (np.sqrt(low) * np.sqrt(high), np.inf) if around is None else (around, 4.0)
    for _ in range(MOST_FEES):
        chosen, dual = solve_facilities(instance, fee, penalty)
        best = dual if dual.value > best.value else best
        if len(chosen) > k:
            more, low = chosen, fee
        else:
            fewer, high = chosen, fee
        if len(chosen) == k or high < low * (1 + NARROW):
            break
        middle = np.sqrt(low) * np.sqrt(high)
        fee = min(middle, fee * factor) if len(chosen) > k else max(middle, fee / factor)
    solutions = [complete(instance, fewer, more)]
    if more is not everyone:
        solutions.append(complete(instance, nobody, more))
    return min(solutions, key=instance.cost), best, fee


def complete(instance: Instance, centers: np.ndarray, candidates: np.ndarray) -> np.ndarray:
    """Add candidates one at a time, each time the one that leaves the least cost."""
    chosen = list(centers)
    price = instance.costs[chosen].min(axis=0, initial=np.inf)
    while len(chosen) < instance.n_clusters:
        costs = [instance.trimmed(np.minimum(price, instance.costs[i])) for i in candidates]
        # A point that adds nothing, because it is a duplicate, is not a new centre.
        fresh = [i not in chosen and price[i] > instance.costs[i, i] for i in candidates]
        if not any(fresh):
            fresh = [i not in chosen for i in candidates]
        chosen.append(candidates[int(np.argmin(np.where(fresh, costs, np.inf)))])
        price = np.minimum(price, instance.costs[chosen[-1]])
    return np.array(chosen)


def primal_dual(instance: Instance, cost: float) -> PrimalDual:
    """The best solution over powers of two as guesses of Opt (Charikar et al. 2001).

    A guess means the penalty `Opt / (2z)`. The guesses begin at `cost`, the positive cost of any
    solution, and end below the best lower bound found: in between is the optimum.
    """
    z = instance.n_outliers
    best, guess, fee = None, 2.0 ** np.ceil(np.log2(cost)), None
    dual = Dual(np.zeros(len(instance.weight)), 0.0, 0.0, 0.0)
    for _ in range(MOST_GUESSES):
        penalty = guess / (2 * z) if z > 0 else np.inf
        centers, its_dual, fee = search_fee(instance, penalty, fee)
        dual = its_dual if its_dual.value > dual.value else dual
        found = PrimalDual(centers, instance.cost(centers), dual)
        best = found if best is None or found.cost < best.cost else replace(best, dual=dual)
        guess /= 2
        if z <= 0 or guess < dual.value or not best.cost > 0:
            break
    assert best is not None
    return best
