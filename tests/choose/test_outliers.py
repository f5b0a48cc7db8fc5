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


def naive_scale(spacings):
    """The largest scale of an exponential distribution that fits one of four quantiles."""
    ordered = sorted(spacings)
    return max(
        ordered[int(p * (len(ordered) - 1))] / -np.log(1 - p) for p in (0.5, 0.75, 0.9, 0.95)
    )


def naive_break(dist2, weight, floor):
    """Statistic and mass of the break, by plain loops over different values."""
    values = sorted({float(v) for v in dist2}, reverse=True)
    total, n = float(weight.sum()), len(dist2)
    places = []
    for upper, lower in zip(values, [*values[1:], None], strict=True):
        mass = float(weight[dist2 >= upper].sum())
        if lower is not None and mass <= 0.2 * total and upper > floor:
            mean = float(weight[dist2 < upper] @ dist2[dist2 < upper]) / (total - mass)
            rows = mass * n / total
            places.append((rows * np.log(upper / max(lower, floor)), mass, rows, mean, lower))
    if not places:
        return 0.0, 0.0
    if places[-1][4] <= floor:
        return 3 * 0.01 * n / places[-1][2], places[-1][1]
    spacings = [place[0] for place in places]
    octaves = [int(np.floor(np.log2(place[2] / places[0][2]))) for place in places]
    needed = 100 if places[-1][2] >= 2 * len(places) else 10
    statistics = []
    for spacing, octave, place in zip(spacings, octaves, places, strict=True):
        around = [i for i, other in enumerate(octaves) if abs(other - octave) <= 1]
        spare = max(20 - len(around), 0)
        window = spacings[max(around[0] - spare, 0) : around[-1] + 1 + spare]
        unit = max(naive_scale(spacings), naive_scale(window)) * np.log(n)
        known = len(places) >= needed and unit > 0 and place[1] <= 0.18 * total
        statistics.append(spacing / unit if known else 0.0)
    best = int(np.argmax(statistics))
    while True:
        inner = [
            i
            for i in range(best + 1, len(places))
            if statistics[i] >= 3 and 3 * places[i][3] < places[best][3]
        ]
        if not inner:
            return statistics[best], places[best][1]
        best = max(inner, key=lambda i: statistics[i])


