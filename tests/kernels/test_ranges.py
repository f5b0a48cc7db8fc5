import numpy as np
import pytest

from nkmeans.kernels.ranges import column_range


def test_ranges_are_the_columns_minima_and_maxima(dtype, rng):
    X = rng.normal(size=(1001, 7)).astype(dtype)
    low, high = column_range(X)
    np.testing.assert_array_equal(low, X.min(axis=0))
    np.testing.assert_array_equal(high, X.max(axis=0))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("row", [0, 500, 1000])
def test_a_value_that_is_not_finite_shows_in_its_column(bad, row, dtype, rng):
    X = rng.normal(size=(1001, 9)).astype(dtype)
    X[row, 4] = bad
    low, high = column_range(X)
    np.testing.assert_array_equal(np.isfinite(low), np.arange(9) != 4)
    np.testing.assert_array_equal(np.isfinite(high), np.arange(9) != 4)


def test_huge_values_are_finite():
    low, high = column_range(np.full((1000, 2), 1e308))
    assert np.isfinite(low).all()
    assert np.isfinite(high).all()
