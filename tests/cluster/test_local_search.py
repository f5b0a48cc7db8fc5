import numpy as np
import pytest

import naive
from nkmeans.cluster.local_search import Swaps, local_search, swap_and_move, swaps_on
from nkmeans.summarize.coreset import Coreset


def coreset_of(rng, m=40, z=3.0, weighted=True, whole=False):
    points = rng.integers(0, 5, (m, 2)).astype(float) if whole else rng.normal(size=(m, 2))
    weight = rng.uniform(0.2, 2, m) if weighted else np.ones(m)
    spread = rng.uniform(0, 0.1, m) if weighted else np.zeros(m)
    rows = np.arange(m)
    return Coreset(points, weight, spread, z, rows, rows, 1.0)


def all_swaps(coreset, centers, weight, mass):
    """Trimmed costs now and after every swap, the slow way."""
    pairs = naive.pairwise_dist2(coreset.points, coreset.points) + coreset.spread
    to_center = naive.pairwise_dist2(coreset.points, centers) + coreset.spread[:, None]
    price = to_center.min(axis=1)
    return (naive.kept_weights(price, weight, mass) * price).sum(), naive.swap_costs(
        pairs, weight, mass, to_center
    )


@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize("z", [0.0, 3.0])
def test_every_trial_reports_the_twins_best_swap(k, z, rng):
    coreset = coreset_of(rng, z=z)
    swaps = swaps_on(coreset, coreset.points[:k])
    cost, after = all_swaps(coreset, coreset.points[:k], coreset.weights, z)
    assert swaps.cost == pytest.approx(cost)
    for candidate, _, leaving, its_cost in swaps.trials(np.arange(40), 1.0):
        if after[candidate].min() < cost * (1 - 1e-12):
            assert leaving == after[candidate].argmin()
            assert its_cost == pytest.approx(after[candidate].min())
        else:
            assert leaving == -1
    best, swap = swaps.best(np.arange(40))
    assert best == pytest.approx(min(cost, after.min()))
    if after.min() >= cost:
        assert swap is None
        return
    swaps.apply(*swap)
    assert swaps.cost == pytest.approx(best)
    np.testing.assert_array_equal(
        swaps.placed(coreset.points, coreset.points[:k])[swap[2]], coreset.points[swap[0]]
    )


@pytest.mark.parametrize("k", [1, 4])
@pytest.mark.parametrize("z", [0.0, 2.5])
@pytest.mark.parametrize("whole", [False, True])
def test_a_descent_ends_where_no_single_swap_improves(k, z, whole, rng):
    coreset = coreset_of(rng, z=z, weighted=not whole, whole=whole)
    start = np.unique(coreset.points, axis=0)[:k]
    swaps = swaps_on(coreset, start)
    before = swaps.cost
    n_swaps = swaps.descend(rng.permutation(40))
    centers = swaps.placed(coreset.points, start)
    cost, after = all_swaps(coreset, centers, coreset.weights, z)
    assert swaps.cost == pytest.approx(cost)
    assert after.min() >= cost * (1 - 1e-8)
    assert cost <= before
    assert (n_swaps == 0) == (cost == before)


@pytest.mark.parametrize("eps", [0.0, 0.1, 1.0])
def test_the_published_search_ends_in_its_own_local_optimum(eps, rng):
    coreset = coreset_of(rng, m=60, z=4.0)
    k = 4
    centers, kept = local_search(coreset, coreset.points[:k], eps, rng)
    left_out = coreset.weights.sum() - kept.sum()
    assert left_out == pytest.approx(4.0) or left_out == pytest.approx(8.0)
    cost, after = all_swaps(coreset, centers, kept, 0.0)
    assert after.min() >= cost * min(1 - eps / k, 1 - 1e-8)
    assert all((coreset.points == center).all(axis=1).any() for center in centers)


def test_z_more_are_let_go_only_where_that_pays(rng):
    """Twice z far points: the first z leave, and the others when a factor asks for little."""
    cluster = rng.normal(scale=0.1, size=(50, 2))
    far = np.array([[60.0, 0], [0, 70], [-80, 0], [0, -90]])
    points, rows = np.concatenate([cluster, far]), np.arange(54)
    coreset = Coreset(points, np.ones(54), np.zeros(54), 2.0, rows, rows, 1.0)
    _, kept = local_search(coreset, points[:1], 0.1, rng)
    np.testing.assert_array_equal(np.flatnonzero(kept == 0), [50, 51, 52, 53])
    even = Coreset(cluster, np.ones(50), np.zeros(50), 2.0, rows[:50], rows[:50], 1.0)
    _, kept = local_search(even, cluster[:1], 0.9, rng)
    assert (kept == 0).sum() == 2


@pytest.mark.parametrize("z", [0.0, 3.0])
def test_swaps_and_moves_in_turn_end_where_neither_helps(z, rng):
    coreset = coreset_of(rng, z=z)
    centers = swap_and_move(coreset, coreset.points[:4], 300, 1e-12, rng)
    cost, after = all_swaps(coreset, centers, coreset.weights, z)
    assert after.min() >= cost * (1 - 1e-8)
    moved = centers
    for _ in range(3):
        labels, dist2 = naive.nearest(coreset.points, moved)
        kept = naive.kept_weights(dist2 + coreset.spread, coreset.weights, z)
        moved = np.array(
            [
                np.average(coreset.points[labels == c], axis=0, weights=kept[labels == c])
                for c in range(4)
            ]
        )
    np.testing.assert_allclose(moved, centers, atol=1e-5)


@pytest.mark.parametrize(
    ("X", "k", "z"),
    [
        (np.repeat(np.random.default_rng(0).random((4, 2)), 3, axis=0), 4, 0.0),
        (np.r_[np.repeat([[0.1], [0.2], [0.7]], 3, axis=0), [[50.0]]], 3, 1.0),
        (np.random.default_rng(0).normal(size=(18, 2)), 17, 1.0),
    ],
)
def test_a_cost_of_nothing_ends_the_search(X, k, z, rng):
    rows = np.arange(len(X))
    coreset = Coreset(X, rng.uniform(0.5, 1, len(X)), np.zeros(len(X)), z, rows, rows, 1.0)
    start = np.unique(X, axis=0)[:k]
    centers = swap_and_move(coreset, start, 300, 0.0, rng)
    assert all_swaps(coreset, centers, coreset.weights, z)[0] < 1e-25


def test_other_weights_change_the_cost_at_once(rng):
    pairs = naive.pairwise_dist2(np.arange(5.0)[:, None], np.arange(5.0)[:, None])
    swaps = Swaps(lambda some: pairs[some], np.ones(5), np.zeros(5), 0.0, pairs[[0]].T)
    assert swaps.cost == 0 + 1 + 4 + 9 + 16
    swaps.leave_out(np.ones(5), 1.0)
    assert swaps.cost == 14
    np.testing.assert_array_equal(swaps.kept, [1, 1, 1, 1, 0])
