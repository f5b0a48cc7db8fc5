import numpy as np
import pytest

import naive
from nkmeans.kernels.seeding import kmeans_pp


def run(points, weight, uniforms):
    m = len(uniforms)
    seeds = np.empty(m, np.int64)
    labels, dist2 = np.empty(len(points), np.int32), np.empty(len(points), points.dtype)
    found = kmeans_pp(points, weight, uniforms, seeds, labels, dist2)
    return seeds[:found], labels, dist2


@pytest.mark.parametrize("d", [1, 2, 5])
@pytest.mark.parametrize("kind", ["normal", "clusters", "grid"])
def test_skipping_points_changes_nothing(kind, d, dtype, rng):
    points = rng.normal(size=(400, d))
    if kind == "clusters":
        points = 0.001 * points + rng.integers(0, 4, (400, 1))
    if kind == "grid":
        points = np.round(points)
    points = points.astype(dtype)
    seeds, labels, dist2 = run(points, rng.uniform(0, 2, 400), rng.random(30))
    want_labels, want_dist2 = naive.nearest(points, points[seeds])
    np.testing.assert_allclose(dist2, want_dist2, rtol=1e-5, atol=1e-12)
    if kind != "grid":
        np.testing.assert_array_equal(labels, want_labels)
    np.testing.assert_allclose(
        dist2,
        ((points.astype(float) - points[seeds[labels]]) ** 2).sum(axis=1),
        rtol=1e-5,
        atol=1e-12,
    )


def test_rows_are_drawn_in_proportion_to_weight_times_squared_distance():
    points = np.array([[0.0], [1.0], [2.0], [5.0]])
    weight = np.array([1.0, 2.0, 0.5, 1.0])
    grid = (np.arange(4000) + 0.5) / 4000
    # The first uniform, 0, draws row 0: the second seed is drawn by the distances to it.
    second = [run(points, weight, np.array([0.0, u]))[0][1] for u in grid]
    share = weight * points[:, 0] ** 2
    np.testing.assert_allclose(np.bincount(second) / 4000, share / share.sum(), atol=1e-3)
    first = [run(points, weight, np.array([u]))[0][0] for u in grid]
    np.testing.assert_allclose(np.bincount(first) / 4000, weight / weight.sum(), atol=1e-3)


def test_rows_of_one_shell_are_drawn_in_proportion_too():
    points = np.array([[0.0], [2.0], [2.2], [-2.4]])
    weight = np.array([1.0, 1.0, 3.0, 2.0])
    grid = (np.arange(4000) + 0.5) / 4000
    second = [run(points, weight, np.array([0.0, u]))[0][1] for u in grid]
    share = weight * points[:, 0] ** 2
    np.testing.assert_allclose(np.bincount(second) / 4000, share / share.sum(), atol=1e-3)


def test_duplicates_give_fewer_seeds_and_never_the_same_twice(dtype, rng):
    points = rng.integers(0, 2, (50, 2)).astype(dtype)
    seeds, _, dist2 = run(points, np.ones(50), rng.random(10))
    assert len(np.unique(points[seeds], axis=0)) == len(seeds) == len(np.unique(points, axis=0))
    assert (dist2 == 0).all()


def test_rows_without_weight_are_never_seeds(rng):
    weight = np.where(np.arange(60) % 3 == 0, 1.0, 0.0)
    seeds, _, _ = run(rng.normal(size=(60, 2)), weight, rng.random(15))
    assert (seeds % 3 == 0).all()
