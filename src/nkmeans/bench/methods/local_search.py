"""Local search on the coreset."""

from nkmeans.estimators.local_search_kmeans import LocalSearchKMeans

NAME, ORDER = "local search", 4


def make(k: int, z: int, seed: int) -> LocalSearchKMeans:
    """The estimator."""
    return LocalSearchKMeans(k, z, random_state=seed)
