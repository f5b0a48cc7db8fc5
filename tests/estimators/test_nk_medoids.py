import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import pairwise_distances

import naive
from nkmeans import NKMedoids
from nkmeans.datasets import make_noisy_blobs
from nkmeans.estimators import nk_medoids


@pytest.fixture
def noisy(seed):
    return make_noisy_blobs(400, 4, 3, 20, noise_range=2.5, random_state=seed)[0]


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine", "chebyshev", "sqeuclidean"])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_small_instances_are_solved_to_the_optimum(metric, k, rng):
    X, weight = rng.normal(size=(12, 2)), rng.integers(1, 4, 12)
    pairs = pairwise_distances(X, metric=metric)
    best, _ = naive.optimal_medoids(pairs, k, 3, weight)
    model = NKMedoids(k, 3, metric=metric, n_init=5, random_state=0).fit(X, sample_weight=weight)
    assert model.inertia_ == pytest.approx(best)
    price = pairs[model.medoid_indices_].min(axis=0)
    assert model.inertia_ == pytest.approx((naive.kept_weights(price, weight, 3) * price).sum())


def test_no_swap_with_any_row_improves(noisy):
    model = NKMedoids(4, 20, random_state=0).fit(noisy)
    pairs = np.sqrt(naive.pairwise_dist2(noisy, noisy))
    after = naive.swap_costs(pairs[::7], np.ones(420), 20, pairs[:, model.medoid_indices_])
    assert after.min() >= model.inertia_ * (1 - 1e-8)


def test_names_functions_and_matrices_give_the_same(noisy):
    def manhattan(a, b):
        return float(abs(a - b).sum())

    want = NKMedoids(4, 20, metric="manhattan", random_state=0).fit(noisy)
    called = NKMedoids(4, 20, metric=manhattan, random_state=0).fit(noisy)
    np.testing.assert_array_equal(called.medoid_indices_, want.medoid_indices_)
    np.testing.assert_array_equal(called.labels_, want.labels_)
    pairs = pairwise_distances(noisy, metric="manhattan")
    known = NKMedoids(4, 20, metric="precomputed", random_state=0).fit(pairs)
    assert set(known.medoid_indices_) == set(want.medoid_indices_)
    assert known.inertia_ == pytest.approx(want.inertia_)
    assert known.cluster_centers_ is None
    np.testing.assert_array_equal(known.predict(pairs), known.labels_)
    np.testing.assert_allclose(known.transform(pairs), pairs[:, known.medoid_indices_])
    assert known.score(pairs) == pytest.approx(-known.inertia_)
    new = pairwise_distances(noisy[:5] + 0.01, noisy, metric="manhattan")
    assert known.predict(new).shape == (5,)


def test_the_direction_of_an_uneven_matrix_is_from_row_to_column(rng):
    pairs = rng.uniform(1, 2, (30, 30))
    pairs[:, 7] = 0.1  # everyone is near to 7
    np.fill_diagonal(pairs, 0)
    model = NKMedoids(1, 2, metric="precomputed", random_state=0).fit(pairs)
    np.testing.assert_array_equal(model.medoid_indices_, [7])


def test_rows_without_weight_are_no_medoids(noisy):
    weight = np.ones(len(noisy))
    best = NKMedoids(4, 20, random_state=0).fit(noisy).medoid_indices_
    weight[best] = 0
    model = NKMedoids(4, 20, random_state=0).fit(noisy, sample_weight=weight)
    assert not set(best) & set(model.medoid_indices_)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
def test_large_data_needs_no_matrix_of_all_pairs(metric, monkeypatch):
    X, centers, truth = make_noisy_blobs(30_000, 5, 3, 300, noise_range=2.5, random_state=0)
    asked = []
    between = nk_medoids.MetricSpace.between
    monkeypatch.setattr(
        nk_medoids.MetricSpace,
        "between",
        lambda self, rows, some: asked.append(out := between(self, rows, some)) or out,
    )
    model = NKMedoids(5, 300, metric=metric, random_state=0).fit(X)
    assert max(out.size for out in asked) <= 64 * len(X)
    assert sum(out.size for out in asked) < len(X) * (len(model.coreset_indices_) + 4000)
    assert truth[model.outlier_indices_].mean() > 0.99
    planted = pairwise_distances(X, centers, metric=metric).min(axis=1)
    assert model.inertia_ <= 1.05 * np.sort(planted)[: len(X) - 300].sum()


