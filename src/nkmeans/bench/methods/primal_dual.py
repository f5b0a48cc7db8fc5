"""Primal-dual on the coreset."""

from nkmeans.estimators.primal_dual_kmeans import PrimalDualKMeans

NAME, ORDER = "primal-dual", 1


def make(k: int, z: int, seed: int) -> PrimalDualKMeans:
    """The estimator."""
    return PrimalDualKMeans(k, z, random_state=seed)
