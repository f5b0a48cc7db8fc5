"""How cheap any solution can be: lower bounds on the optimum by Lagrangian duality.

The linear program of k-means with outliers, for centres among the m points of an instance: point
j goes to centre i at the cost `c_ij` or is left out; at most k centres, at most mass z left out.
For any multipliers `alpha >= 0` the optimum is at least

      sum w alpha
    - the k largest of  sum_j w_j max(alpha_j - c_ij, 0)
    - the mass z of largest alpha

where the last sum takes `w alpha` from the far end. The duals of the primal-dual method are such
multipliers, and subgradient steps from there make the bound better.

Centres that may be anywhere cost at least as much as centres at points with the squared distances
halved: the best point of a cluster costs at most twice what its mean does. So halved distances in
`c_ij` give a bound for free centres. The spread of a coreset's cells is not halved: it is paid
wherever the centre is.
"""

from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist

from nkmeans.cluster.primal_dual import Instance, PrimalDual, primal_dual
from nkmeans.kernels.facilities import surpluses
from nkmeans.kernels.select import trim_farthest
from nkmeans.summarize.coreset import Coreset

# An instance is all pairs of its points, in memory several times: more of them are refused.
MOST_POINTS = 5000
ROUNDS = 200
# Steps are halved after this many rounds without a better bound.
PATIENCE = 10
EPS = float(np.finfo(np.float64).eps)


def dual_value(
    dist2: np.ndarray,
    weight: np.ndarray,
    spread: np.ndarray,
    k: int,
    z: float,
    alpha: np.ndarray,
    share: float,
) -> tuple[float, np.ndarray]:
    """The bound at these multipliers, and which way the multipliers should go.

    Costs are `spread + share * dist2`, `share` 1 for centres at points, 1/2 for any centres.
    """
    kept, surplus = np.empty(len(weight)), np.empty(len(dist2))
    below, _ = trim_farthest(alpha, weight, z, kept)
    surpluses(dist2, weight, alpha, share, spread, surplus)
    best = np.argsort(surplus, kind="stable")[max(len(surplus) - k, 0) :]
    served = (alpha > spread + share * dist2[best]).sum(axis=0)
    inside = np.divide(kept, weight, out=np.zeros(len(weight)), where=weight > 0)
    # The bound is a small difference of large sums where a few points are very far away.
    rounding = (len(weight) + 8) * EPS * float(below + 2 * surplus[best].sum() + weight @ spread)
    return float(below - surplus[best].sum() - rounding), inside - served


def lower_bound(
    dist2: np.ndarray,
    weight: np.ndarray,
    spread: np.ndarray,
    k: int,
    z: float,
    alpha: np.ndarray,
    cost: float,
    share: float = 0.5,
    rounds: int = ROUNDS,
) -> float:
    """A lower bound on the trimmed cost of any k centres, by subgradient ascent from `alpha`.

    Parameters
    ----------
    dist2 : float64 ndarray of shape (m, m)
        Squared distances between the points of the instance.
    weight, spread : float64 ndarrays of shape (m,)
    alpha : float64 ndarray of shape (m,)
        Multipliers to start from; any will do.
    cost : float
        The cost of some solution, to measure the steps with.
    share : float
        1/2 bounds centres anywhere, 1 only centres at the points.
    """
    best, length, waited = 0.0, 1.0, 0
    for _ in range(rounds):
        value, direction = dual_value(dist2, weight, spread, k, z, alpha, share)
        if value > best * (1 + 1e-6):
            best, waited = value, 0
        else:
            waited += 1
            if waited == PATIENCE:
                length, waited = length / 2, 0
        norm = float(weight @ direction**2)
        if norm == 0 or best >= cost:
            break
        alpha = np.maximum(alpha + length * (cost - value) / norm * direction, 0.0)
    return min(best, cost)


@dataclass(frozen=True)
class Bounded:
    """A primal-dual solution of an instance, and bounds on its optimum.

    Attributes
    ----------
    solution : PrimalDual
    anywhere : float
        No k centres cost less.
    at_points : float
        No k centres among the points cost less.
    moved : float
        No k centres cost less for rows whose cells are these points: the root of a cost
        changes by at most the root of what moving the rows costs.
    """

    solution: PrimalDual
    anywhere: float
    at_points: float
    moved: float


def solve_and_bound(coreset: Coreset, k: int, cost: float) -> Bounded:
    """Primal-dual on an instance, then the bounds; `cost` is that of any solution, positive.

    The points are rounded, to their own type and by moving them to an origin: what that can
    change is taken off, too.
    """
    points, weight, spread = coreset.points, coreset.weights, coreset.spread
    z, exact = coreset.n_outliers, points.astype(np.float64, copy=False)
    dist2 = cdist(exact, exact, "sqeuclidean")
    found = primal_dual(Instance.of_points(dist2, weight, spread, k, z), cost)
    alpha = found.dual.alpha
    at_points = lower_bound(dist2, weight, spread, k, z, alpha, found.cost, share=1.0)
    cost = min(cost, found.cost)
    alpha = spread + np.maximum(alpha - spread, 0.0) / 2
    anywhere = moved = lower_bound(dist2, weight, spread, k, z, alpha, cost)
    if spread.any():
        nothing = np.zeros(len(spread))
        without = lower_bound(dist2, weight, nothing, k, z, np.maximum(alpha - spread, 0.0), cost)
        moved = after_moving(without, weight @ spread)
    off = 4 * float(np.finfo(points.dtype).eps) * float(np.abs(points).max())
    rounding = weight.sum() * points.shape[1] * off**2
    bounds = (after_moving(bound, rounding) for bound in (anywhere, at_points, moved))
    return Bounded(found, *bounds)


def after_moving(bound: float, movement: float) -> float:
    """What is left of a bound when points may be off by what costs `movement` in all.

    The roots of the costs of two sets of points differ by at most the root of the cost of
    moving one to the other.
    """
    return float(max(np.sqrt(bound) - np.sqrt(movement), 0.0) ** 2)
