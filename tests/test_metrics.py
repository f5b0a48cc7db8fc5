import numpy as np
import pytest

import naive
from nkmeans import NKMeans, PrimalDualKMeans
from nkmeans.datasets import make_noisy_blobs
from nkmeans.metrics import optimality_gap, outlier_precision, outlier_recall, trimmed_cost


@pytest.mark.parametrize("z", [0, 1, 17, 99])
def test_trimmed_cost_agrees_with_its_twin(z, dtype, rng):
    X = rng.normal(size=(100, 3)).astype(dtype)
    centers = rng.normal(size=(4, 3))
    assert trimmed_cost(X, centers, z) == pytest.approx(naive.trimmed_cost(X, centers, z), rel=1e-5)


def test_a_share_is_rounded_down_and_weight_is_mass(rng):
    X, centers = rng.normal(size=(99, 2)), np.zeros((1, 2))
    assert trimmed_cost(X, centers, 0.1) == pytest.approx(naive.trimmed_cost(X, centers, 9))
    weight = rng.integers(1, 4, 99)
    copies = np.repeat(X, weight, axis=0)
    assert trimmed_cost(X, centers, 20, weight) == pytest.approx(trimmed_cost(copies, centers, 20))
    part = rng.uniform(0.1, 1, 99)
    want = naive.trimmed_cost(X, centers, 0.1 * part.sum(), part)
    assert trimmed_cost(X, centers, 0.1, part) == pytest.approx(want)


def test_bad_input_is_named():
    X = np.zeros((10, 2))
    with pytest.raises(ValueError, match="as many columns as X, 2; got 3"):
        trimmed_cost(X, np.zeros((1, 3)), 1)
    with pytest.raises(ValueError, match=r"n_outliers of trimmed_cost must be .* got 11"):
        trimmed_cost(X, np.zeros((1, 2)), 11)
    with pytest.raises(ValueError, match=r"n_outliers of trimmed_cost must be .* got 1.5"):
        trimmed_cost(X, np.zeros((1, 2)), 1.5)
    for bad in (-1, -0.5, 1.0, True, float("nan"), "a", None):
        with pytest.raises(ValueError, match="n_outliers of trimmed_cost must be an int"):
            trimmed_cost(X, np.zeros((1, 2)), bad)
    with pytest.raises(ValueError, match=r"in \[0, n_samples\] or a float .* with n_samples=10."):
        trimmed_cost(X, np.zeros((1, 2)), 200)
    with pytest.raises(ValueError, match="n_jobs of trimmed_cost"):
        trimmed_cost(X, np.zeros((1, 2)), 1, n_jobs=0)


def test_far_centres_are_measured_too(rng):
    X = rng.normal(size=(100, 2)).astype(np.float32)
    assert trimmed_cost(X, [[1e20, 0]], 1) == pytest.approx(99e40)
    with pytest.raises(ValueError, match="overflow float64"):
        trimmed_cost(X, [[1e200, 0]], 1)


def test_precision_and_recall():
    truth, found = np.array([1, 1, 1, 0, 0], bool), np.array([1, 0, 0, 1, 0], bool)
    assert outlier_precision(truth, found) == 0.5
    assert outlier_recall(truth, found) == pytest.approx(1 / 3)
    nothing = np.zeros(5, bool)
    assert outlier_precision(truth, nothing) == 1.0
    assert outlier_recall(nothing, found) == 1.0
    with pytest.raises(ValueError, match="labels == -1"):
        outlier_precision(truth, found.astype(int))
    with pytest.raises(ValueError, match="equal length; got 5, 4"):
        outlier_precision(truth, found[:4])


def test_all_mass_left_out_costs_nothing_and_almost_all_almost_nothing(rng):
    X, weight = rng.normal(size=(50, 2)), rng.uniform(0.1, 1, 50)
    assert trimmed_cost(X, np.zeros((1, 2)), 50) == 0
    nearly = np.nextafter(1, 0)
    assert trimmed_cost(X, np.zeros((1, 2)), nearly, weight) == pytest.approx(0, abs=0.1)


