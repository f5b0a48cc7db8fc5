"""Three scores, against their slow twins."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.exceptions import NotFittedError

import naive
from family import CLUSTERERS, power
from nkmeans import NKMeans, NKMedians, NKMedoids, NoiseFilter, TrimmedKMeans, open_source
from nkmeans.data import blocks
from nkmeans.data.table import Table
from nkmeans.datasets import make_noisy_blobs
from nkmeans.preparation import learn

KINDS = ("distance", "relative", "survival")
WITH_RADII = (NKMeans, NKMedians, NKMedoids)
every = pytest.mark.parametrize("Clusterer", CLUSTERERS)
with_radii = pytest.mark.parametrize("Clusterer", WITH_RADII)


def kinds(Clusterer):
    return KINDS if Clusterer in WITH_RADII else KINDS[:2]


@pytest.fixture
def noisy():
    return make_noisy_blobs(240, 4, 3, 20, noise_range=2.5, sigma=0.3, random_state=0)[0]


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def check(model, X, new, weight=None, rtol=1e-9, rounding=1e-12):
    """All scores of new rows by a model of X, where distances may be off by rounding."""
    weight = np.ones(len(X)) if weight is None else weight
    p, z, centers = power(model), model.n_outliers_, model.cluster_centers_
    near = np.sqrt(naive.nearest(X, centers)[1])
    kept = naive.kept_weights(near, weight, z)
    dist = np.sqrt(naive.pairwise_dist2(X, centers))
    spread, overall = naive.spreads(dist, kept, p), kept @ near**p / kept.sum()
    overall = 0.0 if overall < rounding**p else overall
    np.testing.assert_allclose(model.cluster_spread_, spread, rtol=rtol, atol=rounding**p)
    to_centers = np.sqrt(naive.pairwise_dist2(new, centers))
    wanted = {
        "distance": to_centers.min(axis=1) ** p,
        "relative": naive.relative_scores(to_centers, spread, overall, p),
    }
    if type(model) in (NKMeans, NKMedians):
        coreset = model.coreset_
        wanted["survival"] = naive.survival_scores(
            new, coreset.points, coreset.weights, coreset.n_outliers
        )
    for kind, scores in wanted.items():
        found = model.outlier_score(new, kind)
        assert found.dtype == np.float64
        assert found.shape == (len(new),)
        np.testing.assert_allclose(found, scores, rtol=rtol, atol=rounding**p, err_msg=kind)


@every
@pytest.mark.parametrize("weighted", [False, True])
def test_the_scores_are_those_of_their_twins(Clusterer, weighted, noisy, dtype, rng):
    X = noisy[:180].astype(dtype)
    weight = rng.integers(0, 4, len(X)) if weighted else None
    model = Clusterer(4, 20, random_state=0).fit(X, sample_weight=weight)
    tolerance = {} if dtype == np.float64 else {"rtol": 1e-4, "rounding": 1e-5}
    check(model, X, noisy.astype(dtype), weight, **tolerance)


@every
def test_the_spread_adds_up_to_the_cost(Clusterer, noisy):
    model = Clusterer(4, 0, random_state=0).fit(noisy)
    sizes = np.bincount(model.labels_, minlength=4)
    assert model.cluster_spread_ @ sizes == pytest.approx(model.inertia_)


@with_radii
def test_no_outliers_leave_the_distance_to_the_coreset(Clusterer, noisy):
    model = Clusterer(4, 0, random_state=0).fit(noisy)
    points = model.coreset_points_ if Clusterer is NKMedoids else model.coreset_.points
    np.testing.assert_allclose(
        model.outlier_score(noisy + 1, "survival"),
        np.sqrt(naive.nearest(noisy + 1, points)[1]),
    )


@with_radii
def test_too_many_outliers_leave_nothing_that_survives(Clusterer, rng):
    X = rng.normal(size=(40, 2))
    model = Clusterer(2, 30, random_state=0).fit(X)
    assert (model.outlier_score(X, "survival") == np.inf).all()


@with_radii
def test_the_coreset_has_the_scores_of_fit(Clusterer, noisy):
    """Its points are among the rows here, and a row's score does not depend on the others."""
    model = Clusterer(4, 20, random_state=0).fit(noisy)
    points = model.coreset_points_ if Clusterer is NKMedoids else model.coreset_.points
    assert len(points) == len(noisy)
    np.testing.assert_allclose(
        model.outlier_score(points, "survival"), model.survival_radius_, rtol=1e-9
    )


def test_survival_is_the_score_of_the_noise_filter(noisy):
    cleaner = NoiseFilter(4, 20, random_state=0).fit(noisy)
    model = NKMeans(4, 20, random_state=0).fit(noisy)
    np.testing.assert_allclose(
        model.outlier_score(noisy, "survival"), cleaner.survival_radius_, rtol=1e-9
    )


# Ends


