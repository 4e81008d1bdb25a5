"""Calls of a service: its address is checked, and what is no service of Headgate is told from one."""

import pytest

from app.terminal.commands import Refused
from app.terminal.service_calls import ServiceAddress, ask, find_path, list_items, read_answer
from tests.app.processes import Service


def test_names_are_quoted_in_a_path():
    assert find_path("topologies", "a b/c", "gate") == "/v1/topologies/a%20b%2Fc/gate"


@pytest.mark.parametrize("url", ["file:///etc/passwd", "127.0.0.1:8000", ""])
def test_only_addresses_of_the_web_are_asked(url: str):
    with pytest.raises(Refused, match="begins with http://"):
        ask(ServiceAddress(url), "/v1/overview")


def test_a_page_is_no_answer(service: Service):
    with pytest.raises(Refused, match="is not a Headgate service"):
        read_answer(ServiceAddress(service.url), "/ui/")
    with pytest.raises(Refused, match="not-found: "):
        read_answer(ServiceAddress(service.url), "/v1/nowhere")


def test_every_page_of_a_list_is_read(service: Service, stored: str):
    names = [row["name"] for row in list_items(ServiceAddress(service.url), "/v1/topologies?limit=1")]
    assert stored in names
