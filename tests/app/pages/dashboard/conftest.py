"""One Chromium for the pages of a module, and a page of which every error is a failure."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext

from tests.app.browsing import Watched, open_browser, open_context, watch_page_in


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with open_browser() as browser:
        yield browser


@pytest.fixture(scope="module")
def context(browser: Browser) -> Iterator[BrowserContext]:
    with open_context(browser, viewport={"width": 1280, "height": 900}) as context:
        yield context


@pytest.fixture
def watched(context: BrowserContext) -> Iterator[Watched]:
    """A page that knows nothing of those before it."""
    context.set_storage_state({})
    context.set_offline(offline=False)
    with watch_page_in(context) as watched:
        yield watched
        assert watched.complaints == []
