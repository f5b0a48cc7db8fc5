"""Smallest and largest value of each column."""

import numpy as np

from nkmeans.kernels.jit import kernel


@kernel
def column_range(X):  # type: ignore[no-untyped-def]
    """Minima and maxima of the columns; a value that is not finite shows in its column's."""
    low = X[0].copy()
    high = X[0].copy()
    # The sum of all values less themselves is 0 unless one of them is NaN or infinite.
    alarm = np.zeros(X.shape[1], X.dtype)
    for i in range(X.shape[0]):
        for j in range(X.shape[1]):
            x = X[i, j]
            low[j] = min(low[j], x)
            high[j] = max(high[j], x)
            alarm[j] += x - x
    for j in range(X.shape[1]):
        if alarm[j] != 0:
            low[j] = alarm[j]
    return low, high
