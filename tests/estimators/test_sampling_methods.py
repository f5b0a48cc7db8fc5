"""UniformSampleKMeans, ThresholdKMeans, RobustSeedingKMeans, TrimmedKMeans, LocalSearchKMeans."""

import numpy as np
import pytest

import naive
from nkmeans import (
    LocalSearchKMeans,
    RobustSeedingKMeans,
    ThresholdKMeans,
    TrimmedKMeans,
    UniformSampleKMeans,
)
from nkmeans.datasets import make_noisy_blobs
from nkmeans.estimators import threshold_kmeans
from nkmeans.estimators.uniform_sample_kmeans import sampling_rate
from nkmeans.metrics import trimmed_cost
from nkmeans.summarize.robust_seeding import at_most


@pytest.fixture
def far(seed):
    return make_noisy_blobs(20_000, 5, 3, 200, noise_range=2.5, random_state=seed)


# Uniform samples


def test_rates_are_the_papers():
    assert sampling_rate(1_000_000, 10, 10_000, "conservative") == 1 / 20_000
    assert sampling_rate(1_000_000, 10, 10_000, "aggressive") == pytest.approx(0.0138, rel=0.01)
    assert sampling_rate(100, 10, 1, "aggressive") == 1
    assert sampling_rate(100, 10, 0, "conservative") == 1


@pytest.mark.parametrize("mode", ["conservative", "aggressive"])
@pytest.mark.parametrize("coreset", ["auto", None])
def test_as_many_rows_are_drawn_as_the_rate_says(mode, coreset):
    X, _, _ = make_noisy_blobs(20_000, 4, 3, 1000, random_state=0)
    model = UniformSampleKMeans(4, 1000, mode=mode, coreset=coreset, random_state=0).fit(X)
    expected = 21_000 * sampling_rate(21_000, 4, 1000, mode)
    assert len(model.coreset_.sample_indices) == pytest.approx(expected, abs=5 * expected**0.5)
    assert len(model.coreset_.points) == len(model.coreset_.sample_indices)  # small: as it is


def test_a_sample_of_too_few_rows_is_drawn_again_at_twice_the_rate():
    X, _, _ = make_noisy_blobs(20_000, 20, 3, 4000, random_state=0)
    for seed in range(5):
        model = UniformSampleKMeans(20, 4000, random_state=seed).fit(X)
        assert 20 <= len(model.coreset_.sample_indices) < 200
        assert model.coreset_.rate in [2.0**i / 8000 for i in range(12)]


def test_weights_are_drawn_like_copies(rng):
    X = rng.normal(size=(5000, 2))
    weight = np.where(np.arange(5000) < 1000, 10.0, 0.1)
    model = UniformSampleKMeans(3, 50, random_state=0).fit(X, sample_weight=weight)
    rows = model.coreset_.sample_indices
    assert (rows < 1000).mean() > 0.9
    assert len(rows) == pytest.approx(weight.sum() / 100, abs=40)


def test_the_aggressive_sample_finds_what_the_conservative_may_miss(far):
    X, planted, _ = far
    best = trimmed_cost(X, planted, 200)
    fit = UniformSampleKMeans(5, 200, mode="aggressive", random_state=0).fit(X)
    assert fit.inertia_ < 1.1 * best


# Seedings


@pytest.mark.parametrize("Clusterer", [ThresholdKMeans, RobustSeedingKMeans, TrimmedKMeans, LocalSearchKMeans])  # fmt: skip
def test_far_noise_leads_none_of_them_astray(Clusterer, far):
    X, planted, truth = far
    model = Clusterer(5, 200, n_init=3, random_state=0).fit(X)
    assert model.inertia_ < 1.01 * trimmed_cost(X, planted, 200)
    assert truth[model.outlier_indices_].mean() > 0.98


def test_a_huge_threshold_is_k_means_pp_and_a_small_one_keeps_noise_away(far):
    X = far[0]
    start = ThresholdKMeans(5, 200, max_iter=1, tol=1e9)
    low = [start.set_params(beta=1.0, random_state=s).fit(X).inertia_ for s in range(8)]
    high = [start.set_params(beta=1e30, random_state=s).fit(X).inertia_ for s in range(8)]
    assert np.median(low) < np.median(high)


def test_thresholds_are_beta_times_guesses_over_z(far, monkeypatch):
    seen = []
    monkeypatch.setattr(
        threshold_kmeans, "at_most", lambda coreset, t: seen.append(t) or at_most(coreset, t)
    )
    model = ThresholdKMeans(5, 200, beta=3.0, random_state=0).fit(far[0])
    guesses = np.array(seen) * 200 / 3.0
    np.testing.assert_allclose(guesses, guesses[0] / 2.0 ** np.arange(len(seen)))
    assert guesses[0] > model.inertia_ > guesses[-1]


def test_oversampling_and_mixture_change_what_is_drawn(far):
    X = far[0]
    fits = [
        RobustSeedingKMeans(5, 200, alpha=a, oversampling=o, random_state=0, tol=1e9)
        .fit(X)
        .inertia_
        for a, o in ((0.0, 1.0), (0.5, 1.0), (1.0, 1.0), (0.5, 8.0))
    ]
    assert len(set(fits)) == 4


# Local search


@pytest.mark.parametrize("z", [0, 10])
def test_local_search_on_all_rows_ends_where_no_swap_improves(z, rng):
    X = rng.normal(size=(150, 2))
    model = LocalSearchKMeans(4, z, coreset=None, tol=1e-10, random_state=0).fit(X)
    to_center = naive.pairwise_dist2(X, model.cluster_centers_)
    after = naive.swap_costs(naive.pairwise_dist2(X, X), np.ones(150), z, to_center)
    assert after.min() >= model.inertia_ * (1 - 1e-6)


def test_the_published_search_has_points_for_centres(far):
    model = LocalSearchKMeans(5, 200, refine=False, random_state=0).fit(far[0])
    apart = naive.pairwise_dist2(model.cluster_centers_, model.coreset_.points).min(axis=1)
    np.testing.assert_allclose(apart, 0, atol=1e-20)
    assert LocalSearchKMeans(5, 200, random_state=0).fit(far[0]).inertia_ < model.inertia_
