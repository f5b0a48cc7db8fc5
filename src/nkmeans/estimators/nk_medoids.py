"""NKMedoids: k-medoids in any metric that leaves out exactly z rows as noise."""

from collections.abc import Callable, Iterator
from typing import Any, Self

import numpy as np

from nkmeans.assign import means_of, weight_of_block
from nkmeans.cluster.lower_bound import MOST_POINTS
from nkmeans.cluster.medoids import Cells, filled_up, improve_on_rows, seed_cells, solve_coreset
from nkmeans.cluster.metric_space import MetricSpace
from nkmeans.engines import Engine, engine_for, local
from nkmeans.estimators.base import OutlierClusterer
from nkmeans.kernels.select import trim_farthest
from nkmeans.problem import Problem
from nkmeans.summarize.coreset import plan_coreset
from nkmeans.summarize.sample import draw_sample

# Up to this many rows all pairs are kept: they are their own coreset.
MOST_PAIRED = 2000
# Up to this many rows medoids are looked for among all rows; of more, a sample is drawn.
MOST_ROWS = 50_000


class NKMedoids(OutlierClusterer):
    """k-medoids for dirty data, in any metric: centres are rows, the z farthest are left out.

    The steps of NKMeans with nothing but distances: a coreset of rows drawn in proportion to
    their distance, noise removal at `r = 2 Opt / z`, swap-based local search on the coreset,
    then swaps with the rows around each medoid. Up to 2000 rows are their own coreset, and no
    single swap with any row lowers the cost of the result. Distances are computed as needed:
    n times the coreset and some hundreds of k, never n x n.

    Parameters
    ----------
    n_clusters : int, default=8
    n_outliers : int or float, default=0.01
        As in NKMeans.
    metric : str or callable, default="euclidean"
        A name that `sklearn.metrics.pairwise_distances` knows ("manhattan", "cosine",
        "chebyshev", "haversine", ...), a function of two rows, or "precomputed": X is then the
        matrix of distances, entry (i, j) from row i to row j. It need not be a metric in the
        strict sense, only finite and not negative.
    coreset : {"auto", "practical", "theory"} or None, default="auto"
        Number of coreset rows, as in NKMeans; None takes all rows, at most 5000, and their pairs.
    n_init, n_jobs, random_state, verbose
        As in NKMeans.

    Attributes
    ----------
    medoid_indices_ : int64 ndarray of shape (n_clusters,)
        The rows that are centres, by their coordinates (by number with "precomputed").
    cluster_centers_ : ndarray of shape (n_clusters, n_features), or None
        Those rows; None with metric "precomputed".
    labels_ : int32 ndarray of shape (n_samples,)
        -1 for outliers.
    inertia_ : float
        The weighted sum of distances without the outliers.
    threshold_ : float
        Distance beyond which `predict` says -1.
    survival_radius_ : ndarray of shape (m,)
        Noise score of the coreset's rows.
    core_radius_ : ndarray of shape (m,)
        How far from each of them twice the weight to leave out is reached.
    coreset_indices_ : int64 ndarray of shape (m,)
        The rows that are the coreset.
    coreset_points_ : ndarray of shape (m, n_features), or None
        Those rows; None with metric "precomputed".
    cluster_spread_ : float64 ndarray of shape (n_clusters,)
        Mean distance from its medoid of what each cluster keeps; 0 where that is nothing.
    sample_indices_ : int64 ndarray of shape (s,)
        The rows among which medoids were looked for: all that have weight, or a sample of
        more than 50 000.
    outlier_indices_, n_outliers_, n_iter_
        As in NKMeans; `n_iter_` counts the rounds of swaps on the rows.

    Notes
    -----
    Section 3 of the paper says that the method carries over to general metrics. Of more than
    50 000 rows a sample of that many is where medoids are looked for; all rows are labelled.

    Examples
    --------
    >>> from nkmeans import NKMedoids
    >>> from nkmeans.datasets import make_noisy_blobs
    >>> X, centers, outlier_mask = make_noisy_blobs(5000, 5, 2, 100, random_state=0)
    >>> model = NKMedoids(n_clusters=5, n_outliers=100, metric="manhattan", random_state=0).fit(X)
    >>> bool(outlier_mask[model.outlier_indices_].mean() > 0.95)
    True
    >>> bool((X[model.medoid_indices_] == model.cluster_centers_).all())
    True
    """

    _power = 1
    _chooses = False

    def __init__(
        self,
        n_clusters: int = 8,
        n_outliers: float = 0.01,
        *,
        metric: str | Callable = "euclidean",
        coreset: str | None = "auto",
        n_init: int = 1,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_outliers = n_outliers
        self.metric = metric
        self.coreset = coreset
        self.n_init = n_init
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def fit(self, X: Any, y: None = None, sample_weight: Any = None) -> Self:
        """Cluster X, leaving out exactly `n_outliers` of its weight.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), or (n_samples, n_samples)
            The latter, distances, with metric "precomputed".
        y : ignored
        sample_weight : array-like of shape (n_samples,), default=None
            A weight w counts as w copies of the row.

        Returns
        -------
        self
        """
        if engine_for(X) is not local:
            raise TypeError("X of NKMedoids must be in memory: any two rows may be compared.")
        with self._fitting(X, sample_weight) as (engine, problem):
            space = self._space(engine_for(X).prepare(self, X, False), engine)
            space.check()
            weight = np.concatenate(list(engine.map(weight_of_block)))
            runs = (self._run(space, weight, problem, seed) for seed in problem.seeds)
            for name, value in min(runs, key=lambda run: run["inertia_"]).items():
                setattr(self, name, value)
            self._origin = problem.survey.origin
            self._remember(problem.survey)
            self._n_features_out = problem.n_clusters
        return self

    def label_source(self, source: Any, sample_weight: Any = None) -> Iterator[np.ndarray]:
        """Not for medoids: they are found in memory, and so are the labels."""
        raise TypeError("NKMedoids has its labels in memory: labels_.")

    def _run(
        self, space: MetricSpace, weight: np.ndarray, problem: Problem, seed: int
    ) -> dict[str, Any]:
        """One run: the attributes of the fitted estimator."""
        survey, k = problem.survey, problem.n_clusters
        n, rng = survey.n_weighted, np.random.default_rng([seed, 0])
        if self.coreset is None and n > MOST_POINTS:
            raise ValueError(
                f"{problem.who} with coreset=None keeps all pairs of rows in memory and takes at "
                f'most {MOST_POINTS} of them; got {n}. Use coreset="auto".'
            )
        sample = draw_sample(space.engine, survey, min(MOST_ROWS / n, 1.0), seed)
        rows, row_weight = sample.rows, sample.weight
        problem.log(f"sample: {len(rows)} of {len(weight)} rows")
        cells = self._cells(space, rows, row_weight, problem, rng)
        if len(cells.seeds) < k:  # of all rows, before this is an error
            rows = np.flatnonzero(weight)
            row_weight = weight[rows]
            seeds = seed_cells(space, rows, row_weight, k, rng).seeds
            seeds = filled_up(seeds, self._distinct(space, rows, problem), k)
            cells = Cells(seeds, np.full(k, row_weight.sum() / k))
        chosen = rows[cells.seeds]
        problem.log(f"summarize: {len(chosen)} rows")
        pairs = space.between(chosen, chosen)
        solutions, radii = solve_coreset(pairs, cells.weight, k, problem.n_outliers, rng)
        problem.log(f"denoise: {len(solutions)} solutions")
        found = [
            improve_on_rows(space, rows, row_weight, problem.n_outliers, cells.seeds[medoids])
            for medoids in solutions
        ]
        cost, medoids, n_iter = min(found, key=lambda solution: solution[0])
        problem.log(f"swap: cost {cost:.6g} after {n_iter} rounds")
        medoids = rows[medoids]
        if not self._precomputed():
            medoids = medoids[np.lexsort(space.data[medoids].T[::-1])]
        return {
            "medoid_indices_": medoids,
            "n_iter_": n_iter,
            **radii.attributes(),
            "coreset_indices_": chosen,
            "coreset_points_": None if self._precomputed() else space.data[chosen],
            "sample_indices_": rows,
            **self._label(space, weight, problem, medoids),
        }

    def _label(
        self, space: MetricSpace, weight: np.ndarray, problem: Problem, medoids: np.ndarray
    ) -> dict[str, Any]:
        """All rows to their nearest medoid, exactly z left out."""
        to_medoid = space.between(slice(None), medoids)
        labels, dist = to_medoid.argmin(axis=0).astype(np.int32), to_medoid.min(axis=0)
        kept = np.empty(len(weight))
        cost, cut = trim_farthest(dist, weight, problem.n_outliers, kept)
        mass, costs = (np.bincount(labels, w, minlength=len(medoids)) for w in (kept, kept * dist))
        labels[(dist > cut) | ((kept == 0) & (weight > 0))] = -1
        return {
            "cluster_centers_": None if self._precomputed() else space.data[medoids],
            "labels_": labels,
            "inertia_": cost,
            "cluster_spread_": means_of(costs, mass),
            "threshold_": cut,
            "outlier_indices_": np.flatnonzero(labels < 0),
            "n_outliers_": problem.n_outliers,
        }

    def _cells(
        self,
        space: MetricSpace,
        rows: np.ndarray,
        weight: np.ndarray,
        problem: Problem,
        rng: np.random.Generator,
    ) -> Cells:
        """The coreset: all rows where they are few, else seeds and the weight around them."""
        survey, k = problem.survey, problem.n_clusters
        n, z = survey.n_weighted, problem.n_outliers * survey.n_weighted / survey.total_weight
        plan = plan_coreset(n, len(survey.origin), k, z, self.coreset)
        few = self.coreset == "auto" and len(rows) <= MOST_PAIRED
        if self.coreset is not None and not few and plan.n_cells < len(rows):
            return seed_cells(space, rows, weight, plan.n_cells, rng)
        seeds = seed_cells(space, rows, weight, k, rng).seeds
        return Cells(np.arange(len(rows)) if len(seeds) == k else seeds, weight)

    def _distinct(self, space: MetricSpace, rows: np.ndarray, problem: Problem) -> np.ndarray:
        """Places in `rows` of rows that differ; an error where they are fewer than k."""
        k = problem.n_clusters
        if self._precomputed():
            return np.arange(len(rows))
        _, first = np.unique(space.data[rows], axis=0, return_index=True)
        if len(first) < k:
            raise ValueError(
                f"n_clusters of {problem.who} must be at most the number of distinct rows; "
                f"got {k} with {len(first)} distinct rows."
            )
        return np.sort(first)

    def _precomputed(self) -> bool:
        return isinstance(self.metric, str) and self.metric == "precomputed"

    def _space(self, data: np.ndarray, engine: Engine) -> MetricSpace:
        return MetricSpace(data, self.metric, engine, type(self).__name__)

    def _to_medoids(self, X: Any, sample_weight: Any = None) -> tuple[np.ndarray, np.ndarray, Any]:
        """Distances of shape (n_samples, n_clusters), the weights, and the survey of new data."""
        with self._opened(X, sample_weight) as (engine, facts):
            space = self._space(engine_for(X).prepare(self, X, False), engine)
            weight = np.concatenate(list(engine.map(weight_of_block)))
            if self._precomputed():
                return space.between(slice(None), self.medoid_indices_).T, weight, facts
            return space.measure(space.data, self.cluster_centers_).T, weight, facts

    def predict(self, X: Any, assign_outliers: bool = False) -> np.ndarray:
        """Nearest medoid of each row, -1 where it is farther than anything kept in fit.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            With metric "precomputed" distances to the rows of fit, of shape
            (n_samples, n_samples of fit).
        assign_outliers : bool, default=False
            Give far rows their nearest medoid too.

        Returns
        -------
        labels : int32 ndarray of shape (n_samples,)
        """
        to_medoid, _, _ = self._to_medoids(X)
        labels = to_medoid.argmin(axis=1).astype(np.int32)
        if not assign_outliers:
            labels[to_medoid.min(axis=1) > self.threshold_] = -1
        return labels

    def transform(self, X: Any) -> np.ndarray:
        """Distances of each row to the medoids."""
        to_medoid, _, _ = self._to_medoids(X)
        return np.ascontiguousarray(to_medoid)

    def score_samples(self, X: Any) -> np.ndarray:
        """Minus the distance to the nearest medoid: the lower, the more abnormal."""
        scores: np.ndarray = -self._to_medoids(X)[0].min(axis=1)
        return scores

    def _relative_score(self, X: Any) -> np.ndarray:
        scores: np.ndarray = (self._to_medoids(X)[0] / self._floored_spread()).min(axis=1)
        return scores

    def _rounding(self) -> float:
        return 0.0  # medoids are rows

    def _survival_score(self, X: Any) -> np.ndarray:
        with self._opened(X) as (engine, _):
            space = self._space(engine_for(X).prepare(self, X, False), engine)
            coreset = self.coreset_indices_ if self._precomputed() else self.coreset_points_
            return space.smallest_floored(coreset, self.core_radius_)

    def score(self, X: Any, y: None = None, sample_weight: Any = None) -> float:
        """Minus the trimmed cost of X when the share of weight left out in fit is left out."""
        to_medoid, weight, facts = self._to_medoids(X, sample_weight)
        mass = self._share_left_out(facts)
        dist = to_medoid.min(axis=1)
        return -float(trim_farthest(dist, weight, mass, np.empty(len(dist)))[0])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = self._precomputed()
        tags.transformer_tags.preserves_dtype = []
        return tags
