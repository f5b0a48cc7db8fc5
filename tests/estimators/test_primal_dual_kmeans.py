"""Each bound against the optimum it speaks of."""

import numpy as np
import pytest

import naive
from nkmeans import PrimalDualKMeans
from nkmeans.datasets import make_noisy_blobs


@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.parametrize("z", [0, 1, 2])
@pytest.mark.parametrize("coreset", ["auto", None])
def test_on_all_rows_the_bounds_hold_for_the_data(k, z, coreset, rng):
    X = rng.integers(0, 30, (8, 2)).astype(float)
    model = PrimalDualKMeans(k, z, coreset=coreset, random_state=0).fit(X)
    free, _ = naive.optimal_kmeans_with_outliers(X, k, z)
    rows, _ = naive.optimal_medoids(naive.pairwise_dist2(X, X), k, z)
    assert 0.3 * free <= model.lower_bound_ <= free * (1 + 1e-9)
    assert 0.5 * rows <= model.point_lower_bound_ <= rows * (1 + 1e-9)
    assert model.data_lower_bound_ == model.lower_bound_
    assert model.inertia_ >= free * (1 - 1e-9)


def test_of_a_sample_nothing_is_certain_for_the_data():
    X, _, _ = make_noisy_blobs(50_000, 4, 3, 2500, noise_range=2.5, random_state=0)
    model = PrimalDualKMeans(4, 2500, random_state=0).fit(X)
    assert model.coreset_.rate < 1
    assert model.data_lower_bound_ == 0
    cost = (model.coreset_.weights * model.coreset_.spread).sum()
    assert model.lower_bound_ > 0.5 * min(cost, model.inertia_)


def test_of_sampled_copies_nothing_is_certain_either(rng):
    """Cells without spread: what moving costs does not tell that rows were left unseen."""
    X = np.repeat(rng.normal(size=(30, 2)), 2000, axis=0)
    model = PrimalDualKMeans(3, 3000, random_state=0).fit(X)
    assert model.coreset_.rate < 1
    assert model.coreset_.spread.max() < 1e-20
    assert model.lower_bound_ > 0
    assert model.data_lower_bound_ == 0


def test_of_cells_of_all_rows_the_bound_for_the_data_accounts_for_the_movement():
    """Tight pairs far apart: cells merge pairs, and the optimum over the rows is known."""
    rng = np.random.default_rng(0)
    places = np.array([[0.0, 0], [40, 0], [0, 60], [70, 70]])
    shift = rng.uniform(-0.5, 0.5, (4, 2))
    X = np.concatenate([places - shift, places + shift])
    opt, _ = naive.optimal_kmeans_with_outliers(X, 2, 1)
    with_cells = 0
    for seed in range(10):
        model = PrimalDualKMeans(2, 1, coreset="practical", random_state=seed).fit(X)
        assert model.coreset_.rate == 1
        assert model.data_lower_bound_ <= opt * (1 + 1e-9)
        if model.coreset_.spread.any():
            with_cells += 1
            assert model.data_lower_bound_ < model.lower_bound_
    assert with_cells > 0


def test_without_refinement_centres_are_points_of_the_coreset(seed):
    X, _, _ = make_noisy_blobs(20_000, 4, 3, 200, random_state=seed)
    model = PrimalDualKMeans(4, 200, refine=False, random_state=0).fit(X)
    apart = naive.pairwise_dist2(model.cluster_centers_, model.coreset_.points).min(axis=1)
    np.testing.assert_allclose(apart, 0, atol=1e-20)
    refined = PrimalDualKMeans(4, 200, random_state=0).fit(X)
    assert refined.inertia_ <= model.inertia_


def test_a_cost_of_zero_has_a_bound_of_zero():
    X = np.repeat([[0.0], [5.0], [9.0]], 10, axis=0)
    model = PrimalDualKMeans(3, 0, random_state=0).fit(X)
    assert model.inertia_ == model.lower_bound_ == model.point_lower_bound_ == 0
