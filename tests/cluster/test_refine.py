import numpy as np
import pytest

import naive
from nkmeans.assign import UNKNOWN
from nkmeans.cluster.lloyd import lloyd_in_memory
from nkmeans.cluster.refine import best_on_sample, bracket_on_sample, refine
from nkmeans.engines import open_engine
from nkmeans.summarize.coreset import Coreset
from nkmeans.summarize.sample import Sample


@pytest.fixture
def sample(rng):
    return Sample(rng.normal(size=(600, 2)), np.full(600, 10.0), np.arange(600), 0.1)


def test_the_sample_picks_the_cheapest(sample, rng):
    solutions = [rng.normal(size=(3, 2)) for _ in range(5)]
    costs = [naive.trimmed_cost(sample.points, c, 200, sample.weight) for c in solutions]
    with open_engine(sample.points, None, 2) as engine:
        number, found = best_on_sample(engine, sample, solutions, 200, rounds=0)
        assert number == np.argmin(costs)
        assert found.cost == pytest.approx(min(costs))
        np.testing.assert_array_equal(found.centers, solutions[number])
        _, improved = best_on_sample(engine, sample, solutions, 200, rounds=10)
    assert improved.cost < found.cost


def test_solutions_that_cost_the_same_go_on_once():
    points = np.array([[0.0], [1.0], [10.0], [11.0]])
    rows = np.arange(4)
    coreset = Coreset(points, np.ones(4), np.zeros(4), 0.0, rows, rows, 1.0)
    with open_engine(points, None, 1) as engine:
        assert len(refine(engine, coreset, [points[:2], points[1:3], points[2:]], seed=0)) == 1


def test_refining_a_bad_start_finds_the_clusters(rng):
    corners = np.array([[0.0, 0], [9, 0], [0, 9], [9, 9]])
    points = np.repeat(corners, 30, axis=0) + rng.normal(scale=0.1, size=(120, 2))
    nobody = np.arange(120)
    coreset = Coreset(points, np.ones(120), np.zeros(120), 2.0, nobody, nobody, 1.0)
    with open_engine(points, None, 2) as engine:
        best = refine(engine, coreset, [points[:4], points[4:8]], seed=0)[0]
    assert (naive.pairwise_dist2(corners, best).min(axis=1) < 0.1).all()


def test_the_bracket_holds_the_samples_own_boundary(sample, rng):
    centers = rng.normal(size=(3, 2))
    _, dist2 = naive.nearest(sample.points, centers)
    cut, _ = naive.cut(dist2, sample.weight, 300)
    found = lloyd_in_memory(sample.points, sample.weight, 300, centers, 0, 0.0)
    low, high = bracket_on_sample(sample, found, 300)
    assert low < cut < high
    assert bracket_on_sample(sample, found, 0) == UNKNOWN