# How far from the optimum


@pytest.mark.parametrize("k", [1, 2])
@pytest.mark.parametrize("z", [0, 2])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_gap_is_at_least_the_true_one(k, z, weighted, rng):
    X = rng.integers(0, 20, (6, 2)).astype(float)
    weight = rng.integers(1, 3, 6) if weighted else np.ones(6, dtype=int)
    copies = np.repeat(X, weight, axis=0)
    centers = rng.uniform(0, 20, (k, 2))
    cost = naive.trimmed_cost(copies, centers, z)
    free, _ = naive.optimal_kmeans_with_outliers(copies, k, z)
    rows, _ = naive.optimal_medoids(naive.pairwise_dist2(X, X), k, z, weight)
    if free == 0:
        return
    gap = optimality_gap(X, centers, z, weight if weighted else None)
    assert cost / free * (1 - 1e-9) <= gap <= 4 * cost / free
    among = optimality_gap(X, centers, z, weight if weighted else None, centers_at="rows")
    assert cost / rows * (1 - 1e-9) <= among <= gap * (1 + 1e-9)


def test_the_gap_of_a_coreset_is_that_of_its_own_problem():
    X, planted, _ = make_noisy_blobs(50_000, 5, 10, 500, random_state=0)
    coreset = NKMeans(5, 500, random_state=0).fit(X).coreset_
    gap = optimality_gap(coreset, planted)
    assert 1 <= gap < 1.3
    assert optimality_gap(coreset, planted + 0.1) > 5 * gap
    cost = naive.priced_cost(coreset.points, coreset.weights, coreset.spread, 500, 2, planted)[0]
    model = PrimalDualKMeans(5, 500, random_state=0).fit(X)
    np.testing.assert_array_equal(model.coreset_.points, coreset.points)
    assert gap == pytest.approx(cost / model.lower_bound_, rel=0.2)


def test_no_cost_is_no_gap_and_no_weight_no_say(rng):
    X = np.array([[0.0], [0.0], [5.0], [1000.0]])
    assert optimality_gap(X, [[0.0], [5.0]], 1) == 1
    with_junk = np.concatenate([rng.normal(size=(20, 2)), [[1e6, 1e6]]])
    weight = np.r_[np.ones(20), 0.0]
    gap = optimality_gap(with_junk, [[0.0, 0.0]], 1, weight)
    assert gap == pytest.approx(optimality_gap(with_junk[:20], [[0.0, 0.0]], 1))


def test_bad_input_of_the_gap_is_named(rng):
    X = rng.normal(size=(30, 2))
    coreset = NKMeans(2, 1, random_state=0).fit(X).coreset_
    for words, arguments in (
        ("n_outliers of optimality_gap must be an int", (X, [[0.0, 0.0]])),
        ("n_outliers and sample_weight of optimality_gap must be None", (coreset, [[0.0, 0.0]], 1)),
        ("at most 5000 rows, or be a coreset; got 5001", (np.zeros((5001, 1)), [[0.0]], 1)),
        ("as many columns as X, 2; got 3", (X, [[0.0, 0.0, 0.0]], 1)),
    ):
        with pytest.raises(ValueError, match=words):
            optimality_gap(*arguments)
    with pytest.raises(
        ValueError, match="centers_at of optimality_gap must be 'anywhere' or 'rows'"
    ):
        optimality_gap(X, [[0.0, 0.0]], 1, centers_at="points")


def test_rows_without_weight_are_no_centres_to_compare_with():
    X, weight = np.array([[-1.0], [1.0], [0.0]]), np.array([1.0, 1.0, 0.0])
    gap = optimality_gap(X, [[-1.0]], 0, weight, centers_at="rows")
    assert gap == pytest.approx(1, rel=1e-6)
