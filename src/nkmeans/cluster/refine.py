"""From starts to one solution: swaps on the coreset, then the sample decides."""

import numpy as np

from nkmeans.assign import UNKNOWN, Bracket, bracket_at
from nkmeans.cluster.lloyd import lloyd_in_memory
from nkmeans.cluster.swap import improve_on_coreset
from nkmeans.engines import Engine
from nkmeans.kernels.distances import nearest
from nkmeans.summarize.coreset import Coreset
from nkmeans.summarize.sample import Sample

# Distinct solutions of the coreset that go on to the sample.
FINALISTS = 4
# On the sample, more rounds, or rounds that gain less, are better made on the data.
SAMPLE_ROUNDS, SAMPLE_TOL = 30, 1e-4


def refine(
    engine: Engine, coreset: Coreset, starts: list[np.ndarray], seed: int
) -> list[np.ndarray]:
    """The best few distinct solutions of the coreset, after swaps and trimmed Lloyd there."""

    def improve(number: int, centers: np.ndarray) -> tuple[float, np.ndarray]:
        return improve_on_coreset(coreset, centers, np.random.default_rng([seed, 3, number]))

    ranked = sorted(engine.run(improve, enumerate(starts)), key=lambda found: found[0])
    return distinct_solutions(ranked)[:FINALISTS]


def distinct_solutions(ranked: list[tuple[float, np.ndarray]]) -> list[np.ndarray]:
    """Solutions in order of cost, without those that cost the same as the one before."""
    before = [-np.inf, *(cost for cost, _ in ranked)]
    return [
        centers
        for (cost, centers), previous in zip(ranked, before, strict=False)
        if previous < 0 or cost > previous * 1.0001
    ]


def best_on_sample(
    engine: Engine,
    sample: Sample,
    solutions: list[np.ndarray],
    n_outliers: float,
    rounds: int,
) -> tuple[int, float, np.ndarray]:
    """The solution with the least trimmed cost on the sample, after Lloyd rounds there.

    Returns
    -------
    number, cost, centers : which one it was, and what became of it
    """

    def improve(centers: np.ndarray) -> tuple[float, np.ndarray, int]:
        points, weight = sample.points, sample.weight
        return lloyd_in_memory(points, weight, n_outliers, centers, rounds, SAMPLE_TOL)

    found = engine.run(improve, [(centers,) for centers in solutions])
    number = min(range(len(found)), key=lambda number: found[number][0])
    return number, found[number][0], found[number][1]


def bracket_on_sample(sample: Sample, centers: np.ndarray, n_outliers: float) -> Bracket:
    """Where the boundary of the outliers lies in the sample, give or take four deviations."""
    if n_outliers <= 0:
        return UNKNOWN
    labels = np.empty(len(sample.points), dtype=np.int32)
    dist2 = np.empty(len(sample.points), dtype=sample.points.dtype)
    nearest(sample.points, np.zeros_like(centers[0]), centers, labels, dist2)
    far = dist2.astype(np.float64, copy=False)
    sampled_outliers = n_outliers / sample.weight.mean()
    return bracket_at(far, sample.weight, n_outliers, 4 / np.sqrt(sampled_outliers))
