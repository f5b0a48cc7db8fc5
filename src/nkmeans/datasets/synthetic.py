"""Planted clusters and uniform noise, as in the paper's experiments."""

from numbers import Integral
from typing import Any

import numpy as np
from sklearn.metrics import pairwise_distances_argmin_min
from sklearn.utils import check_random_state

RandomState = int | np.random.RandomState | None


def _generator(random_state: Any) -> np.random.Generator:
    """NumPy's newer generator from scikit-learn's kind of seed."""
    return np.random.default_rng(check_random_state(random_state).randint(2**31 - 1))


def make_noisy_blobs(
    n_samples: int = 1000,
    n_clusters: int = 10,
    n_features: int = 2,
    n_outliers: int = 50,
    *,
    noise_range: float = 0.5,
    sigma: float = 0.01,
    random_state: RandomState = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Gaussian clusters with centres in [-1/2, 1/2]^d, and uniform noise.

    Parameters
    ----------
    n_samples : int, default=1000
        Number of cluster points, in equal parts (the first clusters get one more each where
        it does not divide).
    n_clusters, n_features : int
    n_outliers : int, default=50
        Number of noise points, added to the `n_samples` cluster points.
    noise_range : float, default=0.5
        Noise is uniform in [-noise_range, noise_range]^d.
    sigma : float, default=0.01
        Standard deviation of the clusters. The paper's text says 1, its tables fit 0.01.
    random_state : int, RandomState instance or None, default=None

    Returns
    -------
    X : ndarray of shape (n_samples + n_outliers, n_features), shuffled
    centers : ndarray of shape (n_clusters, n_features)
        The planted centres.
    outlier_mask : bool ndarray of shape (n_samples + n_outliers,)
        Marks the `n_outliers` rows farthest from the planted centres, as the paper does.

    Examples
    --------
    >>> from nkmeans.datasets import make_noisy_blobs
    >>> X, centers, outlier_mask = make_noisy_blobs(500, 5, 3, 20, random_state=0)
    >>> X.shape, centers.shape, int(outlier_mask.sum())
    ((520, 3), (5, 3), 20)
    """
    if n_clusters < 1 or n_samples < n_clusters:
        raise ValueError(
            "n_clusters of make_noisy_blobs must be in [1, n_samples]; "
            f"got {n_clusters} with n_samples={n_samples}."
        )
    if n_outliers < 0:
        raise ValueError(f"n_outliers of make_noisy_blobs must be at least 0; got {n_outliers}.")
    for name, value in (("noise_range", noise_range), ("sigma", sigma)):
        if not value >= 0:
            raise ValueError(f"{name} of make_noisy_blobs must be at least 0; got {value}.")
    rng = _generator(random_state)
    centers = rng.uniform(-0.5, 0.5, (n_clusters, n_features))
    X = np.empty((n_samples + n_outliers, n_features))
    rng.standard_normal(out=X[:n_samples])
    X[:n_samples] *= sigma
    X[:n_samples] += centers[np.sort(np.arange(n_samples) % n_clusters)]
    X[n_samples:] = rng.uniform(-noise_range, noise_range, (n_outliers, n_features))
    rng.shuffle(X, axis=0)
    outlier_mask = np.zeros(len(X), dtype=bool)
    if n_outliers:
        _, distance = pairwise_distances_argmin_min(X, centers)
        outlier_mask[np.argpartition(distance, -n_outliers)[-n_outliers:]] = True
    return X, centers, outlier_mask


def add_uniform_noise(
    X: np.ndarray, share: float = 0.01, delta: float = 5.0, random_state: RandomState = None
) -> tuple[np.ndarray, np.ndarray]:
    """X with uniform noise appended, and a mask of the rows that are noise.

    Parameters
    ----------
    X : ndarray of shape (n, d)
        Usually standardized.
    share : float, default=0.01
        `int(share * n)` rows are appended.
    delta : float, default=5.0
        Noise is uniform in [-delta, delta]^d.
    random_state : int, RandomState instance or None, default=None
        An int seeds `numpy.random.default_rng` itself, so the noise is that of
        `default_rng(random_state).uniform(-delta, delta, (z, d))`.

    Returns
    -------
    X_noisy : ndarray of shape (n + z, d), of X's floating dtype
    noise_mask : bool ndarray of shape (n + z,)

    Examples
    --------
    >>> import numpy as np
    >>> X_noisy, noise_mask = add_uniform_noise(np.zeros((200, 2)), 0.05, random_state=0)
    >>> X_noisy.shape, int(noise_mask.sum())
    ((210, 2), 10)
    """
    X = np.asarray(X)
    if X.ndim != 2:
        raise ValueError(f"X of add_uniform_noise must be 2-D; got {X.ndim} dimensions.")
    if not share >= 0:
        raise ValueError(f"share of add_uniform_noise must be at least 0; got {share}.")
    if not delta >= 0:
        raise ValueError(f"delta of add_uniform_noise must be at least 0; got {delta}.")
    if isinstance(random_state, Integral):
        rng = np.random.default_rng(int(random_state))
    else:
        rng = _generator(random_state)
    n_noise = int(share * len(X))
    noise = rng.uniform(-delta, delta, (n_noise, X.shape[1]))
    dtype = X.dtype if X.dtype.kind == "f" else np.dtype(float)
    noisy = np.concatenate([X.astype(dtype, copy=False), noise.astype(dtype)])
    noise_mask = np.arange(len(noisy)) >= len(X)
    return noisy, noise_mask
