import numpy as np
import pytest

import naive
from nkmeans.kernels.distances import (
    TILE,
    improve_nearest,
    nearest,
    smallest_floored,
    smallest_scaled,
)


@pytest.mark.parametrize("n", [1, TILE - 1, TILE, 3 * TILE + 5])
@pytest.mark.parametrize("d", [1, 3, 4, 7, 9])
@pytest.mark.parametrize("k", [1, 5])
def test_nearest_agrees_with_its_twin(n, d, k, dtype, rng):
    X = rng.normal(size=(n, d)).astype(dtype)
    origin = rng.normal(size=d).astype(dtype)
    centers = rng.normal(size=(k, d)).astype(dtype)
    labels, dist2 = np.empty(n, np.int32), np.empty(n, dtype)
    nearest(X, origin, centers, labels, dist2)
    want_labels, want_dist2 = naive.nearest(X - origin, centers)
    np.testing.assert_array_equal(labels, want_labels)
    np.testing.assert_allclose(dist2, want_dist2, rtol=1e-5 if dtype == np.float32 else 1e-12)


def test_among_equal_centres_the_lower_number_wins(dtype):
    X = np.zeros((70, 2), dtype)
    centers = np.array([[3, 4], [0, 5], [5, 0]], dtype)
    labels, dist2 = np.empty(70, np.int32), np.empty(70, dtype)
    nearest(X, np.zeros(2, dtype), centers, labels, dist2)
    assert (labels == 0).all()
    assert (dist2 == 25).all()


def test_further_centres_take_only_rows_that_are_nearer(dtype, rng):
    X = rng.normal(size=(150, 3)).astype(dtype)
    origin, centers = np.zeros(3, dtype), rng.normal(size=(7, 3)).astype(dtype)
    at_once = np.empty(150, np.int32), np.empty(150, dtype)
    nearest(X, origin, centers, *at_once)
    in_parts = np.empty(150, np.int32), np.empty(150, dtype)
    nearest(X, origin, centers[:4], *in_parts)
    improve_nearest(X, origin, centers[4:], 4, *in_parts)
    np.testing.assert_array_equal(at_once, in_parts)


@pytest.mark.parametrize("m", [1, 9])
def test_smallest_floored_agrees_with_its_twin(m, dtype, rng):
    X = rng.normal(size=(131, 5)).astype(dtype)
    points = rng.normal(size=(m, 5)).astype(dtype)
    floor2 = rng.uniform(0, 5, m).astype(dtype)
    floor2[0] = np.inf
    out = np.empty(131, dtype)
    smallest_floored(X, np.zeros(5, dtype), points, floor2, out)
    want = np.maximum(naive.pairwise_dist2(X, points), floor2[None, :]).min(axis=1)
    np.testing.assert_allclose(out, want, rtol=1e-5)


@pytest.mark.parametrize("m", [1, 9])
def test_smallest_scaled_agrees_with_its_twin(m, dtype, rng):
    X = rng.normal(size=(131, 5)).astype(dtype)
    origin, points = rng.normal(size=5).astype(dtype), rng.normal(size=(m, 5)).astype(dtype)
    scale = 10.0 ** rng.uniform(-60, 60, m)
    out = np.empty(131)
    smallest_scaled(X, origin, points, scale, out)
    want = (naive.pairwise_dist2(X - origin, points) * scale).min(axis=1)
    np.testing.assert_allclose(out, want, rtol=1e-4 if dtype == np.float32 else 1e-12)


def test_smallest_scaled_of_a_row_that_is_not_finite_is_infinite(dtype):
    X = np.array([[np.nan, 0.0], [0.0, 0.0]], dtype)
    out = np.empty(2)
    smallest_scaled(X, np.zeros(2, dtype), np.ones((1, 2), dtype), np.ones(1), out)
    np.testing.assert_array_equal(out, [np.inf, 2.0])
