import numpy as np
import pytest

import naive
from nkmeans.datasets import add_uniform_noise, make_noisy_blobs


def test_blobs_are_what_was_asked_for():
    X, centers, mask = make_noisy_blobs(
        10_003, 5, 3, 200, noise_range=2.5, sigma=0.01, random_state=0
    )
    assert X.shape == (10_203, 3)
    assert centers.shape == (5, 3)
    assert (abs(centers) <= 0.5).all()
    labels, dist2 = naive.nearest(X, centers)
    assert mask.sum() == 200
    assert dist2[mask].min() >= dist2[~mask].max()
    sizes = np.bincount(labels[~mask])
    assert sizes.max() - sizes.min() <= 3
    spread = (X[~mask] - centers[labels[~mask]]).std()
    assert spread == pytest.approx(0.01, rel=0.05)
    assert abs(X[mask]).max() <= 2.5
    assert abs(X[mask]).max() > 2


def test_rows_are_shuffled():
    X, centers, mask = make_noisy_blobs(1000, 2, 2, 100, random_state=0)
    labels, _ = naive.nearest(X, centers)
    assert (np.diff(labels) != 0).sum() > 300
    assert mask[:500].any()
    assert mask[500:].any()


@pytest.mark.parametrize("state", [0, np.random.RandomState(3)])
def test_a_seed_gives_the_same_data(state):
    def make(state):
        return make_noisy_blobs(100, 3, 2, 5, random_state=state)[0]

    if isinstance(state, int):
        np.testing.assert_array_equal(make(state), make(state))
        assert (make(0) != make(1)).any()
    else:
        assert (make(state) != make(state)).any()


def test_without_outliers_none_are_marked():
    X, _, mask = make_noisy_blobs(50, 5, 2, 0, random_state=0)
    assert len(X) == 50
    assert not mask.any()


def test_bad_sizes_are_named():
    with pytest.raises(
        ValueError, match=r"n_clusters of make_noisy_blobs .* got 11 with n_samples=10"
    ):
        make_noisy_blobs(10, 11)
    with pytest.raises(ValueError, match=r"n_outliers of make_noisy_blobs .* got -1"):
        make_noisy_blobs(10, 2, 2, -1)
    for name in ("sigma", "noise_range"):
        with pytest.raises(
            ValueError, match=f"{name} of make_noisy_blobs must be at least 0; got -1"
        ):
            make_noisy_blobs(10, 2, **{name: -1})
    with pytest.raises(ValueError, match="delta of add_uniform_noise must be at least 0; got -1"):
        add_uniform_noise(np.zeros((4, 1)), 0.5, -1)
    with pytest.raises(ValueError, match="share of add_uniform_noise must be at least 0; got -1"):
        add_uniform_noise(np.zeros((4, 1)), -1)
    with pytest.raises(ValueError, match="must be 2-D; got 1"):
        add_uniform_noise(np.zeros(4))


def test_noise_is_that_of_the_seeded_generator(dtype):
    X = np.zeros((1000, 3), dtype)
    noisy, mask = add_uniform_noise(X, 0.01, 5.0, random_state=7)
    assert noisy.dtype == dtype
    want = np.random.default_rng(7).uniform(-5, 5, (10, 3)).astype(dtype)
    np.testing.assert_array_equal(noisy[mask], want)
    np.testing.assert_array_equal(noisy[~mask], X)
    again, _ = add_uniform_noise(X, 0.01, 5.0, random_state=np.int64(7))
    np.testing.assert_array_equal(again, noisy)
