"""Swap-based local search under the trimmed cost, in O(m) a candidate for all k swaps."""

import math

import numpy as np

from nkmeans.kernels.distances import row_dist2
from nkmeans.kernels.jit import helper, kernel
from nkmeans.kernels.seeding import draw_share
from nkmeans.kernels.select import trim_farthest


@kernel
def two_nearest(to_center, label, near, second):
    """Nearest centre, its squared distance and the second nearest's, from all distances."""
    for i in range(to_center.shape[0]):
        c, best, next_best = 0, np.inf, np.inf
        for j in range(to_center.shape[1]):
            t = to_center[i, j]
            if t < best:
                next_best = best
                best = t
                c = j
            elif t < next_best:
                next_best = t
        label[i] = c
        near[i] = best
        second[i] = next_best


@helper
def priced(dist2, spread, power):
    """What a unit of weight costs at this squared distance: its root for power 1."""
    return math.sqrt(dist2 + spread) if power == 1 else dist2 + spread


@helper
def swap_bounds(weight, spread, mass, power, cut, label, near, second, entering, bounds):
    """Lower bounds on the trimmed cost after each swap "centre c out, candidate in".

    For every t, `sum of w min(price, t) - mass t` is at most the trimmed cost (equal at the
    true cut), and truncated sums of all k swaps differ only by the points whose nearest
    centre leaves: one pass over the points serves all of them.
    """
    if cut == np.inf:
        cut, mass = np.finfo(np.float64).max, 0.0
    base = 0.0
    for c in range(bounds.shape[0]):
        bounds[c] = 0.0
    for i in range(near.shape[0]):
        w = weight[i]
        stay = min(priced(min(near[i], entering[i]), spread[i], power), cut)
        base += w * stay
        if entering[i] > near[i]:
            without = priced(min(second[i], entering[i]), spread[i], power)
            bounds[label[i]] += w * (min(without, cut) - stay)
    for c in range(bounds.shape[0]):
        bounds[c] += base - mass * cut


@kernel
def cost_after(weight, spread, mass, power, label, near, second, entering, leaving, after, kept):
    """Trimmed cost and cut when the centre `leaving` goes and the candidate enters.

    Parameters
    ----------
    weight, spread : float64 arrays of shape (m,)                              # IN
    mass : weight to leave out                                                 # IN
    power : 2 for squared distances, 1 for their roots                         # IN
    label : int32 array of shape (m,), nearest centre                          # IN
    near, second : float64 arrays of shape (m,), distances to the nearest two  # IN
    entering : float64 array of shape (m,), distances to the candidate         # IN
    leaving : number of the centre that goes; -1 for none                      # IN
    after, kept : float64 arrays of shape (m,), prices and kept weights        # OUT
    """
    for i in range(near.shape[0]):
        staying = second[i] if label[i] == leaving else near[i]
        after[i] = priced(min(staying, entering[i]), spread[i], power)
    return trim_farthest(after, weight, mass, kept)


@kernel
def best_swap(weight, spread, mass, power, label, near, second, entering, limit, cut, k):
    """Which of k centres is best replaced by the candidate, in O(m) for most candidates.

    Swaps whose lower bound is not below `limit` are not looked at.

    Returns
    -------
    leaving : -1 where no swap costs less than `limit`
    cost, cut : the trimmed cost and its boundary after that swap
    """
    m = near.shape[0]
    after = np.empty(m, np.float64)
    kept = np.empty(m, np.float64)
    bounds = np.empty(k, np.float64)
    swap_bounds(weight, spread, mass, power, cut, label, near, second, entering, bounds)
    best, best_cost, best_cut = -1, limit, cut
    for _ in range(k):
        c = 0
        for j in range(1, k):
            if bounds[j] < bounds[c]:
                c = j
        if not bounds[c] < best_cost:
            break
        bounds[c] = np.inf
        swapped, its_cut = cost_after(
            weight, spread, mass, power, label, near, second, entering, c, after, kept
        )
        if swapped < best_cost:
            best, best_cost, best_cut = c, swapped, its_cut
    return best, best_cost, best_cut


@kernel
def swap_search(points, weight, spread, mass, power, centers, uniforms):
    """Try one random candidate per uniform against every centre; keep swaps that lower the cost.

    Candidates are drawn with probability `weight * min(price, cut)`. `centers` changes in
    place. `spread` is an array of shape (m,): what is added to each point's squared distance
    wherever it goes.

    Returns
    -------
    cost : the trimmed cost at the final centres
    """
    m, k = points.shape[0], centers.shape[0]
    to_center = np.empty((m, k), np.float64)
    label = np.empty(m, np.int32)
    near = np.empty(m, np.float64)
    second = np.empty(m, np.float64)
    entering = np.empty(m, np.float64)
    after = np.empty(m, np.float64)
    kept = np.empty(m, np.float64)
    for i in range(m):
        for c in range(k):
            to_center[i, c] = row_dist2(points[i], centers[c])
        entering[i] = np.inf
    two_nearest(to_center, label, near, second)
    cost, cut = cost_after(
        weight, spread, mass, power, label, near, second, entering, -1, after, kept
    )
    for r in range(uniforms.shape[0]):
        for i in range(m):
            after[i] = weight[i] * min(priced(near[i], 0.0, power), cut)
        row = draw_share(after, uniforms[r])[0]
        if row < 0:
            break
        for i in range(m):
            entering[i] = row_dist2(points[i], points[row])
        best, best_cost, best_cut = best_swap(
            weight, spread, mass, power, label, near, second, entering, cost * (1 - 1e-9), cut, k
        )
        if best >= 0:
            for j in range(points.shape[1]):
                centers[best, j] = points[row, j]
            for i in range(m):
                to_center[i, best] = entering[i]
            two_nearest(to_center, label, near, second)
            cost, cut = best_cost, best_cut
    return cost
