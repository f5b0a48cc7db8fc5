"""k-means++ made robust: draws that far points cannot dominate."""

from collections.abc import Callable

import numpy as np

from nkmeans.kernels.select import trim_farthest
from nkmeans.summarize.coreset import Coreset

# What turns squared distances to the nearest seed into the shares of the next draw.
Shares = Callable[[np.ndarray], np.ndarray]


def seed_robustly(
    coreset: Coreset, n_seeds: int, rng: np.random.Generator, shares: Shares
) -> np.ndarray:
    """Draw seeds one by one, the first by weight, the next by `shares(dist2)`.

    Returns
    -------
    seeds : ndarray of shape (n_seeds, d), fewer rows where no share is left
    """
    points, rows = coreset.points, np.empty(n_seeds, dtype=np.int64)
    dist2 = np.full(len(points), np.inf)
    for number in range(n_seeds):
        share = shares(dist2) if number else coreset.weights
        # A point that is a seed already is not drawn again, nor are its duplicates.
        ends = np.cumsum(np.where(dist2 > 0, share, 0.0))
        if not ends[-1] > 0:
            return points[rows[:number]]
        row = int(np.searchsorted(ends, rng.random() * ends[-1], side="right"))
        rows[number] = min(row, int(np.searchsorted(ends, ends[-1])))
        to_seed = ((points - points[rows[number]]).astype(np.float64) ** 2).sum(axis=1)
        np.minimum(dist2, to_seed, out=dist2)
    return points[rows]


def leave_out_farthest(coreset: Coreset) -> Shares:
    """Squared distance times weight, without the z farthest; all of them where no other is left."""
    kept = np.empty(len(coreset.weights))

    def shares(dist2: np.ndarray) -> np.ndarray:
        trim_farthest(dist2, coreset.weights, coreset.n_outliers, kept)
        near = kept * dist2
        return near if near.any() else coreset.weights * dist2

    return shares


def at_most(coreset: Coreset, threshold: float) -> Shares:
    """The lesser of squared distance and threshold, times weight (Bhaskara et al. 2019)."""
    return lambda dist2: coreset.weights * np.minimum(dist2, threshold)


def mixed_with_uniform(coreset: Coreset, alpha: float) -> Shares:
    """`alpha` parts squared distance, the rest weight alone (Deshpande et al. 2020)."""
    uniform = coreset.weights / coreset.weights.sum()

    def shares(dist2: np.ndarray) -> np.ndarray:
        squared = coreset.weights * dist2
        total = squared.sum()
        return alpha * squared / total + (1 - alpha) * uniform if total > 0 else uniform

    return shares
