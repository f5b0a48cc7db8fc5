"""NKMeans: k-means that leaves out exactly z points as noise."""

from typing import Any

from nkmeans.engines import Engine
from nkmeans.estimators.base import OutlierClusterer
from nkmeans.pipeline import Fit, nk_means
from nkmeans.problem import Options, Problem


class NKMeans(OutlierClusterer):
    """k-means for dirty data: leaves out exactly `n_outliers` points and clusters the rest.

    Parameters
    ----------
    n_clusters : int, default=8
    n_outliers : int or float, default=0.01
        How many points to leave out: a count, or a share in [0, 1) of the total weight
        (rounded down when all weights are whole numbers).
    clusterer : estimator, default=None
        Algorithm A of the paper: a scikit-learn style clusterer that finds `n_clusters`
        clusters and has `cluster_centers_` or `labels_`, such as `MiniBatchKMeans()` or
        `BisectingKMeans()`, run on what noise removal leaves. With `refine` it starts the
        refinement, without it its centres are the result. By default k-means++ (and Lloyd
        without `refine`).
    coreset : {"auto", "practical", "theory"} or None, default="auto"
        Size of the coreset: the paper's experiments ("practical"), its theorem ("theory"),
        the experiments' with a floor for small data and few outliers ("auto"), or all
        points, which takes time quadratic in their number (None).
    refine : bool, default=True
        Improve the solution by swaps on the coreset and trimmed Lloyd rounds on the sample
        and the data. False gives the paper's algorithm (with `coreset="practical"` to the
        letter).
    n_init : int, default=1
        Runs, of which the one with the lowest cost is kept.
    max_iter : int, default=300
        Most passes over the data in the refinement.
    tol : float, default=1e-5
        The refinement ends when a round lowers the cost by less than this share of it.
    n_jobs : int, default=None
        Threads. None means all cores (or OMP_NUM_THREADS where that is set), -1 all cores.
        The result does not depend on it.
    random_state : int, RandomState instance or None, default=None
    verbose : int, default=0
        Print a line for each stage.

    Attributes
    ----------
    cluster_centers_ : float64 ndarray of shape (n_clusters, n_features)
    labels_ : int32 ndarray of shape (n_samples,)
        -1 for outliers. Clusters are numbered by their centres' first coordinates.
    inertia_ : float
        Trimmed cost: the weighted sum of squared distances without the outliers.
    outlier_indices_ : ndarray of shape (n,)
        Row numbers of the outliers, increasing; `n_outliers_` of them with unit weights.
        Among points equally far the lower row numbers stay in.
    threshold_ : float
        Squared distance beyond which `predict` says -1; infinite without outliers.
    survival_radius_ : ndarray of shape (m,)
        Noise score of the coreset points: the smallest radius at which noise removal keeps
        them.
    coreset_ : Coreset
        `points`, `weights`, and which rows were sampled (`sample_indices`).
    n_outliers_ : float
        The weight left out.
    n_iter_ : int
        Passes over the data that moved the centres or found that they need not move.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Where X has string column names.

    See Also
    --------
    NoiseFilter : the noise removal alone.
    TrimmedKMeans : k-means--, trimmed Lloyd without noise removal.

    Notes
    -----
    Im, Montazer Qaem, Moseley, Sun, Zhou: Fast Noise Removal for k-Means Clustering, AISTATS
    2020. Time O(n k d) a pass over the data, about five passes altogether on clustered data;
    memory beyond X about 4 bytes a row, 80 bytes an outlier, and the sample.

    Examples
    --------
    >>> from nkmeans import NKMeans
    >>> from nkmeans.datasets import make_noisy_blobs
    >>> X, centers, outlier_mask = make_noisy_blobs(5000, 5, 2, 100, random_state=0)
    >>> model = NKMeans(n_clusters=5, n_outliers=100, random_state=0).fit(X)
    >>> len(model.outlier_indices_)
    100
    >>> bool(outlier_mask[model.outlier_indices_].mean() > 0.99)
    True
    """

    def __init__(
        self,
        n_clusters: int = 8,
        n_outliers: float = 0.01,
        *,
        clusterer: Any = None,
        coreset: str | None = "auto",
        refine: bool = True,
        n_init: int = 1,
        max_iter: int = 300,
        tol: float = 1e-5,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_outliers = n_outliers
        self.clusterer = clusterer
        self.coreset = coreset
        self.refine = refine
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _solve(self, engine: Engine, problem: Problem, seed: int) -> Fit:
        options = Options(self.clusterer, self.coreset, self.refine, self.max_iter, self.tol)
        return nk_means(engine, problem, options, seed)
