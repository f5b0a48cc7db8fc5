"""NKMeans: k-means that leaves out exactly z points as noise."""

from dataclasses import replace
from typing import Any, Self

import numpy as np

from nkmeans.assign import means_of, price_of, weight_of_block
from nkmeans.cluster.lloyd import in_order
from nkmeans.data.blocks import Block
from nkmeans.engines import Engine, open_engine
from nkmeans.estimators.retrimming import Retrimming
from nkmeans.kernels.distances import nearest
from nkmeans.pipeline import Fit, nk_means, solve_sample
from nkmeans.problem import Options, Problem
from nkmeans.summarize.coreset import Plan, plan_coreset, summarize
from nkmeans.summarize.sample import Sample
from nkmeans.summarize.stream import Stream, cut_of_sample
from nkmeans.survey import Survey, survey, survey_again, weigh
from nkmeans.validation import check_parameters


class NKMeans(Retrimming):
    """k-means for dirty data: leaves out exactly `n_outliers` points and clusters the rest.

    Parameters
    ----------
    n_clusters : int or "auto", default=8
        "auto" takes the number from 2 to `max_clusters` at which what is kept has the largest
        silhouette (`cluster_choice_`).
    n_outliers : int, float or "auto", default=0.01
        How many points to leave out: a count, or a share in [0, 1) of the total weight
        (rounded down when all weights are whole numbers). "auto" leaves out what lies beyond
        the break in the distances (`outlier_break_`), and warns when there is none.
    max_clusters : int, default=20
        The most clusters that "auto" considers.
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
    cluster_spread_ : float64 ndarray of shape (n_clusters,)
        Mean squared distance from its centre of what each cluster keeps; 0 where that is
        nothing.
    threshold_ : float
        Squared distance beyond which `predict` says -1; infinite without outliers.
    survival_radius_ : ndarray of shape (m,)
        Noise score of the coreset points: the smallest radius at which noise removal keeps
        them.
    core_radius_ : ndarray of shape (m,)
        How far from each coreset point twice the weight to leave out is reached.
    coreset_ : Coreset
        `points`, `weights`, and which rows were sampled (`sample_indices`).
    n_outliers_ : float
        The weight left out.
    n_clusters_ : int
        The number of clusters.
    outlier_break_ : OutlierBreak
        With `n_outliers="auto"`: where the distances break, and how clearly (`statistic`).
    cluster_choice_ : ClusterChoice
        With `n_clusters="auto"`: the silhouette of each number of clusters.
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
        n_clusters: int | str = 8,
        n_outliers: float | str = 0.01,
        *,
        max_clusters: int = 20,
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
        self.max_clusters = max_clusters
        self.clusterer = clusterer
        self.coreset = coreset
        self.refine = refine
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _sample_rate(self, n: int, d: int, z: float) -> float | None:
        return plan_coreset(n, d, self.n_clusters, z, self.coreset).sample_rate

    def _solve(self, engine: Engine, problem: Problem, seed: int) -> Fit:
        return nk_means(engine, problem, self._options(), seed)

    def _options(self) -> Options:
        return Options(self.clusterer, self.coreset, self.refine, self.max_iter, self.tol)

    def partial_fit(self, X: Any, y: None = None, sample_weight: Any = None) -> Self:
        """Take in more rows of a stream, and cluster everything seen so far.

        A fair sample of all rows is kept, of the size that the theory asks for and of bounded
        memory whatever the length of the stream; the clusters are those of the sample. So
        `cluster_centers_`, `threshold_`, `coreset_` and an estimate `inertia_` of the trimmed cost
        are right after each call, and nothing needs to be finished; there is no `labels_`.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            At least `n_clusters` rows in the first call.
        y : ignored
        sample_weight : array-like of shape (n_rows,), default=None

        Returns
        -------
        self

        Notes
        -----
        `n_outliers` as a share is one of everything seen so far. A call to `fit` forgets the
        stream.
        """
        check_parameters(self)
        first = not hasattr(self, "_stream")
        if first:
            self._forget()
        try:
            self._take_in(X, sample_weight, first)
        except BaseException:
            if first:
                self._forget()
            raise
        return self

    def _take_in(self, X: Any, sample_weight: Any, first: bool) -> None:
        """Read a batch and cluster the stream; what is kept of the stream is changed last."""
        who = type(self).__name__
        with self._engine(X, sample_weight, reset=first) as engine:
            facts = survey(engine, who) if first else survey_again(engine, who, self._origin, True)
            origin = facts.origin
            nothing = np.empty(0)
            empty = Stream(
                np.empty((0, len(origin)), origin.dtype), nothing, nothing, nothing.astype(int)
            )
            stream, seed = (empty, self._seeds(1)[0]) if first else (self._stream, self._seed)
            seen = stream_survey(stream, facts, origin)
            k, mass = self._asked(seen, who)
            problem = Problem(k, mass, seen, (seed,), who, self._log(), self._power)
            auto = self._auto_clusters() or self._auto_outliers()
            share = 1.0 if auto else self._plan(problem).sample_rate
            for block in engine.map(rows_of_block, origin):
                stream = stream.extended(*block, seed, share)
            self._solve_stream(stream, problem, seed)

    def _plan(self, problem: Problem) -> Plan:
        """The coreset that a fit on everything seen would make."""
        seen = problem.survey
        n, mean_weight = seen.n_weighted, seen.total_weight / seen.n_weighted
        representatives = "mean" if self.refine else "seed"
        d, z = len(seen.origin), problem.n_outliers / mean_weight
        return plan_coreset(n, d, problem.n_clusters, z, self.coreset, representatives)

    def _solve_stream(self, stream: Stream, problem: Problem, seed: int) -> None:
        """Cluster what is kept of the stream, and keep the result."""
        sample = stream.sample()
        with open_engine(sample.points, sample.weight, self.n_jobs) as engine:
            # What is kept stands for everything; its points are relative to the origin already.
            kept = Survey(**vars(weigh(engine)), origin=np.zeros_like(problem.survey.origin))
            chosen = self._chosen(engine, replace(problem, survey=kept))
        z = np.floor(chosen.n_outliers) if problem.survey.whole_weights else chosen.n_outliers
        problem = replace(problem, n_clusters=chosen.n_clusters, n_outliers=float(z))
        plan = replace(self._plan(problem), rate=sample.rate, sample_rate=sample.rate)
        origin = problem.survey.origin
        with open_engine(sample.points, sample.weight, self.n_jobs) as engine:
            coreset = summarize(engine, problem.survey, sample, plan, z, seed)
            radii, best = solve_sample(engine, problem, self._options(), sample, coreset, seed)
        centers = in_order(best.centers)
        price = price_of(best.dist2, self._power)
        self._prices = np.array([price, sample.weight])
        self.threshold_, self.inertia_ = cut_of_sample(price, sample.weight, z)
        self.cluster_spread_ = spread_of_sample(sample, centers, self.threshold_)
        centers = centers.astype(np.float64) + origin
        self._stream, self._seed, self._origin = stream, seed, origin
        self.cluster_centers_ = centers
        self.n_outliers_ = z
        self._remember(problem.survey)
        self.n_clusters_ = self._n_features_out = len(centers)
        self.n_iter_ = max(best.n_iter, 1)
        self.n_samples_seen_ = stream.n_rows
        self.coreset_ = coreset.moved(origin)
        for name, value in radii.attributes().items():
            setattr(self, name, value)


def stream_survey(stream: Stream, facts: Survey, origin: np.ndarray) -> Survey:
    """What is known of the stream once a batch has joined it."""
    return Survey(
        stream.total_weight + facts.total_weight,
        stream.n_weighted + facts.n_weighted,
        stream.whole_weights and facts.whole_weights,
        origin,
    )


def spread_of_sample(sample: Sample, centers: np.ndarray, threshold: float) -> np.ndarray:
    """The mean squared distance of what each centre keeps of a sample."""
    labels = np.empty(len(sample.points), np.int32)
    dist2 = np.empty(len(sample.points), sample.points.dtype)
    nearest(sample.points, np.zeros_like(sample.points[0]), centers, labels, dist2)
    kept = np.where(dist2 <= threshold, sample.weight, 0.0)
    mass, costs = (np.bincount(labels, w, minlength=len(centers)) for w in (kept, kept * dist2))
    return means_of(costs, mass)


def rows_of_block(block: Block, origin: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A block's rows relative to the origin, and their weights."""
    return block.X.astype(origin.dtype, copy=False) - origin, weight_of_block(block)
