"""From starts to one solution: swaps on the coreset, then the sample decides."""

import numpy as np

from nkmeans.assign import UNKNOWN, Bracket, bracket_at
from nkmeans.cluster.lloyd import Solution, lloyd_in_memory
from nkmeans.cluster.swap import improve_on_coreset
from nkmeans.engines import Engine
from nkmeans.summarize.coreset import Coreset
from nkmeans.summarize.sample import Sample

# Distinct solutions of the coreset that go on to the sample.
FINALISTS = 6
# On the sample, more rounds, or rounds that gain less, are better made on the data.
SAMPLE_ROUNDS, SAMPLE_TOL = 30, 1e-4


def refine(
    engine: Engine, coreset: Coreset, starts: list[np.ndarray], seed: int, power: int = 2
) -> list[np.ndarray]:
    """The best few distinct solutions of the coreset, after swaps and trimmed Lloyd there."""

    def improve(number: int, centers: np.ndarray) -> Solution:
        rng = np.random.default_rng([seed, 3, number])
        return improve_on_coreset(coreset, centers, rng, power)

    ranked = sorted(engine.run(improve, enumerate(starts)), key=lambda found: found.cost)
    previous = [-np.inf, *(found.cost for found in ranked)]
    distinct = [
        found.centers
        for found, before in zip(ranked, previous, strict=False)
        if before < 0 or found.cost > before * 1.0001
    ]
    return distinct[:FINALISTS]


def best_on_sample(
    engine: Engine,
    sample: Sample,
    solutions: list[np.ndarray],
    n_outliers: float,
    rounds: int,
    power: int = 2,
) -> tuple[int, Solution]:
    """Which solution has the least trimmed cost on the sample after Lloyd rounds there."""

    def improve(centers: np.ndarray) -> Solution:
        points, weight = sample.points, sample.weight
        return lloyd_in_memory(points, weight, n_outliers, centers, rounds, SAMPLE_TOL, power=power)

    found = engine.run(improve, [(centers,) for centers in solutions])
    return min(enumerate(found), key=lambda pair: pair[1].cost)


def bracket_on_sample(sample: Sample, solution: Solution, n_outliers: float) -> Bracket:
    """Where the boundary of the outliers lies in the sample, give or take four deviations."""
    if n_outliers <= 0:
        return UNKNOWN
    sampled_outliers = n_outliers / sample.weight.mean()
    return bracket_at(solution.dist2, sample.weight, n_outliers, 4 / np.sqrt(sampled_outliers))
