"""n_clusters="auto": the silhouette of what is kept."""

import numpy as np
import pytest
from sklearn.metrics import pairwise_distances

from nkmeans import NKMeans, TrimmedKMeans, load_model, open_source, save_model
from nkmeans.choose.clusters import silhouette_of
from nkmeans.datasets import load_gps, make_noisy_blobs


@pytest.mark.parametrize("n_outliers", [0, 7])
def test_the_silhouette_is_that_of_the_plain_definition(n_outliers, rng):
    points, centers = rng.normal(size=(200, 3)), rng.normal(size=(6, 3))
    weight = rng.integers(1, 4, 200).astype(float) if n_outliers == 0 else np.ones(200)
    distance = pairwise_distances(points, centers)
    distance[:2] += 5 * (np.arange(6) != 0)
    order = np.sort(distance, axis=1)
    kept = np.argsort(order[:, 0])[: 200 - n_outliers]
    expected = np.average(1 - order[kept, 0] / order[kept, 1], weights=weight[kept])
    assert silhouette_of(distance, weight, n_outliers) == pytest.approx(expected)


def test_points_alone_and_centres_on_one_spot_are_no_clusters():
    assert silhouette_of(np.array([[0.0, 5], [0, 5], [5, 0]]), np.ones(3), 0) == 2 / 3
    assert silhouette_of(np.zeros((9, 2)), np.ones(9), 0) == 1.0
    assert silhouette_of(np.ones((9, 2)), np.ones(9), 0) == 0.0


@pytest.mark.parametrize("n_clusters", [3, 7])
def test_the_planted_number_is_found_amid_noise(n_clusters):
    X, _, _ = make_noisy_blobs(20_000, n_clusters, 6, 400, noise_range=2.5, random_state=1)
    model = NKMeans("auto", "auto", max_clusters=11, random_state=0).fit(X)
    assert model.n_clusters_ == len(model.cluster_centers_) == n_clusters
    assert abs(model.n_outliers_ - 400) <= 4
    choice = model.cluster_choice_
    np.testing.assert_array_equal(choice.candidates, np.arange(2, 12))
    assert choice.clear
    assert len(choice.silhouette) == len(choice.cost) == 10
    given = NKMeans("auto", 400, random_state=0).fit(X)
    assert given.n_clusters_ == n_clusters


def test_it_works_on_sources_and_streams_and_is_saved(tmp_path):
    X, _, _ = make_noisy_blobs(9000, 4, 3, 90, noise_range=2.5, random_state=0)
    model = NKMeans("auto", 90, max_clusters=8, random_state=0).fit(open_source(X))
    assert model.n_clusters_ == 4
    save_model(model, tmp_path / "m.nkm")
    again = load_model(tmp_path / "m.nkm")
    np.testing.assert_array_equal(
        again.cluster_choice_.silhouette, model.cluster_choice_.silhouette
    )
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    stream = NKMeans("auto", 0.01, max_clusters=8, random_state=0)
    for batch in np.array_split(X, 3):
        stream.partial_fit(batch)
    assert stream.n_clusters_ == 4


def test_clusters_do_not_become_outliers_of_too_few_others():
    """Two clusters, a city and a far clump of dirt, would have the best silhouette of all."""
    X, dirty = load_gps()
    model = NKMeans("auto", "auto", random_state=0).fit(X)
    assert 6 <= model.n_clusters_ <= 10
    assert dirty[model.outlier_indices_].all()


@pytest.mark.filterwarnings("ignore:n_outliers of NKMeans is 'auto'")
def test_a_small_cluster_is_neither_lost_nor_left_out():
    rng = np.random.default_rng(0)
    X = np.r_[
        rng.normal(0, 1, (6000, 2)), rng.normal(-40, 1, (3500, 2)), rng.normal(40, 1, (500, 2))
    ]
    model = NKMeans("auto", "auto", max_clusters=8, random_state=0).fit(X)
    assert model.n_clusters_ == 3
    assert model.n_outliers_ <= 1


def test_weights_do_not_make_clusters():
    rng = np.random.default_rng(0)
    X, _, _ = make_noisy_blobs(3000, 5, 4, 60, noise_range=2.5, random_state=0)
    weight = rng.exponential(size=len(X))
    model = NKMeans("auto", "auto", max_clusters=12, random_state=0).fit(X, sample_weight=weight)
    assert model.n_clusters_ == 5


def test_where_clusters_overlap_it_says_so(rng):
    with pytest.warns(UserWarning, match="no number of clusters stands out"):
        NKMeans("auto", 0, max_clusters=6, random_state=0).fit(rng.normal(size=(2000, 5)))


@pytest.mark.parametrize("n", [8, 15])
def test_rows_by_themselves_are_no_clusters(n):
    rng = np.random.default_rng(0)
    X = rng.uniform(-20, 20, (4, 3))[rng.integers(4, size=n)] + rng.normal(size=(n, 3))
    assert NKMeans("auto", 0, random_state=0).fit(X).n_clusters_ <= 5


@pytest.mark.filterwarnings("ignore:n_outliers of NKMeans is 'auto'")
def test_fewer_different_rows_than_max_clusters_are_no_error():
    X = np.eye(6)[np.arange(500) % 6]
    assert NKMeans("auto", "auto", random_state=0).fit(X).n_clusters_ == 6


def test_no_more_clusters_than_different_rows(rng):
    X = np.repeat(rng.normal(size=(3, 2)), 50, axis=0)
    assert NKMeans("auto", 0, random_state=0).fit(X).n_clusters_ == 3
    with pytest.warns(UserWarning, match="1 are taken"):
        assert NKMeans("auto", 0, random_state=0).fit(np.zeros((20, 2))).n_clusters_ == 1


def test_only_those_with_max_clusters_choose():
    with pytest.raises(ValueError, match="n_clusters of TrimmedKMeans must be an int >= 1; got"):
        TrimmedKMeans("auto").fit(np.zeros((20, 2)))
    with pytest.raises(ValueError, match='n_clusters of NKMeans must be an int >= 1 or "auto"'):
        NKMeans("some").fit(np.zeros((20, 2)))
