"""A real Chromium for the tests of pages, and what a page asked for and complained about."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

BROWSERS = ("chromium", "chromium-browser", "google-chrome")
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE_MILLISECONDS = 60_000
"""A loaded machine draws a page slowly."""


@contextmanager
def open_browser() -> Iterator[Browser]:
    """The Chromium of this machine."""
    installed = next(filter(None, map(shutil.which, BROWSERS)), None)
    assert installed, f"this test needs one of {', '.join(BROWSERS)}"
    expect.set_options(timeout=PATIENCE_MILLISECONDS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=installed, args=FLAGS)
        yield browser
        browser.close()


@dataclass
class Watched:
    """A page, the addresses that it asked for, and its errors and violations of the policy."""

    page: Page
    asked: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)


@contextmanager
def watch_page(browser: Browser, **options: Any) -> Iterator[Watched]:
    """A new page in a context of its own, which is watched."""
    with open_context(browser, **options) as context, watch_page_in(context) as watched:
        yield watched


@contextmanager
def open_context(browser: Browser, **options: Any) -> Iterator[BrowserContext]:
    """What pages share: cookies, storage, the clock. To open one takes longer than to open three pages in it."""
    context = browser.new_context(**options)
    context.set_default_timeout(PATIENCE_MILLISECONDS)
    yield context
    context.close()


@contextmanager
def watch_page_in(context: BrowserContext) -> Iterator[Watched]:
    """A new page, which is watched."""
    page = context.new_page()
    watched = Watched(page)
    page.on("request", lambda request: watched.asked.append(request.url))
    page.on("console", lambda said: watched.complaints.append(said.text) if said.type == "error" else None)
    page.on("pageerror", lambda error: watched.complaints.append(str(error)))
    page.expose_function("report", lambda said: watched.complaints.append(said))  # noqa: PLW0108 - not a builtin
    page.add_init_script(
        "addEventListener('securitypolicyviolation', e => report(`${e.violatedDirective} ${e.blockedURI}`))"
    )
    yield watched
    page.close()
