"""The report as text: what is in it, and how large it may be."""

import json
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("plotly")
pytest.importorskip("jinja2")

from nkmeans import NKMeans, NKMedians, NKMedoids, TrimmedKMeans
from nkmeans.datasets import load_gps, make_noisy_blobs
from nkmeans.report import page, subject_of, write_report
from nkmeans.report.figures import packed, raster, shown_ids, text
from nkmeans.report.gathered import Gathered
from nkmeans.report.page import sections
from nkmeans.report.subject import Totals
from nkmeans.views import plane_view

KEYS = ["asked", "clusters", "sizes", "cut", "centers", "outliers", "scores", "settings"]


def gps():
    X, _ = load_gps()
    return NKMeans(8, 150, random_state=0).fit(X), X


def body(html):
    """The page without plotly and the figures' data."""
    return html[: html.index("<script>")]


def test_everything_that_was_asked_for_is_there():
    model, X = gps()
    subject = subject_of(model, X, ["lat", "lon"], [f"fix {i}" for i in range(len(X))])
    found = {section.key: section for section in sections(subject)}
    assert list(found) == KEYS
    assert found["sizes"].rows[0][:2] == ["cluster 0", f"{(model.labels_ == 0).sum():,}"]
    assert len(found["outliers"].rows) == 50
    farthest = int(np.argmin(model.score_samples(X)))
    name, nearest, distance, reasons = found["outliers"].rows[0]
    assert name == f"fix {farthest}"
    assert nearest == f"cluster {model.predict(X[[farthest]], assign_outliers=True)[0]}"
    assert float(distance) == pytest.approx(
        np.sqrt(-model.score_samples(X[[farthest]])[0]), rel=1e-3
    )
    assert f"lat = {X[farthest, 0]:.5g} (centre" in reasons
    settings = dict(found["settings"].rows)
    assert settings["n_outliers"] == "150"
    assert "version of nkmeans" in settings


def test_it_needs_nothing_from_outside():
    html = page(subject_of(*gps()))
    assert 'http-equiv="Content-Security-Policy" content="default-src \'none\'' in html
    for tag in re.findall(r"<(?:script|link|img|iframe)[^>]*>", body(html)):
        assert "src=" not in tag
        assert tag == '<link rel="icon" href="data:,">'


HOSTILE = ["<script>alert(1)</script>", "</script><script>alert(2)</script>", "<img src=x onerror=alert(3)>",
           "{{7*7}}", "%{x}", "$\\frac{1}{2}$", "\u2028&amp;", "<b>bold</b>"]  # fmt: skip


def test_names_and_ids_are_shown_not_run():
    X, _, _ = make_noisy_blobs(300, 3, len(HOSTILE), 20, random_state=0)
    model = NKMeans(3, 20, random_state=0).fit(X)
    ids = [HOSTILE[i % len(HOSTILE)] for i in range(len(X))]
    html = page(subject_of(model, X, HOSTILE, ids))
    assert html.count("<script>") == 2
    assert html.count("</script>") == 2
    assert "<img" not in body(html)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in body(html)
    assert "49" not in re.findall(r"<th scope=\"row\">(.*?)</th>", body(html))
    assert "{{7*7}}" in body(html)
    assert text("<b>x & y</b>") == "&lt;b&gt;x &amp; y&lt;/b&gt;"


def test_figures_are_valid_json_for_any_data():
    X, _, _ = make_noisy_blobs(300, 3, 3, 20, random_state=0)
    html = page(subject_of(NKMeans(3, 20, random_state=0).fit(X), X))
    for line in re.findall(r'"plot-\w+": (\{.*\}),\n', html):
        json.loads(line, parse_constant=pytest.fail)