def test_of_very_many_rows_a_sample_is_drawn_and_told(monkeypatch):
    monkeypatch.setattr(nk_medoids, "MOST_ROWS", 3000)
    X, _, truth = make_noisy_blobs(20_000, 4, 3, 200, noise_range=2.5, random_state=0)
    model = NKMedoids(4, 200, random_state=0).fit(X)
    assert 2700 < len(model.sample_indices_) < 3300
    assert set(model.medoid_indices_) <= set(model.sample_indices_)
    assert len(model.labels_) == len(X)
    assert truth[model.outlier_indices_].mean() > 0.99


def test_a_sample_of_copies_does_not_hide_the_other_rows(monkeypatch):
    monkeypatch.setattr(nk_medoids, "MOST_ROWS", 50)
    X = np.concatenate([np.zeros((5000, 1)), [[1.0], [2.0]]])
    model = NKMedoids(3, 0, random_state=0).fit(X)
    np.testing.assert_array_equal(model.cluster_centers_, [[0.0], [1.0], [2.0]])


def test_a_matrix_must_be_square_and_of_distances(rng):
    model = NKMedoids(2, 1, metric="precomputed")
    with pytest.raises(
        ValueError, match=r"must be square with metric 'precomputed'; got shape \(4, 3\)"
    ):
        model.fit(rng.random((4, 3)))
    with pytest.raises(
        ValueError, match=r"not negative with metric 'precomputed'; got -1.0 at row 0, column 0"
    ):
        model.fit(np.full((4, 4), -1.0))
    assert model.__sklearn_tags__().input_tags.pairwise
    assert not NKMedoids().__sklearn_tags__().input_tags.pairwise


def test_frames_go_in(noisy):
    frame = pd.DataFrame(noisy, columns=["a", "b", "c"])
    model = NKMedoids(4, 20, random_state=0).fit(frame)
    want = NKMedoids(4, 20, random_state=0).fit(noisy)
    np.testing.assert_array_equal(model.predict(frame), want.labels_)
    assert list(model.feature_names_in_) == ["a", "b", "c"]


# What is no metric


def test_any_matrix_gives_k_rows_and_the_best_of_them(seed):
    rng = np.random.default_rng(seed)
    for _ in range(40):
        pairs = rng.integers(0, 3, (5, 5)).astype(float)
        k, z = int(rng.integers(1, 4)), int(rng.integers(0, 2))
        model = NKMedoids(k, z, metric="precomputed", n_init=3, random_state=0).fit(pairs)
        assert len(set(model.medoid_indices_)) == k
        assert model.inertia_ == pytest.approx(naive.optimal_medoids(pairs.T, k, z)[0])


def test_rows_that_differ_at_distance_zero_may_all_be_medoids():
    X = np.arange(1, 7.0)[:, None] * [[1.0, 1.0]]
    model = NKMedoids(3, 0, metric="cosine", random_state=0).fit(X)
    assert len(set(model.medoid_indices_)) == 3
    assert model.inertia_ == pytest.approx(0, abs=1e-12)
    np.testing.assert_array_equal(
        np.unique(NKMedoids(4, 0, metric="precomputed").fit(np.zeros((6, 6))).medoid_indices_).size,
        4,
    )


def test_a_negative_distance_is_found_wherever_it_is(rng):
    pairs = np.sqrt(naive.pairwise_dist2(*[rng.normal(size=(2500, 2))] * 2))
    pairs[1234, 77] = -0.5
    with pytest.raises(ValueError, match=r"got -0.5 at row 1234, column 77"):
        NKMedoids(3, 5, metric="precomputed", random_state=0).fit(pairs)


@pytest.mark.parametrize("metric", ["nope", "haversine", lambda a, b: a])
def test_a_metric_that_cannot_measure_is_named(metric, noisy):
    with pytest.raises(ValueError, match=r"metric of NKMedoids must be .* cannot measure X"):
        NKMedoids(3, 5, metric=metric).fit(noisy)
