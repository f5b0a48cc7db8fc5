import numpy as np
import pytest

import naive
from nkmeans.cluster import primal_dual as module
from nkmeans.cluster.primal_dual import Instance, complete, primal_dual, search_fee


def instance_of(points, k, z, weight=None, spread=None):
    weight = np.ones(len(points)) if weight is None else weight
    spread = np.zeros(len(points)) if spread is None else spread
    return Instance.of_points(naive.pairwise_dist2(points, points), weight, spread, k, z)


@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.parametrize("z", [0.0, 1.0, 2.5])
def test_between_the_dual_and_the_solution_is_the_optimum(k, z, rng):
    points, weight = rng.integers(0, 9, (9, 2)).astype(float), rng.uniform(0.5, 2, 9)
    instance = instance_of(points, k, z, weight, rng.uniform(0, 1, 9))
    best, _ = naive.optimal_medoids(instance.costs, k, z, weight)
    found = primal_dual(instance, 100.0)
    assert len(set(found.centers)) == k
    assert found.cost == pytest.approx(instance.cost(found.centers))
    assert found.dual.value <= best * (1 + 1e-9)
    assert best * (1 - 1e-9) <= found.cost <= 9 * best + 1e-9


@pytest.mark.parametrize("z", [0.0, 3.0])
def test_the_dual_is_feasible_and_its_value_is_what_it_says(z, rng):
    points = rng.normal(size=(40, 3))
    instance = instance_of(points, 4, z, rng.uniform(0.5, 2, 40))
    dual = primal_dual(instance, 1000.0).dual
    assert dual.value > 0
    assert (dual.alpha <= dual.penalty).all()
    offered = (instance.weight * np.maximum(dual.alpha - instance.costs, 0)).sum(axis=1)
    assert (offered <= dual.fee * (1 + 1e-9)).all()
    left_out = z * dual.penalty if z > 0 else 0.0
    assert dual.value == pytest.approx(instance.weight @ dual.alpha - 4 * dual.fee - left_out)


def test_planted_clusters_are_found(rng):
    corners = np.array([[0.0, 0], [9, 0], [0, 9], [9, 9]])
    points = np.repeat(corners, 30, axis=0) + rng.normal(scale=0.1, size=(120, 2))
    points = np.concatenate([points, [[100.0, 100.0], [-80.0, 7.0]]])
    found = primal_dual(instance_of(points, 4, 2.0), 1e4)
    assert sorted(i // 30 for i in found.centers) == [0, 1, 2, 3]


def test_the_fee_is_found_at_which_k_are_chosen(rng, monkeypatch):
    chosen = []
    monkeypatch.setattr(
        module, "complete", lambda *task: chosen.append(len(task[1])) or complete(*task)
    )
    points = np.repeat(rng.uniform(0, 50, (5, 2)), 20, axis=0) + rng.normal(
        scale=0.1, size=(100, 2)
    )
    for k in (3, 4, 5):
        for around in (None, 1e-3, 1.0, 1e6):
            chosen.clear()
            search_fee(instance_of(points, k, 0.0), np.inf, around)
            assert chosen[0] == k


def test_penalties_are_powers_of_two_over_twice_z(rng, monkeypatch):
    seen = []
    monkeypatch.setattr(
        module, "search_fee", lambda *task: seen.append(task[1]) or search_fee(*task)
    )
    instance = instance_of(rng.normal(size=(30, 2)), 3, 2.0)
    found = primal_dual(instance, 100.0)
    guesses = np.array(seen) * 2 * 2.0
    np.testing.assert_array_equal(guesses, 128 / 2.0 ** np.arange(len(seen)))
    assert guesses[-1] / 2 < found.dual.value <= found.cost


def test_where_the_number_jumps_over_k_the_rest_is_added(rng):
    # Three equal groups of two: the fee that closes one group closes all.
    points = np.array([[0.0], [1.0], [10.0], [11.0], [20.0], [21.0]])
    for k in (1, 2, 3, 4, 5, 6):
        for around in (None, 1e-3, 1.0, 1e6):
            centers, _, _ = search_fee(instance_of(points, k, 0.0), np.inf, around)
            assert len(set(centers)) == k


@pytest.mark.parametrize("far", [97.0, 1e6])
def test_a_tight_pair_of_outliers_is_not_taken_for_the_cluster(far, seed):
    points = np.array([[3.0], [0.0], [10.0], [-far], [-far - 2]])
    found = primal_dual(instance_of(points, 1, 2.0), 10.0**seed)
    assert found.cost == pytest.approx(58)


def test_huge_values_do_not_overflow(rng):
    points = rng.normal(size=(20, 2)) * 1e100
    found = primal_dual(instance_of(points, 3, 0.0), 1e201)
    assert 0 < found.dual.value <= found.cost < np.inf


def test_completing_takes_what_lowers_the_cost_most():
    points = np.array([[0.0], [1.0], [10.0], [30.0]])
    instance = instance_of(points, 2, 0.0)
    np.testing.assert_array_equal(complete(instance, np.array([0]), np.arange(4)), [0, 3])
    # Duplicates of a centre come last.
    copies = instance_of(np.array([[0.0], [0.0], [0.0], [5.0]]), 3, 0.0)
    assert set(complete(copies, np.array([0]), np.arange(4))) >= {0, 3}
