"""The action for GitHub and the template for GitLab: their steps run here, beside a server in the place of either."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

import pytest
import yaml

from tests.app.processes import environment

ROOT = Path(__file__).parents[2]
FPD = ROOT / "docs" / "examples" / "fpd"
FILES = f"{FPD / 'topology.yaml'} --load {FPD / 'load.yaml'}"
ACTION = yaml.safe_load((ROOT / "ci" / "github" / "action.yml").read_text())
TEMPLATE = yaml.safe_load((ROOT / "ci" / "gitlab" / "gate.yml").read_text())[".headgate-gate"]


class Forge:
    """A server that keeps comments as GitHub and GitLab do."""

    def __init__(self) -> None:
        self.comments: list[dict[str, Any]] = []
        self.requests: list[tuple[str, str]] = []
        self.headers: dict[str, str] = {}
        self.is_broken = False
        forge = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                length = int(self.headers.get("Content-Length", 0))
                body = json.loads(self.rfile.read(length)) if length else {}
                forge.headers = dict(self.headers)
                path = urlsplit(self.path).path
                forge.requests.append((self.command, path))
                answer = json.dumps(forge.answer(self.command, path, body)).encode()
                self.send_response(500 if forge.is_broken else 200)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            do_POST = do_PUT = do_PATCH = do_GET  # noqa: N815  # as http.server calls them

            def log_message(self, *_: Any) -> None:
                """Writes no log."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def answer(self, method: str, path: str, body: dict[str, Any]) -> Any:
        if method == "GET":
            return self.comments
        if method == "POST":
            self.comments.append({"id": 100 + len(self.comments), **body})
            return self.comments[-1]
        [changed] = [one for one in self.comments if str(one["id"]) == path.rsplit("/", maxsplit=1)[-1]]
        changed.update(body)
        return changed


@pytest.fixture
def forge() -> Iterator[Forge]:
    made = Forge()
    thread = Thread(target=made.server.serve_forever, args=[0.01])
    thread.start()
    yield made
    made.server.shutdown()
    thread.join()
    made.server.server_close()


def run_step(step: str, folder: Path, **variables: str) -> "subprocess.CompletedProcess[str]":
    path = {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run(
        ["sh", "-ec", step], env=environment() | path | variables, cwd=folder,
        capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.fixture(scope="module")
def cached(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder in which jobs keep the installation; uv has its packages in the cache, or fetches them."""
    folder = tmp_path_factory.mktemp("cache")
    install = f"sh {ROOT}/ci/install.sh {folder}/headgate"
    if run_step(install, folder, UV_OFFLINE="1").returncode:
        assert run_step(install, folder).returncode == 0
    return folder


def run_github(cached: Path, tmp_path: Path, forge: Forge, arguments: str, token: str = "t0ken"):
    [step] = ACTION["runs"]["steps"]
    assert step["env"] == {"ARGUMENTS": "${{ inputs.arguments }}", "GITHUB_TOKEN": "${{ inputs.token }}"}
    event = tmp_path / "event.json"
    event.write_text(json.dumps({"pull_request": {"number": 7}}))
    return run_step(
        step["run"], tmp_path, ARGUMENTS=arguments, GITHUB_TOKEN=token, GITHUB_API_URL=forge.url,
        GITHUB_REPOSITORY="acme/clicks", GITHUB_EVENT_PATH=str(event), RUNNER_TEMP=str(cached),
        GITHUB_ACTION_PATH=str(ROOT / "ci" / "github"), GITHUB_STEP_SUMMARY=str(tmp_path / "summary.md"),
    )  # fmt: skip


def test_the_action_passes_comments_once_and_changes_its_comment_later(
    cached: Path, tmp_path: Path, forge: Forge
):
    forge.comments.append({"id": 1, "body": "of somebody else"})
    passed = run_github(cached, tmp_path, forge, f"{FILES} --t-max 70ms")
    assert passed.returncode == 0, passed.stderr
    assert forge.headers["Authorization"] == "Bearer t0ken"
    short = run_github(cached, tmp_path, forge, f"{FILES} --rate 1.5x")
    assert short.returncode == 1, short.stderr
    assert "::error" in short.stdout
    other, ours = forge.comments
    assert other["body"] == "of somebody else"
    assert ours["body"].startswith("<!-- headgate gate -->\n")
    assert "detector" in ours["body"]
    assert forge.requests == [
        ("GET", "/repos/acme/clicks/issues/7/comments"),
        ("POST", "/repos/acme/clicks/issues/7/comments"),
        ("GET", "/repos/acme/clicks/issues/7/comments"),
        ("PATCH", "/repos/acme/clicks/issues/comments/101"),
    ]
    assert "FAIL" in (tmp_path / "summary.md").read_text()


def test_what_cannot_be_judged_is_2_and_says_why(cached: Path, tmp_path: Path, forge: Forge):
    ended = run_github(cached, tmp_path, forge, "no-such-file.yaml --load none.yaml")
    assert ended.returncode == 2
    assert "no-such-file.yaml" in ended.stdout + ended.stderr


def test_without_a_token_nothing_is_written_and_the_verdict_stands(
    cached: Path, tmp_path: Path, forge: Forge
):
    assert run_github(cached, tmp_path, forge, FILES, token="").returncode == 0
    assert not forge.requests


def test_a_comment_that_fails_does_not_change_the_verdict(cached: Path, tmp_path: Path, forge: Forge):
    forge.is_broken = True
    ended = run_github(cached, tmp_path, forge, FILES)
    assert ended.returncode == 0
    assert "the comment cannot be written" in ended.stderr


def test_the_template_runs_in_the_same_way(cached: Path, tmp_path: Path, forge: Forge):
    clone, gate = TEMPLATE["script"]
    assert clone == 'git clone --quiet --depth 1 "$HEADGATE_SOURCE" .headgate-source'
    (tmp_path / ".headgate-source").symlink_to(ROOT)
    (tmp_path / ".headgate-gate").symlink_to(cached / "headgate")
    variables = {
        "HEADGATE_GATE": f"{FILES} --rate 1.5x",
        "HEADGATE_COMMENT_TOKEN": "t0ken",
        "CI_API_V4_URL": forge.url,
        "CI_PROJECT_ID": "42",
        "CI_MERGE_REQUEST_IID": "3",
    }
    for _ in range(2):
        ended = run_step(gate, tmp_path, **variables)
        assert ended.returncode == 1, ended.stderr
    assert forge.headers["Private-Token"] == "t0ken"
    assert [one[0] for one in forge.requests] == ["GET", "POST", "GET", "PUT"]
    assert forge.requests[-1][1] == "/projects/42/merge_requests/3/notes/100"
    assert "<testsuite" in (tmp_path / "gate.xml").read_text()
    assert TEMPLATE["artifacts"] == {"when": "always", "reports": {"junit": "gate.xml"}}


def test_the_page_for_owners_of_pipelines_names_both():
    page = (ROOT / "docs" / "guides" / "ci.md").read_text()
    assert re.search(r"uses: your-org/headgate/ci/github@", page)
    assert "ci/gitlab/gate.yml" in page
