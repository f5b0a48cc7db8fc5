"""The page with the sliders in a real browser."""

from dataclasses import replace

import pytest

from corners import suggest_corners

pytest.importorskip("jinja2")

from nkmeans import suggest
from nkmeans.datasets import make_noisy_blobs
from nkmeans.report.explorer import explorer_page

EVIL = "</script><b><script>window.evil = 1</script>"
PIXELS = "document.getElementById('picture').toDataURL()"
REPAINT_MS = """async () => {
    const slider = document.getElementById('k'), times = [];
    for (let step = 0; step < 15; step++) {
        const started = performance.now();
        slider.value = step;
        slider.dispatchEvent(new Event('input', {bubbles: true}));
        await new Promise(done => requestAnimationFrame(() => setTimeout(done, 0)));
        times.push(performance.now() - started);
    }
    return times.sort((a, b) => a - b)[7];
}"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two columns with hostile names; and ten columns with the largest default page."""
    folder = tmp_path_factory.mktemp("pages")
    corners = replace(suggest_corners(), columns=[EVIL, EVIL])
    (folder / "corners.html").write_text(explorer_page(corners))
    X, _, _ = make_noisy_blobs(9000, 8, 10, 200, noise_range=2.5, random_state=0)
    suggest(X, random_state=0).write_page(folder / "large.html")
    return folder


@pytest.fixture
def page(open_file, folder):
    return open_file(folder / "corners.html", viewport={"width": 1280, "height": 900})


def slider(page, name):
    return page.get_by_role("slider", name=name)


def seen(page):
    """Everything that a slider changes."""
    return {
        "pixels": page.evaluate(PIXELS),
        "crosses": page.get_attribute("#picture", "data-crosses"),
        "picture": page.get_attribute("#picture", "aria-label"),
        "marker": page.evaluate("document.querySelector('.marker').outerHTML"),
        "curve": page.get_attribute(".curve.current", "points"),
        "ring": page.evaluate("document.querySelector('.ring').outerHTML"),
        "live": page.text_content("#live"),
        "lines": page.text_content("#lines"),
        "sizes": page.text_content("#sizes"),
        "cost": page.text_content("#cost"),
    }


def changed(before, after):
    return {name for name in before if before[name] != after[name]}


def test_it_starts_at_the_suggestion(page):
    assert slider(page, "Clusters").input_value() == "2"
    assert page.text_content("#k-value") == "4"
    assert page.text_content("#z-value") == "40 (2%)"
    found = seen(page)
    assert found["crosses"] == "40"
    assert page.locator("#sizes li").count() == 4
    assert page.locator("#sizes li").first.text_content() == "●490 (24.5%)"
    assert "n_clusters=4, n_outliers=40" in found["lines"]
    assert "nkmeans fit data.csv -k 4 -z 40" in found["lines"]
    assert page.text_content("#smallest") == "490"


def test_the_slider_of_outliers(page):
    before = seen(page)
    slider(page, "Outliers").focus()
    page.keyboard.press("ArrowRight")
    after = seen(page)
    assert changed(before, after) == set(before) - {"curve"}
    assert page.text_content("#z-value") == "100 (5%)"
    assert slider(page, "Outliers").get_attribute("aria-valuetext") == "100 (5%) outliers"
    assert after["crosses"] == "100"
    assert after["live"].startswith("4 clusters, 100 (5%) outliers: cost ")
    assert "-k 4 -z 100" in after["lines"]
    page.keyboard.press("Home")
    assert seen(page)["crosses"] == "0"


def test_every_row_has_its_mark(page):
    """One that is moved changes the picture: kept, left out, or left out beyond the frame."""
    slider(page, "Outliers").fill("5")
    for which in (
        "labels[i] !== OUTLIER",
        "labels[i] === OUTLIER && points[2 * i] % EDGE && points[2 * i + 1] % EDGE",
        "labels[i] === OUTLIER && points[2 * i] === EDGE",
    ):
        before = page.evaluate(PIXELS)
        page.evaluate(
            f"""() => {{
                const labels = current().labels, rows = [...labels.keys()];
                const row = rows.find(i => {which});
                points[2 * row + 1] = 40000;
                drawPicture();
            }}"""
        )
        assert page.evaluate(PIXELS) != before, which


def test_the_slider_of_clusters(page):
    before = seen(page)
    slider(page, "Clusters").focus()
    page.keyboard.press("ArrowLeft")
    after = seen(page)
    assert changed(before, after) == set(before) - {"crosses"}
    assert page.text_content("#k-value") == "3"
    assert page.locator("#sizes li").count() == 3
    assert after["live"].startswith("3 clusters, 40 (2%) outliers: cost ")
    assert float(after["cost"].replace(",", "")) > float(before["cost"].replace(",", ""))


