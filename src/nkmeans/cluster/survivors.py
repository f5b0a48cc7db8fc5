"""First centres for every set of survivors."""

from itertools import cycle

import numpy as np

from nkmeans.cluster.starts import cluster_with, seed_and_lloyd, takes_weights
from nkmeans.denoise import Survivors
from nkmeans.engines import Engine
from nkmeans.problem import Options, Problem
from nkmeans.summarize.coreset import Coreset
from nkmeans.summarize.sample import Sample
from nkmeans.summarize.seeding import seed_in_memory, seed_over_blocks


def cluster_survivors(
    engine: Engine,
    problem: Problem,
    options: Options,
    sample: Sample,
    coreset: Coreset,
    sets: list[Survivors],
    seed: int,
) -> list[np.ndarray]:
    """Centres for each set of survivors, relative to the origin; at least one start.

    With the refinement a start need only be rough: seeds among the surviving coreset points,
    or the user's clusterer on them. Without it, or with a clusterer that takes no weights, the
    set is pulled back to the sample: the sampled rows whose coreset point survived.
    """
    k, clusterer = problem.n_clusters, options.clusterer
    on_coreset = options.refine and (clusterer is None or takes_weights(clusterer))

    def start(number: int, survivors: Survivors) -> np.ndarray | None:
        rng = np.random.default_rng([seed, 1, number])
        if on_coreset:
            points, weight = coreset.points[survivors.mask], coreset.weights[survivors.mask]
        else:
            points, weight = pull_back(survivors, coreset, sample)
        if clusterer is not None:
            return cluster_with(clusterer, points, weight, problem.survey.origin, k, rng)
        if options.refine:
            seeds = seed_in_memory(points, weight, k, rng).seeds
            return seeds if len(seeds) == k else None
        return seed_and_lloyd(points, weight, k, rng, options.max_iter, options.tol)

    if clusterer is not None:  # it may have threads of its own
        found = [start(*task) for task in enumerate(sets)]
    else:
        # Sets are used again, with other seeds, when they are fewer than the starts.
        n_starts = max(len(sets), options.starts if options.refine else 1)
        found = engine.run(start, zip(range(n_starts), cycle(sets), strict=False))
    starts = [centers for centers in found if centers is not None]
    return starts or [distinct_rows(engine, problem, seed)]


def pull_back(
    survivors: Survivors, coreset: Coreset, sample: Sample
) -> tuple[np.ndarray, np.ndarray]:
    """The sampled points whose coreset point survived, and their weights."""
    rows = survivors.mask[coreset.labels]
    return sample.points[rows], sample.weight[rows]


def distinct_rows(engine: Engine, problem: Problem, seed: int) -> np.ndarray:
    """k distinct rows of the data by k-means++, or an error where there are fewer."""
    rng, k = np.random.default_rng([seed, 2]), problem.n_clusters
    seeds = seed_over_blocks(engine, problem.survey.origin, k, rng, per_pass=1).seeds
    if len(seeds) < k:
        raise ValueError(
            f"n_clusters of {problem.who} must be at most the number of distinct rows; "
            f"got {k} with {len(seeds)} distinct rows."
        )
    return seeds
