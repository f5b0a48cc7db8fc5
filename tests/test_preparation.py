"""From raw columns to what is clustered."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.preprocessing import RobustScaler, StandardScaler

from nkmeans.data.errors import DataFileError
from nkmeans.data.table import Table
from nkmeans.preparation import (
    counts_rows,
    drop_rows,
    find_gaps,
    learn,
    refuse_empty_columns,
    refuse_gaps,
    warn_of_columns,
)


class File:
    name = "data.csv"

    def place(self, row):
        return f"data.csv, line {row + 2}"


def table_of(X, columns=None):
    columns = columns or [f"c{j}" for j in range(X.shape[1])]
    return Table(X, columns, None, [File()], [0], bool(np.isfinite(X).all()))


def data(n=40_000, d=3, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)) * np.arange(1, d + 1) + np.arange(d)


@pytest.mark.parametrize(
    ("scale", "twin"), [("standard", StandardScaler()), ("robust", RobustScaler())]
)
def test_scales_are_scikit_learns(scale, twin, dtype):
    X = data().astype(dtype)
    table = table_of(X)
    preparation = learn(X, table, scale, "error", None)
    wanted = twin.fit_transform(X)
    raw = X.copy()
    found = preparation.apply(raw)
    assert found is raw
    assert found.dtype == dtype
    tolerance = 1e-5 if dtype == np.float32 else 1e-12
    np.testing.assert_allclose(found, wanted, rtol=0, atol=tolerance)
    np.testing.assert_allclose(preparation.restore(found.astype(float)), X, atol=10 * tolerance)


def test_constant_columns_stay_finite():
    X = np.column_stack([np.full(100, 7.0), np.r_[np.zeros(90), np.ones(10)]])
    for scale in ("standard", "robust"):
        found = learn(X, table_of(X), scale, "error", None).apply(X.copy())
        assert np.isfinite(found).all()
        assert (found[:, 0] == 0).all()
        # More than half of the second column is one value: its deviation is its scale.
        assert found[:, 1].max() > 1


def test_constants_are_constant_to_the_last_bit():
    X = np.column_stack([np.full(1000, 0.1), data(1000, 1)[:, 0]])
    preparation = learn(X, table_of(X), "standard", "error", None)
    assert preparation.spread[0] == 1
    moved = preparation.transform(np.array([[np.nextafter(0.1, 1), 0.0]]))
    assert abs(moved[0, 0]) < 1e-15


@pytest.mark.parametrize("size", [1e-200, 1e200])
def test_scales_of_tiny_and_huge_columns(size):
    X = data(1000)
    scaled = learn(X, table_of(X), "standard", "error", None).apply(X.copy())
    X = X * [size, 1, 1]
    found = learn(X, table_of(X), "standard", "error", None).apply(X.copy())
    np.testing.assert_allclose(found, scaled, rtol=1e-9)


@pytest.mark.parametrize(("scale", "every"), [("standard", 1000), ("robust", 2)])
def test_a_column_too_wide_for_floats_is_named(scale, every):
    X = data(1000)
    X[:, 1] = -1.7e308
    X[::every, 1] = 1.7e308
    with pytest.raises(
        DataFileError, match=r"data.csv: column 'c1' spans too much to be scaled: -1.7e\+308 to"
    ):
        learn(X, table_of(X), scale, "error", None)
    warn_of_columns(table_of(X), "none")


def test_frames_and_arrays_are_prepared_alike():
    X = data(50)
    preparation = learn(X, table_of(X), "standard", "error", "id")
    wanted = preparation.transform(X)
    columns = {"other": X[:, 0], "c2": X[:, 2], "c0": X[:, 0], "c1": X[:, 1]}
    np.testing.assert_array_equal(preparation.transform(pd.DataFrame(columns)), wanted)
    np.testing.assert_array_equal(preparation.transform(pl.DataFrame(columns)), wanted)
    np.testing.assert_array_equal(preparation.transform(pa.table(columns)), wanted)
    assert not np.shares_memory(preparation.transform(X), X)
    with pytest.raises(ValueError, match="must have one column 'c1'"):
        preparation.transform(pd.DataFrame({"c0": [1.0], "c2": [1.0]}))
    twice = pd.DataFrame(np.zeros((1, 4)), columns=["c0", "c1", "c1", "c2"])
    with pytest.raises(ValueError, match="must have one column 'c1'"):
        preparation.transform(twice)
    with pytest.raises(TypeError, match=r"collect\(\) makes it one"):
        preparation.transform(pl.LazyFrame(columns))
    with pytest.raises(
        ValueError, match=r"must have the 3 columns c0, c1, c2; got an array of shape \(2, 2\)"
    ):
        preparation.transform(np.zeros((2, 2)))


def test_missing_values_are_found_filled_and_dropped():
    X = data(40_000)
    X[20_000, 1] = np.nan
    X[30_000, [0, 1]] = np.inf, np.nan
    table = table_of(X)
    gaps = find_gaps(table)
    assert gaps.counts.per_column.tolist() == [1, 2, 0]
    assert np.flatnonzero(gaps.rows).tolist() == [20_000, 30_000]
    assert gaps.counts.first == (20_000, 1)
    said = str(refuse_gaps(table, gaps.counts))
    assert said.startswith(
        "data.csv, line 20002: column 'c1' is missing or infinite; 3 such values in 2 of 40000 rows"
    )
    assert "'c1' 2, 'c0' 1" in said
    kept = drop_rows(X.copy(), gaps.rows)
    np.testing.assert_array_equal(kept, X[~gaps.rows])
    preparation = learn(X, table, "none", "mean", None)
    means = [np.nanmean(np.where(np.isfinite(x), x, np.nan)) for x in X.T]
    np.testing.assert_allclose(preparation.fill, means)
    filled = preparation.apply(X.copy())
    np.testing.assert_allclose(filled[30_000], [means[0], means[1], X[30_000, 2]])
    np.testing.assert_array_equal(filled[~gaps.rows], X[~gaps.rows])
    assert find_gaps(table_of(data(10))) is None


def test_scales_of_data_with_gaps_come_from_what_is_there():
    X = data(1000)
    holes = X.copy()
    holes[:10, 0] = np.nan
    found = learn(holes, table_of(holes), "standard", "mean", None)
    assert found.shift[0] == pytest.approx(X[10:, 0].mean())
    assert found.spread[0] == pytest.approx(X[10:, 0].std())


def test_nothing_left_is_an_error():
    X = np.array([[np.nan, 1.0], [np.nan, 2.0]])
    with pytest.raises(DataFileError, match="column 'c0', number 1 of those chosen, has no value"):
        refuse_empty_columns(table_of(X), find_gaps(table_of(X)).counts)
    with pytest.raises(DataFileError, match="has no row without missing values"):
        learn(X[:0], table_of(X), "none", "drop", None)


def test_columns_of_unlike_scale_are_told():
    X = data(5000) * [1, 1, 1e6]
    said = warn_of_columns(table_of(X), "none")
    assert len(said) == 1
    assert said[0].startswith("column 'c2' spreads ")
    assert "as wide as 'c0'" in said[0]
    assert warn_of_columns(table_of(X), "robust") == []
    assert warn_of_columns(table_of(data(5000) * [1, 1, 100]), "none") == []
    # Dirt does not make a column wide.
    X = data(5000)
    X[0, 0] = 1e12
    assert warn_of_columns(table_of(X), "none") == []


def test_a_column_that_counts_rows_is_told():
    X = np.column_stack([np.arange(500.0), data(500, 1)[:, 0]])
    assert warn_of_columns(table_of(X, ["", "a"]), "none") == [
        "column '' only counts the rows; consider --id or --drop"
    ]
    X = np.tile(np.arange(500.0)[:, None], (1, 40))
    assert warn_of_columns(table_of(X), "none") == [
        "column 'c0' (and 39 others) only counts the rows; consider --id or --drop"
    ]
    assert counts_rows(np.arange(1.0, 9))
    assert not counts_rows(np.array([0, 2, 1, 3.0]))
    assert not counts_rows(np.arange(5.0) * 2)
