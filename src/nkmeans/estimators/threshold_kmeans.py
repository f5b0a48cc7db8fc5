"""ThresholdKMeans: k-means++ with squared distances cut off at a threshold."""

from typing import Any

import numpy as np

from nkmeans.estimators.coreset_method import CoresetMethod, Start
from nkmeans.summarize.coreset import Coreset
from nkmeans.summarize.robust_seeding import at_most, seed_robustly
from nkmeans.summarize.seeding import seed_in_memory

# Guesses of the optimal cost: so many halvings of the cost of k-means++ seeds.
GUESSES = 20


class ThresholdKMeans(CoresetMethod):
    """Thresholded k-means++ (Bhaskara, Vadgama, Xu 2019), then trimmed Lloyd.

    Seeds are drawn with probability proportional to `min(dist2, beta Opt / z)`: no point, however
    far, has more of a say than the threshold. Opt is guessed, by powers of two below the cost
    of k-means++ seeds, and the seeds of least trimmed cost are kept.

    Parameters
    ----------
    n_clusters : int, default=8
    n_outliers : int or float, default=0.01
        As in NKMeans. Without outliers there is no threshold: this is k-means++.
    beta : float, default=1.0
        Lower thresholds draw fewer outliers, and discover small clusters later.
    coreset : {"auto", "practical", "theory"} or None, default="auto"
        None runs on all of the data.
    n_init, max_iter, tol, n_jobs, random_state, verbose
        As in NKMeans.

    Attributes
    ----------
    cluster_centers_, labels_, inertia_, outlier_indices_, threshold_, n_outliers_, n_iter_,
    cluster_spread_
        As in NKMeans.
    coreset_ : Coreset
        Unless `coreset=None`.

    Notes
    -----
    A. Bhaskara, S. Vadgama, H. Xu: Greedy sampling for approximate clustering in the presence of
    outliers, NeurIPS 2019. The proceedings have no DOI.

    Examples
    --------
    >>> from nkmeans import ThresholdKMeans
    >>> from nkmeans.datasets import make_noisy_blobs
    >>> X, _, _ = make_noisy_blobs(1000, 3, 2, 10, random_state=0)
    >>> ThresholdKMeans(n_clusters=3, n_outliers=10, random_state=0).fit(X).outlier_indices_.size
    10
    """

    def __init__(
        self,
        n_clusters: int = 8,
        n_outliers: float = 0.01,
        *,
        beta: float = 1.0,
        coreset: str | None = "auto",
        n_init: int = 1,
        max_iter: int = 300,
        tol: float = 1e-5,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            n_clusters,
            n_outliers,
            coreset=coreset,
            n_init=n_init,
            max_iter=max_iter,
            tol=tol,
            n_jobs=n_jobs,
            random_state=random_state,
            verbose=verbose,
        )
        self.beta = beta

    def _start(self, coreset: Coreset, rng: np.random.Generator) -> Start:
        k, z = self.n_clusters, coreset.n_outliers
        best = seed_in_memory(coreset.points, coreset.weights, k, rng).seeds
        if len(best) < k or z <= 0:
            return Start(best)
        least = first = coreset.trimmed_cost(best)
        for halvings in range(GUESSES):
            threshold = self.beta * first / 2**halvings / z
            seeds = seed_robustly(coreset, k, rng, at_most(coreset, threshold))
            cost = coreset.trimmed_cost(seeds)
            if cost < least:
                best, least = seeds, cost
        return Start(best)
