"""Sums of rows per centre, in float64 whatever the data's type."""

import numpy as np

from nkmeans.kernels.distances import nearest
from nkmeans.kernels.jit import kernel
from nkmeans.kernels.select import weight_of

# Rows assigned and summed before going on to the next: they are still in cache for the sums.
CHUNK = 4096


@kernel
def add_rows(X, origin, weight, labels, dist2, low, sums, mass):  # type: ignore[no-untyped-def]
    """Add the rows with `dist2 < low` to their centre's sum and mass; their cost comes back."""
    cost = 0.0
    for i in range(X.shape[0]):
        if dist2[i] < low:
            w = weight_of(weight, i)
            c = labels[i]
            mass[c] += w
            cost += w * dist2[i]
            for j in range(X.shape[1]):
                sums[c, j] += w * np.float64(X[i, j] - origin[j])
    return cost


@kernel
def assign_and_sum(  # type: ignore[no-untyped-def]
    X, origin, weight, centers, low, labels, dist2, sums, mass
):
    """`nearest`, then `add_rows`, in chunks that stay in cache."""
    cost = 0.0
    for start in range(0, X.shape[0], CHUNK):
        rows = slice(start, min(start + CHUNK, X.shape[0]))
        nearest(X[rows], origin, centers, labels[rows], dist2[rows])
        cost += add_rows(X[rows], origin, weight[rows], labels[rows], dist2[rows], low, sums, mass)
    return cost
