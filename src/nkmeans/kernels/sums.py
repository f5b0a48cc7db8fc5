"""Sums of rows per centre, in float64 whatever the data's type."""

import numpy as np

from nkmeans.kernels.jit import kernel


@kernel
def add_rows(X, origin, weight, labels, dist2, low, sums, mass, costs):
    """Add the rows with `dist2 < low` to their centre's sum, mass and cost.

    An empty `weight` stands for unit weights.
    """
    for i in range(X.shape[0]):
        if dist2[i] < low:
            w = weight[i] if weight.shape[0] > 0 else 1.0
            c = labels[i]
            mass[c] += w
            costs[c] += w * dist2[i]
            for j in range(X.shape[1]):
                sums[c, j] += w * np.float64(X[i, j] - origin[j])
