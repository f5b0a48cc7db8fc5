"""n_outliers="auto": the break in the distances, and what to do without one."""

import warnings

import numpy as np
import pytest

from family import CLUSTERERS
from nkmeans import NKMeans, NKMedoids, load_model, open_source, save_model
from nkmeans.choose import outliers as module
from nkmeans.choose.outliers import Tail, Trial, break_in, smallest_as_tight
from nkmeans.datasets import load_gps, make_noisy_blobs

X, PLANTED, MASK = make_noisy_blobs(20_000, 5, 4, 300, noise_range=2.5, random_state=0)


def tail_of(dist2, weight=None):
    weight = np.ones(len(dist2)) if weight is None else weight
    return Tail(dist2, weight, len(dist2), float(weight.sum()), float(dist2 @ weight))


def naive_break(dist2, weight, floor):
    """The largest j ln(v_j / v_{j+1}) over the median one, by plain loops over different values."""
    values = sorted({float(v) for v in dist2}, reverse=True)
    total, n = float(weight.sum()), len(dist2)
    spacings = []
    for upper, lower in zip(values, [*values[1:], None], strict=True):
        mass = float(weight[dist2 >= upper].sum())
        if lower is None or mass > 0.2 * total or upper <= floor:
            continue
        mean = float(weight[dist2 < upper] @ dist2[dist2 < upper]) / (total - mass)
        spacings.append((mass * n / total * np.log(upper / max(lower, floor)), mass, lower, mean))
    if not spacings:
        return 0.0, 0.0
    best = max(spacings)
    if best[2] <= floor:
        return np.inf, best[1]
    if len(spacings) < 5:
        return 0.0, best[1]
    unit = np.median([spacing for spacing, *_ in spacings]) / np.log(2) * np.log(n)
    while True:
        inner = [s for s in spacings if s[1] > best[1] and s[0] >= 3 * unit and 3 * s[3] < best[3]]
        if not inner:
            return best[0] / unit, best[1]
        best = max(inner)


