"""CoresetKMeans: plain k-means++ and Lloyd on the coreset, outliers discarded at the end."""

from typing import Any

from nkmeans.engines import Engine
from nkmeans.estimators.base import OutlierClusterer
from nkmeans.estimators.trimmed_kmeans import seed_then_lloyd
from nkmeans.pipeline import Fit
from nkmeans.problem import Problem


class CoresetKMeans(OutlierClusterer):
    """k-means++ and Lloyd on the coreset, blind to noise until the z farthest are discarded.

    One of the paper's rivals: fast, and as easily led astray by far noise as plain k-means.

    Parameters
    ----------
    n_clusters : int, default=8
    n_outliers : int or float, default=0.01
        As in NKMeans.
    coreset : {"auto", "practical", "theory"} or None, default="auto"
        None runs on all of the data: plain k-means++, with outliers discarded at the end.
    n_init, max_iter, tol, n_jobs, random_state, verbose
        As in NKMeans.

    Attributes
    ----------
    cluster_centers_, labels_, inertia_, outlier_indices_, threshold_, n_outliers_, n_iter_
        As in NKMeans.
    coreset_ : Coreset
        Unless `coreset=None`.

    Notes
    -----
    D. Arthur, S. Vassilvitskii: k-means++: The advantages of careful seeding, SODA 2007; "k-means++
    (on coreset)" in section 5 of the paper.

    Examples
    --------
    >>> from nkmeans import CoresetKMeans
    >>> from nkmeans.datasets import make_noisy_blobs
    >>> X, _, _ = make_noisy_blobs(1000, 3, 2, 10, random_state=0)
    >>> CoresetKMeans(n_clusters=3, n_outliers=10, random_state=0).fit(X).outlier_indices_.size
    10
    """

    def __init__(
        self,
        n_clusters: int = 8,
        n_outliers: float = 0.01,
        *,
        coreset: str | None = "auto",
        n_init: int = 1,
        max_iter: int = 300,
        tol: float = 1e-5,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_outliers = n_outliers
        self.coreset = coreset
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _solve(self, engine: Engine, problem: Problem, seed: int) -> Fit:
        return seed_then_lloyd(
            engine, problem, self.coreset, self.max_iter, self.tol, seed, trims=False
        )
