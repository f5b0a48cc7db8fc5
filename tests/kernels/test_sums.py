import numpy as np
import pytest

from nkmeans.data.blocks import NO_WEIGHT
from nkmeans.kernels.sums import add_rows


@pytest.mark.parametrize("weighted", [False, True])
def test_rows_below_the_limit_are_added_to_their_centre(weighted, dtype, rng):
    X = rng.normal(size=(57, 3)).astype(dtype)
    origin = rng.normal(size=3).astype(dtype)
    labels = rng.integers(0, 4, 57).astype(np.int32)
    dist2 = rng.uniform(0, 1, 57).astype(dtype)
    weight = rng.uniform(0, 2, 57) if weighted else NO_WEIGHT
    sums, mass, costs = np.zeros((4, 3)), np.zeros(4), np.zeros(4)
    add_rows(X, origin, weight, labels, dist2, 0.7, sums, mass, costs)
    w = (weight if weighted else np.ones(57)) * (dist2 < 0.7)
    for c in range(4):
        mine = w * (labels == c)
        assert mass[c] == pytest.approx(mine.sum())
        np.testing.assert_allclose(sums[c], mine @ (X - origin).astype(float), atol=1e-12)
        assert costs[c] == pytest.approx(mine @ dist2.astype(float))


def test_sums_of_float32_rows_are_made_in_float64():
    n = 200_000
    X = np.full((n, 1), 0.1, np.float32)
    sums, mass, costs = np.zeros((1, 1)), np.zeros(1), np.zeros(1)
    labels, dist2 = np.zeros(n, np.int32), np.zeros(n, np.float32)
    add_rows(X, np.zeros(1, np.float32), NO_WEIGHT, labels, dist2, np.inf, sums, mass, costs)
    assert sums[0, 0] / n == pytest.approx(float(np.float32(0.1)), rel=1e-12)
