"""How many clusters and how many outliers, when neither is known."""

from dataclasses import replace

import numpy as np

from nkmeans.choose.clusters import ClusterChoice, choose_clusters
from nkmeans.choose.outliers import WITHOUT_BREAK, OutlierBreak, choose_outliers
from nkmeans.engines import Engine
from nkmeans.problem import Problem

# With this many times as many outliers as with the most clusters, some of them are clusters.
MANY_MORE = 3.0
MOST_TRIED = 5


def choose_both(
    engine: Engine, problem: Problem, max_clusters: int, seed: int
) -> tuple[ClusterChoice, OutlierBreak]:
    """The best number of clusters that does not make outliers of clusters, and its break."""
    # With more centres than clusters the break is where it is with as many.
    plenty = replace(problem, n_clusters=max_clusters)
    mass = choose_outliers(engine, plenty, seed).n_outliers
    choice = choose_clusters(engine, replace(problem, n_outliers=mass), max_clusters, seed)
    found = None
    for k in choice.ranked()[:MOST_TRIED]:
        tried = choose_outliers(engine, replace(problem, n_clusters=k), seed)
        if found is None:
            found = choice, tried
        if fits(tried, mass, problem.survey.total_weight):
            found = replace(choice, n_clusters=k), tried
            break
    assert found is not None
    return found


def fits(found: OutlierBreak, mass: float, total: float) -> bool:
    """Whether these are not many more outliers than there are with the most clusters."""
    return found.n_outliers <= MANY_MORE * max(mass, float(np.ceil(WITHOUT_BREAK * total)))
