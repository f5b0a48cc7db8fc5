"""NKMedians: k-medians that leaves out exactly z points as noise."""

from typing import Any

from nkmeans.engines import Engine
from nkmeans.estimators.retrimming import Retrimming
from nkmeans.pipeline import Fit, nk_means
from nkmeans.problem import Options, Problem
from nkmeans.summarize.coreset import plan_coreset


class NKMedians(Retrimming):
    """k-medians for dirty data: the sum of plain Euclidean distances, without the z farthest.

    The pipeline of NKMeans: a coreset, noise removal at `r = 2 Opt / z`, swaps, and rounds on the
    sample and the data. A centre is the geometric median of its cluster, found by weighted
    Weiszfeld steps; a step away from data that lies exactly at the centre is shortened by that
    data's weight (Vardi, Zhang 2000), so that a centre neither sticks to a point nor divides
    by zero.

    Distances that are not squared let a point inside the clusters pull with the same force
    wherever it is: medians move less than means when z was chosen too small.

    Parameters
    ----------
    n_clusters : int, default=8
    n_outliers : int or float, default=0.01
        As in NKMeans.
    coreset : {"auto", "practical", "theory"} or None, default="auto"
        As in NKMeans.
    n_init : int, default=1
        Runs, of which the one with the lowest cost is kept.
    max_iter : int, default=300
        Most passes over the data. Each assigns all rows and moves each centre by one step.
    tol : float, default=1e-5
        The passes end when a step lowers the cost by less than this share of it.
    n_jobs, random_state, verbose
        As in NKMeans.

    Attributes
    ----------
    cluster_centers_ : float64 ndarray of shape (n_clusters, n_features)
    labels_ : int32 ndarray of shape (n_samples,)
        -1 for outliers.
    inertia_ : float
        The weighted sum of distances without the outliers.
    cluster_spread_ : float64 ndarray of shape (n_clusters,)
        Mean distance from its centre of what each cluster keeps; 0 where that is nothing.
    threshold_ : float
        Distance, not squared, beyond which `predict` says -1.
    outlier_indices_, survival_radius_, core_radius_, coreset_, n_outliers_, n_iter_
        As in NKMeans.

    See Also
    --------
    NKMedoids : any metric, centres that are rows.

    Notes
    -----
    Section 3 of the paper says that the method carries over. E. Weiszfeld, Tohoku Math. J. 43,
    1937; Y. Vardi, C.-H. Zhang: The multivariate L1-median and associated data depth, PNAS 97(4),
    2000, doi:10.1073/pnas.97.4.1423.

    Examples
    --------
    >>> from nkmeans import NKMedians
    >>> from nkmeans.datasets import make_noisy_blobs
    >>> X, centers, outlier_mask = make_noisy_blobs(5000, 5, 2, 100, random_state=0)
    >>> model = NKMedians(n_clusters=5, n_outliers=100, random_state=0).fit(X)
    >>> bool(outlier_mask[model.outlier_indices_].mean() > 0.99)
    True
    """

    _power = 1

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

    def _sample_rate(self, n: int, d: int, z: float) -> float | None:
        return plan_coreset(n, d, self.n_clusters, z, self.coreset).sample_rate

    def _solve(self, engine: Engine, problem: Problem, seed: int) -> Fit:
        options = Options(coreset=self.coreset, max_iter=self.max_iter, tol=self.tol)
        return nk_means(engine, problem, options, seed)
