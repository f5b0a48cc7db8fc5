"""NoiseFilter: the paper's noise removal alone, in front of any clustering."""

from typing import Any, Self

import numpy as np

from nkmeans.data.blocks import Block
from nkmeans.denoise import guesses, measure_radii
from nkmeans.engines import Engine
from nkmeans.estimators.base import DataEstimator
from nkmeans.kernels.distances import smallest_floored
from nkmeans.pipeline import Options, best_guess, summarize_data


class NoiseFilter(DataEstimator):
    """Removes noise so that any k-means can be run on the rest (Algorithm 1 of the paper).

    A point is heavy at radius r when points of weight at least 2z lie within r of it. A point is
    removed when no heavy point lies within r of it. The radius comes from the best of the
    paper's guesses of the optimal cost, powers of two: the one whose survivors, clustered by
    k-means++ and Lloyd, have the lowest trimmed cost.

    How many points go is up to the data. At the true optimum it is at most
    `2z + 3z * (number of optimal clusters smaller than 3z)`.

    Parameters
    ----------
    n_clusters : int, default=8
    n_outliers : int or float, default=0.01
        z, as in NKMeans.
    coreset : {"auto", "practical", "theory"} or None, default="auto"
        Which points stand for the data as heavy points; None takes all of them, in time
        quadratic in their number.
    n_jobs : int, default=None
        Threads; None means all cores.
    random_state : int, RandomState instance or None, default=None

    Attributes
    ----------
    inlier_mask_ : bool ndarray of shape (n_samples,)
        The rows that survive.
    survival_radius_ : float64 ndarray of shape (n_samples,)
        The smallest radius at which each row survives: a noise score, higher = noisier.
    radius_ : float
        The radius used; infinite where removing nothing was best.
    coreset_ : Coreset
    n_outliers_ : float
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Where X has string column names.

    Examples
    --------
    >>> from sklearn.cluster import KMeans
    >>> from nkmeans import NoiseFilter
    >>> from nkmeans.datasets import make_noisy_blobs
    >>> X, centers, outlier_mask = make_noisy_blobs(2000, 4, 2, 40, noise_range=2.5, random_state=0)
    >>> X_clean = NoiseFilter(n_clusters=4, n_outliers=40, random_state=0).fit_resample(X)
    >>> model = KMeans(n_clusters=4, n_init=1, random_state=0).fit(X_clean)
    """

    def __init__(
        self,
        n_clusters: int = 8,
        n_outliers: float = 0.01,
        *,
        coreset: str | None = "auto",
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_outliers = n_outliers
        self.coreset = coreset
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: None = None, sample_weight: Any = None) -> Self:
        """Measure survival radii and choose the radius.

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
            (seed,) = self._seeds(1)
            sample, coreset = summarize_data(engine, problem, self.coreset, False, seed)
            radii = measure_radii(engine, coreset.points, coreset.weights, coreset.n_outliers)
            options = Options(coreset=self.coreset, refine=False)
            radius2 = best_guess(engine, problem, options, sample, coreset, radii, seed)
            self._origin = problem.survey.origin
            self._core2 = radii.core2
            self.coreset_ = coreset.moved(problem.survey.origin)
            self.n_outliers_ = problem.n_outliers
            self.radius_ = float(np.sqrt(radius2))
            self.survival_radius_ = self._survival_radius(engine, self._origin)
            self.inlier_mask_ = self.survival_radius_ <= self.radius_
        return self
