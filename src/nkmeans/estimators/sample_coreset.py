"""SampleCoreset: a weighted set of O(k log n) points that stands for the data."""

from typing import Any, Self

from nkmeans.estimators.base import DataEstimator
from nkmeans.pipeline import summarize_data
from nkmeans.summarize.coreset import plan_coreset


class SampleCoreset(DataEstimator):
    """A coreset for k-means with outliers (Algorithm 2 of the paper).

    A Bernoulli sample of the rows, cut into cells by k-means++; each cell becomes one
    weighted point. Solve `points_` with `weights_`, leaving out the weight `n_outliers_`, and the
    centres are good for the data.

    Parameters
    ----------
    n_clusters : int, default=8
    n_outliers : int or float, default=0.01
        As in NKMeans.
    constants : {"practical", "theory"}, default="practical"
        The paper's experiments: sampling rate `p = min(2.5 k ln(n) / z, 1)` and `k + p z`
        cells; or its theorem: `p = max(36/z ln(4 n k^2 / z), 36 k/z ln(2 k^3))` and
        `32 (k + 2.5 p z)` cells to be solved with 2.5 z outliers, or all rows and
        `32 (k + z)` cells when p > 1.
    representatives : {"mean", "seed"}, default="mean"
        What stands for a cell: its mean, which loses nothing for k-means, or the seed it was
        grown from, as in the paper.
    n_jobs : int, default=None
        Threads; None means all cores.
    random_state : int, RandomState instance or None, default=None

    Attributes
    ----------
    points_ : float64 ndarray of shape (m, n_features)
    weights_ : float64 ndarray of shape (m,)
        Scaled by one over the sampling rate, so they sum to about the weight of X.
    n_outliers_ : float
        The weight to leave out when solving the coreset, on the same scale.
    sample_indices_ : ndarray of shape (s,)
        The rows that were sampled. With more than 65536 rows and a rate of 1 the coreset is
        made of all rows, and this is the part of them drawn into memory besides.
    sampling_rate_ : float
        Share of the rows that the coreset was made of.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Where X has string column names.

    Notes
    -----
    With more than 64 features, or more than 65536 rows at a rate of 1, cells come from
    k-means|| (several seeds a pass; Bahmani et al. 2012) instead of k-means++.

    Examples
    --------
    >>> from nkmeans import SampleCoreset
    >>> from nkmeans.datasets import make_noisy_blobs
    >>> X, _, _ = make_noisy_blobs(50_000, 5, 2, 2000, random_state=0)
    >>> coreset = SampleCoreset(n_clusters=5, n_outliers=2000, random_state=0).fit(X)
    >>> coreset.points_.shape
    (141, 2)
    """

    def __init__(
        self,
        n_clusters: int = 8,
        n_outliers: float = 0.01,
        *,
        constants: str = "practical",
        representatives: str = "mean",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_outliers = n_outliers
        self.constants = constants
        self.representatives = representatives
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _sample_rate(self, n: int, d: int, z: float) -> float | None:
        return plan_coreset(n, d, self.n_clusters, z, self.constants).sample_rate

    def fit(self, X: Any, y: None = None, sample_weight: Any = None) -> Self:
        """Make the coreset of X.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : ignored
        sample_weight : array-like of shape (n_samples,), default=None

        Returns
        -------
        self
        """
        with self._fitting(X, sample_weight) as (engine, problem):
            means = self.representatives == "mean"
            _, relative = summarize_data(engine, problem, self.constants, means, problem.seeds[0])
            coreset = relative.moved(problem.survey.origin)
            self.points_ = coreset.points
            self.weights_ = coreset.weights
            self.n_outliers_ = coreset.n_outliers
            self.sample_indices_ = coreset.sample_indices
            self.sampling_rate_ = coreset.rate
        return self
