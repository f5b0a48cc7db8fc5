"""Smallest and largest value of each column."""

import numpy as np

from nkmeans.kernels.jit import kernel


@kernel
def column_range(X):
    """Minima and maxima of the columns; both NaN where a value is not finite."""
    low = np.empty(X.shape[1], X.dtype)
    high = np.empty(X.shape[1], X.dtype)
    not_finite = np.empty(X.shape[1], X.dtype)
    for j in range(X.shape[1]):
        low[j] = np.inf
        high[j] = -np.inf
        not_finite[j] = 0
    for i in range(X.shape[0]):
        for j in range(X.shape[1]):
            x = X[i, j]
            low[j] = min(low[j], x)
            high[j] = max(high[j], x)
            not_finite[j] += 0 if abs(x) < np.inf else 1
    for j in range(X.shape[1]):
        if not_finite[j] > 0:
            low[j] = np.nan
            high[j] = np.nan
    return low, high
