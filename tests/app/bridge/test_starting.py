"""What the command line and the environment say."""

from pathlib import Path
from typing import Any

import httpx
import pytest

from app.bridge.displays import JsonLines, PlainLines
from app.bridge.http_clients import BearerToken
from app.bridge.starting import (
    Given,
    describe_start,
    find_engine_auth,
    find_service_auth,
    open_display,
    read_engine,
    read_plan,
    read_topology,
)
from app.terminal.commands import Refused

ABSENT: dict[str, Any] = dict.fromkeys(Given._fields)
WRITTEN = {
    "engine": "flink",
    "url": "http://me:secret@engine:8081",
    "job": "fpd",
    "service": "http://127.0.0.1:8000",
}
DEFAULTS = {
    "interval": "15s",
    "apply": False,
    "max_step": "2x",
    "once": False,
    "settle": "120s",
    "output": "auto",
}
GIVEN = Given(**ABSENT | WRITTEN | DEFAULTS)


def test_numbers_are_read():
    plan = read_plan(GIVEN._replace(t_max="200ms", apply=True, max_step="1.5x"))
    assert plan.terms[:3] == (True, 1.5, 120.0)
    assert plan.interval_seconds == 15.0
    assert plan.policy == {"goal": {"t_max_seconds": 0.2}}


def test_a_policy_is_a_document_with_a_goal(tmp_path: Path):
    file = tmp_path / "policy.yaml"
    file.write_text("goal:\n  t_max_seconds: 0.2\n")
    assert read_plan(GIVEN._replace(policy=file)).policy == {"goal": {"t_max_seconds": 0.2}}
    with pytest.raises(Refused, match="contradict"):
        read_plan(GIVEN._replace(policy=file, t_max="1s"))
    file.write_text("- 1")
    with pytest.raises(Refused, match="not a policy"):
        read_plan(GIVEN._replace(policy=file))


def test_the_topology_has_the_name_of_the_job_unless_another_one_is_given():
    assert read_topology(GIVEN) == "fpd"
    assert read_topology(GIVEN._replace(topology="other")) == "other"
    assert read_topology(GIVEN._replace(engine="heron", job="local/me/default/fpd")) == "fpd"
    assert read_topology(GIVEN._replace(topology="")) == "fpd", "an unset variable of a container"
    assert read_topology(GIVEN._replace(job=None)) is None, "that of the only job"
    with pytest.raises(Refused, match="--topology"):
        read_topology(GIVEN._replace(job="insert-into_a/b"))


def test_an_engine_that_is_not_known_is_refused_with_those_that_are():
    assert read_engine(GIVEN) == "flink"
    with pytest.raises(Refused, match="heron"):
        read_engine(GIVEN._replace(engine="samza"))


def find_token(auth: httpx.Auth | None) -> str | Path:
    assert isinstance(auth, BearerToken)
    return auth.token


def test_credentials_come_from_files_before_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for name in ("API_KEY", "ENGINE_TOKEN", "ENGINE_USER", "ENGINE_PASSWORD"):
        monkeypatch.delenv(f"HEADGATE_{name}", raising=False)
    assert find_service_auth(GIVEN) is None
    assert find_engine_auth(GIVEN) is None
    monkeypatch.setenv("HEADGATE_API_KEY", "key")
    monkeypatch.setenv("HEADGATE_ENGINE_USER", "me")
    monkeypatch.setenv("HEADGATE_ENGINE_PASSWORD", "secret")
    assert find_token(find_service_auth(GIVEN)) == "key"
    assert isinstance(find_engine_auth(GIVEN), httpx.BasicAuth)
    monkeypatch.setenv("HEADGATE_ENGINE_TOKEN", "token")
    assert find_token(find_engine_auth(GIVEN)) == "token"
    file = tmp_path / "secret"
    file.write_text("x")
    files = GIVEN._replace(api_key_file=file, engine_token_file=file)
    assert find_token(find_service_auth(files)) == file
    assert find_token(find_engine_auth(files)) == file
    with pytest.raises(Refused, match="cannot be read"):
        find_service_auth(GIVEN._replace(api_key_file=tmp_path / "none"))


def test_elsewhere_than_on_a_terminal_there_are_lines(capsys: pytest.CaptureFixture[str]):
    assert isinstance(open_display(GIVEN, "fpd"), PlainLines)
    assert isinstance(open_display(GIVEN._replace(output="json"), "fpd"), JsonLines)
    assert capsys.readouterr().out == ""


def test_the_start_says_what_is_applied_and_no_password():
    assert "secret" not in describe_start(GIVEN, "fpd")
    assert "nothing is changed" in describe_start(GIVEN, "fpd")
    assert "decisions are applied" in describe_start(GIVEN._replace(apply=True), "fpd")
