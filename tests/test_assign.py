import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
from nkmeans.assign import UNKNOWN, Bracket, assign
from nkmeans.data.blocks import NO_WEIGHT, ArraySource
from nkmeans.engines.local import LocalEngine


def run(X, centers, z, weight=NO_WEIGHT, bracket=UNKNOWN, block_rows=16, origin=None, power=2):
    origin = np.zeros(X.shape[1], X.dtype) if origin is None else origin
    with LocalEngine(ArraySource(X, weight, block_rows), 2) as engine:
        return assign(engine, origin, np.asarray(centers, float), z, bracket, power=power)


def check(found, X, centers, z, weight):
    labels, dist2 = naive.nearest(X, centers)
    kept = naive.kept_weights(dist2, weight, z)
    np.testing.assert_array_equal(found.labels, np.where((kept == 0) & (weight > 0), -1, labels))
    assert found.cost == pytest.approx((kept * dist2).sum())
    np.testing.assert_allclose(found.mass, np.bincount(labels, kept, minlength=len(centers)))
    for c in range(len(centers)):
        np.testing.assert_allclose(found.sums[c], (kept * (labels == c)) @ X, atol=1e-9)
    if z > 0:
        assert found.threshold == pytest.approx(dist2[kept > 0].max())


grid = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=4, max_size=60)


@given(grid, st.integers(1, 3), st.floats(0, 0.95), st.integers(0, 10**6))
def test_exactly_z_are_left_out_and_ties_go_by_row_number(rows, k, share, seed):
    X = np.array(rows, dtype=float)
    z = int(share * len(X))
    centers = X[np.random.default_rng(seed).choice(len(X), k)]
    found = run(X, centers, z)
    assert (found.labels < 0).sum() == z
    check(found, X, centers, z, np.ones(len(X)))


@given(grid, st.integers(0, 10**6), st.integers(0, 40))
def test_mass_is_left_out_and_the_boundary_row_keeps_the_rest(rows, seed, quarters):
    rng = np.random.default_rng(seed)
    X = np.array(rows, dtype=float)
    weight = rng.integers(1, 9, len(X)) / 4
    z = min(quarters / 4, weight.sum() - 0.25)
    centers = X[rng.choice(len(X), 2)]
    check(run(X, centers, z, weight), X, centers, z, weight)


@pytest.mark.parametrize("bracket", [Bracket(-1.0, np.inf), Bracket(3.0, 4.0), Bracket(0.0, 0.1), Bracket(50.0, 60.0), UNKNOWN])  # fmt: skip
def test_a_bracket_changes_the_time_and_not_the_answer(bracket, rng):
    X, centers = rng.normal(size=(300, 2)), rng.normal(size=(3, 2))
    for z in (0, 1, 30, 299):
        check(run(X, centers, z, bracket=bracket), X, centers, z, np.ones(300))


def test_the_bracket_it_returns_holds_for_the_same_centres(rng):
    X, centers = rng.normal(size=(3000, 2)), rng.normal(size=(3, 2))
    found = run(X, centers, 100)
    assert found.bracket.low <= found.threshold <= found.bracket.high


def test_rows_without_weight_are_labelled_as_predict_would(rng):
    X, centers = rng.normal(size=(100, 2)), np.zeros((1, 2))
    weight = (np.arange(100) % 2).astype(float)
    found = run(X, centers, 5, weight)
    dist2 = (X**2).sum(axis=1)
    ghosts = weight == 0
    np.testing.assert_array_equal(found.labels[ghosts] < 0, dist2[ghosts] > found.threshold)
    assert (found.labels[~ghosts] < 0).sum() == 5


def test_rows_without_weight_on_the_threshold_are_not_outliers():
    X, weight = np.array([[1.0], [2.0], [2.0], [2.0], [3.0]]), np.array([1.0, 0.0, 1.0, 1.0, 0.0])
    found = run(X, np.zeros((1, 1)), 1, weight)
    np.testing.assert_array_equal(found.labels, [0, 0, 0, -1, -1])


def test_float32_far_from_zero_is_as_right_as_float64(rng):
    X = (rng.normal(size=(2000, 3)) * 0.05 + 1e4).astype(np.float32)
    centers = X[:4].astype(float) + 1e-4
    origin = np.full(3, 1e4, np.float32)
    in32 = run(X, centers, 20, origin=origin)
    in64 = run(X.astype(float), centers, 20, origin=origin.astype(float))
    np.testing.assert_array_equal(in32.labels, in64.labels)
    assert in32.cost == pytest.approx(in64.cost, rel=1e-5)


def test_other_blocks_give_the_same_up_to_rounding(rng):
    X, centers = rng.normal(size=(500, 3)), rng.normal(size=(4, 3))
    one, other = run(X, centers, 25, block_rows=500), run(X, centers, 25, block_rows=3)
    np.testing.assert_array_equal(one.labels, other.labels)
    np.testing.assert_allclose(one.sums, other.sums, rtol=1e-10)


@pytest.mark.parametrize("power", [1, 2])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("z", [0, 1, 40, 280])
def test_the_spread_is_the_mean_price_of_what_a_centre_keeps(power, weighted, z, dtype, rng):
    X = rng.integers(0, 6, (300, 2)).astype(dtype)
    weight = rng.integers(0, 4, 300).astype(float) if weighted else np.ones(300)
    # The first lies on rows, and the last is too far to keep any.
    centers = np.array([[1.0, 1.0], [4.2, 3.1], [90.0, 90.0]])
    found = run(X, centers, z, weight if weighted else NO_WEIGHT, power=power)
    labels, dist2 = naive.nearest(X, centers)
    price = dist2 ** (power / 2)
    kept = naive.kept_weights(price, weight, z)
    for c in range(3):
        mine = kept * (labels == c)
        assert found.kept[c] == pytest.approx(mine.sum())
        assert found.costs[c] == pytest.approx(mine @ price, rel=1e-5)
        mean = mine @ price / mine.sum() if mine.sum() else 0.0
        assert found.spread[c] == pytest.approx(mean, rel=1e-5)
    assert found.cost == pytest.approx(found.costs.sum())
