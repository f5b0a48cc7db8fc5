"""NK-means, with its refinement."""

from nkmeans.estimators.nk_means import NKMeans

NAME, ORDER = "NK-means", 0


def make(k: int, z: int, seed: int) -> NKMeans:
    """The estimator."""
    return NKMeans(k, z, random_state=seed)
