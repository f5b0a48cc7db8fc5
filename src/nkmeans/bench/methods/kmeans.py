"""k-means++ and Lloyd on all rows, outliers discarded at the end."""

from nkmeans.estimators.coreset_kmeans import CoresetKMeans

NAME, ORDER = "k-means++", 3


def make(k: int, z: int, seed: int) -> CoresetKMeans:
    """The estimator."""
    return CoresetKMeans(k, z, coreset=None, random_state=seed)
