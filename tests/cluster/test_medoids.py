import numpy as np
import pytest

import naive
from nkmeans.cluster import medoids as module
from nkmeans.cluster.medoids import (
    improve_on_rows,
    radii_of,
    seed_cells,
    seeds_among,
    solve_coreset,
)
from nkmeans.cluster.metric_space import ROWS_A_TASK, MetricSpace
from nkmeans.denoise import measure_radii, survivor_sets
from nkmeans.engines import open_engine


@pytest.fixture
def space(rng):
    data = rng.normal(size=(300, 3))
    with open_engine(data, None, 2) as engine:
        yield MetricSpace(data, "euclidean", engine, "Test")


def test_distances_go_from_row_to_candidate(rng):
    data = rng.normal(size=(ROWS_A_TASK + 9, 2))

    def uphill(a, b):
        return max(b[0] - a[0], 0.0)

    with open_engine(data, None, 2) as engine:
        rows, candidates = np.arange(7), np.array([9, 2])
        found = MetricSpace(data, uphill, engine, "Test").between(rows, candidates)
        want = [[uphill(data[i], data[c]) for i in rows] for c in candidates]
        np.testing.assert_allclose(found, want)
        pairs = np.sqrt(naive.pairwise_dist2(data[:50], data[:50])) + np.arange(50)[:, None]
        known = MetricSpace(pairs, "precomputed", engine, "Test")
        np.testing.assert_array_equal(known.between(rows, candidates), pairs[:7][:, candidates].T)
        far = MetricSpace(data, "euclidean", engine, "Test").between(slice(None), candidates)
        np.testing.assert_allclose(far, np.sqrt(naive.pairwise_dist2(data[candidates], data)))


@pytest.mark.parametrize("value", [-1.0, np.nan, np.inf])
def test_what_is_no_distance_is_named(value, space):
    space.metric = lambda a, b: value
    with pytest.raises(
        ValueError, match=f"metric of Test must give finite distances .* gave {value}"
    ):
        space.between(np.arange(3), np.array([0]))


def test_cells_hold_all_weight_and_seeds_are_apart(space, rng):
    weight = rng.uniform(0.1, 2, 300)
    seeds, mass = seed_cells(space, np.arange(300), weight, 40, rng)
    assert len(np.unique(seeds)) == 40
    labels = naive.nearest(space.data, space.data[seeds])[0]
    np.testing.assert_allclose(mass, np.bincount(labels, weight, minlength=40))
    space.data = np.repeat(space.data[:5], 60, axis=0)
    seeds, mass = seed_cells(space, np.arange(300), weight, 40, rng)
    assert len(np.unique(space.data[seeds], axis=0)) == len(seeds) == 5
    assert mass.sum() == pytest.approx(weight.sum())


@pytest.mark.parametrize("z", [0.0, 4.0, 1000.0])
def test_radii_from_pairs_are_those_from_points(z, space, rng):
    weight = rng.uniform(0.1, 2, 300)
    pairs = space.between(np.arange(300), np.arange(300))
    found = radii_of(pairs, weight, z)
    want = measure_radii(space.engine, space.data, weight, z)
    for name in ("core2", "survival2", "smallest2", "largest2"):
        np.testing.assert_allclose(getattr(found, name), getattr(want, name), rtol=1e-9)


def test_seeds_are_apart_and_among_those_with_weight(space, rng):
    pairs = space.between(np.arange(300), np.arange(300))
    weight = (np.arange(300) % 2).astype(float)
    seeds = seeds_among(pairs, weight, 10, rng)
    assert len(np.unique(seeds)) == 10
    assert (seeds % 2 == 1).all()
    assert len(seeds_among(pairs, np.eye(300)[4], 3, rng)) == 1


@pytest.mark.parametrize("z", [0.0, 2.0, 3.5])
def test_no_swap_improves_a_solution_of_the_coreset(z, rng):
    points, weight = rng.normal(size=(50, 2)), rng.uniform(0.2, 2, 50)
    pairs = np.sqrt(naive.pairwise_dist2(points, points))
    solutions, _ = solve_coreset(pairs, weight, 4, z, rng)
    for medoids in solutions:
        price = pairs[medoids].min(axis=0)
        cost = (naive.kept_weights(price, weight, z) * price).sum()
        assert naive.swap_costs(pairs, weight, z, pairs[medoids].T).min() >= cost * (1 - 1e-8)


def test_searches_start_among_the_survivors(rng, monkeypatch):
    points = np.concatenate([rng.normal(size=(60, 2)), [[500.0, 0], [0, 900.0]]])
    pairs, seen = np.sqrt(naive.pairwise_dist2(points, points)), []
    monkeypatch.setattr(
        module,
        "seeds_among",
        lambda pairs, weight, k, rng: seen.append(weight) or seeds_among(pairs, weight, k, rng),
    )
    _, radii = solve_coreset(pairs, np.ones(62), 3, 2.0, rng)
    want = [found.mask for found in survivor_sets(radii, np.ones(62), 2.0, power=1)]
    assert len(seen) >= 4
    for weight, mask in zip(seen, want, strict=False):
        np.testing.assert_array_equal(weight, mask)
    assert any(weight[60:].sum() == 0 for weight in seen)


def test_rows_around_a_medoid_take_its_place_where_they_are_better(space, rng):
    weight, rows = np.ones(300), np.arange(300)
    cost, medoids, n_iter = improve_on_rows(space, rows, weight, 5.0, np.array([0, 1, 2]))
    price = np.sqrt(naive.nearest(space.data, space.data[medoids])[1])
    assert cost == pytest.approx((naive.kept_weights(price, weight, 5.0) * price).sum())
    assert n_iter > 1
    again = improve_on_rows(space, rows, weight, 5.0, medoids)
    np.testing.assert_array_equal(again[1], medoids)
    assert again[2] == 1
