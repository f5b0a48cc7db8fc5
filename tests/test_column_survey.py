"""What one reading of files tells of their columns."""

import numpy as np
import pytest

from nkmeans import column_survey
from nkmeans.column_survey import ColumnSurvey, Moments
from nkmeans.data.files import open_file
from nkmeans.data.table import Choice, read_table
from nkmeans.data.walk import Walk
from nkmeans.preparation import by_column, learn, mean_and_deviation

pytest.importorskip("pyarrow")


def columns(n=5000):
    rng = np.random.default_rng(0)
    return np.column_stack(
        [
            rng.normal(size=n),
            rng.normal(size=n) + 1e6,
            rng.normal(size=n) * 1e200,
            rng.normal(size=n) * 1e-200,
            np.full(n, 0.1),
            np.r_[np.zeros(n - 1), 1.0],
            rng.standard_cauchy(size=n),
        ]
    )


@pytest.mark.parametrize("piece", [1, 17, 4999, 5000])
@pytest.mark.parametrize("gaps", [False, True])
def test_moments_of_parts_are_those_of_the_whole(piece, gaps):
    X = columns()
    if gaps:
        X[np.random.default_rng(1).random(X.shape) < 0.3] = np.nan
        X[:60, 0] = np.inf
    found = Moments.of(X[:0])
    for start in range(0, len(X), piece):
        found = found.merged(Moments.of(X[start : start + piece]))
    mean, deviation = found.means_and_deviations()
    wanted = by_column(X, mean_and_deviation)
    np.testing.assert_allclose(mean, wanted[0], rtol=1e-9, atol=1e-15 * np.nanmax(wanted[1]))
    np.testing.assert_allclose(mean[:2], wanted[0][:2], rtol=1e-9, atol=1e-14)
    np.testing.assert_allclose(deviation, wanted[1], rtol=1e-9)
    assert (mean[4], deviation[4]) == (0.1, 0.0)
    np.testing.assert_array_equal(found.count, np.isfinite(X).sum(axis=0))


def surveyed(X, tmp_path, scale="none", missing="mean"):
    np.save(tmp_path / "x.npy", X)
    files = [open_file(tmp_path / "x.npy", "x.npy")]
    survey = ColumnSurvey(Walk(files, Choice()), scale, missing)
    survey.read()
    return survey, read_table(files, Choice())


@pytest.mark.parametrize("scale", ["none", "standard", "robust"])
@pytest.mark.parametrize("missing", ["drop", "mean"])
def test_the_preparation_is_that_of_the_table(scale, missing, tmp_path):
    X = columns(40_000)[:, [0, 1, 4, 5, 6]]
    X[::1000, 1] = np.nan
    X[20_000, 0] = -np.inf
    survey, table = surveyed(X, tmp_path, scale, missing)
    assert survey.gaps.per_column.tolist() == [1, 40, 0, 0, 0]
    assert (survey.gaps.n_rows, survey.gaps.n_gap_rows, survey.gaps.first) == (40_000, 40, (0, 1))
    assert survey.n_rows == (39_960 if missing == "drop" else 40_000)
    kept = X[np.isfinite(X).all(axis=1)] if missing == "drop" else X
    wanted = learn(kept, table, scale, missing, "key")
    found = survey.preparation("key")
    assert (found.columns, found.id_column) == (wanted.columns, "key")
    for part in ("shift", "spread", "fill"):
        np.testing.assert_allclose(
            getattr(found, part), getattr(wanted, part), rtol=1e-9, atol=1e-14
        )


def test_a_sample_that_knows_nothing_of_a_column(tmp_path, monkeypatch):
    """Then its mean and deviation stand for median and quartiles."""
    monkeypatch.setattr(column_survey, "MOST_ROWS", 10)
    X = np.random.default_rng(0).normal(size=(2000, 2))
    X[:-50, 1] = np.nan
    survey, _ = surveyed(X, tmp_path, "robust", "mean")
    assert survey.sampled == 10
    found = survey.preparation(None)
    assert found.shift[1] == pytest.approx(X[-50:, 1].mean())
    assert found.spread[1] == pytest.approx(X[-50:, 1].std())


@pytest.mark.parametrize("first", [0, 1, 2])
@pytest.mark.parametrize("end", ["as it should", "not"])
def test_columns_that_count_rows(first, end, tmp_path):
    X = np.random.default_rng(0).normal(size=(40_000, 2))
    X[:, 1] = np.arange(40_000) + first
    X[-1, 1] += end == "not"
    survey, _ = surveyed(X, tmp_path)
    said = [words for words in survey.warnings() if "counts" in words]
    assert len(said) == (first < 2 and end != "not")
