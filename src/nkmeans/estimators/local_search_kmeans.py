"""LocalSearchKMeans: single swaps, with outliers let go as the search goes on."""

from typing import Any

import numpy as np

from nkmeans.cluster.local_search import local_search, swap_and_move
from nkmeans.estimators.coreset_method import CoresetMethod, Start
from nkmeans.summarize.coreset import Coreset
from nkmeans.summarize.seeding import seed_in_memory


class LocalSearchKMeans(CoresetMethod):
    """Local search with outliers (Gupta et al. 2017), each swap measured in O(m).

    From k-means++ seeds: swap centres for points while that lowers the cost of what is not
    left out, then leave out z more points where that pays, alone or with a swap, and go on.

    Parameters
    ----------
    n_clusters : int, default=8
    n_outliers : int or float, default=0.01
        As in NKMeans.
    eps : float, default=0.1
        The search goes on while the cost falls by a factor `1 - eps / n_clusters`.
    refine : bool, default=True
        Then go on with exactly z outliers: swaps and trimmed Lloyd rounds in turn, until no
        single swap lowers the trimmed cost. False ends with the published algorithm, whose
        centres are points of the coreset.
    coreset : {"auto", "practical", "theory"} or None, default="auto"
        None runs on all of the data, in time quadratic in its size.
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
    S. Gupta, R. Kumar, K. Lu, B. Moseley, S. Vassilvitskii: Local search methods for k-means with
    outliers, PVLDB 10(7), 2017, pp. 757-768, doi:10.14778/3067421.3067425.

    Examples
    --------
    >>> from nkmeans import LocalSearchKMeans
    >>> from nkmeans.datasets import make_noisy_blobs
    >>> X, _, _ = make_noisy_blobs(1000, 3, 2, 10, random_state=0)
    >>> LocalSearchKMeans(n_clusters=3, n_outliers=10, random_state=0).fit(X).outlier_indices_.size
    10
    """

    def __init__(
        self,
        n_clusters: int = 8,
        n_outliers: float = 0.01,
        *,
        eps: float = 0.1,
        refine: bool = True,
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
        self.eps = eps
        self.refine = refine

    def _start(self, coreset: Coreset, rng: np.random.Generator) -> Start:
        seeds = seed_in_memory(coreset.points, coreset.weights, self.n_clusters, rng).seeds
        if len(seeds) < self.n_clusters:
            return Start(seeds)
        centers, _ = local_search(coreset, seeds, self.eps, rng)
        if self.refine:
            centers = swap_and_move(coreset, centers, self.max_iter, self.tol, rng)
        return Start(centers)
