"""k-means++ and Lloyd on the coreset."""

from nkmeans.estimators.coreset_kmeans import CoresetKMeans

NAME, ORDER = "k-means++ on coreset", 2


def make(k: int, z: int, seed: int) -> CoresetKMeans:
    """The estimator."""
    return CoresetKMeans(k, z, random_state=seed)
