"""Near-linear NK-means, the file to read first: `nk_means` is the whole algorithm."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import cycle
from typing import Any

import numpy as np

from nkmeans.assign import UNKNOWN, Assignment, Bracket, assign, bracket_at
from nkmeans.cluster.lloyd import lloyd_in_memory, lloyd_on_data
from nkmeans.cluster.starts import cluster_with, seed_and_lloyd, takes_weights
from nkmeans.cluster.swap import improve_on_coreset
from nkmeans.denoise import Radii, Survivors, measure_radii, survivor_sets
from nkmeans.engines import Engine
from nkmeans.kernels.distances import nearest
from nkmeans.summarize.coreset import Coreset, plan_coreset, summarize
from nkmeans.summarize.sample import Sample, draw_sample
from nkmeans.summarize.seeding import seed_in_memory, seed_over_blocks
from nkmeans.survey import Survey

# Starts on the coreset; survivor sets are used again, with other seeds, when they are fewer.
LEAST_STARTS = 8
# Distinct solutions of the coreset that go on to the sample.
FINALISTS = 4


@dataclass(frozen=True)
class Problem:
    """k-means with outliers, as asked for.

    Attributes
    ----------
    n_clusters : int
    n_outliers : float
        The mass to leave out.
    survey : Survey
    who : str
        The estimator's name, for messages.
    log : callable
        Takes a line to show to the user.
    """

    n_clusters: int
    n_outliers: float
    survey: Survey
    who: str
    log: Callable[[str], None]


@dataclass(frozen=True)
class Options:
    """How to solve it; the names are those of NKMeans."""

    clusterer: Any = None
    coreset: str | None = "auto"
    refine: bool = True
    max_iter: int = 300
    tol: float = 1e-5


@dataclass(frozen=True)
class Fit:
    """What a method found. Centres and coreset are in the data's own coordinates."""

    centers: np.ndarray
    assignment: Assignment
    n_iter: int
    coreset: Coreset | None = None
    radii: Radii | None = None


def nk_means(engine: Engine, problem: Problem, options: Options, seed: int) -> Fit:
    """Near-linear NK-means (sections 3 and 4 of the paper), and the refinement beyond it."""
    sample, coreset = summarize_data(engine, problem, options.coreset, options.refine, seed)
    radii = measure_radii(engine, coreset.points, coreset.weights, coreset.n_outliers)
    survivors = survivor_sets(radii, coreset.weights, coreset.n_outliers)
    problem.log(f"denoise: {len(survivors)} sets of survivors")
    starts = cluster_survivors(engine, problem, options, sample, coreset, survivors, seed)
    if options.refine:
        fit = refine(engine, problem, options, sample, coreset, starts, seed)
    else:
        fit = assign_best(engine, problem, sample, starts)
    problem.log(f"assign: cost {fit.assignment.cost:.6g} after {fit.n_iter} passes")
    moved = coreset.moved(problem.survey.origin)
    return Fit(fit.centers, fit.assignment, fit.n_iter, moved, radii)


def summarize_data(
    engine: Engine, problem: Problem, constants: str | None, means: bool, seed: int
) -> tuple[Sample, Coreset]:
    """Sample the data and make the coreset, of cell means or of the paper's seeds."""
    survey, k = problem.survey, problem.n_clusters
    share = problem.n_outliers / survey.total_weight
    plan = plan_coreset(
        survey.n_weighted, k, share * survey.n_weighted, constants, "mean" if means else "seed"
    )
    sample = draw_sample(engine, survey, plan.sample_rate, seed)
    problem.log(f"sample: {len(sample.rows)} of {engine.n_rows} rows")
    rng = np.random.default_rng([seed, 0])
    coreset = summarize(engine, survey, sample, plan, problem.n_outliers, rng)
    problem.log(f"summarize: {coreset!r}")
    return sample, coreset


def cluster_survivors(
    engine: Engine,
    problem: Problem,
    options: Options,
    sample: Sample,
    coreset: Coreset,
    survivors: list[Survivors],
    seed: int,
) -> list[np.ndarray]:
    """Centres for each set of survivors, relative to the origin; at least one start.

    With the refinement a start need only be rough: seeds among the surviving coreset points, or
    the user's clusterer on them. Without it, or with a clusterer that takes no weights, the
    set is pulled back to the sample: the sampled rows whose coreset point survived.
    """
    k, clusterer = problem.n_clusters, options.clusterer
    on_coreset = options.refine and (clusterer is None or takes_weights(clusterer))

    def start(number: int, survivors: Survivors) -> np.ndarray | None:
        rng = np.random.default_rng([seed, 1, number])
        if on_coreset:
            points, weight = coreset.points[survivors.mask], coreset.weights[survivors.mask]
        else:
            pulled_back = survivors.mask[coreset.labels]
            points, weight = sample.points[pulled_back], sample.weight[pulled_back]
        if clusterer is not None:
            return cluster_with(clusterer, points, weight, k, rng)
        if options.refine:
            seeds = seed_in_memory(points, weight, k, rng).seeds
            return seeds if len(seeds) == k else None
        return seed_and_lloyd(points, weight, k, rng, options.max_iter, options.tol)

    if clusterer is not None:
        found = [start(*task) for task in enumerate(survivors)]
    else:
        n_starts = max(len(survivors), LEAST_STARTS if options.refine else 1)
        found = engine.run(start, zip(range(n_starts), cycle(survivors), strict=False))
    starts = [centers for centers in found if centers is not None]
    return starts or [distinct_rows(engine, problem, seed)]


