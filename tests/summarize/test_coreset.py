import math

import numpy as np
import pytest

import naive
from nkmeans.data.blocks import NO_WEIGHT, ArraySource
from nkmeans.engines.local import LocalEngine
from nkmeans.summarize import coreset as module
from nkmeans.summarize.coreset import Plan, plan_coreset, summarize
from nkmeans.summarize.sample import draw_sample
from nkmeans.survey import survey


def make(X, plan, z=5.0, weight=NO_WEIGHT, seed=0):
    with LocalEngine(ArraySource(X, weight, 100), 2) as engine:
        facts = survey(engine, "Tester")
        sample = draw_sample(engine, facts, plan.sample_rate, seed)
        made = summarize(engine, facts, sample, plan, z, seed)
        return made.moved(facts.origin), sample


def test_practical_constants_are_those_of_the_papers_experiments():
    n, k, z = 1_000_000, 10, 10_000
    plan = plan_coreset(n, 5, k, z, "practical")
    p = 2.5 * k * math.log(n) / z
    assert plan == Plan(p, math.ceil(k + p * z), p, 1.0, "mean")


def test_theory_constants_are_those_of_the_theorem():
    n, k, z = 10**8, 3, 10**6
    plan = plan_coreset(n, 5, k, z, "theory")
    p = max(36 / z * math.log(4 * n * k**2 / z), 36 * k / z * math.log(2 * k**3))
    assert plan == Plan(p, math.ceil(32 * (k + 2.5 * p * z)), p, 2.5, "mean")
    all_of_it = plan_coreset(1000, 5, 3, 10, "theory")
    assert all_of_it == Plan(1.0, 32 * 13, 1.0, 1.0, "mean")


@pytest.mark.parametrize("constants", ["auto", "practical", "theory", None])
@pytest.mark.parametrize(
    ("n", "k", "z"),
    [(1, 1, 0.5), (5, 5, 0), (10, 1, 9), (2000, 8, 0), (10**6, 10, 1), (10**6, 10, 500_000)],
)
def test_plans_make_sense_at_the_ends(constants, n, k, z):
    plan = plan_coreset(n, 5, k, z, constants)
    assert 0 < plan.sample_rate <= plan.rate <= 1
    assert 1 <= plan.n_cells <= n
    assert plan.n_cells >= min(k, n)


@pytest.mark.parametrize("in_memory", [True, False])
@pytest.mark.parametrize("weighted", [True, False])
def test_means_cost_what_the_points_cost(in_memory, weighted, monkeypatch, rng):
    """cost(cell, c) = weight * (spread + dist2(mean, c)), summed over cells, for any c."""
    X = rng.normal(size=(1000, 3)) + 100
    weight = rng.uniform(0, 2, 1000) if weighted else NO_WEIGHT
    if not in_memory:
        monkeypatch.setattr(module, "MOST_IN_MEMORY", 200)
    plan = plan_coreset(1000, 3, 4, 3, "practical")
    assert plan.rate == 1
    made, _ = make(X, plan, weight=weight)
    assert len(made.points) == 7
    for c in rng.normal(size=(3, 3)) + 100:
        have = (made.weights * (made.spread + ((made.points - c) ** 2).sum(axis=1))).sum()
        want = ((weight if weighted else 1) * ((X - c) ** 2).sum(axis=1)).sum()
        assert have == pytest.approx(want)


def test_seeds_are_rows_of_the_sample_and_weigh_their_cells(rng):
    X = rng.normal(size=(5000, 2))
    plan = Plan(0.2, 50, 0.2, 1.0, "seed")
    made, sample = make(X, plan)
    assert len(made.points) == 50
    assert naive.pairwise_dist2(made.points, X[sample.rows]).min(axis=1).max() < 1e-20
    labels, _ = naive.nearest(X[sample.rows], made.points)
    np.testing.assert_array_equal(made.labels, labels)
    np.testing.assert_allclose(made.weights, np.bincount(labels, sample.weight))
    assert made.weights.sum() == pytest.approx(5000, rel=0.1)
    assert (made.spread == 0).all()


def test_a_small_sample_is_its_own_coreset(rng):
    X = rng.normal(size=(300, 2))
    made, _ = make(X, plan_coreset(300, 2, 5, 3, "auto"))
    np.testing.assert_allclose(made.points, X)
    np.testing.assert_array_equal(made.labels, np.arange(300))


def test_wide_data_makes_smaller_coresets_of_its_own():
    assert plan_coreset(1500, 50, 5, 15, "auto").n_cells == 1500
    assert plan_coreset(1500, 5000, 5, 15, "auto").n_cells == 50


@pytest.mark.parametrize("d", [2, 100])
def test_many_features_take_the_other_seeding_and_mean_the_same(d, rng):
    X = rng.normal(size=(3000, d)).astype(np.float32)
    made, sample = make(X, Plan(0.5, 60, 0.5, 1.0, "mean"))
    assert len(made.points) == 60
    for cell in range(60):
        np.testing.assert_allclose(
            made.points[cell], X[sample.rows[made.labels == cell]].mean(axis=0), atol=1e-5
        )


@pytest.mark.parametrize("z", [0, 3, 40])
def test_the_moving_inequality_of_the_coreset_theorem(z, rng):
    """f_z(X, C) <= 2 f(X, Y) + 2 f_z(Y, C) and the reverse, for any centres C."""
    X = rng.normal(size=(400, 2))
    X[:20] *= 20
    made, _ = make(X, Plan(1.0, 30, 1.0, 1.0, "seed"))
    moving = naive.trimmed_cost(X, made.points, 0)
    for k in (1, 3):
        centers = X[rng.choice(400, k, replace=False)]
        on_data = naive.trimmed_cost(X, centers, z)
        on_coreset = naive.trimmed_cost(made.points, centers, z, made.weights)
        assert on_data <= 2 * moving + 2 * on_coreset + 1e-9
        assert on_coreset <= 2 * moving + 2 * on_data + 1e-9
