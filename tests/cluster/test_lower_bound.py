"""Bounds that must hold are checked against optima found by trying everything."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import naive
from nkmeans.cluster import lower_bound as module
from nkmeans.cluster.lower_bound import dual_value, lower_bound
from nkmeans.summarize.coreset import Coreset


def solve_and_bound(points, weight, spread, k, z, cost):
    rows = np.arange(len(points))
    return module.solve_and_bound(Coreset(points, weight, spread, z, rows, rows, 1.0), k, cost)


def optimum_of_cells(points, weight, spread, k, z):
    """The least cost of k free centres for weighted cells; weights and z are whole numbers.

    A weight w is w copies, any of which may be left out.
    """
    rows = np.repeat(np.column_stack([points, spread]), weight.astype(int), axis=0)
    best = np.inf
    for kept in {
        tuple(map(tuple, rows[list(chosen)]))
        for chosen in naive.combinations(range(len(rows)), len(rows) - int(z))
    }:
        kept = np.array(kept)
        best = min(best, naive.optimal_kmeans(kept[:, :-1], k)[0] + kept[:, -1].sum())
    return best


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.integers(1, 2), st.integers(0, 2), st.booleans())
def test_no_bound_is_above_its_optimum(seed, k, z, has_spread):
    rng = np.random.default_rng(seed)
    points = rng.integers(0, 9, (5, 2)).astype(float)
    weight = rng.integers(1, 3, 5).astype(float)
    spread = rng.integers(0, 4, 5).astype(float) if has_spread else np.zeros(5)
    free = optimum_of_cells(points, weight, spread, k, z)
    dist2 = naive.pairwise_dist2(points, points)
    rows, _ = naive.optimal_medoids(dist2 + spread, k, z, weight)
    if rows == 0:
        return
    found = solve_and_bound(points, weight, spread, k, float(z), rows)
    assert found.anywhere <= free * (1 + 1e-9)
    assert found.at_points <= rows * (1 + 1e-9)
    assert found.moved <= found.anywhere * (1 + 1e-9) + 1e-9
    assert found.anywhere >= 0.3 * free


@pytest.mark.parametrize("share", [0.5, 1.0])
def test_any_multipliers_give_a_bound(share, rng):
    points = rng.integers(0, 9, (8, 2)).astype(float)
    dist2, weight = naive.pairwise_dist2(points, points), rng.uniform(0.5, 2, 8)
    best, _ = naive.optimal_medoids(share * dist2, 2, 1.5, weight)
    for _ in range(50):
        alpha = rng.uniform(0, rng.choice([1, 10, 100]), 8)
        value, _ = dual_value(dist2, weight, np.zeros(8), 2, 1.5, alpha, share)
        kept = naive.kept_weights(alpha, weight, 1.5)
        surplus = np.sort((weight * np.maximum(alpha - share * dist2, 0)).sum(axis=1))
        assert value == pytest.approx((kept * alpha).sum() - surplus[-2:].sum())
        assert value <= best * (1 + 1e-9)


def test_the_direction_is_a_supergradient(rng):
    points = rng.normal(size=(30, 2))
    dist2, weight = naive.pairwise_dist2(points, points), rng.uniform(0.5, 2, 30)
    problem = dist2, weight, np.zeros(30), 3, 2.0
    for _ in range(20):
        here, there = rng.uniform(0, 3, 30), rng.uniform(0, 3, 30)
        value, direction = dual_value(*problem, here, 1.0)
        above = value + (weight * direction) @ (there - here)
        assert dual_value(*problem, there, 1.0)[0] <= above + 1e-9


def test_rounds_make_the_bound_better_and_tight_where_clusters_are_apart(rng):
    centers = rng.uniform(0, 50, (4, 2))
    points = np.repeat(centers, 20, axis=0) + rng.normal(scale=0.2, size=(80, 2))
    dist2, weight, nothing = naive.pairwise_dist2(points, points), np.ones(80), np.zeros(80)
    chosen = [i * 20 + dist2[i * 20 :, i * 20 :][:20, :20].sum(axis=1).argmin() for i in range(4)]
    cost = dist2[chosen].min(axis=0).sum()
    start = np.full(80, cost / 80)
    bounds = [
        lower_bound(dist2, weight, nothing, 4, 0.0, start, cost, share=1.0, rounds=rounds)
        for rounds in (1, 10, 200)
    ]
    assert bounds[0] <= bounds[1] <= bounds[2] <= cost
    assert bounds[2] > 0.98 * cost


def test_the_moved_bound_holds_for_rows_behind_the_cells(rng):
    """Cells of two rows each: what is bounded is the optimum over the rows."""
    for _ in range(10):
        places = rng.integers(0, 40, (4, 2)).astype(float)
        shift = rng.uniform(-0.5, 0.5, (4, 2))
        rows = np.concatenate([places - shift, places + shift])
        opt, _ = naive.optimal_kmeans_with_outliers(rows, 2, 1)
        spread, weight = (shift**2).sum(axis=1), np.full(4, 2.0)
        costs = naive.pairwise_dist2(places, places) + spread
        cost, _ = naive.optimal_medoids(costs, 2, 1, weight)
        found = solve_and_bound(places, weight, spread, 2, 1.0, cost)
        assert 0 <= found.moved <= opt * (1 + 1e-9)


def test_cells_across_clusters_give_no_bound_for_the_rows():
    """Four tight groups, each cell a row of two of them: the rows cost nothing, the cells much."""
    corners = np.array([[0.0, 0], [10, 0], [0, 10], [10, 10]])
    pairs = np.array(list(naive.combinations(range(4), 2)))
    cells = corners[pairs].mean(axis=1)
    spread = ((corners[pairs] - cells[:, None]) ** 2).sum(axis=2).mean(axis=1)
    weight = np.full(6, 2.0)
    found = solve_and_bound(cells, weight, spread, 4, 0.0, 1e3)
    assert found.anywhere > 0
    assert found.moved == 0  # which is the optimum over the rows


@pytest.mark.parametrize(
    ("values", "k"),
    [
        ([1e12 + 5, 1e12, 1e9 + 1, 1003], 3),
        ([1e9, 1e9 + 2, 0, 5, 1e12 + 1], 3),
        ([-99999999998, 1000000000003, 1005, 1003, 1002, 1000000000000, 1000000000003], 3),
        ([1e6, 1001, 1003, 1e9 + 2, 1e6 + 4], 3),
    ],
)
def test_far_points_do_not_make_rounding_a_bound(values, k):
    X = np.array(values, dtype=float)[:, None]
    free, _ = naive.optimal_kmeans(X, k)
    rows, _ = naive.optimal_medoids(naive.pairwise_dist2(X, X), k, 0)
    for shift in (0.0, np.median(X)):
        found = solve_and_bound(X - shift, np.ones(len(X)), np.zeros(len(X)), k, 0.0, 1e25)
        assert found.anywhere <= free
        assert found.at_points <= rows
