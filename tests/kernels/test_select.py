import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import naive
from nkmeans.kernels.select import trim_farthest, weighted_cut

# Few distinct values: ties everywhere. Quarters add up exactly.
values_and_weights = st.lists(
    st.tuples(st.integers(0, 6), st.sampled_from([0.0, 0.25, 1.0, 2.0, 3.5])),
    min_size=1,
    max_size=30,
).filter(lambda pairs: sum(w for _, w in pairs) > 0)


@given(values_and_weights, st.floats(0, 0.999))
def test_weighted_cut_agrees_with_its_twin(pairs, share):
    values, weight = (np.array(column, dtype=float) for column in zip(*pairs, strict=True))
    mass = np.floor(4 * share * weight.sum()) / 4
    assert weighted_cut(values, weight, mass) == naive.cut(values, weight, mass)


@given(values_and_weights, st.floats(0, 0.999))
def test_trimming_agrees_with_its_twin(pairs, share):
    values, weight = (np.array(column, dtype=float) for column in zip(*pairs, strict=True))
    mass = np.floor(4 * share * weight.sum()) / 4
    kept = np.empty(len(values))
    cost, cut = trim_farthest(values, weight, mass, kept)
    want = naive.kept_weights(values, weight, mass)
    np.testing.assert_array_equal(kept, want)
    assert cost == pytest.approx((want * values).sum())
    assert kept.sum() == pytest.approx(weight.sum() - mass)
    assert (cut == np.inf) == (mass == 0)


@pytest.mark.parametrize("n", [100, 10_001])
@pytest.mark.parametrize("shape", ["random", "sorted", "reversed", "equal", "organ pipe"])
def test_unit_weights_cut_like_a_sort(n, shape):
    values = {
        "random": np.random.default_rng(0).normal(size=n),
        "sorted": np.arange(n, dtype=float),
        "reversed": np.arange(n, dtype=float)[::-1].copy(),
        "equal": np.ones(n),
        "organ pipe": np.concatenate([np.arange(n // 2), np.arange(n - n // 2)[::-1]]).astype(
            float
        ),
    }[shape]
    for z in (0, 1, n // 3, n - 1):
        assert weighted_cut(values, np.ones(n), float(z))[0] == np.sort(values)[::-1][z]


def test_a_mass_that_is_all_there_is_gives_the_smallest_value():
    assert weighted_cut(np.array([3.0, 1.0, 2.0]), np.ones(3), 5.0)[0] == 1.0


@pytest.mark.parametrize("unit", [0.1, 0.01, 1 / 3, 1 / 2020, 7e-9])
@pytest.mark.parametrize("z", [1, 5, 29, 57, 90])
def test_equal_weights_leave_out_whole_rows_whatever_their_sum_rounds_to(unit, z):
    values = np.random.default_rng(0).normal(size=100)
    kept = np.empty(100)
    for mass in (z * unit, z / 100 * (100 * unit), sum([unit] * z)):
        _, cut = trim_farthest(values, np.full(100, unit), mass, kept)
        assert (kept == 0).sum() == z
        assert cut == values[kept > 0].max()
