"""Every command of docs/getting-started.md does what the page shows, in the order of the page."""

import httpx

from tests.app.processes import Service
from tests.docs.consoles import read_console, read_page, run_shown

SHOWN = read_console(read_page("docs/getting-started.md"))


def test_the_page_leads_to_a_decision_and_cleans_up():
    commands = [one.command for one in SHOWN]
    assert commands[0] == "make run"
    assert any("/decisions" in command for command in commands)
    assert "-X DELETE" in commands[-1]


def test_every_command_prints_what_the_page_shows(service: Service, client: httpx.Client):
    client.delete("/v1/topologies/payments")
    run_shown(SHOWN, service.url)
    assert client.get("/v1/topologies/payments").status_code == 404
