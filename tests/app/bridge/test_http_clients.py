"""HTTP with credentials, and what goes wrong in one sentence."""

import re
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest

from app.bridge.http_clients import (
    BearerToken,
    Unanswered,
    ask,
    describe_status,
    hide_password,
    open_client,
    quote_text,
    read_json,
    read_secret,
)
from app.terminal.commands import Refused
from tests.app.bridge.flink_stand_in import FlinkStandIn, serving

REQUEST = httpx.Request("GET", "https://me:secret@engine/jobs")


def answer(status: int, text: str = "") -> Callable[[], httpx.Response]:
    return lambda: httpx.Response(status, text=text, request=REQUEST)


def fail() -> httpx.Response:
    raise httpx.ConnectTimeout("")


def test_who_does_not_answer_is_said_with_the_reason():
    with pytest.raises(Unanswered, match="the engine does not answer: ConnectTimeout") as caught:
        ask("engine", fail)
    assert caught.value.who == "engine"


@pytest.mark.parametrize("status", [401, 403, 408, 429, 502, 504])
def test_statuses_that_say_later_or_not_you_are_no_answers(status: int):
    with pytest.raises(Unanswered, match=str(status)):
        ask("service", answer(status))
    assert ask("service", answer(404)).status_code == 404


def test_what_is_no_json_is_told_with_its_address_and_without_a_password():
    with pytest.raises(Unanswered, match="does not answer with JSON at https://engine/jobs") as caught:
        read_json("engine", answer(200, "<html>")())
    assert "secret" not in str(caught.value)


def test_numbers_that_json_does_not_have_are_unknown_and_no_depth_is_too_deep():
    assert read_json("engine", answer(200, '{"a": NaN, "b": [-Infinity, 1.5]}')()) == {
        "a": None,
        "b": [None, 1.5],
    }
    with pytest.raises(Unanswered, match="JSON"):
        read_json("engine", answer(200, "[" * 100_000)())


@pytest.mark.parametrize(
    ("status", "text", "said"),
    [
        (302, "", r"redirects /jobs to https://login/ \(302\): give the address"),
        (403, "", r"refuses the request \(403 at /jobs\): check the credentials\.$"),
        (429, "slow", r"does not answer now \(429 at /jobs\)\. slow"),
        (500, '{"errors": ["boom", "at java"]}', r"answers 500 at /jobs\. boom$"),
        (501, "<html>\n</html>", r"answers 501 at /jobs\. <html>$"),
        (404, '{"errors": {}}', r"answers 404 at /jobs\. {.errors.: {}}$"),
    ],
)
def test_a_status_is_told_with_its_path_and_error(status: int, text: str, said: str):
    headers = {"Location": "https://me:secret@login/"} if status == 302 else {}
    found = httpx.Response(status, text=text, headers=headers, request=REQUEST)
    assert re.match(said, describe_status(found)), describe_status(found)


def test_a_closed_port_is_a_sentence():
    with serving(FlinkStandIn()) as url:
        pass
    said = "the engine does not answer: Connection refused$"
    with open_client(url, None, None) as client, pytest.raises(Unanswered, match=said):
        ask("engine", lambda: client.get("/jobs"))


def test_tokens_are_sent_and_a_file_is_read_again_for_each_request(tmp_path: Path):
    assert next(BearerToken("t").auth_flow(REQUEST)).headers["Authorization"] == "Bearer t"
    file = tmp_path / "token"
    auth = BearerToken(file)
    for token in ("first", "second"):
        file.write_text(f"{token}\n")
        assert next(auth.auth_flow(REQUEST)).headers["Authorization"] == f"Bearer {token}"
    file.unlink()
    with pytest.raises(httpx.TransportError, match="cannot be read"):
        next(auth.auth_flow(REQUEST))
    with pytest.raises(Refused, match="cannot be read"):
        read_secret(file)


def test_addresses_and_certificates_are_checked_at_the_start(tmp_path: Path):
    for url in ("engine:8081", "ftp://engine", "http://", "http://engine:x", "http://[engine"):
        with pytest.raises(Refused, match="http://"):
            open_client(url, None, None)
    (tmp_path / "ca.pem").write_text("nothing")
    for name in ("ca.pem", "none.pem"):
        with pytest.raises(Refused, match="--ca-file"):
            open_client("https://engine", None, tmp_path / name)


def test_passwords_are_hidden_and_long_answers_cut():
    assert hide_password("https://me:secret@engine:8081/flink") == "https://engine:8081/flink"
    assert quote_text(answer(500, "\nfirst\nsecond")()) == "first"
    assert quote_text(answer(500)()) == ""
    assert len(quote_text(answer(500, "x" * 9999)())) == 300
