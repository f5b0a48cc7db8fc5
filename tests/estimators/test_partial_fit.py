"""Streams: the same sample as of everything at once, in bounded memory."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

from nkmeans import NKMeans, load_model, save_model
from nkmeans.datasets import make_noisy_blobs
from nkmeans.metrics import trimmed_cost
from nkmeans.summarize.coreset import MOST_IN_MEMORY

X, PLANTED, _ = make_noisy_blobs(99_000, 5, 3, 1000, noise_range=2.5, random_state=0)


def stream(model, X, step, weight=None):
    for start in range(0, len(X), step):
        rows = slice(start, start + step)
        model.partial_fit(X[rows], sample_weight=None if weight is None else weight[rows])
    return model


@pytest.mark.parametrize("z", [0.01, 1000])
def test_batches_end_where_one_fit_ends(z, dtype):
    data = X.astype(dtype)
    whole = NKMeans(5, z, random_state=0).fit(data)
    model = NKMeans(5, z, random_state=0)
    model = stream(model, data, 10_000)
    assert model.n_samples_seen_ == 100_000
    assert model.n_outliers_ == 1000
    assert trimmed_cost(data, model.cluster_centers_, 1000) <= 1.01 * whole.inertia_
    assert model.inertia_ == pytest.approx(whole.inertia_, rel=0.05)
    assert (model.predict(data) < 0).sum() == pytest.approx(1000, rel=0.2)
    assert not hasattr(model, "labels_")


def test_the_sample_is_that_of_one_fit():
    """The same rows, however the stream is cut."""
    whole = NKMeans(5, 0.01, random_state=0).fit(X)
    one, other = (stream(NKMeans(5, 0.01, random_state=0), X, step) for step in (10_000, 3700))
    np.testing.assert_array_equal(one.coreset_.sample_indices, whole.coreset_.sample_indices)
    np.testing.assert_array_equal(other.coreset_.sample_indices, whole.coreset_.sample_indices)
    np.testing.assert_allclose(one.cluster_centers_, other.cluster_centers_)


def test_attributes_are_right_after_each_call():
    model = NKMeans(5, 0.01, random_state=0)
    for start in range(0, 30_000, 5000):
        model.partial_fit(X[start : start + 5000])
        seen = X[: start + 5000]
        assert model.n_outliers_ == len(seen) // 100
        best = NKMeans(5, 0.01, random_state=0).fit(seen).inertia_
        assert trimmed_cost(seen, model.cluster_centers_, len(seen) // 100) <= 1.01 * best


@pytest.mark.parametrize("z", [0, 0.00001, 0.2])
def test_memory_is_bounded(z):
    rng = np.random.default_rng(0)
    model = NKMeans(2, z, random_state=0)
    for _ in range(6):
        model.partial_fit(rng.normal(size=(40_000, 1)).astype(np.float32))
        assert len(model._stream.points) <= 1.05 * MOST_IN_MEMORY


def test_a_weight_counts_as_copies():
    """Heavy rows are surely kept, and weigh what they weigh."""
    weight = np.ones(len(X))
    weight[X[:, 0] > np.median(X[:, 0])] = 5.0
    whole = NKMeans(5, 0.01, random_state=0).fit(X, sample_weight=weight)
    model = stream(NKMeans(5, 0.01, random_state=0), X, 10_000, weight)
    cost = trimmed_cost(X, model.cluster_centers_, int(whole.n_outliers_), sample_weight=weight)
    assert cost <= 1.01 * whole.inertia_
    assert model.n_outliers_ == whole.n_outliers_
    weight[:] = 0
    weight[::200] = 1
    few = stream(NKMeans(5, 5, random_state=0), X, 10_000, weight)
    assert set(few.coreset_.sample_indices) == set(range(0, len(X), 200))


def test_a_new_fit_forgets_the_stream():
    model = stream(NKMeans(5, 0.01, random_state=0), X[:20_000], 5000)
    model.fit(X[:1000])
    assert not hasattr(model, "n_samples_seen_")
    again = model.partial_fit(X[:5000])
    assert again.n_samples_seen_ == 5000


def test_a_stream_can_be_saved_and_taken_up_again(tmp_path):
    whole = stream(NKMeans(5, 0.01, random_state=0), X[:40_000], 10_000)
    half = stream(NKMeans(5, 0.01, random_state=0), X[:20_000], 10_000)
    save_model(half, tmp_path / "half.nkm")
    model = stream(load_model(tmp_path / "half.nkm"), X[20_000:40_000], 10_000)
    np.testing.assert_array_equal(model.cluster_centers_, whole.cluster_centers_)


def test_bad_batches_are_told_and_change_nothing():
    model = NKMeans(5, 0.01, random_state=0)
    with pytest.raises(
        ValueError, match=r"n_clusters of NKMeans must be an int in \[1, n_samples\]"
    ):
        model.partial_fit(X[:3])
    with pytest.raises(ValueError, match="n_clusters of NKMeans must be an int >= 1"):
        NKMeans(0).partial_fit(X)
    model.partial_fit(X[:5000])
    before = model.cluster_centers_.copy()
    bad = X[:100].copy()
    bad[7, 1] = np.nan
    with pytest.raises(ValueError, match="contains NaN at row 7, column 1"):
        model.partial_fit(bad)
    with pytest.raises(ValueError, match="X has 2 features, but NKMeans is expecting 3"):
        model.partial_fit(X[:100, :2])
    assert model.n_samples_seen_ == 5000
    np.testing.assert_array_equal(model.cluster_centers_, before)
    model.partial_fit(X[5000:5001])
    assert model.n_samples_seen_ == 5001


def test_planted_clusters_are_found():
    model = stream(NKMeans(5, 0.01, random_state=0), X, 1000)
    found = trimmed_cost(X, model.cluster_centers_, 1000)
    assert found <= 1.01 * trimmed_cost(X, PLANTED, 1000)


def test_later_batches_may_be_finer_than_the_first(rng):
    first = rng.normal(size=(2000, 1)).astype(np.float32)
    groups = 1.7e9 + np.repeat([0.0, 30.0, 60.0], 3000)[:, None]
    later = groups + rng.normal(size=groups.shape)
    model = NKMeans(4, 0, random_state=0).partial_fit(first).partial_fit(later)
    found = np.sort(model.cluster_centers_[:, 0])[1:] - 1.7e9
    np.testing.assert_allclose(found, [0, 30, 60], atol=1)


def test_later_batches_may_be_farther_than_float32_can_square(rng):
    first = rng.normal(size=(2000, 2)).astype(np.float32)
    later = first.copy()
    later[:3] = 1e25
    model = NKMeans(3, 0, random_state=0).partial_fit(first).partial_fit(later)
    assert np.isfinite(model.inertia_)
    assert model.cluster_centers_.max() == pytest.approx(1e25)


def test_a_later_batch_whose_squares_overflow_is_an_error_and_changes_nothing(rng):
    X = rng.normal(size=(500, 2))
    model = NKMeans(3, 0, random_state=0).partial_fit(X)
    before = model.cluster_centers_.copy()
    with pytest.raises(ValueError, match="squared distances overflow float64"):
        model.partial_fit(np.full((5, 2), 1e200))
    np.testing.assert_array_equal(model.cluster_centers_, before)
    assert model.n_samples_seen_ == 500


def test_a_failed_first_batch_leaves_nothing(rng):
    X = rng.normal(size=(500, 2))
    model = NKMeans(5, 0.1, random_state=0).fit(X)
    with pytest.raises(ValueError, match="n_clusters"):
        model.partial_fit(X[:3])
    with pytest.raises(NotFittedError):
        model.predict(X)