@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("rounded", [True, False])
@pytest.mark.parametrize("n", [3, 24, 25, 26, 400])
def test_the_break_is_that_of_the_plain_definition(n, weighted, rounded, rng):
    for _ in range(20):
        dist2 = rng.exponential(size=n) ** 3
        dist2[: n // 30] *= 1000
        dist2[: n // 90] *= 1e6
        if rounded:
            dist2 = np.round(dist2)
        weight = rng.integers(1, 4, n).astype(float) if weighted else np.ones(n)
        found = break_in(tail_of(dist2, weight), 1e-12)
        statistic, peak = naive_break(dist2, weight, 1e-12)
        assert found.statistic == pytest.approx(statistic)
        assert found.peak == peak


def test_equal_distances_say_nothing():
    for value in (0.0, 1.0):
        assert not break_in(tail_of(np.full(100, value)), 1e-20).clear


def test_rounding_errors_are_no_break():
    dist2 = np.concatenate([np.full(10, 1e-33), np.zeros(990)])
    assert not break_in(tail_of(dist2), 1e-30).clear


def test_points_apart_from_exact_duplicates_are_beyond_doubt():
    dist2 = np.concatenate([np.full(10, 4.0), np.zeros(990)])
    found = break_in(tail_of(dist2), 1e-20)
    assert found.clear
    assert found.peak == 10


def test_of_several_breaks_the_one_where_clusters_begin_is_taken():
    X, dirty = load_gps()
    model = NKMeans(8, "auto", random_state=0).fit(X)
    assert abs(model.n_outliers_ - 150) <= 3
    assert dirty[model.outlier_indices_].mean() > 0.97


def test_a_small_cluster_is_not_left_out_where_it_can_be_held_as_tightly():
    small, generous = Trial(None, 30.0, True, 1.5), Trial(None, 120.0, True, 1.0)
    noisy = Trial(None, 5.0, True, 40.0)
    assert smallest_as_tight([generous, small, noisy]) is small
    assert smallest_as_tight([generous, Trial(None, 10.0, False, 1.0)]) is generous


# ---- fits


def test_the_planted_outliers_are_found():
    model = NKMeans(5, "auto", random_state=0).fit(X)
    assert abs(model.n_outliers_ - 300) <= 3
    assert (MASK[model.outlier_indices_]).mean() > 0.99
    evidence = model.outlier_break_
    assert evidence.clear
    assert evidence.outside > 3 * evidence.inside
    assert evidence.spacing.max() == evidence.statistic
    assert evidence.weight[np.argmax(evidence.spacing)] == evidence.peak == model.n_outliers_
    np.testing.assert_array_equal(np.sort(evidence.weight), evidence.weight)


@pytest.mark.parametrize("Clusterer", [c for c in CLUSTERERS if c is not NKMedoids])
def test_every_method_can_be_asked(Clusterer):
    model = Clusterer(5, "auto", random_state=0).fit(X)
    assert abs(model.n_outliers_ - 300) <= 3
    assert model.outlier_break_.clear


def test_small_clusters_beside_large_ones_stay(rng):
    sizes = [6000, 3000, 1500, 700, 300]
    centers = rng.uniform(-1, 1, (5, 6))
    clusters = np.repeat(centers, sizes, axis=0) + 0.03 * rng.normal(size=(sum(sizes), 6))
    data = np.concatenate([clusters, rng.uniform(-4, 4, (150, 6))])
    model = NKMeans(5, "auto", random_state=0).fit(data)
    assert model.n_outliers_ == 150


def test_without_a_break_it_says_so_and_leaves_out_next_to_nothing(rng):
    data = rng.normal(size=(30_000, 3))
    with pytest.warns(UserWarning, match="the distances show no break .*: 3 of 30000 are left out"):
        model = NKMeans(3, "auto", random_state=0).fit(data)
    assert model.n_outliers_ == 3
    assert not model.outlier_break_.clear


@pytest.mark.filterwarnings("ignore:n_outliers of NKMeans is 'auto'")
@pytest.mark.parametrize(
    ("data", "k", "expected"),
    [
        (np.zeros((50, 2)), 1, 0),
        (np.arange(10.0).reshape(5, 2), 2, 0),
        (np.repeat([[0.0, 0], [1, 1], [5, 5]], [600, 395, 5], axis=0), 2, 5),
        (np.repeat([[0.0, 0], [1, 1]], 300, axis=0), 2, 0),
        (np.repeat([[0.1, 0.7], [1 / 3, 1e6], [1e6, 3]], 200, axis=0), 3, 0),
        (np.arange(20.0)[:, None], 20, 0),
    ],
)
def test_odd_data(data, k, expected):
    assert NKMeans(k, "auto", random_state=0).fit(data).n_outliers_ == expected


def test_too_few_distinct_rows_are_told_as_always():
    with pytest.raises(ValueError, match="got 3 with 1 distinct rows"):
        NKMeans(3, "auto").fit(np.zeros((50, 2)))


def test_weights_count_as_copies(rng):
    weight = rng.integers(1, 4, len(X)).astype(float)
    model = NKMeans(5, "auto", random_state=0).fit(X, sample_weight=weight)
    assert abs(model.n_outliers_ - weight[MASK].sum()) <= 9


def test_files_and_chunks_give_the_same(dtype):
    data = X.astype(dtype)
    whole = NKMeans(5, "auto", random_state=0).fit(data)
    walked = NKMeans(5, "auto", random_state=0).fit(open_source(data))
    assert walked.n_outliers_ == whole.n_outliers_
    assert walked.outlier_break_.statistic == pytest.approx(whole.outlier_break_.statistic)
    da = pytest.importorskip("dask.array")
    chunks = NKMeans(5, "auto", random_state=0).fit(da.from_array(data, chunks=(3000, 4)))
    assert chunks.n_outliers_ == whole.n_outliers_


def test_more_rows_than_are_looked_at_are_counted_to_the_last(monkeypatch):
    whole = NKMeans(5, "auto", random_state=0).fit(X)
    monkeypatch.setattr(module, "MOST_ROWS", 5000)
    model = NKMeans(5, "auto", random_state=0).fit(X)
    assert model.outlier_break_.peak != whole.n_outliers_
    assert model.n_outliers_ == whole.n_outliers_


def test_a_stream_chooses_anew_with_each_batch():
    model = NKMeans(5, "auto", random_state=0)
    for batch in np.array_split(X, 4):
        model.partial_fit(batch)
    assert model.n_outliers_ == pytest.approx(300, rel=0.02)
    assert abs((model.predict(X) < 0).sum() - 300) <= 3


@pytest.mark.parametrize("n_jobs", [1, 3])
def test_the_same_seed_gives_the_same_on_any_number_of_threads(n_jobs):
    one = NKMeans(5, "auto", random_state=3, n_jobs=n_jobs).fit(X)
    two = NKMeans(5, "auto", random_state=3).fit(X)
    assert one.outlier_break_.statistic == two.outlier_break_.statistic
    np.testing.assert_array_equal(one.labels_, two.labels_)


def test_the_evidence_is_saved(tmp_path):
    model = NKMeans(5, "auto", random_state=0).fit(X)
    save_model(model, tmp_path / "m.nkm")
    again = load_model(tmp_path / "m.nkm")
    assert again.n_outliers == "auto"
    assert again.outlier_break_.statistic == model.outlier_break_.statistic
    np.testing.assert_array_equal(again.outlier_break_.spacing, model.outlier_break_.spacing)


def test_medoids_of_any_metric_must_be_told():
    with pytest.raises(ValueError, match="n_outliers of NKMedoids must be an int in"):
        NKMedoids(2, "auto").fit(X[:100])


def test_a_refit_with_a_number_forgets_the_evidence():
    model = NKMeans(5, "auto", random_state=0).fit(X)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.set_params(n_outliers=10).fit(X)
    assert not hasattr(model, "outlier_break_")
