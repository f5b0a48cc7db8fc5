"""suggest: a table, a suggestion and its reason."""

import numpy as np
import pandas as pd
import pytest

from nkmeans import NKMeans, open_source, suggest
from nkmeans.datasets import make_noisy_blobs

X, PLANTED, MASK = make_noisy_blobs(9000, 6, 3, 120, noise_range=2.5, random_state=0)


def test_the_planted_numbers_are_suggested():
    found = suggest(X, range(2, 12), random_state=0)
    assert found.n_clusters == 6
    assert abs(found.n_outliers - 120) <= 1
    assert found.clear
    assert "6 clusters" in found.reason
    assert "120 outliers" in found.reason or "119 outliers" in found.reason
    assert "n_clusters=6" in repr(found)


def test_the_table_has_a_row_for_each_pair():
    found = suggest(X, [3, 6, 6, 5], [0.1, 0, 50, 0.01], random_state=0)
    table = pd.DataFrame(found.table)
    assert list(table.columns) == [
        "n_clusters", "n_outliers", "cost", "gain", "silhouette", "stability", "smallest"
    ]  # fmt: skip
    assert table.n_clusters.tolist() == [3] * 4 + [5] * 4 + [6] * 4
    assert table.n_outliers.tolist() == [0, 50, 91, 912] * 3
    assert table.gain[:4].isna().all()
    before, after = table.cost[:4].to_numpy(), table.cost[4:8].to_numpy()
    np.testing.assert_allclose(table.gain[4:8], 1 - after / before)
    assert found.grid.centers[2][1].shape == (6, 3)
    assert found.points.shape == (len(found.rows), 3)
    np.testing.assert_allclose(found.points, X[found.rows], atol=1e-9)


def test_centres_are_in_the_units_of_the_data():
    far = X + np.array([1e4, -50, 7])
    found = suggest(far, [6], [120], random_state=0)
    model = NKMeans(6, 120, random_state=0).fit(far)
    np.testing.assert_allclose(found.grid.centers[0][0], model.cluster_centers_, atol=0.02)


def test_no_noise_and_no_clusters_are_told(rng):
    found = suggest(rng.normal(size=(5000, 4)), range(2, 6), [0, 0.01], random_state=0)
    assert not found.clear
    assert "show no break" in found.reason
    assert "no clear silhouette" in found.reason
    assert found.n_outliers == 0


def test_the_same_seed_gives_the_same_on_any_number_of_threads():
    one = suggest(X, range(2, 8), random_state=5, n_jobs=1)
    two = suggest(X, range(2, 8), random_state=5, n_jobs=3)
    for name, column in one.table.items():
        np.testing.assert_array_equal(column, two.table[name])
    assert one.reason == two.reason


def test_frames_sources_and_weights():
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    found = suggest(frame, range(2, 9), random_state=0)
    assert found.columns == ["a", "b", "c"]
    assert found.n_clusters == 6
    walked = suggest(open_source(X), range(2, 9), random_state=0)
    np.testing.assert_array_equal(walked.table["cost"], found.table["cost"])
    doubled = suggest(X, range(2, 9), random_state=0, sample_weight=np.full(len(X), 2.0))
    assert doubled.total_weight == 2 * len(X)
    assert abs(doubled.n_outliers - 240) <= 2


@pytest.mark.parametrize("unit", [1.0, 0.01])
def test_what_is_suggested_can_be_asked_for(unit):
    weight = np.full(len(X), unit)
    found = suggest(X, range(2, 9), random_state=0, sample_weight=weight)
    model = NKMeans(found.n_clusters, found.n_outliers, random_state=0)
    model.fit(X, sample_weight=weight)
    assert abs(len(model.outlier_indices_) - 120) <= 1
    assert isinstance(found.n_outliers, int if unit == 1 else float)


@pytest.mark.parametrize("shares", [[0, 0.9], [0], [0.01, 0.02], [0, 0.01, 0.02, 0.05]])
@pytest.mark.parametrize("seed", range(3))
def test_a_short_list_of_outliers_does_not_mislead(shares, seed):
    data, _, _ = make_noisy_blobs(3000, 5, 4, 60, noise_range=2.5, random_state=seed)
    found = suggest(data, range(2, 8), shares, random_state=0)
    assert found.n_clusters == 5
    assert abs(found.n_outliers - 60) <= 1


@pytest.mark.parametrize("n", [2, 5, 15, 20])
def test_few_rows_are_no_reason_to_fail(n):
    found = suggest(X[:n], random_state=0)
    assert found.cluster_counts[-1] <= n
    assert found.outlier_weights[-1] <= n - found.cluster_counts[-1]


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"n_clusters": 5}, TypeError, r"n_clusters of suggest must be several ints"),
        ({"n_clusters": []}, ValueError, "n_clusters of suggest must be several ints.*; got none"),
        ({"n_clusters": [0, 2]}, ValueError, "n_clusters of suggest must be an int >= 1; got 0"),
        ({"n_clusters": [2, 99]}, ValueError, r"in \[1, n_samples\]; got 99 with n_samples=50"),
        ({"n_outliers": 0.1}, TypeError, "n_outliers of suggest must be several counts or shares"),
        (
            {"n_outliers": []},
            ValueError,
            "n_outliers of suggest must be several counts.*; got none",
        ),
        ({"n_outliers": [0.1, 1.5]}, ValueError, r"a float in \[0, 1\); got 1.5"),
        ({"n_outliers": [-1]}, ValueError, "got -1"),
        ({"n_outliers": [49]}, ValueError, "got 49 with n_samples=50 and n_clusters=3"),
        ({"n_outliers": ["auto"]}, ValueError, "got 'auto'"),
        ({"n_outliers": "auto"}, TypeError, "got 'auto'"),
        ({"n_outliers": [True]}, ValueError, "got True"),
    ],
)
def test_what_makes_no_sense(given, error, words, rng):
    with pytest.raises(error, match=words):
        suggest(rng.normal(size=(50, 2)), **{"n_clusters": [2, 3], "n_outliers": [0], **given})


def test_more_clusters_than_different_rows_is_an_error_that_says_so(rng):
    with pytest.raises(
        ValueError, match="at most the number of different rows in the sample; got 4"
    ):
        suggest(np.repeat(rng.normal(size=(3, 2)), 20, axis=0), range(2, 6), [0])
    with pytest.raises(ValueError, match="number of different rows"):
        suggest(np.zeros((50, 2)), [2], [0])


def test_constant_data_and_five_rows():
    found = suggest(np.zeros((50, 2)), [1], [0, 1], random_state=0)
    assert (found.n_clusters, found.n_outliers) == (1, 0)
    assert suggest(np.zeros((50, 2)), random_state=0).n_clusters == 1
    few = suggest(np.arange(10.0).reshape(5, 2), [1, 2], [0, 1], random_state=0)
    assert few.n_outliers == 0


def test_it_is_drawn():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    figure = suggest(X, range(2, 8), [0, 0.01, 0.05], random_state=0).plot()
    curves, heat = figure.axes[:2]
    assert len([line for line in curves.lines if len(line.get_xdata()) == 3]) == 6
    assert heat.images[0].get_array().shape == (6, 3)
    assert curves.get_yscale() == "log"
    pyplot.close(figure)
