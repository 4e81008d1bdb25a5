"""The README's picture of the dashboard: made from the demo; `make screenshots` writes it anew."""

import os
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import expect

from tests.app.browsing import open_browser, watch_page
from tests.app.processes import PATIENCE_SECONDS, Service, StartService

ROOT = Path(__file__).parents[4]
PICTURE = ROOT / "docs" / "images" / "dashboard.png"
MOST_BYTES = 200_000
SHOWN = {"width": 1200, "height": 1000}


@pytest.fixture
def with_demo(empty_database_url: str, start_service: StartService) -> Service:
    """A service with the demo."""
    service = start_service(database_url=empty_database_url)
    httpx.post(f"{service.url}/v1/demo", timeout=PATIENCE_SECONDS).raise_for_status()
    return service


def test_the_picture_in_the_readme_is_of_the_demo(with_demo: Service, tmp_path: Path):
    written = PICTURE if os.environ.get("SCREENSHOTS") else tmp_path / "dashboard.png"
    written.parent.mkdir(exist_ok=True)
    with open_browser() as browser, watch_page(browser, viewport=SHOWN, color_scheme="light") as watched:
        watched.page.goto(f"{with_demo.url}/ui/#/topologies/demo")
        expect(watched.page.locator(".graph .box")).to_have_count(4)
        expect(watched.page.locator(".verdict")).to_be_visible()
        watched.page.screenshot(path=written)
        assert watched.complaints == []
    for picture in (written, PICTURE):
        assert picture.read_bytes().startswith(b"\x89PNG")
        assert picture.stat().st_size < MOST_BYTES
    assert "docs/images/dashboard.png" in (ROOT / "README.md").read_text()
