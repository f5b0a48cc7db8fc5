"""Rough solutions on a small sample: quick enough to try many numbers of clusters and outliers."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from nkmeans.cluster.lloyd import Solution
from nkmeans.engines import Engine
from nkmeans.pipeline import solve_sample
from nkmeans.problem import Options, Problem
from nkmeans.summarize.coreset import Coreset, Plan, summarize
from nkmeans.summarize.sample import Sample, draw_sample
from nkmeans.summarize.seeding import distinct

ROWS = 8000
LEAST_CELLS, CELLS_PER_CLUSTER = 300, 15
ROUGH = Options(starts=4)


@dataclass(frozen=True)
class Rough:
    """A problem, a sample of its data, and a coreset of that sample."""

    engine: Engine
    problem: Problem
    sample: Sample
    coreset: Coreset
    seed: int

    def solve(self, n_clusters: int, n_outliers: float) -> Solution:
        """The sample with so many clusters and so much left out."""
        problem = replace(self.problem, n_clusters=n_clusters, n_outliers=n_outliers)
        coreset = replace(self.coreset, n_outliers=n_outliers)
        return solve_sample(self.engine, problem, ROUGH, self.sample, coreset, self.seed)[1]

    @cached_property
    def n_distinct(self) -> int:
        """How many different points the sample has."""
        return len(distinct(self.sample.points))

    @property
    def total_weight(self) -> float:
        """What the sample weighs."""
        return float(self.sample.weight.sum())


def roughly(engine: Engine, problem: Problem, most_clusters: int, seed: int) -> Rough:
    """A small sample, and a coreset that is fine enough for so many clusters."""
    survey = problem.survey
    sample = draw_sample(engine, survey, rough_rate(survey.n_weighted), seed)
    n_cells = min(max(CELLS_PER_CLUSTER * most_clusters, LEAST_CELLS), len(sample.rows))
    plan = Plan(sample.rate, n_cells, sample.rate, 1.0, "mean")
    return Rough(engine, problem, sample, summarize(engine, survey, sample, plan, 0.0, seed), seed)


def rough_rate(n: int) -> float:
    """The share of n rows that are drawn."""
    return min(ROWS / n, 1.0)


def mean_cost(dist2: np.ndarray, weight: np.ndarray, kept: np.ndarray) -> float:
    """What a unit of the weight that is kept costs."""
    mass = float(weight[kept].sum())
    return float(dist2[kept] @ weight[kept]) / mass if mass > 0 else 0.0
