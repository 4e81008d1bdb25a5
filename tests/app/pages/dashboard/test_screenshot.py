"""README's picture and film of the live demo: a bottleneck is found and mended; `make screenshots` makes them anew."""

import io
import os
from collections.abc import Sequence
from pathlib import Path

import httpx
from PIL import Image
from playwright.sync_api import Page, expect

from tests.app.browsing import open_browser, watch_page
from tests.app.processes import PATIENCE_SECONDS, StartService

ROOT = Path(__file__).parents[4]
IMAGES = ROOT / "docs" / "images"
PICTURE, FILM = IMAGES / "dashboard.png", IMAGES / "demo.webp"
MOST_BYTES = {PICTURE: 200_000, FILM: 500_000}
SHOWN = {"width": 1200, "height": 700}
FILMED = (900, 525)
MOST_LOOKS, MOST_FRAMES, EVERY_MILLISECONDS, AFTERWARDS = 150, 28, 2000, 8
SHOWN_MILLISECONDS, LAST_MILLISECONDS = 500, 4000
TO_VERDICT = "scrollTo(0, document.querySelector('.verdict').getBoundingClientRect().top + scrollY - 62)"


def test_the_readme_shows_a_bottleneck_that_is_found_and_mended(
    empty_database_url: str, start_service: StartService
):
    if os.environ.get("SCREENSHOTS"):
        service = start_service(database_url=empty_database_url, demo_minutes="10")
        httpx.post(f"{service.url}/v1/demo/live", timeout=PATIENCE_SECONDS).raise_for_status()
        with open_browser() as browser, watch_page(browser, viewport=SHOWN, color_scheme="light") as watched:
            watched.page.goto(f"{service.url}/ui/#/topologies/demo-live")
            frames, found, mended = film(watched.page)
            assert watched.complaints == []
        write_picture(found, mended)
        write_film(frames)
    for written, most in MOST_BYTES.items():
        assert written.stat().st_size < most
        assert f"docs/images/{written.name}" in (ROOT / "README.md").read_text()
        with Image.open(written) as image:
            assert getattr(image, "n_frames", 1) >= (12 if written == FILM else 1)


def film(page: Page) -> tuple[list[Image.Image], Image.Image, Image.Image]:
    """Pictures of the page from its first verdict until some time after the mending; the ones of both moments."""
    expect(page.locator(".verdict")).to_be_visible()
    expect(page.locator(".graph .box")).to_have_count(4)
    frames: list[Image.Image] = []
    found = mended = -1
    while len(frames) < MOST_LOOKS and (mended < 0 or len(frames) - mended <= AFTERWARDS):
        page.evaluate(TO_VERDICT)
        is_bad = page.locator(".verdict .big.bad").count() > 0
        is_change = page.locator(".verdict.scale_up").count() > 0
        frames.append(Image.open(io.BytesIO(page.screenshot())).convert("RGB"))
        if is_bad and is_change:
            found = len(frames) - 1
        if found >= 0 and mended < 0 and not is_bad and not is_change:
            mended = len(frames) - 1
        page.wait_for_timeout(EVERY_MILLISECONDS)
    assert 0 <= found < mended, "the demo's first incident was not found and mended in this time"
    return frames, frames[found], frames[mended]


def write_picture(found: Image.Image, mended: Image.Image) -> None:
    """Both moments, one below the other."""
    both = Image.new("RGB", (found.width, found.height + mended.height + 12), "#8a93a0")
    both.paste(found, (0, 0))
    both.paste(mended, (0, found.height + 12))
    both.quantize(128).save(PICTURE, optimize=True)


def write_film(frames: Sequence[Image.Image]) -> None:
    """An animated WebP that stays on its last frame for a while."""
    some = frames[:: -(-len(frames) // MOST_FRAMES)]
    small = [one.resize(FILMED, Image.Resampling.LANCZOS) for one in (*some, frames[-1])]
    lengths = [SHOWN_MILLISECONDS] * (len(small) - 1) + [LAST_MILLISECONDS]
    small[0].save(
        FILM, save_all=True, append_images=small[1:], duration=lengths, loop=0, quality=40, method=6
    )
