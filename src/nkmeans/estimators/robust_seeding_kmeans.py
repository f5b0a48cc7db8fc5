"""RobustSeedingKMeans: seeds by a mixture of k-means++ and uniform draws."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.spatial.distance import cdist

from nkmeans.cluster.lloyd import lloyd_in_memory
from nkmeans.estimators.coreset_method import CoresetMethod, Start
from nkmeans.summarize.coreset import Coreset
from nkmeans.summarize.robust_seeding import (
    leave_out_farthest,
    mixed_with_uniform,
    seed_robustly,
)


class RobustSeedingKMeans(CoresetMethod):
    """Robust k-means++ (Deshpande, Kacham, Pratap 2020), then trimmed Lloyd.

    More than k points are drawn, each by a mixture of k-means++ and uniform draws. The points
    drawn, weighted with what is nearest to them, are clustered by k-means--, and its centres
    are where the Lloyd rounds start.

    Parameters
    ----------
    n_clusters : int, default=8
    n_outliers : int or float, default=0.01
        As in NKMeans.
    alpha : float, default=0.5
        Share of k-means++ in the mixture; 0 draws uniformly.
    oversampling : float, default=4.0
        How many times k points are drawn.
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
    A. Deshpande, P. Kacham, R. Pratap: Robust k-means++, UAI 2020, PMLR 124. The
    proceedings have no DOI.

    Examples
    --------
    >>> from nkmeans import RobustSeedingKMeans
    >>> from nkmeans.datasets import make_noisy_blobs
    >>> X, _, _ = make_noisy_blobs(1000, 3, 2, 10, random_state=0)
    >>> model = RobustSeedingKMeans(n_clusters=3, n_outliers=10, random_state=0).fit(X)
    >>> model.outlier_indices_.size
    10
    """

    def __init__(
        self,
        n_clusters: int = 8,
        n_outliers: float = 0.01,
        *,
        alpha: float = 0.5,
        oversampling: float = 4.0,
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
        self.alpha = alpha
        self.oversampling = oversampling

    def _start(self, coreset: Coreset, rng: np.random.Generator) -> Start:
        k = self.n_clusters
        n_seeds = min(math.ceil(self.oversampling * k), len(coreset.points))
        drawn = seed_robustly(coreset, n_seeds, rng, mixed_with_uniform(coreset, self.alpha))
        if len(drawn) <= k:
            return Start(drawn)
        nearest = cdist(drawn, coreset.points, "sqeuclidean").argmin(axis=0)
        weights = np.bincount(nearest, coreset.weights, minlength=len(drawn))
        summary = replace(coreset, points=drawn, weights=weights, spread=np.zeros(len(drawn)))
        seeds = seed_robustly(summary, k, rng, leave_out_farthest(summary))
        if len(seeds) < k:
            return Start(drawn[:k])
        return Start(
            lloyd_in_memory(
                drawn, weights, coreset.n_outliers, seeds, self.max_iter, self.tol
            ).centers
        )
