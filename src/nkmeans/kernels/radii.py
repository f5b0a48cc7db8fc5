"""Core radii: how far one must go from a point to gather a given mass."""

import numpy as np

from nkmeans.kernels.distances import row_dist2
from nkmeans.kernels.jit import kernel
from nkmeans.kernels.select import weighted_cut


@kernel
def core_radius2(points, weight, start, stop, mass, core2, extremes):
    """Write, for rows `start` to `stop`, the smallest r^2 whose ball holds at least `mass`.

    Infinite where all points together weigh less than `mass`. `extremes` gets the smallest
    positive and the largest squared distance seen.
    """
    n = points.shape[0]
    total = 0.0
    for i in range(n):
        total += weight[i]
    dist2 = np.empty(n, np.float64)
    extremes[0], extremes[1] = np.inf, 0.0
    for y in range(start, stop):
        for i in range(n):
            dist2[i] = row_dist2(points[i], points[y])
            if 0 < dist2[i] < extremes[0]:
                extremes[0] = dist2[i]
            extremes[1] = max(extremes[1], dist2[i])
        if total < mass:
            core2[y] = np.inf
        else:
            core2[y] = weighted_cut(dist2, weight, total - mass)[0]
