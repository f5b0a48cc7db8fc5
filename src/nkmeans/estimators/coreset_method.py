"""What the methods that run on a coreset share: everything but where their centres start."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from nkmeans.assign import assign
from nkmeans.cluster.lloyd import in_order, lloyd_in_memory, lloyd_on_data
from nkmeans.cluster.survivors import distinct_rows
from nkmeans.engines import Engine
from nkmeans.estimators.base import OutlierClusterer
from nkmeans.pipeline import Fit, summarize_data
from nkmeans.problem import Problem
from nkmeans.summarize.coreset import Coreset, plan_coreset


class Start(NamedTuple):
    """First centres, relative to the origin, and attributes for the fitted estimator.

    There are fewer than k centres where the instance has fewer distinct points.
    """

    centers: np.ndarray
    attributes: Mapping[str, Any] = {}


class CoresetMethod(OutlierClusterer):
    """A method that runs on a coreset, or on all of the data with `coreset=None`.

    Subclasses say where their centres start. Lloyd rounds follow, on the coreset or on all of
    the data, and in the end exactly z rows are left out.
    """

    # Whether there are Lloyd rounds; a parameter of methods that stand without them.
    refine: bool = True

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

    def _trims(self) -> bool:
        """Whether the Lloyd rounds leave out the z farthest, too."""
        return True

    @abstractmethod
    def _start(self, coreset: Coreset, rng: np.random.Generator) -> Start:
        """First centres for a weighted instance."""

    def _sample_rate(self, n: int, d: int, z: float) -> float | None:
        return plan_coreset(n, d, self.n_clusters, z, self.coreset).sample_rate

    def _summarize(self, engine: Engine, problem: Problem, seed: int) -> Coreset:
        """The weighted instance that the method runs on."""
        return summarize_data(engine, problem, self.coreset, True, seed)[1]

    def _solve(self, engine: Engine, problem: Problem, seed: int) -> Fit:
        origin, z = problem.survey.origin, problem.n_outliers
        coreset = self._summarize(engine, problem, seed)
        start = self._start(coreset, np.random.default_rng([seed, 1]))
        if len(start.centers) < problem.n_clusters:
            start = Start(distinct_rows(engine, problem, seed), start.attributes)
        problem.log(f"start: {len(start.centers)} centres")
        if self.coreset is None and coreset.rate == 1:
            return self._finish_on_data(engine, problem, start)
        solution = lloyd_in_memory(
            coreset.points,
            coreset.weights,
            coreset.n_outliers if self._trims() else 0.0,
            start.centers,
            self.max_iter if self.refine else 0,
            self.tol,
            coreset.spread,
        )
        centers = in_order(solution.centers).astype(np.float64) + origin
        found = assign(engine, origin, centers, z)
        problem.log(f"assign: cost {found.cost:.6g} after {solution.n_iter} rounds on the coreset")
        n_iter = max(solution.n_iter, 1)
        return Fit(centers, found, n_iter, coreset.moved(origin), start.attributes)

    def _finish_on_data(self, engine: Engine, problem: Problem, start: Start) -> Fit:
        origin, z = problem.survey.origin, problem.n_outliers
        rounds = self.max_iter if self.refine else 1
        centers, found, n_iter = lloyd_on_data(
            engine,
            origin,
            in_order(start.centers).astype(np.float64) + origin,
            z if self._trims() else 0.0,
            rounds,
            self.tol,
        )
        if not self._trims():
            found = assign(engine, origin, centers, z, reuse=found.labels)
        problem.log(f"assign: cost {found.cost:.6g} after {n_iter} passes")
        return Fit(centers, found, n_iter, attributes=start.attributes)
