"""PrimalDualKMeans: facility location with penalties, and a lower bound for any solution."""

from typing import Any

import numpy as np

from nkmeans.cluster.lower_bound import MOST_POINTS, solve_and_bound
from nkmeans.estimators.coreset_method import CoresetMethod, Start
from nkmeans.summarize.coreset import Coreset
from nkmeans.summarize.robust_seeding import leave_out_farthest, seed_robustly


class PrimalDualKMeans(CoresetMethod):
    """The primal-dual method of Charikar et al. (2001), which also says how far off it can be.

    Every point raises a dual until it reaches a paid centre or its penalty, event by event;
    the fee of a centre is searched for at which k of them are paid; guesses of the optimum
    give the penalty. The duals are a *lower bound* on the cost of any solution, made better by
    subgradient steps.

    Parameters
    ----------
    n_clusters : int, default=8
    n_outliers : int or float, default=0.01
        As in NKMeans.
    refine : bool, default=True
        Trimmed Lloyd rounds in the end. False gives the published algorithm, whose centres
        are points of the coreset.
    coreset : {"auto", "practical", "theory"} or None, default="auto"
        None runs on all rows, at most 5000: all pairs of them are kept in memory.
    n_init, max_iter, tol, n_jobs, random_state, verbose
        As in NKMeans.

    Attributes
    ----------
    cluster_centers_, labels_, inertia_, outlier_indices_, threshold_, n_outliers_, n_iter_,
    cluster_spread_
        As in NKMeans.
    coreset_ : Coreset
        Unless `coreset=None`.
    lower_bound_ : float
        No k centres, wherever they are, cost less *on the instance that was solved*: the
        coreset, or X with `coreset=None` (and for small X, which is its own coreset).
    point_lower_bound_ : float
        The same for centres that are points of that instance: up to twice as high.
    data_lower_bound_ : float
        No k centres, wherever they are, cost less on X. It equals `lower_bound_` where the
        instance is X itself; where the coreset's cells hold all rows, what moving the rows to
        their cells can change is taken off; where rows were sampled nothing is certain, and
        it is 0.

    See Also
    --------
    nkmeans.metrics.optimality_gap : the bound for any clustering.

    Notes
    -----
    M. Charikar, S. Khuller, D. Mount, G. Narasimhan: Algorithms for facility location problems with
    outliers, SODA 2001, pp. 642-651, doi:10.5555/365411.365555; K. Jain, V. Vazirani, JACM 48(2),
    2001, doi:10.1145/375827.375845.

    Examples
    --------
    >>> from nkmeans import PrimalDualKMeans
    >>> from nkmeans.datasets import make_noisy_blobs
    >>> X, _, _ = make_noisy_blobs(1000, 3, 2, 10, random_state=0)
    >>> model = PrimalDualKMeans(n_clusters=3, n_outliers=10, random_state=0).fit(X)
    >>> bool(model.inertia_ / 2.1 < model.lower_bound_ <= model.inertia_)
    True
    """

    def __init__(
        self,
        n_clusters: int = 8,
        n_outliers: float = 0.01,
        *,
        refine: bool = True,
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
        self.refine = refine

    def _start(self, coreset: Coreset, rng: np.random.Generator) -> Start:
        return primal_dual_start(coreset, self.n_clusters, rng, type(self).__name__)


def primal_dual_start(coreset: Coreset, k: int, rng: np.random.Generator, who: str) -> Start:
    """Primal-dual centres and the bounds."""
    if len(coreset.points) > MOST_POINTS:
        raise ValueError(
            f"{who} keeps all pairs of points in memory and takes at most {MOST_POINTS} of them; "
            f'got {len(coreset.points)}. Use coreset="auto".'
        )
    seeds = seed_robustly(coreset, k, rng, leave_out_farthest(coreset))
    cost = coreset.trimmed_cost(seeds)
    centers, anywhere, at_points, moved = seeds, 0.0, 0.0, 0.0
    if len(seeds) == k and cost > 0:
        found = solve_and_bound(coreset, k, cost)
        centers = coreset.points[found.solution.centers]
        anywhere, at_points, moved = found.anywhere, found.at_points, found.moved
    bounds = {
        "lower_bound_": anywhere,
        "point_lower_bound_": at_points,
        "data_lower_bound_": moved if coreset.rate == 1 else 0.0,
    }
    return Start(centers, bounds)
