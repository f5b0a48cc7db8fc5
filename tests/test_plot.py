"""Pictures on matplotlib."""

import sys

import matplotlib
import numpy as np
import pandas as pd
import pytest

matplotlib.use("Agg")
from matplotlib import pyplot as plt

from nkmeans import NKMeans
from nkmeans.data.table import Table
from nkmeans.datasets import load_gps, make_noisy_blobs
from nkmeans.plot import (
    CenterHeatmapDisplay,
    ClusterDisplay,
    DistanceCurveDisplay,
    OutlierBreakDisplay,
)
from nkmeans.preparation import learn

DISPLAYS = [ClusterDisplay, DistanceCurveDisplay, CenterHeatmapDisplay]


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def gps():
    X, _ = load_gps()
    return NKMeans(8, 150, random_state=0).fit(X), X


@pytest.mark.parametrize("display", DISPLAYS)
def test_displays_draw_on_new_or_given_axes(display):
    model, X = gps()
    found = display.from_estimator(model, X)
    assert found.ax_.figure is found.figure_
    found.figure_.canvas.draw()
    _, axes = plt.subplots(1, 2)
    assert display.from_estimator(model, X, ax=axes[1]).ax_ is axes[1]
    assert not axes[0].has_data()
    assert found.plot().ax_ is not axes[1]


def test_clusters_outliers_and_centres_are_where_they_are():
    model, X = gps()
    ax = ClusterDisplay.from_estimator(model, X, s=3).ax_
    drawn = {collection.get_label(): collection for collection in ax.collections}
    np.testing.assert_array_equal(drawn["centres"].get_offsets(), model.cluster_centers_)
    kept = np.concatenate([drawn[f"cluster {label}"].get_offsets() for label in range(8)])
    assert len(kept) == 3000
    rows = {tuple(row) for row in X[model.labels_ >= 0]}
    assert {tuple(row) for row in kept} <= rows
    assert drawn["cluster 0"].get_sizes().tolist() == [3]
    outliers = len(drawn["outliers (150)"].get_offsets())
    assert outliers + len(drawn["outliers beyond, at the edge"].get_offsets()) == 150


def test_the_curve_has_its_cut():
    model, X = gps()
    ax = DistanceCurveDisplay.from_estimator(model, X, color="green").ax_
    curve, cut = ax.lines
    assert curve.get_color() == "green"
    assert cut.get_xdata()[0] == 150.5
    assert curve.get_ydata()[0] == np.sqrt(-model.score_samples(X).min())
    assert ax.get_yscale() == "log"


def test_the_heat_map_is_in_units_of_spread():
    model, X = gps()
    frame = pd.DataFrame(X, columns=["lat $x$", "lon"])
    model.fit(frame)
    display = CenterHeatmapDisplay.from_estimator(model, frame)
    kept = X[model.labels_ >= 0]
    wanted = (model.cluster_centers_ - kept.mean(axis=0)) / kept.std(axis=0)
    np.testing.assert_allclose(display.ax_.images[0].get_array(), wanted, rtol=0.05)
    assert [tick.get_text() for tick in display.ax_.get_xticklabels()] == [r"lat \$x\$", "lon"]
    display.figure_.canvas.draw()


def test_models_with_a_preparation_are_drawn_in_the_datas_units():
    X, _ = load_gps()
    raw = X * [1, 1000]
    table = Table(raw, ["a", "b"], None, [], [0], True)
    preparation = learn(raw, table, "robust", "error", None)
    model = NKMeans(8, 150, random_state=0).fit(preparation.apply(raw.copy()))
    model.preparation_ = preparation
    view = ClusterDisplay.from_estimator(model, raw).view
    np.testing.assert_allclose(view.points, raw[view.rows], atol=1e-9)
    assert view.axes == ("a", "b")


def test_constant_data_and_one_column():
    model = NKMeans(1, 1, random_state=0).fit(np.ones((10, 1)))
    for display in DISPLAYS:
        display.from_estimator(model, np.ones((10, 1))).figure_.canvas.draw()


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    model, X = gps()
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"nkmeans\[report\]"):
        ClusterDisplay.from_estimator(model, X)


def test_notebooks_show_what_was_found():
    model, X = gps()
    html = model._repr_html_()
    assert "8 clusters of 6,150 rows, 150 outliers (2.44%)" in html
    assert f"{(model.labels_ == 3).sum():,}" in html
    assert "n_clusters" in html
    assert "8 clusters of 6,150 rows" in model._repr_mimebundle_()["text/html"]
    assert "clusters of" not in NKMeans(8)._repr_html_()
    import sklearn

    with sklearn.config_context(display="text"):
        assert list(model._repr_mimebundle_()) == ["text/plain"]
    X, _, _ = make_noisy_blobs(300, 30, 2, 5, random_state=0)
    assert "The 20 largest clusters" in NKMeans(30, 5, random_state=0).fit(X)._repr_html_()


def test_the_break_is_drawn_with_its_place(rng):
    X, _, _ = make_noisy_blobs(3000, 4, 3, 60, noise_range=2.5, random_state=0)
    model = NKMeans(4, "auto", random_state=0).fit(X)
    display = OutlierBreakDisplay.from_estimator(model)
    marks = [line.get_xdata()[0] for line in display.ax_.lines]
    assert model.outlier_break_.peak in marks
    assert display.ax_.get_xscale() == "log"
    with pytest.raises(ValueError, match="must have been fitted with"):
        OutlierBreakDisplay.from_estimator(NKMeans(4, 60, random_state=0).fit(X))


@pytest.mark.filterwarnings("ignore:n_outliers of NKMeans is 'auto'")
@pytest.mark.parametrize("data", [np.zeros((30, 2)), np.arange(40.0).reshape(20, 2)])
def test_there_may_be_nothing_to_draw(data):
    display = OutlierBreakDisplay.from_estimator(NKMeans(1, "auto", random_state=0).fit(data))
    assert len(display.ax_.lines) == 1