def distinct_rows(engine: Engine, problem: Problem, seed: int) -> np.ndarray:
    """k distinct rows of the data, for when the coreset has fewer; an error if it has fewer too."""
    rng, k = np.random.default_rng([seed, 2]), problem.n_clusters
    seeds = seed_over_blocks(engine, problem.survey.origin, k, rng, per_pass=1).seeds
    if len(seeds) < k:
        raise ValueError(
            f"n_clusters of {problem.who} must be at most the number of distinct rows; "
            f"got {k} with {len(seeds)} distinct rows."
        )
    return seeds


def refine(
    engine: Engine,
    problem: Problem,
    options: Options,
    sample: Sample,
    coreset: Coreset,
    starts: list[np.ndarray],
    seed: int,
) -> Fit:
    """Swaps on the coreset, trimmed Lloyd on the sample, trimmed Lloyd on the data."""
    z = problem.n_outliers

    def on_coreset(number: int, centers: np.ndarray) -> tuple[float, np.ndarray]:
        return improve_on_coreset(coreset, centers, np.random.default_rng([seed, 3, number]))

    def on_sample(centers: np.ndarray) -> tuple[float, np.ndarray, int]:
        return lloyd_in_memory(sample.points, sample.weight, z, centers, 30, 1e-4)

    ranked = sorted(engine.run(on_coreset, enumerate(starts)), key=lambda found: found[0])
    finalists = distinct_costs(ranked)[:FINALISTS]
    _, relative, _ = min(engine.run(on_sample, finalists), key=lambda found: found[0])
    centers = relative.astype(np.float64) + problem.survey.origin
    bracket = bracket_from_sample(sample, relative, z)
    return Fit(*lloyd_on_data(
        engine, problem.survey.origin, centers, z, options.max_iter, options.tol, bracket
    ))  # fmt: skip


def distinct_costs(ranked: list[tuple[float, np.ndarray]]) -> list[tuple[np.ndarray]]:
    """Solutions in order of cost, without those that cost the same as the one before."""
    previous = [-np.inf, *(cost for cost, _ in ranked)]
    return [
        (centers,)
        for (cost, centers), before in zip(ranked, previous, strict=False)
        if cost > before * 1.0001 or before < 0
    ]


def assign_best(engine: Engine, problem: Problem, sample: Sample, starts: list[np.ndarray]) -> Fit:
    """The paper's ending: the start with the least trimmed cost on the sample, assigned."""
    z = problem.n_outliers
    relative = starts[int(np.argmin(costs_on_sample(engine, sample, starts, z)))]
    relative = relative.astype(sample.points.dtype)
    centers = relative.astype(np.float64) + problem.survey.origin
    bracket = bracket_from_sample(sample, relative, z)
    return Fit(centers, assign(engine, problem.survey.origin, centers, z, bracket), 1)


def costs_on_sample(
    engine: Engine, sample: Sample, starts: list[np.ndarray], n_outliers: float
) -> list[float]:
    """Trimmed cost of each start on the sample."""

    def cost(centers: np.ndarray) -> float:
        return lloyd_in_memory(sample.points, sample.weight, n_outliers, centers, 0, 0.0)[0]

    return engine.run(cost, [(centers,) for centers in starts])


def bracket_from_sample(sample: Sample, centers: np.ndarray, n_outliers: float) -> Bracket:
    """Where the boundary of the outliers lies in the sample, give or take four deviations."""
    if n_outliers <= 0:
        return UNKNOWN
    labels = np.empty(len(sample.points), dtype=np.int32)
    dist2 = np.empty(len(sample.points), dtype=sample.points.dtype)
    nearest(sample.points, np.zeros_like(centers[0]), centers, labels, dist2)
    sampled_outliers = n_outliers / sample.weight.mean()
    far = dist2.astype(np.float64, copy=False)
    return bracket_at(far, sample.weight, n_outliers, 4 / np.sqrt(sampled_outliers))
