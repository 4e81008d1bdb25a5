"""The root of the service: the dashboard for a browser, a list of addresses for a program."""

import httpx
import pytest

BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"


@pytest.mark.parametrize("accept", [BROWSER, "text/html"])
def test_a_browser_at_the_root_is_sent_to_the_dashboard(client: httpx.Client, accept: str):
    answer = client.get("/", headers={"Accept": accept})
    assert (answer.status_code, answer.headers["Location"]) == (307, "/ui/")
    assert answer.headers["Vary"] == "Accept"
    assert client.get(answer.headers["Location"]).status_code == 200


@pytest.mark.parametrize("accept", ["*/*", "application/json", "image/png", ""])
def test_a_program_at_the_root_is_told_where_everything_is(client: httpx.Client, accept: str):
    answer = client.get("/", headers={"Accept": accept})
    assert (answer.status_code, answer.headers["Content-Type"]) == (200, "application/json")
    index = answer.json()
    assert {"name", "version", "docs", "openapi"} <= index.keys()
    for name, address in index.items():
        if name not in {"name", "version"}:
            assert client.get(address).status_code == 200, name
