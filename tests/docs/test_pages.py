"""Every command of every other page does what the page shows; a page uses no topology of another one."""

import re
from pathlib import Path

import httpx
import pytest

from tests.app.processes import Service
from tests.docs.consoles import PAGES, ROOT, read_console, run_shown

TRIED_ELSEWHERE = {"README.md", "getting-started.md"}
SHOWING = [page for page in PAGES if page.name not in TRIED_ELSEWHERE and read_console(page.read_text())]


@pytest.mark.parametrize("page", SHOWING, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_command_prints_what_the_page_shows(page: Path, service: Service, client: httpx.Client):
    shown = read_console(page.read_text())
    for one in shown:
        for name in re.findall(r"/v1/topologies -H .* -d '\{\s+\"name\": \"([\w-]+)\"", one.command):
            client.delete(f"/v1/topologies/{name}")
    run_shown(shown, service.url)
