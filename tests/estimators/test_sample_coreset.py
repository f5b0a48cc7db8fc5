import math

import numpy as np
import pytest

import naive
from nkmeans import NKMeans, SampleCoreset
from nkmeans.datasets import make_noisy_blobs
from nkmeans.metrics import trimmed_cost


def test_sizes_are_the_papers_for_both_sets_of_constants():
    X, _, _ = make_noisy_blobs(99_000, 4, 2, 1000, random_state=0)
    p = 2.5 * 4 * math.log(100_000) / 1000
    made = SampleCoreset(4, 1000, random_state=0).fit(X)
    assert made.sampling_rate_ == p
    assert len(made.points_) == math.ceil(4 + p * 1000)
    assert made.n_outliers_ == 1000
    assert made.weights_.sum() == pytest.approx(100_000, rel=0.05)
    assert len(made.sample_indices_) == pytest.approx(p * 100_000, rel=0.05)
    X, _, _ = make_noisy_blobs(60_000, 1, 2, 9000, random_state=0)
    p = 36 / 9000 * math.log(4 * 69_000 / 9000)
    made = SampleCoreset(1, 9000, constants="theory", random_state=0).fit(X)
    assert made.sampling_rate_ == pytest.approx(p)
    assert made.n_outliers_ == 2.5 * 9000
    assert len(made.points_) <= math.ceil(32 * (1 + 2.5 * p * 9000))


@pytest.mark.parametrize("representatives", ["mean", "seed"])
def test_solving_the_coreset_solves_the_data(representatives):
    X, centers, _ = make_noisy_blobs(20_000, 4, 2, 400, random_state=1)
    made = SampleCoreset(4, 400, representatives=representatives, random_state=0).fit(X)
    solved = NKMeans(4, int(made.n_outliers_), coreset=None, random_state=0).fit(
        made.points_, sample_weight=made.weights_
    )
    ratio = trimmed_cost(X, solved.cluster_centers_, 400) / trimmed_cost(X, centers, 400)
    assert ratio < (1.05 if representatives == "mean" else 2.5)


def test_seeds_are_rows_of_the_data(rng):
    X = rng.normal(size=(500, 3))
    made = SampleCoreset(3, 5, representatives="seed", random_state=0).fit(X)
    assert naive.pairwise_dist2(made.points_, X).min(axis=1).max() < 1e-25
    np.testing.assert_array_equal(made.sample_indices_, np.arange(500))
