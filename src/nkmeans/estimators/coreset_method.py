"""What the methods that run on a coreset share: parameters, and k-means++ with Lloyd."""

from typing import Any

import numpy as np

from nkmeans.assign import assign
from nkmeans.cluster.lloyd import lloyd_in_memory, lloyd_on_data
from nkmeans.cluster.survivors import distinct_rows
from nkmeans.engines import Engine
from nkmeans.estimators.base import OutlierClusterer
from nkmeans.pipeline import Fit, summarize_data
from nkmeans.problem import Problem
from nkmeans.summarize.seeding import seed_in_memory


class CoresetMethod(OutlierClusterer):
    """A method that runs on a coreset, or on all of the data with `coreset=None`."""

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


def seed_then_lloyd(
    engine: Engine,
    problem: Problem,
    coreset: str | None,
    max_iter: int,
    tol: float,
    seed: int,
    trims: bool,
) -> Fit:
    """k-means++, then Lloyd rounds that trim or do not, then exactly z outliers."""
    origin, k, z = problem.survey.origin, problem.n_clusters, problem.n_outliers
    if coreset is None:
        seeds = distinct_rows(engine, problem, seed).astype(np.float64)
        mass = z if trims else 0.0
        centers, found, n_iter = lloyd_on_data(engine, origin, seeds + origin, mass, max_iter, tol)
        if not trims:
            found = assign(engine, origin, centers, z, reuse=found.labels)
        return Fit(centers, found, n_iter)
    _, summary = summarize_data(engine, problem, coreset, True, seed)
    points, weights, spread = summary.points, summary.weights, summary.spread
    seeds = seed_in_memory(points, weights, k, np.random.default_rng([seed, 1])).seeds
    if len(seeds) < k:
        seeds = distinct_rows(engine, problem, seed)
    mass = summary.n_outliers if trims else 0.0
    solution = lloyd_in_memory(points, weights, mass, seeds, max_iter, tol, spread)
    centers = solution.centers.astype(np.float64) + origin
    found = assign(engine, origin, centers, z)
    return Fit(centers, found, max(solution.n_iter, 1), summary.moved(origin))
