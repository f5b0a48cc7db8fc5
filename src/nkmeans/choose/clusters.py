"""How many clusters: the simplified silhouette of what is kept.

A row's silhouette is 1 minus its distance to the nearest centre over that to the second nearest;
outliers have none, so noise does not become clusters.
"""

from dataclasses import dataclass

import numpy as np
from scipy.spatial.distance import cdist

from nkmeans.choose.rough import Rough
from nkmeans.kernels.select import weighted_cut

# With a lower silhouette clusters overlap so much that their number means little.
CLEAR = 0.5
# A cluster must raise the silhouette by this over the number of clusters: a centre amid noise
# raises it a little, too.
WORTH = 0.06
# Rows in clusters that hold less than this share of them have no silhouette.
LEAST_SHARE = 0.0025


@dataclass(frozen=True)
class ClusterChoice:
    """How well each number of clusters fits.

    Attributes
    ----------
    n_clusters : int
        The least number to which no more clusters are worth adding.
    candidates : int ndarray of shape (m,)
        The numbers that were tried, from 2 on.
    silhouette : ndarray of shape (m,)
    cost : ndarray of shape (m,)
        Trimmed costs, estimated from a sample.
    """

    n_clusters: int
    candidates: np.ndarray
    silhouette: np.ndarray
    cost: np.ndarray

    @property
    def clear(self) -> bool:
        """Whether the clusters are apart."""
        return self.of(self.n_clusters) >= CLEAR

    def of(self, n_clusters: int) -> float:
        """The silhouette of a number of clusters; 0 of a single one."""
        return float(self.silhouette[self.candidates == n_clusters].max(initial=0.0))


def choose_clusters(rough: Rough, max_clusters: int, n_outliers: float) -> ClusterChoice:
    """The number of clusters with the largest silhouette, with so much of the data left out."""
    candidates = np.arange(2, min(max_clusters, rough.n_distinct) + 1)
    if len(candidates) == 0:
        return ClusterChoice(1, candidates, np.empty(0), np.empty(0))
    z = n_outliers * rough.total_weight / rough.problem.survey.total_weight
    found = [rough.solve(int(k), z) for k in candidates]
    scores = np.array([silhouette(rough, solution.centers, z) for solution in found])
    rough.problem.log(f"clusters: silhouettes {np.round(scores, 3)}")
    return ClusterChoice(
        least_of_best(candidates, scores),
        candidates,
        scores,
        np.array([solution.cost for solution in found]),
    )


def least_of_best(candidates: np.ndarray, scores: np.ndarray) -> int:
    """The least number of clusters to which no more are worth adding."""
    for k, score in zip(candidates, scores, strict=True):
        more = candidates > k
        if (scores[more] - score <= WORTH * (1 - k / candidates[more])).all():
            break
    return int(k)


def silhouette(rough: Rough, centers: np.ndarray, n_outliers: float) -> float:
    """The mean silhouette of the sample without its farthest points."""
    points, weight = rough.sample.points, rough.sample.weight
    return silhouette_of(cdist(points, centers), weight, n_outliers)


def silhouette_of(distance: np.ndarray, weight: np.ndarray, n_outliers: float) -> float:
    """The same from all distances of points to centres; points that are nearly alone have 0."""
    labels = distance.argmin(axis=1)
    near = np.partition(distance, 1, axis=1)[:, :2]
    kept = near[:, 0] <= weighted_cut(near[:, 0], weight, n_outliers)[0]
    near, labels = near[kept], labels[kept]
    second = np.where(near[:, 1] > 0, near[:, 1], 1.0)
    alone = np.bincount(labels)[labels] < max(2, LEAST_SHARE * len(distance))
    return float(np.average(np.where(alone, 0.0, 1 - near[:, 0] / second), weights=weight[kept]))