@every
def test_equal_points_have_no_spread_and_distance_is_the_score(Clusterer):
    model = Clusterer(1, 2, random_state=0).fit(np.full((9, 2), 3.5))
    assert model.cluster_spread_ == [0.0]
    new = np.array([[3.5, 3.5], [6.5, 7.5]])
    price = 5.0 ** power(model)
    for kind in kinds(Clusterer):
        wanted = [0.0, 5.0 if kind == "survival" else price]
        np.testing.assert_allclose(model.outlier_score(new, kind), wanted)


@every
def test_a_spread_that_is_only_rounding_is_none(Clusterer, dtype, rng):
    X = np.repeat(100 * rng.normal(size=(3, 2)), [1000, 777, 333], axis=0).astype(dtype)
    model = Clusterer(3, 0, random_state=0).fit(X)
    new = X[::100] + dtype(1)
    np.testing.assert_array_equal(
        model.outlier_score(new, "relative"), model.outlier_score(new, "distance")
    )


@every
def test_clusters_of_copies_and_of_one_point_are_measured_by_a_floor(Clusterer):
    """Beside a cluster with spread: what is off them is far, but not infinitely so."""
    wide = np.linspace(-1, 1, 60)[:, None]
    X = np.concatenate([wide, np.full((30, 1), 50.0), [[90.0]]])
    model = Clusterer(3, 0, random_state=0).fit(X)
    np.testing.assert_allclose(np.sort(model.cluster_centers_[:, 0]), [0, 50, 90], atol=0.02)
    check(model, X, np.array([[0.0], [50.0], [50.001], [49.0], [90.0], [91.0], [1e6]]))
    assert (model.outlier_score(X[60:], "relative") < 1e-12).all()
    assert model.outlier_score([[50.5]], "relative")[0] > 50


@every
@pytest.mark.parametrize(("n", "k", "z"), [(40, 1, 0), (40, 1, 39), (40, 3, 37), (40, 40, 0), (1, 1, 0), (2, 1, 1)])  # fmt: skip
def test_the_ends_of_k_and_z(Clusterer, n, k, z, rng):
    X = rng.normal(size=(n, 2))
    model = Clusterer(k, z, random_state=0).fit(X)
    scores = model.outlier_score(np.concatenate([X, X + 1]), "relative")
    assert (scores >= 0).all()
    assert np.isfinite(scores).all()
    check(model, X, X + 1)


def test_duplicates_and_ties_are_kept_as_fit_keeps_them():
    """Rows equally far, of which some are left out."""
    X = np.repeat([[0.0], [3.0], [-3.0], [10.0], [11.0]], [30, 5, 5, 20, 20], axis=0)
    for Clusterer in CLUSTERERS:
        check(Clusterer(2, 7, random_state=0).fit(X), X, X)


def test_a_row_belongs_to_the_cluster_with_the_least_relative_distance():
    tight, wide = np.linspace(-0.01, 0.01, 101), np.linspace(10, 20, 101)
    model = NKMeans(2, 0, random_state=0).fit(np.r_[tight, wide][:, None])
    # 5 is nearer to the tight centre, at 0, than to the wide one, at 15.
    score = model.outlier_score([[5.0]], "relative")[0]
    assert score == pytest.approx((15 - 5) ** 2 / model.cluster_spread_[1])


def test_a_stray_of_a_tight_cluster_is_found_by_the_relative_score(rng):
    tight, wide = rng.normal(0, 0.01, (500, 2)), rng.normal(10, 2, (500, 2))
    strays = np.array([[0.5, 0.0], [0.0, -0.5]])
    model = NKMeans(2, 10, random_state=0).fit(np.concatenate([tight, wide, strays]))
    rows = np.concatenate([tight, wide])
    assert (model.outlier_score(strays) < np.median(model.outlier_score(wide))).all()
    assert (
        model.outlier_score(strays, "relative").min() > model.outlier_score(rows, "relative").max()
    )


# Inputs


@with_radii
def test_frames(Clusterer, noisy):
    frame = pd.DataFrame(noisy, columns=["a", "b", "c"])
    model = Clusterer(4, 20, random_state=0).fit(frame)
    for kind in KINDS:
        wanted = Clusterer(4, 20, random_state=0).fit(noisy).outlier_score(noisy, kind)
        for X in (frame, pl.DataFrame(frame.to_dict("list"))):
            np.testing.assert_array_equal(model.outlier_score(X, kind), wanted)


@pytest.mark.parametrize("Clusterer", [NKMeans, NKMedians])
def test_sources(Clusterer, noisy, monkeypatch):
    monkeypatch.setattr(blocks, "BLOCK_BYTES", 1 << 12)
    in_memory = Clusterer(4, 20, random_state=0).fit(noisy)
    source = open_source(noisy)
    model = Clusterer(4, 20, random_state=0).fit(source)
    np.testing.assert_allclose(model.cluster_spread_, in_memory.cluster_spread_)
    for kind in KINDS:
        np.testing.assert_allclose(
            model.outlier_score(source, kind), in_memory.outlier_score(noisy, kind)
        )


