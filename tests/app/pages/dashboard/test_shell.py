"""The bar above every page: the way back, search, the age of what is shown, light and dark."""

import re

import httpx
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect

from tests.app.browsing import Watched, watch_page
from tests.app.pages.overview.test_routes import add, decide
from tests.app.processes import Service

POLICY = {"goal": {"t_max_seconds": 0.06}}


@pytest.fixture
def decided(client: httpx.Client, name: str) -> str:
    """A topology with a decision."""
    add(client, name)
    assert client.put(f"/v1/topologies/{name}/policy", json=POLICY).is_success
    decide(client, name)
    return name


def test_search_finds_topologies_operators_and_pages_by_keyboard(
    watched: Watched, service: Service, decided: str
):
    page = watched.page
    page.goto(f"{service.url}/ui/#/topologies/{decided}")
    expect(page.locator(".verdict")).to_be_visible()
    page.keyboard.press("/")
    words = page.get_by_role("combobox", name=re.compile("^Search"))
    expect(words).to_be_focused()
    words.fill("DETEC")
    expect(page.get_by_role("listbox").get_by_role("option")).to_have_count(1)
    expect(page.get_by_role("listbox").get_by_role("option", selected=True)).to_contain_text("detector")
    page.keyboard.press("Enter")
    expect(page.locator("tr.picked")).to_contain_text("detector")
    page.keyboard.press("Control+k")
    words.fill("no such thing")
    expect(page.get_by_text("Nothing is called that.")).to_be_visible()
    words.fill("what")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="What if")).to_be_visible()
    page.get_by_role("button", name="Search").click()
    words.fill(decided)
    expect(page.get_by_role("listbox").get_by_role("option").first).to_contain_text("topology")
    found = Axe().run(page, context="dialog", options={"runOnly": ["wcag2a", "wcag2aa"]})
    assert found.violations_count == 0, found.generate_report()
    page.keyboard.press("Escape")
    expect(words).to_have_count(0)
    page.get_by_role("link", name="Overview", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Which topology needs me?")


def test_a_slash_in_a_field_stays_a_slash(watched: Watched, service: Service, decided: str):
    watched.page.goto(f"{service.url}/ui/")
    field = watched.page.get_by_label("name contains")
    field.fill(decided)
    field.press("/")
    expect(field).to_have_value(f"{decided}/")
    expect(watched.page.get_by_role("combobox")).to_have_count(0)


def test_light_or_dark_is_chosen_and_kept(browser: Browser, service: Service):
    with watch_page(browser, color_scheme="light", bypass_csp=True) as watched:
        page = watched.page
        page.goto(f"{service.url}/ui/")
        ground = "getComputedStyle(document.body).backgroundColor"
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        light = page.evaluate(ground)
        choose = page.get_by_role("button", name=re.compile("^Colours"))
        choose.click()
        choose.click()
        expect(choose).to_have_attribute("aria-label", re.compile("^Colours: dark"))
        dark = page.evaluate(ground)
        assert dark != light
        page.reload()
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        assert page.evaluate(ground) == dark
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()


def test_the_bar_says_how_old_what_is_shown_is_and_that_the_service_is_away(
    watched: Watched, service: Service, decided: str
):
    page = watched.page
    page.goto(f"{service.url}/ui/#/topologies/{decided}")
    age = page.locator(".age")
    expect(age).to_contain_text(re.compile(r"live.* measured \d+ s ago .* asked"))
    expect(age.locator(".fresh")).to_be_visible()
    page.context.set_offline(True)
    page.goto(f"{service.url}/ui/#/")
    expect(age).to_contain_text("no answer")
    watched.complaints.clear()  # the browser itself complains of calls that have no answer


@pytest.mark.parametrize("width", [390, 1440, 1920])
def test_the_content_uses_the_width(browser: Browser, service: Service, decided: str, width: int):
    with watch_page(browser, viewport={"width": width, "height": 900}) as watched:
        for path in ("", f"topologies/{decided}", f"topologies/{decided}/what-if"):
            watched.page.goto(f"{service.url}/ui/#/{path}")
            expect(watched.page.locator("main .card").first).to_be_visible()
            box = watched.page.locator("main .page").bounding_box()
            assert box is not None
            assert box["width"] > width - 90
            assert watched.page.evaluate("document.documentElement.scrollWidth") == width
        assert watched.complaints == []
