"""How many clusters and how many outliers, when neither is known."""

import numpy as np

from nkmeans.choose.clusters import ClusterChoice, least_of_best, silhouette
from nkmeans.choose.outliers import OutlierBreak, Trial, look, trial_for
from nkmeans.choose.rough import Rough


def choose_both(rough: Rough, max_clusters: int) -> tuple[ClusterChoice, OutlierBreak]:
    """For each number of clusters its break; the best of them, and its break in all rows."""
    candidates = np.arange(min(2, rough.n_distinct), min(max_clusters, rough.n_distinct) + 1)
    trials = [trial_for(rough, int(k)) for k in candidates]
    scores = np.array([score(rough, trial) for trial in trials])
    k = least_of_best(candidates, scores)
    best = trials[int(np.searchsorted(candidates, k))]
    costs = np.array([trial.mean_cost * (rough.total_weight - trial.mass) for trial in trials])
    return ClusterChoice(k, candidates, scores, costs), look(rough, best)


def score(rough: Rough, trial: Trial) -> float:
    """The silhouette of all rows, where outliers count as 0.

    So clusters that are left out for want of a centre count against a number of clusters.
    """
    if len(trial.centers) < 2:
        return 0.0
    kept = 1 - trial.mass / rough.total_weight
    return kept * silhouette(rough, trial.centers, trial.mass)
