import numpy as np
import pytest
from scipy.optimize import minimize

import naive
from nkmeans.cluster.lloyd import in_order, lloyd_in_memory, lloyd_on_data, move
from nkmeans.data.blocks import NO_WEIGHT, ArraySource
from nkmeans.engines.local import LocalEngine


def on_data(X, centers, z, max_iter, tol=0.0, weight=NO_WEIGHT, power=2):
    origin = np.zeros(X.shape[1], X.dtype)
    with LocalEngine(ArraySource(X, weight, 64), 2) as engine:
        return lloyd_on_data(
            engine, origin, np.asarray(centers, float), z, max_iter, tol, power=power
        )


@pytest.mark.parametrize("z", [0.0, 7.0, 12.5])
@pytest.mark.parametrize("rounds", [0, 1, 4])
def test_rounds_in_memory_are_the_twins(z, rounds, rng):
    X, weight = rng.normal(size=(200, 2)), rng.uniform(0.1, 2, 200)
    want = X[:5]
    for _ in range(rounds):
        want = naive.lloyd_round(X, weight, z, want)
    cost, centers, n_iter, dist2 = lloyd_in_memory(X, weight, z, X[:5], rounds, 0.0)
    np.testing.assert_allclose(dist2, naive.nearest(X, want)[1])
    np.testing.assert_allclose(centers, want)
    assert cost == pytest.approx(naive.trimmed_cost(X, want, z, weight))
    assert n_iter == rounds


@pytest.mark.parametrize("z", [0.0, 7.0])
def test_rounds_over_blocks_are_the_twins(z, rng):
    X = rng.normal(size=(300, 2))
    want = X[:5]
    for _ in range(3):
        want = naive.lloyd_round(X, np.ones(300), z, want)
    centers, found, n_passes = on_data(X, X[:5], z, 4)
    np.testing.assert_allclose(centers, want)
    assert found.cost == pytest.approx(naive.trimmed_cost(X, centers, z))
    assert n_passes == 4


def test_the_cost_never_rises_and_the_end_is_a_fixed_point(rng):
    X = rng.normal(size=(300, 3))
    costs = [on_data(X, X[:6], 20, rounds)[1].cost for rounds in range(1, 12)]
    assert (np.diff(costs) <= 1e-9).all()
    centers, _, n_passes = on_data(X, X[:6], 20, 300, tol=0.0)
    assert n_passes < 300
    np.testing.assert_allclose(naive.lloyd_round(X, np.ones(300), 20, centers), centers)


def test_the_assignment_returned_is_that_of_the_centres_returned(rng):
    X = rng.normal(size=(500, 2))
    for tol in (1e-1, 1e-3, 0.0):
        centers, found, _ = on_data(X, X[:4], 10, 50, tol)
        labels, _ = naive.nearest(X, centers)
        kept = found.labels >= 0
        np.testing.assert_array_equal(found.labels[kept], labels[kept])


def test_a_centre_that_keeps_nothing_stays():
    X = np.array([[0.0], [0.1], [0.2], [100.0]])
    centers = lloyd_in_memory(X, np.ones(4), 1.0, np.array([[0.0], [90.0]]), 5, 0.0).centers
    np.testing.assert_allclose(centers, [[0.1], [90.0]])


def test_spread_decides_who_is_left_out():
    X = np.array([[0.0], [1.0], [3.0]])
    spread = np.array([50.0, 0.0, 0.0])
    found = lloyd_in_memory(X, np.ones(3), 1.0, np.array([[1.0]]), 5, 0.0, spread)
    assert found.centers[0, 0] == 2.0
    assert found.cost == 2.0


# Sums of distances


@pytest.mark.parametrize("z", [0.0, 7.0, 12.5])
@pytest.mark.parametrize("rounds", [1, 4])
def test_weiszfeld_rounds_are_the_twins(z, rounds, rng):
    X, weight = rng.normal(size=(200, 2)), rng.uniform(0.1, 2, 200)
    want = X[:5]  # centres at data points
    for _ in range(rounds):
        want = naive.weiszfeld_round(X, weight, z, want)
    found = lloyd_in_memory(X, weight, z, X[:5], rounds, 0.0, power=1)
    np.testing.assert_allclose(found.centers, want)
    price = np.sqrt(naive.nearest(X, want)[1])
    assert found.cost == pytest.approx((naive.kept_weights(price, weight, z) * price).sum())
    centers, assignment, _ = on_data(X, X[:5], z, rounds + 1, weight=weight, power=1)
    np.testing.assert_allclose(centers, want)
    assert assignment.cost == pytest.approx(found.cost)


def test_one_centre_ends_at_the_geometric_median(rng):
    X, weight = rng.normal(size=(60, 3)), rng.uniform(0.1, 2, 60)
    found = lloyd_in_memory(X, weight, 0.0, X[:1], 1000, 1e-14, power=1)
    best = minimize(lambda c: weight @ np.linalg.norm(X - c, axis=1), X.mean(axis=0), tol=1e-12)
    assert found.cost == pytest.approx(best.fun, rel=1e-9)
    np.testing.assert_allclose(found.centers[0], best.x, atol=1e-4)


@pytest.mark.parametrize(
    ("heavy", "stays"), [(1.0, False), (2.9, False), (3.1, True), (50.0, True)]
)
def test_weight_at_a_centre_holds_it_where_it_outweighs_the_pull_of_the_rest(heavy, stays):
    """Three points pull one way with force 3 in all."""
    X = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [9.0, 0.0]])
    weight = np.array([heavy, 1.0, 1.0, 1.0])
    found = lloyd_in_memory(X, weight, 0.0, X[:1], 1, 0.0, power=1)
    assert (found.centers[0, 0] == 0) == stays
    assert lloyd_in_memory(X, weight, 0.0, X[:1], 300, 0.0, power=1).cost <= weight @ X[:, 0]


def test_a_cluster_in_one_place_stays_there():
    X = np.array([[0.0], [0.0], [5.0], [5.0]])
    found = lloyd_in_memory(X, np.ones(4), 0.0, X[[0, 2]], 10, 0.0, power=1)
    np.testing.assert_array_equal(found.centers, [[0.0], [5.0]])
    assert found.cost == 0


def test_a_slow_crawl_is_not_taken_for_the_end():
    """Two far pairs: the steps along the line between them are tiny for a long time."""
    X = np.array([[2.44, 1.4], [-0.85, -0.44], [18.54, 20.21], [20.14, 20.68]])
    best = minimize(lambda c: np.linalg.norm(X - c, axis=1).sum(), [11.0, 12.0], tol=1e-12).fun
    for start in X[:1], X[2:3]:
        found = lloyd_in_memory(X, np.ones(4), 0.0, start, 10_000, 1e-5, power=1)
        assert found.cost <= best * (1 + 4e-5)


def test_sums_of_distances_never_rise(rng):
    X = rng.normal(size=(300, 3))
    costs = [on_data(X, X[:6], 20, rounds, power=1)[1].cost for rounds in range(1, 15)]
    assert (np.diff(costs) <= 1e-9).all()


def test_moving_without_weight_at_the_centre_is_to_the_mean():
    moved = move(
        np.array([[4.0], [0.0]]), np.array([2.0, 0.0]), np.zeros(2), np.array([[1.0], [7.0]])
    )
    np.testing.assert_array_equal(moved, [[2.0], [7.0]])


def test_centres_are_ordered_by_first_coordinate_then_the_next():
    centers = np.array([[1.0, 5.0], [0.0, 9.0], [1.0, 2.0]])
    np.testing.assert_array_equal(in_order(centers), [[0, 9], [1, 2], [1, 5]])
