"""All pairs on one coreset."""

import numpy as np
import pytest

from nkmeans.choose.grid import agreement, resampled, solve_grid
from nkmeans.choose.rough import roughly
from nkmeans.data.blocks import NO_WEIGHT, ArraySource
from nkmeans.datasets import make_noisy_blobs
from nkmeans.engines.local import LocalEngine
from nkmeans.metrics import trimmed_cost
from nkmeans.problem import Problem
from nkmeans.survey import survey

COUNTS, MASSES = [1, 2, 4, 5, 6, 9], [0.0, 30.0, 60.0, 90.0, 120.0, 300.0]


@pytest.fixture(scope="module")
def solved():
    X, planted, _ = make_noisy_blobs(6000, 5, 3, 60, noise_range=2.5, random_state=0)
    heard = []
    with LocalEngine(ArraySource(X, NO_WEIGHT), 1) as engine:
        facts = survey(engine, "Tester")
        rough = roughly(engine, Problem(9, 0.0, facts, (0,), "Tester", print), 9, 0)
        grid = solve_grid(rough, COUNTS, MASSES, heard.append)
    return X, planted, facts, rough, grid, heard


def test_costs_are_about_those_of_the_data(solved):
    X, _, facts, _, grid, _ = solved
    for row, k in enumerate(COUNTS):
        for column, mass in enumerate(MASSES):
            centers = grid.centers[row][column]
            assert centers.shape == (k, 3)
            # Cells are coarse: what is left out is whole cells, or parts of them.
            true = trimmed_cost(X - facts.origin, centers, int(mass))
            assert grid.cost[row, column] == pytest.approx(true, rel=0.25)


def test_no_pair_is_much_worse_than_solving_it_alone(solved):
    _, _, _, rough, grid, _ = solved
    for row, k in enumerate(COUNTS):
        for column, mass in enumerate(MASSES):
            alone = rough.solve(k, mass).centers
            X = rough.sample.points
            cost = trimmed_cost(X, grid.centers[row][column], int(mass))
            assert cost <= 1.3 * trimmed_cost(X, alone, int(mass))


def test_costs_fall_with_clusters_and_outliers(solved):
    cost = solved[4].cost
    assert (np.diff(cost, axis=1) <= 1e-9 * cost[:, 1:]).all()
    assert (np.diff(cost, axis=0) <= 0.02 * cost[1:]).all()


def test_the_planted_pair_stands_out(solved):
    grid = solved[4]
    assert grid.silhouette[:, 2].argmax() == COUNTS.index(5)
    assert grid.stability[COUNTS.index(5), 2] > 0.99
    assert grid.stability[COUNTS.index(9), 3] < 0.95
    assert grid.smallest[COUNTS.index(5), 2] == pytest.approx(1200, rel=0.05)
    assert (grid.silhouette[0] == 0).all()
    assert (grid.stability[0] == 1).all()


def test_progress_is_told_to_the_end(solved):
    heard = solved[5]
    assert heard == sorted(heard)
    assert heard[-1] == 1


def test_resamples_weigh_as_much_on_average(solved, rng):
    coreset = solved[3].coreset
    drawn = np.array([resampled(coreset, rng) for _ in range(400)])
    assert (np.ptp(drawn, axis=0) > 0).all()
    np.testing.assert_allclose(drawn.sum(axis=1).mean(), coreset.weights.sum(), rtol=0.01)
    rows = np.bincount(coreset.labels)
    deviation = drawn.std(axis=0) / coreset.weights
    np.testing.assert_allclose(deviation, 1 / np.sqrt(rows), rtol=0.25)


def test_agreement_is_blind_to_the_names_of_clusters(rng):
    labels, weight = rng.integers(0, 4, 100), rng.uniform(1, 2, 100)
    renamed = np.array([2, 0, 3, 1])[labels]
    assert agreement(labels, renamed, weight, 4) == pytest.approx(1)
    other = renamed.copy()
    other[:10] = (other[:10] + 1) % 4
    assert agreement(labels, other, weight, 4) == pytest.approx(
        1 - weight[:10].sum() / weight.sum()
    )
