"""An answer to GET has an ETag, and is not sent again to who has it."""

import httpx
import pytest
from fastapi import Request, Response

from app.web.negotiation import is_known, tag_answer


def ask(method: str = "GET", **headers: str) -> Request:
    sent = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return Request({"type": "http", "method": method, "headers": sent})


def test_equal_answers_have_equal_tags_and_others_have_others():
    first, again, other = (tag_answer(ask(), Response(content)) for content in ("one", "one", "two"))
    assert first.headers["ETag"] == again.headers["ETag"] != other.headers["ETag"]
    assert first.body == b"one"


def test_what_the_caller_has_is_not_sent_again():
    etag = tag_answer(ask(), Response("one")).headers["ETag"]
    answer = tag_answer(ask(if_none_match=etag), Response("one", headers={"Vary": "Accept"}))
    assert (answer.status_code, answer.body) == (304, b"")
    assert (answer.headers["ETag"], answer.headers["Vary"]) == (etag, "Accept")
    assert answer.headers["Cache-Control"] == "private, no-cache"
    assert tag_answer(ask(if_none_match=etag), Response("two")).status_code == 200


def test_a_tag_that_a_route_has_set_counts():
    answer = tag_answer(ask(if_none_match='"7-1"'), Response("one", headers={"ETag": '"7-1"'}))
    assert answer.status_code == 304


@pytest.mark.parametrize(("method", "status"), [("POST", 200), ("PUT", 200), ("GET", 404), ("GET", 204)])
def test_changes_and_refusals_have_no_tag(method: str, status: int):
    answer = tag_answer(ask(method, if_none_match="*"), Response("one", status))
    assert (answer.status_code, "ETag" in answer.headers) == (status, False)


@pytest.mark.parametrize("sent", ['"a"', 'W/"a"', '"b", "a"', '"b",W/"a"', "*"])
def test_a_tag_is_found_in_a_list_and_where_a_proxy_has_weakened_it(sent: str):
    assert is_known('"a"', sent)


@pytest.mark.parametrize("sent", [None, "", '"b"', '"ab"', "a"])
def test_another_tag_is_not_known(sent: str | None):
    assert not is_known('"a"', sent)


def test_lists_over_http_are_not_sent_again(client: httpx.Client, name: str):
    client.post("/v1/topologies", json={"name": name, "operators": [{"name": "a"}]}).raise_for_status()
    for part in ("snapshots", "decisions", "plans"):
        address = f"/v1/topologies/{name}/{part}"
        etag = client.get(address).headers["ETag"]
        assert client.get(address, headers={"If-None-Match": etag}).status_code == 304
