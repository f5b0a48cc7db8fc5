"""Near-linear NK-means, the file to read first: `nk_means` is the whole algorithm."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from nkmeans.assign import Assignment, price_of
from nkmeans.cluster.lloyd import Solution, in_order, lloyd_on_data
from nkmeans.cluster.refine import SAMPLE_ROUNDS, best_on_sample, bracket_on_sample, refine
from nkmeans.cluster.survivors import cluster_survivors
from nkmeans.denoise import Radii, measure_radii, survivor_sets
from nkmeans.engines import Engine
from nkmeans.problem import Options, Problem
from nkmeans.summarize.coreset import Coreset, plan_coreset, summarize
from nkmeans.summarize.sample import Sample, draw_sample


@dataclass(frozen=True)
class Fit:
    """What a method found. Centres and coreset are in the data's own coordinates.

    `attributes` are those that the fitted estimator has beyond the common ones.
    """

    centers: np.ndarray
    assignment: Assignment
    n_iter: int
    coreset: Coreset | None = None
    attributes: Mapping[str, Any] = field(default_factory=dict)


def nk_means(engine: Engine, problem: Problem, options: Options, seed: int) -> Fit:
    """Near-linear NK-means (sections 3 and 4 of the paper), and the refinement beyond it.

    1. **sample** the rows and **summarize** the sample as a coreset;
    2. **denoise**: how far from dense places each coreset point is, and who survives at each
       guess of the optimal cost;
    3. **cluster** every set of survivors;
    4. **refine** on the coreset by swaps (ours; off for the paper's algorithm);
    5. let the sample pick the best, after a few trimmed Lloyd rounds (ours) on it;
    6. **assign** every row and leave out exactly z, moving the centres (ours) until that no
       longer pays.
    """
    z, origin, power = problem.n_outliers, problem.survey.origin, problem.power
    sample, coreset = summarize_data(engine, problem, options.coreset, options.refine, seed)
    radii, best = solve_sample(engine, problem, options, sample, coreset, seed)
    bracket = bracket_on_sample(sample, best, z)
    centers = in_order(best.centers).astype(np.float64) + origin
    data_rounds = options.max_iter if options.refine else 1
    found = lloyd_on_data(engine, origin, centers, z, data_rounds, options.tol, bracket, power)
    problem.log(f"assign: cost {found[1].cost:.6g} after {found[2]} passes")
    prices = np.array([price_of(best.dist2, power), sample.weight])
    return Fit(*found, coreset.moved(origin), {**radii.attributes(), "_prices": prices})


def solve_sample(
    engine: Engine, problem: Problem, options: Options, sample: Sample, coreset: Coreset, seed: int
) -> tuple[Radii, Solution]:
    """Steps 2 to 5: the best solution on the sample, relative to the origin."""
    z, power = problem.n_outliers, problem.power
    radii = measure_radii(engine, coreset.points, coreset.weights, coreset.n_outliers)
    survivors = survivor_sets(radii, coreset.weights, coreset.n_outliers, power)
    starts = cluster_survivors(engine, problem, options, sample, coreset, survivors, seed)
    solutions = refine(engine, coreset, starts, seed, power) if options.refine else starts
    problem.log(f"denoise: {len(survivors)} sets of survivors, {len(solutions)} solutions")
    rounds = SAMPLE_ROUNDS if options.refine else 0
    return radii, best_on_sample(engine, sample, solutions, z, rounds, power)[1]


def summarize_data(
    engine: Engine, problem: Problem, constants: str | None, means: bool, seed: int
) -> tuple[Sample, Coreset]:
    """Sample the data and make the coreset, of cell means or of the paper's seeds."""
    survey = problem.survey
    n, z = survey.n_weighted, problem.n_outliers * survey.n_weighted / survey.total_weight
    d, representatives = len(survey.origin), "mean" if means else "seed"
    plan = plan_coreset(n, d, problem.n_clusters, z, constants, representatives)
    sample = draw_sample(engine, survey, plan.sample_rate, seed)
    problem.log(f"sample: {len(sample.rows)} of {engine.n_rows} rows")
    coreset = summarize(engine, survey, sample, plan, problem.n_outliers, seed)
    problem.log(f"summarize: {coreset!r}")
    return sample, coreset