@pytest.mark.parametrize("ids", ["numbers", "long", "escaped"])
def test_it_stays_small_whatever_the_data(ids):
    """200 clusters, long names and ids, half of the rows left out."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12_000, 2))
    model = NKMeans(200, 6_000, random_state=0, max_iter=1).fit(X)
    names = ["\N{SNOWMAN}" * 1000, "<" * 1000]
    given = {
        "numbers": None,
        "long": [f"{i}" + "\N{GRINNING FACE}" * 500 for i in range(len(X))],
        "escaped": ["<&>'\"" * 50] * len(X),
    }[ids]
    html = page(subject_of(model, X, names, given))
    assert len(html.encode()) < 6e6


def test_wide_data_shows_the_columns_that_matter():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(500, 300)) * 0.1
    X[:250, 7] += 10
    X[:, 8] = 1
    model = NKMeans(2, 5, random_state=0).fit(X)
    subject = subject_of(model, X)
    found = {section.key: section for section in sections(subject)}
    assert "The 40 of 300 columns" in found["centers"].words[1]
    assert "x7" in found["centers"].figure["layout"]["xaxis"]["ticktext"]
    assert len(page(subject).encode()) < 6e6


@pytest.mark.parametrize(
    ("X", "k", "z"),
    [
        (np.ones((20, 3)), 1, 2),
        (np.arange(12.0).reshape(-1, 1), 3, 2),
        (np.arange(12.0).reshape(-1, 2), 6, 0),
        (np.array([[1.0, 2.0]]), 1, 0),
        (np.array([[0.0], [1e100], [1.0], [2.0]]), 1, 1),
        (np.arange(20).reshape(-1, 2), 2, 3),
        (np.arange(20, dtype=np.float32).reshape(-1, 2) * 1e30, 2, 3),
        (np.arange(20).reshape(-1, 2) * 1e-100, 2, 3),
    ],
)
def test_odd_data_has_a_report_too(X, k, z):
    html = page(subject_of(NKMeans(k, z, random_state=0).fit(X), X))
    assert f"<h1>{k} clusters, {z} outliers</h1>" in html
    assert "nan" not in body(html).replace("nav", "").lower()


@pytest.mark.parametrize("kind", [TrimmedKMeans, NKMedians, NKMedoids])
def test_other_clusterings_have_one_too(kind, tmp_path):
    X, _, _ = make_noisy_blobs(300, 3, 2, 20, random_state=0)
    model = kind(3, 20, random_state=0).fit(X)
    write_report(model, X, tmp_path / "r.html")
    found = {section.key: section for section in sections(subject_of(model, X))}
    shown = float(found["outliers"].rows[0][2])
    nearest = np.min(np.linalg.norm(X[:, None] - model.cluster_centers_, axis=2), axis=1)
    assert shown == pytest.approx(nearest.max(), rel=1e-3)


def test_frames_name_their_columns_and_other_data_is_predicted():
    model, X = gps()
    frame = pd.DataFrame(X, columns=["lat", "lon"])
    assert subject_of(NKMeans(8, 150, random_state=0).fit(frame), frame).columns == ["lat", "lon"]
    # As long as fit's, and yet other data; and data of fit with ties at the threshold.
    turned = subject_of(model, X[::-1].copy())
    np.testing.assert_array_equal(turned.labels, model.predict(X[::-1]))
    tied = np.array([[0.0], [0.0], [1.0], [1.0], [-1.0], [9.0], [9.0]])
    fit = NKMeans(1, 4, random_state=0).fit(tied)
    assert (subject_of(fit, tied).labels < 0).sum() == 4
    other = subject_of(model, X[:100])
    np.testing.assert_array_equal(other.labels, model.predict(X[:100]))
    with pytest.raises(ValueError, match="must have a name for each of the 2 columns; got 3"):
        subject_of(model, X, "abc")
    series = pd.Series([f"fix {i}" for i in range(len(X))], index=range(len(X), 0, -1))
    assert subject_of(model, X, None, series).id_of(7) == "fix 7"
    with pytest.raises(ValueError, match="ids must have one for each of the 6150 rows; got 1"):
        subject_of(model, X, None, ["x"])
    with pytest.raises(ValueError, match="not fitted"):
        subject_of(NKMeans(), X)
    distances = np.abs(X[:50, :1] - X[:50, :1].T)
    with pytest.raises(ValueError, match="must have centres"):
        subject_of(NKMedoids(2, 1, metric="precomputed").fit(distances), distances)


def test_data_that_is_all_outliers():
    model, X = gps()
    html = page(subject_of(model, X[:50] + 1000))
    assert "All 50 outliers are shown" in html


def test_medians_tell_distances(tmp_path):
    X, _, _ = make_noisy_blobs(300, 3, 2, 20, random_state=0)
    model = NKMedians(3, 20, random_state=0).fit(X)
    html = page(subject_of(model, X))
    kept = np.linalg.norm(X[:, None] - model.cluster_centers_, axis=2).min(axis=1)[
        model.labels_ >= 0
    ]
    assert f"<dd>{kept.max():.4g}</dd>" in html


def test_long_names_do_not_multiply():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1000, 60))
    model = NKMeans(100, 10, random_state=0, max_iter=1).fit(X)
    assert len(page(subject_of(model, X, ["&" * 50] * 60)).encode()) < 5.3e6


def test_nothing_is_overwritten_unasked(tmp_path):
    model, X = gps()
    write_report(model, X, tmp_path / "r.html")
    with pytest.raises(FileExistsError):
        write_report(model, X, tmp_path / "r.html")


def test_every_outlier_is_a_marker_or_a_pixel():
    X, _, _ = make_noisy_blobs(3000, 3, 2, 900, noise_range=1.0, random_state=0)
    model = NKMeans(3, 900, random_state=0).fit(X)
    view = plane_view(X, model.labels_, -model.score_samples(X), model.cluster_centers_, "ab")
    which = np.flatnonzero(view.labels < 0)[100:]
    picture = raster(view, which)
    import base64

    shade = np.frombuffer(base64.b64decode(picture["z"]["bdata"]), np.uint8).reshape(180, 300)
    columns = (
        ((view.shown_at[which, 0] - picture["x0"]) / picture["dx"]).round().astype(int).clip(0, 299)
    )
    rows = (
        ((view.shown_at[which, 1] - picture["y0"]) / picture["dy"]).round().astype(int).clip(0, 179)
    )
    lit = np.zeros((180, 300), bool)
    lit[rows, columns] = True
    # A point on the border of two pixels may light the other one.
    assert (shade[lit] > 0).mean() > 0.99
    assert (shade > 0).sum() <= len(which)


def test_packed_numbers_are_read_back():
    import base64

    values = np.array([1.6e9 + 0.1, -2e100, np.nan])
    found = np.frombuffer(base64.b64decode(packed(values)["bdata"]), "<f8")
    np.testing.assert_array_equal(found, values)


def test_ids_end_where_room_ends():
    model, X = gps()
    subject = subject_of(model, X, None, ["<i>" * 13] * len(X))
    view = plane_view(
        X,
        model.labels_,
        subject.dist2,
        model.cluster_centers_,
        "ab",
        most_kept=6000,
        most_outliers=150,
    )
    found = shown_ids(view, subject, np.arange(len(view.rows)))
    assert found[0] == "&lt;i&gt;" * 13
    assert found[len(view.rows) - 1] == f"row {view.rows[-1]}"


def test_a_sample_of_the_rows_goes_with_totals_of_all():
    model, X = gps()
    whole = subject_of(model, X)
    found = Gathered(8, 2)
    for rows in np.split(np.arange(len(X)), [0, 1000, 1001]):
        first, labels, dist2 = rows[:1].sum(), model.labels_[rows], whole.dist2[rows]
        found.add(int(first), X[rows], labels, dist2, lambda chosen, rows=rows: rows[chosen])
    subject = replace(whole, **found.shown())
    # All rows fit into the sample here, so all but the steps of the curve is the same.
    for section, twin in zip(sections(subject), sections(whole), strict=True):
        if section.key not in ("asked", "cut"):
            assert (section.words, section.rows) == (twin.words, twin.rows)
        if section.key in ("clusters", "centers", "scores"):
            assert section.figure == twin.figure
    some = replace(subject.totals, rows=subject.totals.rows + 10_000)
    assert replace(subject, totals=some).number_of(7) == 10_007
    assert (subject.n_rows, subject.n_outliers) == (6150, 150)


def test_rows_without_room_for_their_ids_have_their_numbers():
    model, X = gps()
    whole = subject_of(model, X, None, ["<i>" * 13] * len(X))
    totals = Totals(99_999, whole.sizes, whole.curve, np.arange(len(X)) * 3)
    view = plane_view(X, model.labels_, whole.dist2, model.cluster_centers_, "ab", most_kept=6000)
    found = shown_ids(view, replace(whole, totals=totals), np.arange(len(view.rows)))
    assert found[len(view.rows) - 1] == f"row {view.rows[-1] * 3}"
