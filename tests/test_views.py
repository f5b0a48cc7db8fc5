"""What there is to see, against slow twins."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.decomposition import PCA

from nkmeans import NKMeans
from nkmeans.datasets import make_noisy_blobs
from nkmeans.views import (
    ClusterTotals,
    DistanceCounts,
    center_offsets,
    cluster_sizes,
    distance_curve,
    farthest_outliers,
    plane_view,
    principal_axes,
    score_histogram,
    some_rows,
)


def fitted(n=600, d=4, z=20, seed=0):
    X, _, _ = make_noisy_blobs(n, 3, d, z, noise_range=2.5, random_state=seed)
    model = NKMeans(3, z, random_state=0).fit(X)
    return X, model.labels_, -model.score_samples(X), model.cluster_centers_


def test_sizes_are_counted():
    _, labels, dist2, _ = fitted()
    sizes = cluster_sizes(labels, dist2, 4)
    for label in range(3):
        inside = dist2[labels == label]
        assert sizes.rows[label] == len(inside)
        assert sizes.spread[label] == pytest.approx(np.sqrt(inside.mean()))
        assert sizes.largest[label] == np.sqrt(inside.max())
    assert (sizes.rows[3], sizes.spread[3], sizes.largest[3]) == (0, 0, 0)


@given(n=st.integers(0, 50), most=st.integers(1, 20), seed=st.integers(0, 5))
def test_some_rows_are_all_or_as_many_as_asked(n, most, seed):
    rows = np.arange(n) * 3
    found = some_rows(rows, most, seed)
    assert len(found) == min(n, most)
    assert (np.diff(found) > 0).all()
    assert set(found) <= set(rows)


def test_the_sample_is_fair():
    """Each row is as likely as any other."""
    counts = np.zeros(40)
    for seed in range(2000):
        counts[some_rows(np.arange(40), 10, seed)] += 1
    assert abs(counts / 2000 - 0.25).max() < 0.05


def test_principal_axes_are_pcas():
    X = fitted(d=5)[0]
    middle, directions, shares = principal_axes(X)
    pca = PCA(2).fit(X)
    np.testing.assert_allclose(middle, pca.mean_)
    np.testing.assert_allclose(np.abs(directions), np.abs(pca.components_), atol=1e-8)
    np.testing.assert_allclose(shares, pca.explained_variance_ratio_)
    for seed in range(6):
        _, directions, _ = principal_axes(fitted(d=5, seed=seed)[0])
        assert (directions[np.arange(2), np.abs(directions).argmax(axis=1)] > 0).all()


@pytest.mark.parametrize("d", [1, 2, 3, 10])
def test_the_plane_shows_kept_rows_inside_and_all_outliers(d):
    X, labels, dist2, centers = fitted(d=d)
    names = [f"c{j}" for j in range(d)]
    view = plane_view(X, labels, dist2, centers, names, most_kept=100)
    assert set(np.flatnonzero(labels < 0)) <= set(view.rows)
    assert (view.labels >= 0).sum() == 100
    np.testing.assert_array_equal(view.labels, labels[view.rows])
    assert not view.beyond[view.labels >= 0].any()
    assert (view.shown_at >= view.low).all()
    assert (view.shown_at <= view.high).all()
    np.testing.assert_array_equal(view.points[~view.beyond], view.shown_at[~view.beyond])
    assert (view.n_kept, view.n_outliers) == (600, 20)
    if d == 1:
        np.testing.assert_allclose(
            view.points, np.column_stack([X[view.rows, 0], np.sqrt(dist2[view.rows])])
        )
    if d == 2:
        np.testing.assert_array_equal(view.points, X[view.rows])
        assert view.axes == ("c0", "c1")
    if d > 2:
        kept = labels >= 0
        wanted = PCA(2).fit(X[kept]).transform(X[view.rows])
        np.testing.assert_allclose(np.abs(view.points), np.abs(wanted), atol=1e-8)


def test_two_columns_are_shown_in_their_own_units():
    X, labels, dist2, centers = fitted(d=2)
    view = plane_view(X, labels, dist2, centers, "ab", restore=lambda points: points * 10 + 1)
    np.testing.assert_allclose(view.points, X[view.rows] * 10 + 1)
    np.testing.assert_allclose(view.centers, centers * 10 + 1)


def test_the_farthest_outliers_are_always_shown():
    X, labels, dist2, centers = fitted(z=200)
    view = plane_view(X, labels, dist2, centers, "abcd", most_outliers=50)
    shown = view.rows[view.labels < 0]
    assert len(shown) == 50
    assert set(np.argsort(-dist2)[:5]) <= set(shown)


@pytest.mark.parametrize("cut", [0, 1, 20, 619])
def test_the_curve_is_the_sorted_distances(cut):
    dist2 = fitted()[2]
    curve = distance_curve(dist2, cut)
    ordered = sorted(np.sqrt(dist2), reverse=True)
    np.testing.assert_array_equal(curve.distance, [ordered[rank - 1] for rank in curve.rank])
    assert {1, len(dist2)} <= set(curve.rank)
    assert cut == 0 or {cut, cut + 1} <= set(curve.rank)
    assert curve.at_cut == ordered[cut]


def test_centres_in_units_of_spread():
    X, labels, _, centers = fitted()
    X = np.column_stack([X, np.full(len(X), 7.0)])
    centers = np.column_stack([centers, np.full(3, 7.0)])
    found = center_offsets(X, labels, centers)
    kept = X[labels >= 0]
    np.testing.assert_allclose(
        found.offsets[:, :4],
        ((centers - kept.mean(axis=0)) / np.maximum(kept.std(axis=0), 1e-99))[:, :4],
    )
    assert (found.offsets[:, 4] == 0).all()


@pytest.mark.parametrize("scale", [1.0, 1e-150, 1e150])
def test_what_makes_outliers_far(scale):
    X, labels, dist2, centers = fitted()
    found = farthest_outliers(
        X * scale, labels, dist2 * scale**2 if scale == 1 else dist2, centers * scale, 7, 2
    )
    wanted = sorted(np.flatnonzero(labels < 0), key=lambda row: (-dist2[row], row))[:7]
    assert found.rows.tolist() == wanted
    for place, row in enumerate(wanted):
        away = ((X[row] - centers) ** 2).sum(axis=1)
        assert found.nearest[place] == away.argmin()
        parts = (X[row] - centers[away.argmin()]) ** 2 / away.min()
        assert found.columns[place].tolist() == np.argsort(-parts)[:2].tolist()
        np.testing.assert_allclose(found.shares[place], np.sort(parts)[::-1][:2])


def test_scores_by_weight():
    radius = np.array([0.0, 1, 1, 10, 100, np.inf])
    weights = np.array([5.0, 1, 2, 3, 4, 6])
    beyond = radius > 5
    found = score_histogram(radius, weights, beyond, 2)
    np.testing.assert_allclose(found.edges, [1, 10, 100])
    assert found.kept.tolist() == [8, 0]
    assert found.far.tolist() == [0, 13]
    assert score_histogram(np.ones(3), np.ones(3), np.zeros(3, bool)) is None
    assert score_histogram(np.full(3, np.inf), np.ones(3), np.zeros(3, bool)) is None


@pytest.mark.parametrize("cut", [0, 7, 500, 2999])
def test_counted_distances_make_the_same_curve(cut):
    dist2 = np.random.default_rng(0).lognormal(0, 4, 3000)
    dist2[:5] = 0
    counts = DistanceCounts()
    for part in np.split(dist2, [0, 10, 1500]):
        counts.add(part)
    wanted = distance_curve(dist2, cut)
    found = counts.curve(cut, wanted.at_cut)
    assert counts.n_rows == 3000
    np.testing.assert_array_equal(found.rank, wanted.rank)
    np.testing.assert_allclose(found.distance, wanted.distance, rtol=found.step)
    assert found.distance[0] == wanted.distance[0]
    assert (found.cut, found.at_cut, found.inside) == (cut, wanted.at_cut, wanted.inside)
    assert found.at_inside == pytest.approx(wanted.at_inside, rel=found.step)
    assert wanted.at_inside == np.sqrt(np.sort(dist2)[::-1][min(2 * cut, 2999)])


def test_sizes_of_parts_are_those_of_the_whole():
    rng = np.random.default_rng(0)
    labels, dist2 = rng.integers(-1, 3, 1000), rng.random(1000)
    totals = ClusterTotals(4)
    for rows in np.split(np.arange(1000), [1, 400]):
        totals.add(labels[rows], dist2[rows])
    found, wanted = totals.sizes(), cluster_sizes(labels, dist2, 4)
    assert found.rows.tolist() == wanted.rows.tolist()
    assert found.largest.tolist() == wanted.largest.tolist()
    np.testing.assert_allclose(found.spread, wanted.spread)
