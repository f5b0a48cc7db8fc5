"""Swap-based local search on the coreset, under the trimmed cost."""

import numpy as np

from nkmeans.cluster.lloyd import Solution, lloyd_in_memory
from nkmeans.kernels.swaps import swap_search
from nkmeans.summarize.coreset import Coreset

# Candidates tried for each start. On the paper's 16 data sets 40 leave no wrong fit.
SWAP_ROUNDS = 40


def improve_on_coreset(
    coreset: Coreset,
    centers: np.ndarray,
    rng: np.random.Generator,
    power: int,
    rounds: int = SWAP_ROUNDS,
) -> Solution:
    """Swaps, then trimmed Lloyd, on the whole coreset.

    Noise removal finds centres that no far noise can take; swaps mend what it misses where
    noise is near. Neither suffices alone.
    """
    centers = centers.astype(coreset.points.dtype)
    points, weights, spread, z = coreset.points, coreset.weights, coreset.spread, coreset.n_outliers
    swap_search(points, weights, spread, z, power, centers, rng.random(rounds))
    return lloyd_in_memory(points, weights, z, centers, 50, 1e-4, spread, power)
