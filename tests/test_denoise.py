import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import naive
from nkmeans.denoise import guesses, measure_radii, survival_radius, survivor_sets
from nkmeans.engines import open_engine

small_sets = st.lists(
    st.tuples(st.integers(0, 12), st.integers(0, 12), st.integers(1, 4)), min_size=1, max_size=25
)


def radii_of(points, weight, z):
    with open_engine(points, None, 1) as engine:
        return measure_radii(engine, points, weight, z)


@given(small_sets, st.integers(1, 12), st.integers(0, 300))
def test_one_number_a_point_says_what_algorithm_1_does_at_every_radius(rows, z, radius2):
    table = np.array(rows, dtype=float)
    points, weight = np.ascontiguousarray(table[:, :2]), table[:, 2].copy()
    radii = radii_of(points, weight, z)
    np.testing.assert_array_equal(radii.core2 <= radius2, naive.heavy(points, weight, z, radius2))
    np.testing.assert_array_equal(
        radii.survival2 <= radius2, naive.algorithm_1(points, weight, z, radius2)
    )


@given(small_sets, st.integers(1, 12))
def test_the_sets_are_those_of_algorithm_1_at_every_power_of_two(rows, z):
    table = np.array(rows, dtype=float)
    points, weight = np.ascontiguousarray(table[:, :2]), table[:, 2].copy()
    radii = radii_of(points, weight, z)
    sets = survivor_sets(radii, weight, z)
    literal = [np.ones(len(points), dtype=bool)]
    dist2 = naive.pairwise_dist2(points, points)
    if dist2.max() > 0:
        low, high = weight.sum() * dist2[dist2 > 0].min(), weight.sum() * dist2.max()
        opt = 2.0 ** np.floor(np.log2(low))
        while opt < 2 * high:
            literal.append(naive.algorithm_1(points, weight, z, 4 * opt / z))
            opt *= 2
    wanted = {mask.tobytes() for mask in literal if mask.any()}
    assert {found.mask.tobytes() for found in sets} == wanted
    sizes = [found.mask.sum() for found in sets]
    assert sizes == sorted(set(sizes))


@given(small_sets, st.integers(1, 12))
def test_for_sums_of_distances_the_radius_is_twice_opt_over_z(rows, z):
    table = np.array(rows, dtype=float)
    points, weight = np.ascontiguousarray(table[:, :2]), table[:, 2].copy()
    dist = np.sqrt(naive.pairwise_dist2(points, points))
    literal = [np.ones(len(points), dtype=bool)]
    if dist.max() > 0:
        low, high = weight.sum() * dist[dist > 0].min(), weight.sum() * dist.max()
        opt = 2.0 ** np.floor(np.log2(low))
        while opt < 2 * high:
            literal.append(naive.algorithm_1(points, weight, z, (2 * opt / z) ** 2))
            opt *= 2
    sets = survivor_sets(radii_of(points, weight, z), weight, z, power=1)
    assert {found.mask.tobytes() for found in sets} == {m.tobytes() for m in literal if m.any()}


def test_without_outliers_nobody_is_removed(rng):
    points = rng.normal(size=(20, 2))
    radii = radii_of(points, np.ones(20), 0)
    (everyone,) = survivor_sets(radii, np.ones(20), 0)
    assert everyone.mask.all()
    assert everyone.radius2 == np.inf


def test_when_nothing_is_ever_heavy_only_everyone_is_left(rng):
    points = rng.normal(size=(20, 2))
    radii = radii_of(points, np.ones(20), 15)
    assert np.isinf(radii.survival2).all()
    (everyone,) = survivor_sets(radii, np.ones(20), 15)
    assert everyone.mask.all()


def test_equal_points_have_no_guesses_and_all_survive():
    points = np.ones((10, 2))
    radii = radii_of(points, np.ones(10), 2)
    assert len(guesses(radii, 10.0)) == 0
    assert survivor_sets(radii, np.ones(10), 2)[0].mask.all()


def test_rows_not_seen_before_get_the_radius_of_the_definition(dtype, rng):
    points, rows = rng.normal(size=(30, 3)), rng.normal(size=(500, 3)).astype(dtype)
    radii = radii_of(points, np.ones(30), 4)
    with open_engine(rows, None, 2) as engine:
        found = survival_radius(engine, np.ones(3, dtype), points, radii.core2)
    want = np.sqrt(np.maximum(naive.pairwise_dist2(rows, points), radii.core2).min(axis=1))
    np.testing.assert_allclose(found, want, rtol=1e-5)
