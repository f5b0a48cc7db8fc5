"""All clusterings of the package, and what their costs are: for tests that hold for each."""

import numpy as np

import naive
from nkmeans import (
    CoresetKMeans,
    LocalSearchKMeans,
    NKMeans,
    NKMedians,
    NKMedoids,
    PrimalDualKMeans,
    RobustSeedingKMeans,
    ThresholdKMeans,
    TrimmedKMeans,
    UniformSampleKMeans,
)

CLUSTERERS = [
    NKMeans, TrimmedKMeans, CoresetKMeans, LocalSearchKMeans, PrimalDualKMeans, ThresholdKMeans,
    RobustSeedingKMeans, UniformSampleKMeans, NKMedians, NKMedoids,
]  # fmt: skip


def power(model):
    """1 where the cost is a sum of distances."""
    kind = model if isinstance(model, type) else type(model)
    return 1 if kind in (NKMedians, NKMedoids) else 2


def cost_of(model, X, z, weight=None):
    """The trimmed cost of the model's centres, the slow way."""
    weight = np.ones(len(X)) if weight is None else weight
    price = prices(model, X)
    return (naive.kept_weights(price, weight, z) * price).sum()


def prices(model, X):
    """What a unit of weight costs at each row."""
    return naive.nearest(X, model.cluster_centers_)[1] ** (power(model) / 2)
