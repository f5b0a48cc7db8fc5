"""The report in a real browser."""

import numpy as np
import pytest

pytest.importorskip("plotly")

from nkmeans import NKMeans
from nkmeans.datasets import load_gps, make_noisy_blobs
from nkmeans.report import write_report

DRAWN = """() => [...document.querySelectorAll('.plot')].every(
    plot => plot._fullLayout && plot.querySelector('.main-svg'))"""
EVIL = "<script>window.evil = 1</script>"


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """Two columns with a hostile name and hostile ids; and ten columns with many outliers."""
    folder = tmp_path_factory.mktemp("reports")
    X, _ = load_gps()
    model = NKMeans(8, 150, random_state=0).fit(X)
    ids = [f"{EVIL}{i}" for i in range(len(X))]
    write_report(model, X, folder / "gps.html", feature_names=["lat", EVIL], ids=ids)
    X, _, _ = make_noisy_blobs(20_000, 10, 10, 3000, noise_range=2.5, random_state=0)
    write_report(NKMeans(10, 3000, random_state=0).fit(X), X, folder / "blobs.html")
    return folder


@pytest.fixture(scope="module")
def opened(open_file, reports):
    """Opens a report, once for all tests that only look at it."""
    pages = {}

    def open_page(name, **options):
        key = name, str(options)
        if key not in pages:
            pages[key] = open_file(reports / name, **options)
            pages[key].wait_for_function(DRAWN)
        return pages[key]

    return open_page


def hover(page, trace):
    """Point at the first row of a trace, and return what is said of it."""
    place = page.evaluate(
        """name => {
            const plot = document.getElementById('plot-clusters');
            plot.scrollIntoView();
            const trace = plot._fullData.findIndex(trace => trace.name.startsWith(name));
            const {xaxis, yaxis} = plot._fullLayout;
            const box = plot.getBoundingClientRect();
            const point = plot.calcdata[plot.calcdata.findIndex(c => c[0].trace.index === trace)][0];
            return [box.left + xaxis._offset + xaxis.c2p(point.x), box.top + yaxis._offset + yaxis.c2p(point.y)];
        }""",
        trace,
    )
    page.mouse.move(place[0] - 3, place[1] - 3)
    page.mouse.move(*place)
    page.wait_for_function(
        "name => document.querySelector('#plot-clusters .hoverlayer').textContent.includes(name)",
        arg=trace,
    )
    return page.text_content("#plot-clusters .hoverlayer")


@pytest.mark.parametrize("name", ["gps.html", "blobs.html"])
def test_all_figures_are_drawn_without_complaint(name, opened):
    page = opened(name)
    assert page.locator(".plot").count() == 5
    assert page.locator(".plot .main-svg").count() >= 5


def test_rows_can_be_pointed_at(opened):
    page = opened("gps.html")
    assert "distance to its centre" in hover(page, "cluster 3")
    said = hover(page, "outliers (150)")
    assert "outliers (150)" in said
    assert EVIL in said


def test_cells_of_the_heat_map_name_their_column(opened):
    page = opened("gps.html")
    box = page.locator("#plot-centers .nsewdrag").bounding_box()
    page.locator("#plot-centers").scroll_into_view_if_needed()
    box = page.locator("#plot-centers .nsewdrag").bounding_box()
    page.mouse.move(box["x"] + 0.7 * box["width"], box["y"] + 0.5 * box["height"])
    page.mouse.move(box["x"] + 0.75 * box["width"], box["y"] + 0.55 * box["height"])
    page.wait_for_function(
        "() => document.querySelector('#plot-centers .hoverlayer').textContent.includes('spreads')"
    )
    assert f", {EVIL}: " in page.text_content("#plot-centers .hoverlayer")


def test_names_from_the_data_are_shown_not_run(opened):
    page = opened("gps.html")
    assert page.evaluate("window.evil") is None
    assert EVIL in page.text_content("#plot-clusters .ytitle")
    assert EVIL in page.text_content("#plot-centers .xaxislayer-above")
    assert f"{EVIL} =" in page.text_content("section[aria-labelledby=outliers]")


def test_it_fits_a_phone_and_paper(opened, tmp_path):
    page = opened("gps.html", viewport={"width": 390, "height": 800}, has_touch=True)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    for box in page.evaluate(
        "[...document.querySelectorAll('.plot .main-svg')].map(svg => svg.getBoundingClientRect().right)"
    ):
        assert box <= 390
    paper = page.pdf(format="A4")
    assert paper.startswith(b"%PDF")
    assert len(paper) > 20_000


def test_a_screen_reader_finds_its_way(opened):
    page = opened("gps.html")
    assert page.get_by_role("heading", level=1).text_content() == "8 clusters, 150 outliers"
    assert page.get_by_role("navigation", name="Sections").get_by_role("link").count() == 8
    assert page.get_by_role("heading", level=2).count() == 8
    figures = page.locator(".plot[role=img]")
    assert figures.count() == 5
    for figure in figures.all():
        assert len(figure.get_attribute("aria-label")) > 20
    for table in page.locator("table").all():
        assert table.locator("caption").text_content()
    assert page.get_by_role("rowheader", name="cluster 7", exact=True).count() == 1
    assert page.locator("html").get_attribute("lang") == "en"


def test_without_javascript_the_words_and_tables_are_there(browser, reports):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"file://{reports / 'gps.html'}")
    assert page.locator("noscript p").count() == 5
    assert page.locator("section[aria-labelledby=sizes] tbody tr").count() == 8
    context.close()


def test_numbers_in_the_picture_are_those_of_the_data(opened):
    page = opened("gps.html")
    X, _ = load_gps()
    model = NKMeans(8, 150, random_state=0).fit(X)
    centers = page.evaluate(
        "() => { const t = document.getElementById('plot-clusters')._fullData.find(t => t.name === 'centres'); return [[...t.x], [...t.y]]; }"
    )
    np.testing.assert_allclose(np.transpose(centers), model.cluster_centers_, rtol=1e-6)


def visible(page):
    return page.evaluate(
        "() => Object.fromEntries(document.getElementById('plot-clusters')._fullData.map(t => [t.type + ' ' + t.name, t.visible]))"
    )


def test_the_legend_hides_a_cluster(opened):
    page = opened("gps.html")
    before = page.locator("#plot-clusters .scatterlayer .points path").count()
    item = page.locator("#plot-clusters .legend .traces", has_text="cluster 2 (")
    item.locator(".legendtoggle").click()
    page.wait_for_function(
        "() => document.getElementById('plot-clusters')._fullData.some(t => t.visible === 'legendonly')"
    )
    hidden = [name for name, shown in visible(page).items() if shown is not True]
    assert len(hidden) == 1
    assert hidden[0].startswith("scatter cluster 2 (")
    assert page.locator("#plot-clusters .scatterlayer .points path").count() < before


def test_the_legend_hides_all_outliers(opened):
    """Those with a marker and those that are pixels."""
    page = opened("blobs.html")
    item = page.locator("#plot-clusters .legend .traces", has_text="outliers (3,000)")
    item.locator(".legendtoggle").click()
    page.wait_for_function(
        "() => document.getElementById('plot-clusters')._fullData.some(t => t.visible === 'legendonly')"
    )
    hidden = {name for name, shown in visible(page).items() if shown is not True}
    assert hidden == {"heatmap outliers", "scatter outliers (3,000)"}
