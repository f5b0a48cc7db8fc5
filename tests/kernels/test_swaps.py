import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
from nkmeans.kernels.swaps import swap_search


@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize("z", [0.0, 2.0, 5.5])
@pytest.mark.parametrize("has_spread", [False, True])
@pytest.mark.parametrize("power", [1, 2])
def test_swaps_agree_with_their_twin(k, z, has_spread, power, rng):
    points = rng.normal(size=(40, 2))
    weight = rng.uniform(0.1, 2, 40)
    spread = rng.uniform(0, 0.2, 40) if has_spread else np.zeros(40)
    start, uniforms = points[:k].copy(), rng.random(25)
    want_cost, want_centers = naive.swap_search(points, weight, spread, z, power, start, uniforms)
    cost = swap_search(points, weight, spread, z, power, start, uniforms)
    assert cost == pytest.approx(want_cost)
    np.testing.assert_allclose(start, want_centers)


@given(st.integers(0, 10**6), st.integers(1, 4), st.integers(0, 6))
def test_swaps_never_raise_the_cost_and_report_it_rightly(seed, k, z):
    rng = np.random.default_rng(seed)
    points = rng.integers(0, 5, (25, 2)).astype(float)
    centers = points[:k].copy()
    before = naive.trimmed_cost(points, centers, z)
    cost = swap_search(points, np.ones(25), np.zeros(25), float(z), 2, centers, rng.random(20))
    assert cost <= before + 1e-9
    assert cost == pytest.approx(naive.trimmed_cost(points, centers, z))
