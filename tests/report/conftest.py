"""Debian's chromium, driven by playwright."""

import os
import shutil

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
FLAGS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
]  # fmt: skip


@pytest.fixture(scope="module")
def browser():
    playwright = pytest.importorskip("playwright.sync_api")
    if CHROMIUM is None:
        # CI installs one, and must not pass without it.
        assert "NKMEANS_NEEDS_CHROMIUM" not in os.environ, "chromium is not installed"
        pytest.skip("no chromium on this machine")
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def complaints():
    return []


@pytest.fixture(autouse=True)
def content(complaints):
    """Whatever a page complains of, or asks of the network, fails the test."""
    complaints.clear()
    yield
    assert complaints == []


@pytest.fixture(scope="module")
def open_file(browser, complaints):
    """Opens a file in a page that is watched."""
    contexts = []

    def open_watched(path, **options):
        contexts.append(browser.new_context(**options))
        page = contexts[-1].new_page()
        page.on(
            "console",
            lambda message: (
                complaints.append(message.text) if message.type in ("error", "warning") else None
            ),
        )
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on(
            "request",
            lambda request: (
                complaints.append(request.url)
                if not request.url.startswith(("file:", "data:", "blob:"))
                else None
            ),
        )
        page.goto(f"file://{path}")
        return page

    yield open_watched
    for context in contexts:
        context.close()
