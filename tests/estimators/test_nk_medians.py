import numpy as np
import pytest
from scipy.optimize import minimize

from family import cost_of
from nkmeans import NKMeans, NKMedians
from nkmeans.datasets import make_noisy_blobs


def test_centres_are_geometric_medians_of_what_they_keep(seed):
    X, _, _ = make_noisy_blobs(2000, 4, 3, 60, noise_range=2.5, sigma=0.2, random_state=seed)
    model = NKMedians(4, 60, tol=1e-12, max_iter=3000, random_state=0).fit(X)
    for c, center in enumerate(model.cluster_centers_):
        mine = X[model.labels_ == c]
        best = minimize(
            lambda y, mine=mine: np.linalg.norm(mine - y, axis=1).sum(), center, tol=1e-10
        )
        here = np.linalg.norm(mine - center, axis=1).sum()
        assert here <= best.fun * (1 + 1e-6)


def test_planted_clusters_are_found_and_cost_less_than_their_means(seed):
    X, _, truth = make_noisy_blobs(20_000, 5, 4, 400, noise_range=2.5, sigma=0.2, random_state=seed)
    medians = NKMedians(5, 400, n_init=2, random_state=0).fit(X)
    means = NKMeans(5, 400, n_init=2, random_state=0).fit(X)
    assert medians.inertia_ < 1.001 * sum_of_distances(X, means.cluster_centers_, 400)
    assert truth[medians.outlier_indices_].mean() > 0.95


def sum_of_distances(X, centers, z):
    dist = np.sqrt(((X[:, None] - centers) ** 2).sum(axis=2).min(axis=1))
    return np.sort(dist)[: len(X) - z].sum()


def test_medians_hardly_feel_the_outliers_that_z_does_not_cover(rng):
    X = np.concatenate([rng.normal(scale=0.1, size=(500, 2)), rng.normal([30, 0], 1, (60, 2))])
    median = NKMedians(1, 0, random_state=0).fit(X).cluster_centers_[0]
    mean = NKMeans(1, 0, random_state=0).fit(X).cluster_centers_[0]
    assert np.linalg.norm(median) < 0.1 < 3 < np.linalg.norm(mean)


def test_whole_weights_cost_what_copies_cost(rng):
    X, weight = rng.normal(size=(800, 2)), rng.integers(0, 4, 800)
    model = NKMedians(3, 40, random_state=0).fit(X, sample_weight=weight)
    assert model.inertia_ == pytest.approx(cost_of(model, np.repeat(X, weight, axis=0), 40))


def test_most_rows_in_one_place(rng):
    X = np.concatenate([np.zeros((900, 2)), rng.normal(size=(100, 2))])
    model = NKMedians(1, 0, tol=1e-12, random_state=0).fit(X)
    np.testing.assert_allclose(model.cluster_centers_, 0, atol=1e-12)


def test_the_row_on_the_boundary_stays_in_when_it_is_predicted():
    for seed in range(2900, 3000):
        X = np.random.default_rng(seed).normal(size=(6, 2))
        model = NKMedians(1, 1, coreset=None, random_state=0, max_iter=1).fit(X)
        np.testing.assert_array_equal(model.predict(X), model.labels_)
