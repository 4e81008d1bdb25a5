"""Schemathesis, all of its checks (its default), against the running service."""

import os
import subprocess
import sys
from pathlib import Path

import httpx

from tests.app.processes import StartService, environment

SCHEMATHESIS = Path(sys.executable).parent / "schemathesis"
CONFIGURATION = Path(__file__).with_name("schemathesis.toml")
HOOKS = Path(__file__).with_name("schemathesis_hooks.py")
EXAMPLES = os.environ.get(
    "SCHEMATHESIS_EXAMPLES", "5"
)  # drawn for each operation, beside the cases at its bounds


def test_the_service_does_what_its_openapi_document_says(
    start_service: StartService, empty_database_url: str, tmp_path: Path
):
    """With a key, so that it is also seen that no call does without."""
    service = start_service(database_url=empty_database_url, api_keys="the-owners-secret")
    # It is made once; schemathesis itself waits for it 10 s at most.
    assert httpx.get(f"{service.url}/openapi.json", timeout=60).status_code == 200
    ended = subprocess.run(
        [
            SCHEMATHESIS,
            f"--config-file={CONFIGURATION}",
            "run",
            f"{service.url}/openapi.json",
            "--header=Authorization: Bearer the-owners-secret",
            "--generation-deterministic",
            f"--max-examples={EXAMPLES}",
            "--continue-on-failure",
            "--no-shrink",
            "--no-color",
        ],
        cwd=tmp_path,
        env=environment() | {"SCHEMATHESIS_HOOKS": str(HOOKS)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
        check=False,
    )
    assert ended.returncode == 0, ended.stdout
    assert not [line for line in service.lines if '"level": "error"' in line]
