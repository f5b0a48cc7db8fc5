"""What Skin, SUSY and Power share: standardized columns, and 1 % of uniform noise."""

import numpy as np
from sklearn.preprocessing import StandardScaler

from nkmeans.bench.data_sets import Prepared
from nkmeans.datasets import add_uniform_noise


def standardized(X: np.ndarray, n: int | None) -> np.ndarray:
    """Mean 0 and deviation 1 in each column, of the first rows of a fixed shuffle if n is given."""
    if n is not None and n < len(X):
        X = X[np.sort(np.random.default_rng(0).choice(len(X), n, replace=False))]
    return np.ascontiguousarray(StandardScaler().fit_transform(X))


def with_noise(X: np.ndarray, delta: float) -> Prepared:
    """1 % of noise from [-delta, delta]^d, and k = 10, as in the paper."""
    noisy, mask = add_uniform_noise(X, 0.01, delta, random_state=0)
    return Prepared(noisy, mask, 10, int(mask.sum()))