@pytest.mark.parametrize("Clusterer", [NKMeans, NKMedians])
def test_dask_is_lazy_and_checks_rows_when_they_are_there(Clusterer, noisy):
    da = pytest.importorskip("dask.array")
    in_memory = Clusterer(4, 20, random_state=0).fit(noisy)
    lazy = da.from_array(noisy, chunks=(100, 3))
    model = Clusterer(4, 20, random_state=0).fit(lazy)
    np.testing.assert_allclose(model.cluster_spread_, in_memory.cluster_spread_)
    bad = noisy.copy()
    bad[217, 1] = np.nan
    for kind in KINDS:
        found = model.outlier_score(lazy, kind)
        assert isinstance(found, da.Array)
        assert found.dtype == np.float64
        np.testing.assert_allclose(found.compute(), in_memory.outlier_score(noisy, kind))
        with pytest.raises(ValueError, match="Row 217 of the data has a value that is not finite"):
            model.outlier_score(da.from_array(bad, chunks=(100, 3)), kind).compute()


def test_a_stream_has_the_spread_of_its_sample(noisy, dtype):
    X = noisy.astype(dtype)
    model = NKMeans(4, 20, random_state=0)
    for start in range(0, len(X), 100):
        model.partial_fit(X[start : start + 100])
    dist = np.sqrt(naive.pairwise_dist2(X, model.cluster_centers_))
    kept = (dist.min(axis=1) ** 2 <= model.threshold_ * (1 + 1e-6)).astype(float)
    spread = naive.spreads(dist, kept, 2)
    np.testing.assert_allclose(model.cluster_spread_, spread, rtol=1e-4)
    overall = model.inertia_ / (len(X) - model.n_outliers_)
    np.testing.assert_allclose(
        model.outlier_score(X, "relative"),
        naive.relative_scores(dist, spread, overall, 2),
        rtol=1e-3,
    )
    coreset = model.coreset_
    wanted = naive.survival_scores(X, coreset.points, coreset.weights, coreset.n_outliers)
    np.testing.assert_allclose(model.outlier_score(X, "survival"), wanted, rtol=1e-3)


def test_medoids_of_a_matrix_and_of_another_metric(noisy):
    pairs = np.abs(noisy[:, None, :] - noisy[None, :, :]).sum(axis=2)
    of_matrix = NKMedoids(4, 20, metric="precomputed", random_state=0).fit(pairs)
    of_rows = NKMedoids(4, 20, metric="manhattan", random_state=0).fit(noisy)
    core = np.sort(pairs, axis=1)[:, 2 * 20 - 1]
    wanted = np.maximum(pairs, core).min(axis=1)
    np.testing.assert_allclose(of_matrix.outlier_score(pairs, "survival"), wanted)
    np.testing.assert_allclose(of_rows.outlier_score(noisy, "survival"), wanted)
    medoids = of_matrix.medoid_indices_
    labels = np.where(of_matrix.labels_ < 0, 0, pairs[:, medoids].argmin(axis=1))
    for c in range(4):
        mine = (labels == c) & (of_matrix.labels_ >= 0)
        assert of_matrix.cluster_spread_[c] == pytest.approx(pairs[mine, medoids[c]].mean())
    np.testing.assert_allclose(
        of_matrix.outlier_score(pairs, "relative"),
        (pairs[:, medoids] / of_matrix.cluster_spread_).min(axis=1),
    )


def test_a_model_with_its_preparation_takes_raw_data(noisy):
    raw = noisy * [1, 1000, 10] + [0, 5, 0]
    preparation = learn(
        raw, Table(raw.copy(), ["a", "b", "c"], None, [], [0], True), "standard", "error", "id"
    )
    prepared = preparation.apply(raw.copy())
    model = NKMeans(4, 20, random_state=0).fit(prepared)
    wanted = {kind: model.outlier_score(prepared, kind) for kind in KINDS}
    model.preparation_ = preparation
    for kind in KINDS:
        np.testing.assert_allclose(model.outlier_score(raw, kind), wanted[kind])


# Bad input


@every
def test_bad_calls_are_told(Clusterer, noisy):
    with pytest.raises(NotFittedError):
        Clusterer().outlier_score(noisy)
    model = Clusterer(4, 20, random_state=0).fit(noisy)
    words = "kind of outlier_score must be 'distance', 'relative' or 'survival'; got 'density'."
    with pytest.raises(ValueError, match=words):
        model.outlier_score(noisy, "density")
    with pytest.raises(ValueError, match="got None"):
        model.outlier_score(noisy, None)
    for kind in kinds(Clusterer):
        with pytest.raises(ValueError, match="X has 2 features"):
            model.outlier_score(noisy[:, :2], kind)
        with pytest.raises(ValueError, match="contains NaN at row 1, column 1"):
            model.outlier_score([[0.0, 0.0, 0.0], [0.0, np.nan, 0.0]], kind)


def test_methods_without_radii_say_who_has_them(noisy):
    model = TrimmedKMeans(4, 20, random_state=0).fit(noisy)
    words = (
        "kind of outlier_score must be 'distance' or 'relative' with TrimmedKMeans: NKMeans, "
        "NKMedians and NKMedoids have core radii; got 'survival'."
    )
    with pytest.raises(ValueError, match=words):
        model.outlier_score(noisy, "survival")
