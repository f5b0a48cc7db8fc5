"""Take docs/images/suggest.png: the page of `nkmeans suggest`, in chromium.

python scripts/suggest_image.py
"""

import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from nkmeans import suggest
from nkmeans.datasets import make_noisy_blobs

IMAGE = Path(__file__).parents[1] / "docs" / "images" / "suggest.png"


def main() -> None:
    # Seven clusters that are apart: the picture is of the page, and no evidence.
    X, _, _ = make_noisy_blobs(9_800, 7, 5, 200, sigma=0.03, noise_range=1.5, random_state=2)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        suggest(X, random_state=0).write_page(f"{folder}/suggest.html")
        browser = driver.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        page = browser.new_page(viewport={"width": 1240, "height": 900})
        page.goto(f"file://{folder}/suggest.html")
        page.screenshot(path=IMAGE)
        browser.close()


if __name__ == "__main__":
    main()
