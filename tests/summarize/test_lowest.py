"""A bounded choice among any number of rows."""

import numpy as np
import pytest

from nkmeans.summarize.lowest import Lowest, fair_keys


@pytest.mark.parametrize("most", [1, 50, 999, 1000, 5000])
@pytest.mark.parametrize("piece", [1, 7, 1000])
def test_the_smallest_keys_stay_in_their_order(most, piece):
    keys = np.random.default_rng(0).normal(size=1000)
    found = Lowest(most)
    for start in range(0, 1000, piece):
        part = np.arange(start, min(start + piece, 1000))
        found.add(keys[part], lambda chosen, part=part: (part[chosen], -keys[part][chosen]))
        assert sum(len(kept[0]) for kept in found._parts) <= 2 * most + piece
    rows, values = found.columns()
    np.testing.assert_array_equal(rows, np.sort(np.argsort(keys)[:most]))
    np.testing.assert_array_equal(values, -keys[rows])


def test_nothing_is_something_with_columns():
    found = Lowest(5)
    found.add(np.empty(0), lambda chosen: (np.zeros((9, 2))[chosen],))
    assert found.columns()[0].shape == (0, 2)


def test_fair_keys_belong_to_row_numbers():
    whole = fair_keys(0, 100)
    parts = np.concatenate([fair_keys(0, 33), fair_keys(33, 67)])
    np.testing.assert_array_equal(parts, whole)
    chosen = np.argsort(fair_keys(0, 100_000))[:10_000]
    assert abs(chosen.mean() - 50_000) < 1000
