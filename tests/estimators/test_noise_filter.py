import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.cluster import KMeans

import naive
from nkmeans import NoiseFilter
from nkmeans.datasets import make_noisy_blobs
from nkmeans.metrics import outlier_precision, outlier_recall, trimmed_cost


@pytest.mark.parametrize("coreset", ["auto", "practical", "theory", None])
def test_far_noise_goes_and_plain_k_means_is_right_on_the_rest(coreset, seed):
    X, centers, truth = make_noisy_blobs(1800, 4, 3, 40, noise_range=2.5, random_state=seed)
    cleaner = NoiseFilter(4, 40, coreset=coreset, random_state=0)
    clean = cleaner.fit_resample(X)
    removed = ~cleaner.inlier_mask_
    assert len(clean) == cleaner.inlier_mask_.sum()
    assert outlier_precision(truth, removed) > 0.95
    assert outlier_recall(truth, removed) > 0.95
    model = KMeans(4, n_init=5, random_state=0).fit(clean)
    assert trimmed_cost(X, model.cluster_centers_, 40) < 1.01 * trimmed_cost(X, centers, 40)


def test_on_all_points_it_is_algorithm_1_at_its_radius(seed):
    X, _, _ = make_noisy_blobs(150, 3, 2, 6, noise_range=2.5, sigma=0.05, random_state=seed)
    model = NoiseFilter(3, 6, coreset=None, random_state=0).fit(X)
    assert np.isfinite(model.radius_)
    want = naive.algorithm_1(X, np.ones(156), 6, model.radius_**2)
    assert not want.all()
    np.testing.assert_array_equal(model.inlier_mask_, want)
    np.testing.assert_allclose(model.score_samples(X), -model.survival_radius_)


def test_frames_lists_and_targets_are_resampled_alike():
    X, _, _ = make_noisy_blobs(900, 3, 2, 20, noise_range=2.5, random_state=0)
    y = np.arange(len(X))
    model = NoiseFilter(3, 20, random_state=0)
    clean, kept = model.fit_resample(X, y)
    np.testing.assert_array_equal(clean, X[kept])
    frame = pd.DataFrame(X, columns=["a", "b"], index=y + 1000)
    out, out_y = model.fit_resample(frame, pd.Series(y, index=frame.index))
    pd.testing.assert_frame_equal(out, frame.iloc[kept])
    np.testing.assert_array_equal(out_y.to_numpy(), kept)
    polar = model.fit_resample(pl.DataFrame(X, schema=["a", "b"]))
    np.testing.assert_array_equal(polar.to_numpy(), X[kept])
    np.testing.assert_array_equal(model.fit_resample(X.tolist()), X[kept])


def test_without_outliers_nothing_goes(rng):
    model = NoiseFilter(2, 0, random_state=0).fit(rng.normal(size=(100, 2)))
    assert model.inlier_mask_.all()
    assert model.radius_ == np.inf


def test_when_nothing_can_be_heavy_it_says_so(rng):
    with pytest.warns(UserWarning, match="no point can be heavy, and nothing is removed"):
        model = NoiseFilter(2, 60, random_state=0).fit(rng.normal(size=(100, 2)))
    assert model.inlier_mask_.all()


def test_bad_input_is_named(rng):
    X = rng.normal(size=(50, 2))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        NoiseFilter(2, 1).fit_resample(X, np.arange(80))
    with pytest.raises(ValueError, match="got 3 with 1 distinct rows"):
        NoiseFilter(3, 1).fit(np.ones((50, 2)))
