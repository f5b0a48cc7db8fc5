import numpy as np
import pytest

import naive
from nkmeans.data.blocks import NO_WEIGHT, ArraySource
from nkmeans.engines.local import LocalEngine
from nkmeans.summarize.sample import draw_sample
from nkmeans.summarize.seeding import seed_beyond_sample, seed_over_blocks
from nkmeans.survey import survey


def seed(X, n_seeds, per_pass=None, weight=NO_WEIGHT, block_rows=50, random=0):
    origin = np.ones(X.shape[1], X.dtype)
    with LocalEngine(ArraySource(X, weight, block_rows), 2) as engine:
        return seed_over_blocks(engine, origin, n_seeds, np.random.default_rng(random), per_pass)


@pytest.mark.parametrize("per_pass", [1, 3, None])
def test_seeds_are_distinct_rows_and_cells_the_nearest(per_pass, dtype, rng):
    X = rng.normal(size=(500, 3)).astype(dtype)
    cells = seed(X, 40, per_pass)
    assert len(cells.seeds) == 40
    assert len(np.unique(cells.seeds, axis=0)) == 40
    assert (naive.pairwise_dist2(cells.seeds, X - 1).min(axis=1) == 0).all()
    labels, dist2 = naive.nearest(X - 1, cells.seeds)
    np.testing.assert_array_equal(cells.labels, labels)
    np.testing.assert_allclose(cells.dist2, dist2, rtol=1e-4, atol=1e-9)


def test_the_seeds_do_not_depend_on_the_blocks(rng):
    X = rng.normal(size=(500, 2))
    np.testing.assert_array_equal(
        seed(X, 20, block_rows=7).seeds, seed(X, 20, block_rows=500).seeds
    )


@pytest.mark.parametrize("per_pass", [1, None])
def test_duplicates_give_as_many_seeds_as_there_are_distinct_rows(per_pass):
    X = np.tile([[0.0], [1.0], [4.0]], (40, 1))
    np.testing.assert_array_equal(np.sort(seed(X, 9, per_pass).seeds, axis=0), [[-1], [0], [3]])


def test_rows_without_weight_are_never_seeds(rng):
    X = rng.normal(size=(200, 2))
    weight = (np.arange(200) % 4 == 0).astype(float)
    cells = seed(X, 20, weight=weight)
    assert (naive.pairwise_dist2(cells.seeds, (X - 1)[::4]).min(axis=1) == 0).all()


def test_rows_are_drawn_in_proportion_to_weight_times_squared_distance():
    X = np.array([[1.0], [2.0], [3.0], [6.0]])
    weight = np.array([1e9, 2.0, 0.5, 1.0])  # the first row is the first seed, all but surely
    drawn = np.array([seed(X, 2, 1, weight, 2, random).seeds[1, 0] for random in range(1500)])
    share = weight[1:] * (X[1:, 0] - 1) ** 2
    seen = [(drawn == x - 1).mean() for x in X[1:, 0]]
    np.testing.assert_allclose(seen, share / share.sum(), atol=0.06)


def seed_beyond(X, n_seeds, rate=0.2, weight=NO_WEIGHT, block_rows=50, random=0):
    with LocalEngine(ArraySource(X, weight, block_rows), 2) as engine:
        facts = survey(engine, "Tester")
        sample = draw_sample(engine, facts, rate, random)
        rng = np.random.default_rng(random)
        cells = seed_beyond_sample(engine, facts.origin, sample, n_seeds, random, rng)
        return cells.seeds + facts.origin


@pytest.mark.parametrize("n_features", [2, 80])
def test_seeds_beyond_the_sample_are_distinct_rows(n_features, dtype, rng):
    X = rng.integers(-9, 9, size=(3000, n_features)).astype(dtype)
    X[:, 0] += np.arange(3000)
    seeds = seed_beyond(X, 60)
    assert len(seeds) == 60
    assert len(np.unique(seeds, axis=0)) == len(seeds)
    assert (naive.pairwise_dist2(seeds, X).min(axis=1) == 0).all()


def test_what_the_sample_missed_is_drawn(rng):
    X = rng.normal(size=(3000, 2))
    far = np.array([7, 1234, 2999])
    X[far] += [[1000.0, 0], [0, 1000], [-1000, 0]]
    seeds = seed_beyond(X, 40, rate=0.01)
    assert (naive.pairwise_dist2(X[far], seeds).min(axis=1) < 1e-9).all()


def test_where_the_sample_costs_nothing_there_are_no_more_seeds_than_asked(rng):
    X = np.zeros((5000, 2))
    X[4000:] = rng.normal(size=(1000, 2))
    weight = np.where(np.arange(5000) < 4000, 1.0, 1e-9)
    assert len(seed_beyond(X, 30, rate=0.02, weight=weight)) == 16


def test_seeds_beyond_the_sample_do_not_depend_on_the_blocks(rng):
    X = rng.normal(size=(500, 2))
    np.testing.assert_array_equal(seed_beyond(X, 20, block_rows=7), seed_beyond(X, 20))


def test_rows_that_are_drawn_are_not_those_of_the_sample(rng):
    X = rng.normal(size=(3000, 2))
    with LocalEngine(ArraySource(X, NO_WEIGHT), 2) as engine:
        facts = survey(engine, "Tester")
        sample = draw_sample(engine, facts, 0.2, 3)
    seeds = seed_beyond(X, 200, rate=0.2, random=3)[100:]
    rows = naive.pairwise_dist2(seeds, X).argmin(axis=1)
    assert np.isin(rows, sample.rows).mean() < 0.4
