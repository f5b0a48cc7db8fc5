import numpy as np
import pytest

import naive
from nkmeans.summarize.coreset import Coreset
from nkmeans.summarize.robust_seeding import (
    at_most,
    leave_out_farthest,
    mixed_with_uniform,
    seed_robustly,
)


def coreset_of(points, weight=None, z=2.0):
    points = np.asarray(points, dtype=float)
    weight = np.ones(len(points)) if weight is None else weight
    rows = np.arange(len(points))
    return Coreset(points, weight, np.zeros(len(points)), z, rows, rows, 1.0)


def test_shares_are_what_they_are_called(rng):
    coreset = coreset_of(rng.normal(size=(30, 2)), rng.uniform(0.1, 2, 30), z=4.0)
    dist2 = rng.uniform(0, 5, 30)
    kept = naive.kept_weights(dist2, coreset.weights, 4.0)
    np.testing.assert_allclose(leave_out_farthest(coreset)(dist2), kept * dist2)
    np.testing.assert_allclose(
        at_most(coreset, 1.5)(dist2), coreset.weights * np.minimum(dist2, 1.5)
    )
    squared = coreset.weights * dist2
    want = 0.3 * squared / squared.sum() + 0.7 * coreset.weights / coreset.weights.sum()
    np.testing.assert_allclose(mixed_with_uniform(coreset, 0.3)(dist2), want)
    np.testing.assert_allclose(
        mixed_with_uniform(coreset, 0.3)(np.zeros(30)), coreset.weights / coreset.weights.sum()
    )


def test_where_all_that_is_left_is_farthest_it_is_drawn_after_all():
    coreset = coreset_of([[0.0], [0.0], [5.0]], z=1.0)
    np.testing.assert_array_equal(leave_out_farthest(coreset)(np.array([0.0, 0, 25])), [0, 0, 25])


@pytest.mark.parametrize("kind", [leave_out_farthest, lambda c: at_most(c, 1.0), lambda c: mixed_with_uniform(c, 0.5)])  # fmt: skip
def test_seeds_are_distinct_and_fewer_where_points_are(kind, rng):
    coreset = coreset_of(np.repeat(rng.normal(size=(4, 2)), 5, axis=0))
    assert len(np.unique(seed_robustly(coreset, 4, rng, kind(coreset)), axis=0)) == 4
    assert len(seed_robustly(coreset, 9, rng, kind(coreset))) == 4


def test_draws_follow_their_shares(rng):
    """The second seed of three points on a line, with weights: frequencies against shares."""
    coreset = coreset_of([[0.0], [1.0], [3.0]], np.array([1e9, 2.0, 1.0]), z=0.0)
    counts = np.zeros(2)
    for _ in range(2000):
        seeds = seed_robustly(coreset, 2, rng, at_most(coreset, 4.0))
        counts[0 if seeds[1, 0] == 1 else 1] += 1
    # Shares 2 * 1 and 1 * min(9, 4).
    assert counts[1] / counts.sum() == pytest.approx(2 / 3, abs=0.04)


def test_far_points_are_not_drawn_while_z_covers_them(rng):
    points = np.concatenate([rng.normal(scale=0.1, size=(50, 2)), [[1e3, 0], [0, -1e3]]])
    coreset = coreset_of(points, z=2.0)
    coreset.weights[50:] = 1.0
    for _ in range(20):
        seeds = seed_robustly(coreset, 3, rng, leave_out_farthest(coreset))
        first_far = np.flatnonzero(abs(seeds).max(axis=1) > 100)
        assert (first_far == 0).all()  # only the first draw, by weight, can hit one
