"""NoiseFilter: the paper's noise removal alone, in front of any clustering."""

import warnings
from typing import Any, Self

import numpy as np
from sklearn.utils import check_consistent_length

from nkmeans.cluster.refine import best_on_sample
from nkmeans.cluster.starts import seed_and_lloyd
from nkmeans.cluster.survivors import distinct_rows, pull_back
from nkmeans.denoise import Survivors, measure_radii, survival_radius, survivor_sets
from nkmeans.engines import Engine, engine_for, local
from nkmeans.estimators.base import DataEstimator
from nkmeans.pipeline import summarize_data
from nkmeans.problem import Problem
from nkmeans.summarize.coreset import Coreset, plan_coreset
from nkmeans.summarize.sample import Sample


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

    def _sample_rate(self, n: int, d: int, z: float) -> float | None:
        return plan_coreset(n, d, self.n_clusters, z, self.coreset).sample_rate

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
            (seed,) = problem.seeds
            sample, coreset = summarize_data(engine, problem, self.coreset, False, seed)
            if 2 * coreset.n_outliers > coreset.weights.sum():
                warnings.warn(
                    f"n_outliers of NoiseFilter is {problem.n_outliers:g} of "
                    f"{problem.survey.total_weight:g}: with twice that above all weight no point "
                    "can be heavy, and nothing is removed.",
                    stacklevel=2,
                )
            radii = measure_radii(engine, coreset.points, coreset.weights, coreset.n_outliers)
            sets = survivor_sets(radii, coreset.weights, coreset.n_outliers)
            self._origin = problem.survey.origin
            self._core2 = radii.core2
            self.coreset_ = coreset.moved(self._origin)
            self.n_outliers_ = problem.n_outliers
            self.radius_ = best_radius(engine, problem, sample, coreset, sets, seed)
            self.survival_radius_ = survival_radius(
                engine, self._origin, self.coreset_.points, self._core2
            )
            self.inlier_mask_ = self.survival_radius_ <= self.radius_
        return self

    def fit_resample(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Fit, and return the rows of X (and of y, when given) that survive.

        The convention is imbalanced-learn's; frames come back as frames.
        """
        if engine_for(X) is not local:
            raise TypeError(
                "X of fit_resample must be in memory: rows are taken from it; "
                f"got {type(X).__name__}. fit has inlier_mask_."
            )
        if y is not None:
            check_consistent_length(X, y)
        self.fit(X, sample_weight=sample_weight)
        rows = np.flatnonzero(self.inlier_mask_)
        return take_rows(X, rows) if y is None else (take_rows(X, rows), take_rows(y, rows))

    def score_samples(self, X: Any) -> np.ndarray:
        """Minus the survival radius of each row: the lower, the more abnormal."""
        with self._looking(X) as (engine, origin):
            return -survival_radius(engine, origin, self.coreset_.points, self._core2)


def best_radius(
    engine: Engine,
    problem: Problem,
    sample: Sample,
    coreset: Coreset,
    sets: list[Survivors],
    seed: int,
) -> float:
    """The radius whose survivors, clustered, have the least trimmed cost on the sample."""
    radii, solutions = [], []
    for survivors in sets:
        points, weight = pull_back(survivors, coreset, sample)
        rng = np.random.default_rng([seed, 1])
        centers = seed_and_lloyd(points, weight, problem.n_clusters, rng)
        if centers is not None:
            solutions.append(centers)
            radii.append(float(np.sqrt(survivors.radius2)))
    if not solutions:
        distinct_rows(engine, problem, seed)
        return np.inf
    return radii[best_on_sample(engine, sample, solutions, problem.n_outliers, rounds=0)[0]]


def take_rows(data: Any, rows: np.ndarray) -> Any:
    """Rows of an array, a list, or a pandas or polars frame or series."""
    if hasattr(data, "iloc"):
        return data.iloc[rows]
    return data[rows] if hasattr(data, "shape") else np.asarray(data)[rows]
