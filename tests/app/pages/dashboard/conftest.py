"""One Chromium for the pages of a module, and a page of which every error is a failure."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.app.browsing import Watched, open_browser, watch_page


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with open_browser() as browser:
        yield browser


@pytest.fixture
def watched(browser: Browser) -> Iterator[Watched]:
    with watch_page(browser, viewport={"width": 1280, "height": 900}) as watched:
        yield watched
        assert watched.complaints == []