@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("rounded", [True, False])
@pytest.mark.parametrize("n", [3, 24, 49, 50, 51, 400])
def test_the_break_is_that_of_the_plain_definition(n, weighted, rounded, rng):
    for _ in range(20):
        dist2 = rng.exponential(size=n) ** 3
        dist2[: n // 30] *= 1000
        dist2[: n // 90] *= 1e6
        if rounded:
            dist2 = np.round(dist2)
        weight = rng.integers(1, 4, n).astype(float) if weighted else np.ones(n)
        found = break_in(tail_of(dist2, weight), 1e-12, np.inf)
        statistic, peak = naive_break(dist2, weight, 1e-12)
        assert found.statistic == pytest.approx(statistic)
        assert found.peak == peak


def test_equal_distances_say_nothing():
    for value in (0.0, 1.0):
        assert not break_in(tail_of(np.full(100, value)), 1e-20, np.inf).clear


def test_rounding_errors_are_no_break():
    dist2 = np.concatenate([np.full(10, 1e-33), np.zeros(990)])
    assert not break_in(tail_of(dist2), 1e-30, np.inf).clear


@pytest.mark.parametrize(("apart", "clear"), [(1, True), (10, True), (30, False)])
def test_what_is_off_exact_duplicates_is_an_outlier_if_it_is_rare(apart, clear):
    dist2 = np.concatenate([np.full(apart, 4.0), np.zeros(1000 - apart)])
    found = break_in(tail_of(dist2), 1e-20, np.inf)
    assert found.clear == clear
    assert found.peak == apart


def test_no_more_than_may_be_left_out(rng):
    dist2 = np.concatenate([np.full(100, 1e6) * rng.uniform(1, 2, 100), rng.exponential(size=900)])
    assert break_in(tail_of(dist2), 1e-20, np.inf).peak == 100
    assert not break_in(tail_of(dist2), 1e-20, 99.0).clear


def test_of_several_breaks_the_one_where_clusters_begin_is_taken():
    X, dirty = load_gps()
    model = NKMeans(8, "auto", random_state=0).fit(X)
    assert abs(model.n_outliers_ - 150) <= 3
    assert dirty[model.outlier_indices_].mean() > 0.97


def test_a_small_cluster_is_not_left_out_where_it_can_be_held_as_tightly():
    small, generous = Trial(None, 30, 1.5, False), Trial(None, 120, 1.0, True)
    noisy = Trial(None, 5, 40.0, True)
    assert smallest_as_tight([generous, small, noisy]) is small


# ---- data without a break, and with one


def four_balls(rng, n, d):
    return rng.uniform(-40, 40, (4, d))[rng.integers(4, size=n)] + rng.normal(size=(n, d))


WITHOUT_BREAK = {
    "rounded": (1, lambda g: np.round(g.normal(40, 4, (20_000, 2)))),
    "rounded clusters": (4, lambda g: np.round(four_balls(g, 20_000, 3))),
    "counts": (2, lambda g: g.geometric(0.3, (5000, 1)).astype(float)),
    "yes and no": (1, lambda g: (g.random((5000, 6)) < 0.3).astype(float)),
    "mostly zero": (1, lambda g: g.normal(size=(5000, 3)) * (g.random((5000, 1)) > 0.9)),
    "Pareto 0.5": (1, lambda g: g.pareto(0.5, (5000, 1))),
    "Pareto 1": (5, lambda g: g.pareto(1, (10_000, 1))),
    "Cauchy": (3, lambda g: g.standard_cauchy((5000, 5))),
    "lognormal": (1, lambda g: g.lognormal(0, 3, (5000, 1))),
    "few rows": (1, lambda g: g.normal(size=(25, 2))),
    "a cluster of 5 %": (2, lambda g: np.r_[g.normal(0, 1, (9500, 2)), g.normal(40, 1, (500, 2))]),
    "one of 1 %": (2, lambda g: np.r_[g.normal(0, 1, (9900, 2)), g.normal(40, 1, (100, 2))]),
    "a wide one": (2, lambda g: np.r_[g.normal(0, 1, (9500, 2)), g.normal(40, 3, (500, 2))]),
}
WITH_BREAK = {
    "one giant": (2, 1, lambda g: np.r_[g.normal(size=(1000, 2)), [[1e6, 1e6]]]),
    "3 of 500": (4, 3, lambda g: np.r_[four_balls(g, 500, 3), 900 * g.choice([-1, 1], (3, 3))]),
    "10 %": (4, 555, lambda g: np.r_[four_balls(g, 5000, 3), g.uniform(-300, 300, (555, 3))]),
    "rounded": (4, 100, lambda g: np.round(
        np.r_[3 * four_balls(g, 9000, 3), g.uniform(-900, 900, (100, 3))])),
    "a small cluster, too": (2, 100, lambda g: np.r_[
        g.normal(0, 1, (9500, 2)), g.normal(40, 1, (500, 2)), g.uniform(-400, 400, (100, 2))]),
}  # fmt: skip


@pytest.mark.parametrize("case", WITHOUT_BREAK)
def test_no_break_is_invented(case):
    k, make = WITHOUT_BREAK[case]
    with pytest.warns(UserWarning, match="the distances show no break"):
        model = NKMeans(k, "auto", random_state=0).fit(make(np.random.default_rng(0)))
    assert model.n_outliers_ <= 2


@pytest.mark.parametrize("case", WITH_BREAK)
def test_a_break_is_found(case):
    k, z, make = WITH_BREAK[case]
    model = NKMeans(k, "auto", random_state=0).fit(make(np.random.default_rng(0)))
    assert abs(model.n_outliers_ - z) <= 0.02 * z


def test_more_noise_than_is_looked_at_is_not_half_found(rng):
    X = np.r_[four_balls(rng, 3900, 3), rng.uniform(-300, 300, (1100, 3))]
    with pytest.warns(UserWarning, match="the distances show no break"):
        NKMeans(4, "auto", random_state=0).fit(X)


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
        (np.eye(6)[np.arange(500) % 6], 6, 0),
        (np.arange(20.0)[:, None], 20, 0),
    ],
)
def test_odd_data(data, k, expected):
    assert NKMeans(k, "auto", random_state=0).fit(data).n_outliers_ == expected


def test_too_few_distinct_rows_are_told_as_always():
    with pytest.raises(ValueError, match="got 3 with 1 distinct rows"):
        NKMeans(3, "auto").fit(np.zeros((50, 2)))


@pytest.mark.parametrize("unit", [1e-3, 0.1, 1e6])
def test_the_unit_of_weights_does_not_matter(unit):
    model = NKMeans(5, "auto", random_state=0).fit(X, sample_weight=np.full(len(X), unit))
    assert abs(len(model.outlier_indices_) - 300) <= 3


def test_warnings_point_at_the_line_that_fits(rng):
    data = rng.normal(size=(500, 2))
    with pytest.warns(UserWarning, match="no break") as caught:
        NKMeans(3, "auto", random_state=0).fit(data)
    assert caught[0].filename == __file__


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
