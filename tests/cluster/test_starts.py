import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.cluster import (
    DBSCAN,
    AgglomerativeClustering,
    BisectingKMeans,
    KMeans,
    MiniBatchKMeans,
)
from sklearn.preprocessing import StandardScaler

from nkmeans.cluster.starts import cluster_with, seed_and_lloyd, takes_weights

CORNERS = np.array([[0.0, 0], [9, 0], [0, 9], [9, 9]])


@pytest.fixture
def points(rng):
    return np.repeat(CORNERS, 50, axis=0) + rng.normal(scale=0.1, size=(200, 2))


def same_points(A, B, atol):
    return all(abs(B - a).sum(axis=1).min() < atol for a in A)


@pytest.mark.parametrize(
    "clusterer", [KMeans(), MiniBatchKMeans(n_init=3), BisectingKMeans(), AgglomerativeClustering()]
)
def test_any_clusterer_finds_the_corners(clusterer, points):
    centers = cluster_with(
        clusterer, points, np.ones(200), np.zeros(2), 4, np.random.default_rng(0)
    )
    assert centers.shape == (4, 2)
    assert same_points(CORNERS, centers, 0.2)
    again = cluster_with(clusterer, points, np.ones(200), np.zeros(2), 4, np.random.default_rng(0))
    np.testing.assert_array_equal(centers, again)


@pytest.mark.parametrize("clusterer", [KMeans(n_init=1), AgglomerativeClustering()])
def test_weights_count_with_and_without_the_clusterers_help(clusterer):
    rng = np.random.default_rng(0)
    points = np.concatenate([rng.normal(size=(400, 1)), 50 + rng.normal(size=(400, 1))])
    weight = np.where(points[:, 0] > 50, 9.0, 1.0)  # nine tenths of the upper cluster's right half
    centers = np.sort(cluster_with(clusterer, points, weight, np.zeros(1), 2, rng)[:, 0])
    right = points[:, 0] > 25
    assert centers[1] == pytest.approx(np.average(points[right, 0], weights=weight[right]), abs=0.1)
    assert takes_weights(clusterer) == isinstance(clusterer, KMeans)


def test_a_clusterer_that_finds_another_number_is_an_error(points):
    with pytest.raises(ValueError, match=r"must find n_clusters=3 clusters; DBSCAN found 4"):
        cluster_with(DBSCAN(eps=2), points, np.ones(200), np.zeros(2), 3, np.random.default_rng(0))


def test_a_model_that_is_no_clusterer_is_an_error(points):
    with pytest.raises(
        ValueError, match="must have cluster_centers_ or labels_ after fit; StandardScaler"
    ):
        cluster_with(
            StandardScaler(), points, np.ones(200), np.zeros(2), 4, np.random.default_rng(0)
        )


def test_a_clusterer_sees_the_datas_own_coordinates(points):
    origin = np.array([100.0, -50.0])
    started = KMeans(init=CORNERS + origin, n_init=1)
    centers = cluster_with(started, points, np.ones(200), origin, 4, np.random.default_rng(0))
    np.testing.assert_allclose(centers, CORNERS, atol=0.1)


class WeightedLabels(BaseEstimator):
    """Takes weights, keeps labels only."""

    def fit(self, X, y=None, sample_weight=None):
        self.labels_ = (X[:, 0] > 5).astype(int)
        return self


def test_means_of_labels_are_weighted_where_the_clusterer_was():
    points = np.array([[0.0], [1.0], [9.0]])
    weight = np.array([1.0, 3.0, 1.0])
    found = cluster_with(WeightedLabels(), points, weight, np.zeros(1), 2, np.random.default_rng(0))
    np.testing.assert_allclose(found, [[0.75], [9.0]])


def test_too_few_distinct_points_give_nothing():
    points, rng = np.ones((30, 2)), np.random.default_rng(0)
    assert cluster_with(KMeans(), points, np.ones(30), np.zeros(2), 2, rng) is None
    assert seed_and_lloyd(points, np.ones(30), 2, rng) is None


def test_the_users_clusterer_is_left_as_it_was(points):
    clusterer = KMeans(n_clusters=7)
    cluster_with(clusterer, points, np.ones(200), np.zeros(2), 4, np.random.default_rng(0))
    assert clusterer.n_clusters == 7
    assert not hasattr(clusterer, "cluster_centers_")
