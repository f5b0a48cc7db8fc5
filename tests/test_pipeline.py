import numpy as np
import pytest
from sklearn.cluster import AgglomerativeClustering, BisectingKMeans, MiniBatchKMeans

from nkmeans import NKMeans
from nkmeans.datasets import make_noisy_blobs
from nkmeans.metrics import outlier_precision, trimmed_cost
from nkmeans.summarize import coreset


def ratio_and_precision(model, seed=0, noise_range=2.5, n=12_000):
    X, centers, truth = make_noisy_blobs(
        n, 5, 4, n // 50, noise_range=noise_range, random_state=seed
    )
    model = model.set_params(n_clusters=5, n_outliers=n // 50, random_state=seed).fit(X)
    assert model.inertia_ == pytest.approx(trimmed_cost(X, model.cluster_centers_, n // 50))
    found = model.labels_ < 0
    return model.inertia_ / trimmed_cost(X, centers, n // 50), outlier_precision(truth, found)


@pytest.mark.parametrize("noise_range", [0.5, 2.5])
def test_planted_clusters_are_found(noise_range, seed):
    ratio, precision = ratio_and_precision(NKMeans(), seed, noise_range)
    assert ratio <= 1.0005
    assert precision > 0.99


@pytest.mark.parametrize("refine", [True, False])
@pytest.mark.parametrize("coreset", ["auto", "practical", "theory"])
def test_every_coreset_leads_there(refine, coreset):
    ratio, _ = ratio_and_precision(NKMeans(refine=refine, coreset=coreset))
    assert ratio <= (1.0005 if refine else 1.01)


@pytest.mark.parametrize("refine", [True, False])
@pytest.mark.parametrize(
    "clusterer", [MiniBatchKMeans(n_init=3), BisectingKMeans(), AgglomerativeClustering()]
)
def test_any_clusterer_serves_as_algorithm_a(refine, clusterer):
    ratio, _ = ratio_and_precision(NKMeans(clusterer=clusterer, refine=refine), n=4_000)
    assert ratio <= (1.001 if refine else 1.1)


def test_all_points_as_coreset(seed):
    ratio, _ = ratio_and_precision(NKMeans(coreset=None), seed, n=1500)
    assert ratio <= 1.0005


def test_many_rows_and_few_outliers_stay_where_they_are(monkeypatch):
    monkeypatch.setattr(coreset, "MOST_IN_MEMORY", 1000)
    X, centers, _ = make_noisy_blobs(20_000, 5, 3, 10, noise_range=2.5, random_state=0)
    model = NKMeans(5, 10, random_state=0).fit(X)
    assert model.coreset_.rate == 1
    assert 500 < len(model.coreset_.sample_indices) < 1500
    assert model.coreset_.weights.sum() == pytest.approx(len(X))
    assert model.inertia_ <= 1.0005 * trimmed_cost(X, centers, 10)


def test_many_features(monkeypatch):
    X, centers, _ = make_noisy_blobs(6000, 5, 100, 300, noise_range=2.5, random_state=0)
    model = NKMeans(5, 300, random_state=0, coreset="practical").fit(X.astype(np.float32))
    assert model.inertia_ <= 1.0005 * trimmed_cost(X, centers, 300)


def test_rare_distinct_rows_that_the_sample_misses_are_found():
    X = np.zeros((100_000, 1))
    X[::2] = 1
    X[12_345] = 7
    model = NKMeans(3, 0.1, random_state=0).fit(X)
    np.testing.assert_array_equal(np.sort(model.cluster_centers_[:, 0]), [0, 1, 7])
    assert model.inertia_ == 0


def test_n_init_keeps_the_best_of_its_runs():
    X, _, _ = make_noisy_blobs(2000, 8, 2, 40, noise_range=2.5, random_state=3)
    options = {"n_clusters": 8, "n_outliers": 40, "coreset": "practical", "refine": False}
    best = NKMeans(**options, n_init=8, random_state=0).fit(X).inertia_
    seeds = np.random.RandomState(0).randint(2**31 - 1, size=8)
    runs = []
    for seed in seeds:
        model = NKMeans(**options)
        model._seeds = lambda count, seed=seed: [int(seed)]
        runs.append(model.fit(X).inertia_)
    assert best == min(runs) < max(runs)


def test_verbose_says_what_each_stage_did(capsys):
    X, _, _ = make_noisy_blobs(5000, 3, 2, 50, random_state=0)
    NKMeans(3, 50, random_state=0, verbose=1).fit(X)
    said = capsys.readouterr().out
    for words in ("sample: ", "summarize: ", "denoise: ", "assign: cost"):
        assert words in said
    NKMeans(3, 50, random_state=0).fit(X)
    assert capsys.readouterr().out == ""
