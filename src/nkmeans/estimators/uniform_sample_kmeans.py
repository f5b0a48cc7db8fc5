"""UniformSampleKMeans: cluster a uniform sample of the rows."""

import math
from typing import Any

import numpy as np

from nkmeans.cluster.lloyd import lloyd_in_memory
from nkmeans.engines import Engine
from nkmeans.estimators.coreset_method import CoresetMethod, Start
from nkmeans.estimators.primal_dual_kmeans import primal_dual_start
from nkmeans.problem import Problem
from nkmeans.summarize.coreset import Coreset, Plan, own_coreset, plan_coreset, summarize
from nkmeans.summarize.sample import draw_sample
from nkmeans.summarize.seeding import seed_in_memory

# k-means++ on a conservative sample, of a few dozen rows, costs nothing and errs often.
RESTARTS = 10


class UniformSampleKMeans(CoresetMethod):
    """A uniform sample, clustered (Meyerson, O'Callaghan, Plotkin 2004).

    If every cluster is large, a small sample sees all of them.

    Parameters
    ----------
    n_clusters : int, default=8
    n_outliers : int or float, default=0.01
        As in NKMeans.
    mode : {"conservative", "aggressive"}, default="conservative"
        "conservative" draws each row with probability `1 / (2 z)`, so few that none is likely
        to be an outlier, and runs k-means++ (the best of ten) and Lloyd on them. "aggressive" draws
        `k (n / z) ln n` rows, among them about `k ln n` outliers, and runs the primal-dual method
        and trimmed Lloyd. A sample of fewer than k distinct rows is drawn again, at twice the
        rate.
    coreset : {"auto", "practical", "theory"} or None, default="auto"
        A sample of more than about 2000 rows is stood for by a coreset of it; None runs on the
        sample as it is ("aggressive" takes at most 5000 rows then).
    n_init, max_iter, tol, n_jobs, random_state, verbose
        As in NKMeans.

    Attributes
    ----------
    cluster_centers_, labels_, inertia_, outlier_indices_, threshold_, n_outliers_, n_iter_,
    cluster_spread_
        As in NKMeans.
    coreset_ : Coreset
        Of the sample; `coreset_.sample_indices` are the rows drawn.

    Notes
    -----
    A. Meyerson, L. O'Callaghan, S. Plotkin: A k-median algorithm with running time independent of
    data size, Machine Learning 56, 2004, doi:10.1023/B:MACH.0000033115.78247.f0; the two
    probabilities are in sections 1 and 5 of the paper.

    Examples
    --------
    >>> from nkmeans import UniformSampleKMeans
    >>> from nkmeans.datasets import make_noisy_blobs
    >>> X, _, _ = make_noisy_blobs(1000, 3, 2, 10, random_state=0)
    >>> model = UniformSampleKMeans(n_clusters=3, n_outliers=10, random_state=0).fit(X)
    >>> 20 < len(model.coreset_.sample_indices) < 80
    True
    """

    def __init__(
        self,
        n_clusters: int = 8,
        n_outliers: float = 0.01,
        *,
        mode: str = "conservative",
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
        self.mode = mode

    def _trims(self) -> bool:
        return self.mode == "aggressive"

    def _sample_rate(self, n: int, d: int, z: float) -> float | None:
        return sampling_rate(n, self.n_clusters, z, self.mode)

    def _summarize(self, engine: Engine, problem: Problem, seed: int) -> Coreset:
        survey, k, d = problem.survey, problem.n_clusters, len(problem.survey.origin)
        n, z = survey.n_weighted, problem.n_outliers * survey.n_weighted / survey.total_weight
        rate = sampling_rate(n, k, z, self.mode)
        rng = np.random.default_rng([seed, 0])
        while True:
            sample = draw_sample(engine, survey, rate, seed)
            n_distinct = len(seed_in_memory(sample.points, sample.weight, k, rng).seeds)
            if n_distinct == k or sample.rate == 1:
                break
            rate = min(2 * sample.rate, 1.0)
        problem.log(f"sample: {len(sample.rows)} of {engine.n_rows} rows")
        n_cells = plan_coreset(n, d, k, z, self.coreset).n_cells
        if len(sample.rows) <= own_coreset(d):
            n_cells = len(sample.rows)
        plan = Plan(sample.rate, n_cells, sample.rate, 1.0, "mean")
        return summarize(engine, survey, sample, plan, problem.n_outliers, seed)

    def _start(self, coreset: Coreset, rng: np.random.Generator) -> Start:
        k = self.n_clusters
        if self.mode == "aggressive":
            return Start(primal_dual_start(coreset, k, rng, type(self).__name__).centers)
        points, weights, spread = coreset.points, coreset.weights, coreset.spread
        starts = [seed_in_memory(points, weights, k, rng).seeds for _ in range(RESTARTS)]
        if len(starts[0]) < k:
            return Start(starts[0])
        found = [
            lloyd_in_memory(points, weights, 0.0, start, self.max_iter, self.tol, spread)
            for start in starts
        ]
        return Start(min(found, key=lambda solution: solution.cost).centers)


def sampling_rate(n: int, k: int, z: float, mode: str) -> float:
    """The probability with which each of n rows is drawn."""
    if z <= 0:
        return 1.0
    rate = 1 / (2 * z) if mode == "conservative" else k * math.log(max(n, 2)) / z
    return min(rate, 1.0)