def test_the_way_back(page):
    before = seen(page)
    slider(page, "Clusters").fill("0")
    slider(page, "Outliers").fill("0")
    assert len(changed(before, seen(page))) == len(before)
    page.get_by_role("button", name="Back to the suggestion").click()
    assert changed(before, seen(page)) == set()
    assert slider(page, "Clusters").input_value() == "2"


def test_a_click_on_the_map_moves_both_sliders(page):
    before = seen(page)
    cell = page.locator(".cell").nth(5 * 6 + 1)
    assert "7 clusters, 10 (0.5%) outliers: silhouette 0." in cell.text_content()
    cell.click()
    assert (page.text_content("#k-value"), page.text_content("#z-value")) == ("7", "10 (0.5%)")
    assert slider(page, "Clusters").input_value() == "5"
    assert slider(page, "Outliers").input_value() == "1"
    assert len(changed(before, seen(page))) == len(before)


def test_the_map_of_stability(page):
    shades = (
        "[...document.querySelectorAll('.cell')].map(cell => cell.getAttribute('fill-opacity'))"
    )
    before = page.evaluate(shades)
    assert "Heat map of the silhouette" in page.get_attribute("#map", "aria-label")
    page.get_by_label("How well it fits").select_option("stability")
    assert page.evaluate(shades) != before
    assert "Heat map of the stability" in page.get_attribute("#map", "aria-label")
    assert page.text_content("#map-words").startswith("Stability: ")
    assert "stability" in page.locator(".cell").first.text_content()


def test_numbers_are_short_and_neighbours_differ(page):
    for low, high, names in (
        (5412300, 5412340, ["5,412,300", "5,412,310", "5,412,320"]),
        (0, 0.3, ["0", "0.1", "0.2"]),
        (-3e-9, 1e-9, ["-3e-9", "-2e-9", "-1e-9"]),
        (0, 4e20, ["0", "1e20", "2e20"]),
    ):
        found = page.evaluate(
            "([low, high]) => { const t = ticks(low, high, 4); return t.at.map(t.name); }",
            [low, high],
        )
        assert found[:3] == names
    assert len(page.evaluate("ticks(1e17, 1e17 + 64, 4).at")) < 10


def test_names_from_the_data_are_not_run(page):
    assert page.evaluate("window.evil") is None
    assert page.evaluate("data.axes[0]") == EVIL


def test_a_screen_reader_finds_its_way(page):
    assert page.get_by_role("heading", level=1).text_content() == (
        "Suggested: 4 clusters, 40 outliers (2.00%)"
    )
    assert page.get_by_role("slider").count() == 2
    assert page.get_by_role("status").count() == 1
    for picture in page.locator("[role=img]").all():
        assert len(picture.get_attribute("aria-label")) > 50
    page.get_by_text("All numbers", exact=True).click()
    assert page.locator("tbody tr").count() == 42
    assert page.locator("html").get_attribute("lang") == "en"


def test_nothing_moves_when_a_slider_does(page):
    places = """() => [...document.querySelectorAll('main *:not(#sizes *):not(svg *)')].map(
        element => JSON.stringify([element.offsetLeft, element.offsetTop, element.offsetHeight]))"""
    before = page.evaluate(places)
    for k, z in (("0", "0"), ("6", "5")):
        slider(page, "Clusters").fill(k)
        slider(page, "Outliers").fill(z)
        moved = [
            one for one, other in zip(before, page.evaluate(places), strict=True) if one != other
        ]
        # What is set to the right begins elsewhere when it is longer.
        assert len(moved) <= 2


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_phone_by_day_and_night(scheme, open_file, folder):
    page = open_file(
        folder / "large.html",
        viewport={"width": 390, "height": 800},
        color_scheme=scheme,
        device_scale_factor=2,
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    width = page.evaluate("document.getElementById('picture').width")
    assert width == 2 * page.evaluate("document.getElementById('picture').clientWidth")
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (ground == "rgb(255, 255, 255)") == (scheme == "light")
    page.evaluate("window.scrollTo(0, 400)")
    assert 0 <= page.locator("#k").bounding_box()["y"] < 100


def test_it_draws_again_when_it_turns_dark(page):
    before = page.evaluate(PIXELS)
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(f"before => {PIXELS} !== before", arg=before)


def test_a_slider_is_followed_at_once(open_file, folder):
    """5000 points, 19 numbers of clusters, 10 of outliers: less than a tenth of a second."""
    page = open_file(folder / "large.html", viewport={"width": 1280, "height": 900})
    assert page.evaluate("nPoints") == 5000
    assert page.evaluate(REPAINT_MS) < 100


def test_without_javascript_the_numbers_are_there(browser, folder):
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"file://{folder / 'corners.html'}")
    assert "all numbers are in the table" in page.text_content("noscript")
    assert page.locator("tbody tr").count() == 42
    context.close()
