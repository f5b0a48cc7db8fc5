"""Take docs/images/report.png: the first screen of the demo's report, in chromium.

python scripts/report_image.py
"""

import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from nkmeans.demo import fit_gps

IMAGE = Path(__file__).parents[1] / "docs" / "images" / "report.png"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        fit_gps(Path(folder) / "fit", 150)
        browser = driver.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        page = browser.new_page(viewport={"width": 1000, "height": 775})
        page.goto(f"file://{folder}/fit/report.html")
        page.wait_for_function("() => document.querySelector('#plot-scores .main-svg')")
        page.locator("#clusters").scroll_into_view_if_needed()
        page.evaluate("document.getElementById('clusters').scrollIntoView()")
        page.screenshot(path=IMAGE)
        browser.close()


if __name__ == "__main__":
    main()
