"""The page with the sliders as text: what is in it, and how large it may be."""

import base64
import json
import re
from dataclasses import replace

import numpy as np
import pytest

from corners import four_corners, suggest_corners

pytest.importorskip("jinja2")

from nkmeans import NKMeans, suggest
from nkmeans.datasets import make_noisy_blobs
from nkmeans.preparation import Preparation
from nkmeans.report.explorer import explorer_page
from nkmeans.report.grid_view import OUTLIER, solutions_of

X = four_corners()
EVIL = "</script><b>"


@pytest.fixture(scope="module")
def suggestion():
    return suggest_corners()


def data_of(html):
    """What the script gets."""
    return json.loads(re.search(r"^const data = (.*);$", html, re.M)[1])


def unpacked(text, kind):
    return np.frombuffer(base64.b64decode(text), dtype=kind)


def test_the_suggestion_stands_on_top(suggestion):
    html = explorer_page(suggestion)
    assert "<h1>Suggested: 4 clusters, 40 outliers" in html
    assert suggestion.reason in html
    assert "not show this clearly" not in html
    assert "not show this clearly" in explorer_page(replace(suggestion, clear=False))


def test_every_solution_is_in_it(suggestion):
    data, solutions = data_of(explorer_page(suggestion)), solutions_of(suggestion)
    labels = unpacked(data["labels"], "u1").reshape(7, 6, 2000)
    np.testing.assert_array_equal(labels, solutions.colors)
    sizes = unpacked(data["sizes"], "<f4")
    np.testing.assert_allclose(sizes[:2], solutions.sizes[0][0])
    assert len(sizes) == 6 * sum(range(2, 9)) == len(unpacked(data["colorOfCenter"], "u1"))
    np.testing.assert_allclose(data["cost"], suggestion.grid.cost)
    assert data["gain"][0] == [None] * 6
    assert data["gain"][3][4] == pytest.approx(1 - data["cost"][3][4] / data["cost"][2][4])
    assert data["masses"] == ["0", "10", "20", "30", "40", "100"]
    assert data["shares"] == ["0%", "0.5%", "1%", "1.5%", "2%", "5%"]


def test_places_are_those_of_the_points(suggestion):
    data = data_of(explorer_page(suggestion))
    low, high = np.array(data["low"]), np.array(data["high"])
    places = unpacked(data["points"], "<u2").reshape(-1, 2) / 65535 * (high - low) + low
    inside = ((low < X) & (high > X)).all(axis=1)
    assert inside.mean() > 0.9
    np.testing.assert_allclose(places[inside], X[inside], atol=1e-4 * (high - low).max())
    outside = unpacked(data["points"], "<u2").reshape(-1, 2)[~inside]
    assert np.isin(outside, [0, 65535]).any(axis=1).all()


def test_names_from_the_data_stay_names(suggestion):
    html = explorer_page(replace(suggestion, columns=[EVIL, "x" * 500]))
    assert EVIL not in html
    assert data_of(html)["axes"] == [EVIL, "x" * 59 + "…"]


def test_what_to_type_fits_the_same(suggestion):
    html = explorer_page(suggestion, command="nkmeans fit 'a b.csv'")
    assert "<code>NKMeans(n_clusters=4, n_outliers=40, random_state=0).fit(X)</code>" in html
    assert "nkmeans fit &#39;a b.csv&#39; -k 4 -z 40</code>" in html
    data = data_of(html)
    before, between, after = data["lines"][0]
    line = before + "3" + between + data["typed"][2] + after
    model = eval(line, {"NKMeans": NKMeans, "X": X})
    assert (model.n_clusters, len(model.outlier_indices_)) == (3, 20)


def test_weights_are_told_in_what_to_type():
    weight = np.tile([0.3, 1.0], 1000)
    given = suggest(X, [4], [0.0123], sample_weight=weight, random_state=0)
    html = explorer_page(given)
    assert ".fit(X, sample_weight=weight)</code>" in html
    assert "nkmeans fit" not in html
    assert data_of(html)["typed"] == ["0.0123"]


@pytest.mark.parametrize("scale", ["none", "robust"])
def test_scaled_columns_are_told(suggestion, scale):
    ones = np.ones(2)
    preparation = Preparation(("a", "b"), None, scale, "error", ones, 2 * ones, np.empty(0))
    html = explorer_page(suggestion, preparation=preparation)
    told = (
        "Columns were scaled (robust); costs are in these units. The picture has the data" in html
    )
    assert told == (scale == "robust")
    assert ("scale the columns of X first" in html) == (scale == "robust")


def test_its_size_and_what_is_left_out_of_it():
    many, _, _ = make_noisy_blobs(9000, 8, 10, 200, noise_range=2.5, random_state=0)
    suggestion = suggest(many, random_state=0)
    html = explorer_page(suggestion)
    labels = unpacked(data_of(html)["labels"], "u1")
    assert len(labels) == 19 * 10 * 5000
    assert OUTLIER in labels
    assert "a fair sample of 5,000 of the 9,200 rows" in html
    assert len(html.encode()) < 2_000_000
    assert explorer_page(suggestion) == html


def test_it_is_written_where_nothing_is(suggestion, tmp_path):
    suggestion.write_page(tmp_path / "page.html")
    with pytest.raises(FileExistsError, match="overwrite=True"):
        suggestion.write_page(tmp_path / "page.html")
    suggestion.write_page(tmp_path / "page.html", overwrite=True)
    assert (tmp_path / "page.html").read_text() == explorer_page(suggestion)


def test_the_smallest_grid_has_a_page():
    given = suggest(X[:200], [1], [0], random_state=0)
    html = explorer_page(given)
    assert data_of(html)["start"] == [0, 0]
    assert "<h1>Suggested: 1 cluster, " in html
