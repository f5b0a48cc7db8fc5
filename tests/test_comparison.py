import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator
from sklearn.cluster import DBSCAN, AgglomerativeClustering, BisectingKMeans, KMeans

import naive
from nkmeans import NKMeans, TrimmedKMeans, compare
from nkmeans.comparison import METHODS, relative, run_methods
from nkmeans.datasets import make_noisy_blobs


@pytest.fixture(scope="module")
def data():
    return make_noisy_blobs(2000, 4, 3, 40, noise_range=2.5, random_state=0)


def test_all_methods_are_in_the_table_cheapest_first(data):
    X, _, truth = data
    table = compare(X, n_clusters=4, n_outliers=40, true_outliers=truth, random_state=0)
    assert set(table.index) == set(METHODS)
    assert list(table.columns) == [
        "cost",
        "relative_cost",
        "precision",
        "seconds",
        "one_point_clusters",
    ]
    assert (np.diff(table["cost"]) >= 0).all()
    assert table["relative_cost"].iloc[0] == 1
    assert table.loc["NKMeans", "relative_cost"] < 1.001
    assert table.loc["NKMeans", "precision"] > 0.99
    assert table.loc["KMeans", "relative_cost"] > 10
    assert table.loc["KMeans", "one_point_clusters"] > 0
    assert (table["seconds"] > 0).all()


def test_every_number_is_what_it_says(data):
    X, _, truth = data
    weight = np.random.default_rng(0).integers(0, 3, len(X))
    found = run_methods(X, ["NKMeans", "KMeans"], 4, 40, weight, 0)
    for result in found.values():
        centers = result.model.cluster_centers_
        assert result.cost == pytest.approx(naive.trimmed_cost(X, centers, 40, weight))
        sizes = [(result.labels == c).sum() for c in range(4)]
        assert result.one_point_clusters == np.mean(np.array(sizes) <= 1)
    table = compare(X, ["KMeans"], 4, 40, truth, random_state=0)
    dist2 = naive.nearest(X, KMeans(4, random_state=0).fit(X).cluster_centers_)[1]
    want = truth[np.argsort(dist2)[-40:]].mean()
    assert table.loc["KMeans", "precision"] == pytest.approx(want)


def test_names_estimators_and_dicts_are_methods(data):
    X = data[0]
    table = compare(X, [NKMeans(refine=False), BisectingKMeans()], 4, 40, random_state=0)
    assert set(table.index) == {"NKMeans", "BisectingKMeans"}
    assert table["precision"].isna().all()
    given = {"one": NKMeans(9, 9), "ten": TrimmedKMeans(n_init=10)}
    table = compare(X, given, 4, 40, random_state=0)
    assert set(table.index) == {"one", "ten"}
    assert given["one"].get_params()["n_clusters"] == 9
    assert not hasattr(given["one"], "labels_")
    assert list(compare(X, "NKMeans", 4, 40).index) == ["NKMeans"]
    assert list(compare(X, [NKMeans], 4, 40).index) == ["NKMeans"]
    started = KMeans(init=X[:4], n_init=1)  # cannot be warmed up with two clusters
    assert list(compare(X, {"started": started}, 4, 40).index) == ["started"]
    assert len(compare(np.median(X) < X, ["NKMeans"], 3, 0)) == 1
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    assert list(compare(frame, ["NKMeans"], 4, 40).index) == ["NKMeans"]


def test_the_same_seed_gives_the_same_costs(data):
    tables = [
        compare(data[0], ["NKMeans", "CoresetKMeans"], 4, 40, random_state=3) for _ in range(2)
    ]
    pd.testing.assert_series_equal(tables[0]["cost"], tables[1]["cost"])


@pytest.mark.parametrize(
    ("methods", "words"),
    [
        (["KMeens"], "names among NKMeans, .* or estimators; got 'KMeens'"),
        ([], "must not be empty"),
        ([NKMeans(), NKMeans()], r"must differ in name; got \['NKMeans'\] twice"),
        ([DBSCAN()], "must have a parameter n_clusters; DBSCAN has none"),
        (5, "or estimators; got 5"),
        ([5], "or estimators; got 5"),
        (
            [AgglomerativeClustering()],
            "must have cluster_centers_ once fitted; AgglomerativeClustering",
        ),
    ],
)
def test_bad_methods_are_named(methods, words, data):
    with pytest.raises(ValueError, match=words):
        compare(data[0], methods, 4, 40)


class Odd(BaseEstimator):
    """Finds what it is told to."""

    def __init__(self, centers=None, n_clusters=2):
        self.centers, self.n_clusters = centers, n_clusters

    def fit(self, X):
        self.cluster_centers_ = self.centers
        return self


@pytest.mark.parametrize(
    ("centers", "words"),
    [
        (np.full((4, 3), np.nan), r"shape \(4, 3\) that is not finite"),
        (
            np.zeros((4, 1)),
            r"4 centres of 3 finite coordinates; Odd found an array of shape \(4, 1\)",
        ),
        (np.zeros((0, 3)), r"shape \(0, 3\)"),
        (np.zeros(3), r"shape \(3,\)"),
    ],
)
def test_centres_that_are_none_are_named(centers, words, data):
    with pytest.raises(ValueError, match=words):
        compare(data[0], [Odd(centers)], 4, 40)


def test_weights_need_methods_that_take_them(data):
    with pytest.raises(ValueError, match="must take sample_weight when it is given; Odd does not"):
        compare(data[0], [Odd()], 4, 40, sample_weight=np.ones(len(data[0])))


def test_bad_numbers_and_masks_are_named(data):
    X = data[0]
    with pytest.raises(ValueError, match="n_clusters of compare must be an int >= 1; got 0"):
        compare(X, ["NKMeans"], 0, 40)
    with pytest.raises(ValueError, match="n_outliers of compare must be"):
        compare(X, ["NKMeans"], 4, 10**6)
    with pytest.raises(
        ValueError, match="true_outliers of compare must be a boolean array of length 2040"
    ):
        compare(X, ["NKMeans"], 4, 40, np.ones(3, dtype=bool))
    with pytest.raises(
        ValueError, match="true_outliers of compare must be a boolean array of length 2040"
    ):
        compare(X, ["NKMeans"], 4, 40, np.arange(2040))


def test_without_pandas_the_extra_is_named(data, monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"pip install 'nkmeans\[report\]'"):
        compare(data[0], ["NKMeans"], 4, 40)


def test_relative_to_nothing():
    assert relative(0.0, 0.0) == 1
    assert relative(2.0, 0.0) == np.inf
    assert relative(3.0, 2.0) == 1.5
