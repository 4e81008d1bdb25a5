"""openapi.yaml is the app's own description."""

import subprocess
from pathlib import Path

import httpx
import yaml

from tests.app.processes import HEADGATE, environment

COMMITTED = Path(__file__).parents[3] / "openapi.yaml"


def test_the_committed_document_is_what_the_service_serves(client: httpx.Client):
    assert yaml.load(COMMITTED.read_text(), yaml.CSafeLoader) == client.get("/openapi.json").json(), (
        "run `make openapi`"
    )


def test_the_command_prints_it_to_the_letter():
    printed = subprocess.run(
        [HEADGATE, "openapi"], env=environment(), capture_output=True, text=True, timeout=120, check=True
    )
    assert printed.stdout == COMMITTED.read_text(), "run `make openapi`"
