"""/v1/session: a browser signs in once, and its cookie does what its key does, no more and no longer."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.app.processes import serving


@pytest.fixture(scope="module")
def keyed(postgres_url: str) -> Iterator[str]:
    """The address of a service with two keys."""
    with serving(postgres_url, api_keys="all-of-it-and-more, look-only-and-read:read") as service:
        yield service.url


def sign_in(client: httpx.Client, key: str) -> httpx.Response:
    return client.post("/v1/session", json={"key": key})


def test_a_signed_in_browser_may_do_what_its_key_may(keyed: str):
    topology = {"name": "t", "operators": [{"name": "a"}]}
    for key, status in (("look-only-and-read", 403), ("all-of-it-and-more", 201)):
        with httpx.Client(base_url=keyed) as browser:
            assert browser.get("/v1/topologies").status_code == 401
            answer = sign_in(browser, key)
            assert answer.status_code == 200
            assert answer.json()["may_store"] is (status == 201)
            assert browser.get("/v1/topologies").status_code == 200
            assert browser.post("/v1/topologies", json=topology).status_code == status
            assert browser.get("/v1/session").json()["may_store"] is (status == 201)
            assert browser.delete("/v1/session").status_code == 204
            assert browser.get("/v1/topologies").status_code == 401


def test_the_cookie_is_out_of_the_reach_of_scripts_and_other_sites(keyed: str):
    with httpx.Client(base_url=keyed) as browser:
        cookie = sign_in(browser, "all-of-it-and-more").headers["Set-Cookie"]
        parts = {part.strip().lower() for part in cookie.split(";")[1:]}
        assert {"httponly", "samesite=strict", "path=/", "max-age=43200"} <= parts
        assert "all-of-it-and-more" not in cookie
        for site in ("cross-site", "same-site"):
            sent = browser.post("/v1/topologies/t/decisions", headers={"Sec-Fetch-Site": site})
            assert sent.status_code == 403


@pytest.mark.parametrize("key", ["wrong", "look-only-and-read:read", "all-of-it-and-more "])
def test_an_unknown_key_signs_nobody_in(keyed: str, key: str):
    with httpx.Client(base_url=keyed) as browser:
        refused = sign_in(browser, key)
        assert (refused.status_code, refused.json()["type"]) == (401, "unauthorized")
        assert not browser.cookies


@pytest.mark.parametrize("body", [{}, {"key": ""}, {"key": 7}, {"secret": "x"}])
def test_a_body_without_a_key_is_refused(keyed: str, body: dict[str, Any]):
    assert httpx.post(f"{keyed}/v1/session", json=body).status_code == 422


def test_everybody_learns_what_they_may_do(keyed: str, client: httpx.Client):
    nobody = httpx.get(f"{keyed}/v1/session").json()
    assert nobody == {"keys_required": True, "may_read": False, "may_store": False, "expires_at": None}
    reader = httpx.get(f"{keyed}/v1/session", headers={"Authorization": "Bearer look-only-and-read"}).json()
    assert (reader["may_read"], reader["may_store"]) == (True, False)
    open_service = client.get("/v1/session").json()
    assert open_service == {"keys_required": False, "may_read": True, "may_store": True, "expires_at": None}
    assert sign_in(client, "anything").json()["keys_required"] is False


def test_a_wrong_bearer_key_is_refused_even_beside_a_valid_cookie(keyed: str):
    with httpx.Client(base_url=keyed) as browser:
        sign_in(browser, "all-of-it-and-more")
        wrong = browser.get("/v1/topologies", headers={"Authorization": "Bearer wrong"})
        assert wrong.status_code == 401


@pytest.mark.parametrize("is_announced", [True, False])
def test_a_long_body_of_a_stranger_is_not_parsed(keyed: str, *, is_announced: bool):
    """Names by the hundred thousand, or brackets by the million, would keep all other requests waiting."""
    body = b"{" + b",".join(b'"k%d":1' % number for number in range(1000)) + b"}"
    sent = body if is_announced else iter([body])
    refused = httpx.post(f"{keyed}/v1/session", content=sent, headers={"Content-Type": "application/json"})
    assert (refused.status_code, refused.json()["limit_bytes"]) == (413, 4096)
    assert "HEADGATE_MAX_BODY_BYTES" not in refused.text, "this setting does not raise the limit of a sign-in"
