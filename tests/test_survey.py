import numpy as np
import pytest

from nkmeans.data.blocks import NO_WEIGHT, ArraySource
from nkmeans.engines.local import LocalEngine
from nkmeans.survey import survey


def look(X, weight=NO_WEIGHT, block_rows=7, errand=None):
    with LocalEngine(ArraySource(X, weight, block_rows), 2) as engine:
        return survey(engine, "Tester", errand=errand)


@pytest.mark.parametrize(
    ("bad", "words"),
    [(np.nan, "NaN"), (np.inf, r"infinity \(inf\)"), (-np.inf, r"infinity \(inf\)")],
)
def test_the_first_value_that_is_not_finite_is_named(bad, words, dtype):
    X = np.zeros((50, 3), dtype)
    X[23, 1] = bad
    X[24, 0] = bad
    with pytest.raises(ValueError, match=f"X of Tester contains {words} at row 23, column 1"):
        look(X)


def test_squares_that_would_overflow_are_an_error_that_names_the_column():
    X = np.zeros((50, 3))
    X[7, 2] = 1e200
    with pytest.raises(ValueError, match=r"spans 0 to 1e\+200 in column 2.*overflow"):
        look(X)


def test_the_origin_lies_amid_the_data_whatever_one_outlier_does(rng):
    X = rng.normal(size=(500, 2)) + 1e4
    X[3] = 1e30
    assert (abs(look(X).origin - 1e4) < 5).all()


def test_the_origin_does_not_depend_on_the_blocks(rng):
    X = rng.normal(size=(5000, 2))
    np.testing.assert_array_equal(look(X, block_rows=11).origin, look(X, block_rows=5000).origin)


@pytest.mark.parametrize(("scale", "kept"), [(1.0, "f4"), (1e20, "f8"), (1e-20, "f8")])
def test_float32_is_left_only_where_squares_leave_its_range(scale, kept, rng):
    X = (rng.normal(size=(50, 2)) * scale).astype(np.float32)
    assert look(X).origin.dtype == kept


def test_weights_are_counted():
    facts = look(np.zeros((4, 1)), np.array([0.0, 2.0, 3.0, 0.0]))
    assert (facts.total_weight, facts.n_weighted, facts.whole_weights) == (5.0, 2, True)
    assert not look(np.zeros((2, 1)), np.array([0.5, 1.0])).whole_weights
    assert look(np.zeros((9, 1))).total_weight == 9


def test_an_errand_is_run_with_every_block_in_order():
    facts = look(np.zeros((20, 1)), errand=lambda block: block.start)
    assert facts.fetched == [0, 7, 14]
