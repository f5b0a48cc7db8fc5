"""k-means-- on the coreset."""

from nkmeans.estimators.trimmed_kmeans import TrimmedKMeans

NAME, ORDER = "k-means--", 5


def make(k: int, z: int, seed: int) -> TrimmedKMeans:
    """The estimator."""
    return TrimmedKMeans(k, z, random_state=seed)
