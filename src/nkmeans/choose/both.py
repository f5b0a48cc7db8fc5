"""How many clusters and how many outliers, when neither is known."""

from dataclasses import replace

import numpy as np

from nkmeans.choose.clusters import ClusterChoice, choose_clusters
from nkmeans.choose.outliers import WITHOUT_BREAK, OutlierBreak, choose_outliers
from nkmeans.choose.rough import Rough

# With this many times as many outliers as with the most clusters, some of them are clusters.
MANY_MORE = 3.0
MOST_TRIED = 5


def choose_both(rough: Rough, max_clusters: int) -> tuple[ClusterChoice, OutlierBreak]:
    """The best number of clusters that does not make outliers of clusters, and its break."""
    # With more centres than clusters the break is where it is with as many.
    mass = choose_outliers(rough, min(max_clusters, rough.n_distinct)).n_outliers
    choice = choose_clusters(rough, max_clusters, mass)
    tried = []
    for k in choice.ranked()[:MOST_TRIED]:
        tried.append((replace(choice, n_clusters=k), choose_outliers(rough, k)))
        if fits(tried[-1][1], mass, rough.problem.survey.total_weight):
            return tried[-1]
    return tried[0]


def fits(found: OutlierBreak, mass: float, total: float) -> bool:
    """Whether these are not many more outliers than there are with the most clusters."""
    return found.n_outliers <= MANY_MORE * max(mass, float(np.ceil(WITHOUT_BREAK * total)))
