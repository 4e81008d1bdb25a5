"""The wheel: one package `headgate`, made from the tree, whose commands run in an empty environment."""

import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

from tests.app.processes import environment, made_database
from tests.ingest.logs import make_events, to_json
from tools import build_backend

ROOT = Path(__file__).parents[2]
FPD = ROOT / "docs" / "examples" / "fpd"
FILES = ["--topology", str(FPD / "topology.yaml"), "--load", str(FPD / "load.yaml")]
UV = Path(sys.executable).with_name("uv")
MOST_MEGABYTES = 200


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    return folder / build_backend.build_wheel(str(folder))


def install(wheel: Path, folder: Path, extras: str = "", *options: str) -> Path:
    """The programs of an empty environment into which the wheel was installed, with what it asks for and no more."""
    for offline in ("--offline", "--no-progress"):  # the packages of this environment are in the cache of uv
        subprocess.run([UV, "venv", "--quiet", "--clear", "--python", sys.executable, folder], check=True)
        done = subprocess.run(
            [UV, "pip", "install", "--quiet", *options, offline, "--python", folder / "bin" / "python",
             "--constraint", ROOT / "requirements.lock", f"headgate{extras} @ {wheel.as_uri()}"],
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode == 0:
            return folder / "bin"
    raise AssertionError(done.stderr)


@pytest.fixture(scope="module")
def light(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install(wheel, tmp_path_factory.mktemp("light"), "", "--compile-bytecode")


def run(programs: Path, *arguments: str, **settings: str) -> "subprocess.CompletedProcess[str]":
    command = [str(programs / "headgate"), *arguments]
    return subprocess.run(
        command, env=environment(**settings), capture_output=True, text=True, check=False, cwd=programs
    )


FROM_THE_WHEEL = """
import sys
from headgate.migrations import runner
from headgate.app.jobs.workers import backtest_worker, ready_worker, simulation_worker
from headgate.app.main import create_app
from headgate.app.pages.openapi_document import render_yaml
from headgate.app.settings import Settings
from headgate.ingest import session
assert runner.migrate(sys.argv[1], "head")
sys.stdout.write(render_yaml(create_app(Settings(log_level="error")).openapi()))
assert not {"app", "planner", "ingest", "migrations"} & set(sys.modules)
"""


def list_names(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def test_the_wheel_holds_one_package_with_every_file_of_the_tree(wheel: Path):
    names = list_names(wheel)
    assert {name.split("/")[0] for name in names} == {"headgate", "headgate-0.1.0.dist-info"}
    stored = [
        path for package in build_backend.PACKAGES for path in (ROOT / package).rglob("*") if path.is_file()
    ]
    tracked = [path.relative_to(ROOT) for path in stored if "__pycache__" not in path.parts]
    assert {f"headgate/{name}" for name in tracked} <= names
    assert {"headgate/__main__.py", "headgate/py.typed", "headgate/app/cli.py"} <= names
    assert not [name for name in names if "__pycache__" in name]


def test_no_module_of_the_wheel_names_a_package_at_the_top(wheel: Path):
    with zipfile.ZipFile(wheel) as archive:
        sources = [archive.read(name).decode() for name in archive.namelist() if name.endswith(".py")]
    for source in sources:
        assert not re.search(r"^\s*(from|import) (app|planner|ingest|migrations)\b", source, re.MULTILINE)
        assert not re.search(r"[\"'](app|planner|ingest|migrations)\.\w+(\.\w+)+[\"':]", source)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("from app.web import fields\n", "from headgate.app.web import fields\n"),
        ("def f():\n    from planner import errors\n", "def f():\n    from headgate.planner import errors\n"),
        ("from application import x\n", "from application import x\n"),
        ("from .app import x\n", "from .app import x\n"),
        ('run("-m", "app.jobs.workers")\n', 'run("-m", "headgate.app.jobs.workers")\n'),
        ('load("app.serving.server:Server")\n', 'load("headgate.app.serving.server:Server")\n'),
        ('load(f"app.engines.{room}")\n', 'load(f"headgate.app.engines.{room}")\n'),
        ('say("app.example.org: no address")\n', 'say("app.example.org: no address")\n'),
        ('"""Text:\n\nfrom app.web it comes.\n"""\n', '"""Text:\n\nfrom app.web it comes.\n"""\n'),
    ],
)
def test_names_of_modules_are_changed_and_nothing_else_is(before: str, after: str):
    assert build_backend.rename_imports(before) == after


def test_an_import_that_cannot_be_renamed_is_refused():
    with pytest.raises(ValueError, match=r"import app\.web"):
        build_backend.rename_imports("import app.web\n")


def test_the_record_has_the_hash_and_the_size_of_every_file(wheel: Path):
    with zipfile.ZipFile(wheel) as archive:
        record = archive.read("headgate-0.1.0.dist-info/RECORD").decode().splitlines()
        listed = {line.rsplit(",", 2)[0]: line.rsplit(",", 2)[1:] for line in record}
        assert set(listed) == set(archive.namelist())
        for name in list(listed)[:-1]:
            content = archive.read(name)
            assert listed[name] == [build_backend.hash_content(content), str(len(content))]


def test_a_build_is_repeatable_also_from_the_archive_of_sources(wheel: Path, tmp_path: Path):
    archive = build_backend.build_sdist(str(tmp_path))
    with tarfile.open(tmp_path / archive) as packed:
        for one in packed.getmembers():  # Python 3.11.2, which Debian has, knows no filter for all of them
            packed.extract(one, tmp_path)
    source = tmp_path / archive.removesuffix(".tar.gz")
    built = subprocess.run(
        [sys.executable, "-c", "import build_backend; print(build_backend.build_wheel('.'))"],
        env=os.environ | {"PYTHONPATH": str(source / "tools")}, cwd=tmp_path,
        capture_output=True, text=True, check=True,
    ).stdout.strip()  # fmt: skip
    assert (tmp_path / built).read_bytes() == wheel.read_bytes()


def test_requirements_of_an_extra_keep_their_condition():
    assert build_backend.add_marker("fastapi>=1", "service") == "fastapi>=1 ; extra == 'service'"
    added = build_backend.add_marker("uvloop>=0.23; sys_platform != 'win32'", "service")
    assert added == "uvloop>=0.23 ; (sys_platform != 'win32') and extra == 'service'"


def test_what_is_installed_by_itself_is_light_with_all_bytecode(light: Path):
    size = sum(path.lstat().st_size for path in light.parent.rglob("*"))
    assert size < MOST_MEGABYTES * 1e6
    installed = subprocess.run(
        [UV, "pip", "list", "--quiet", "--python", light / "python"], capture_output=True, text=True, check=True
    ).stdout  # fmt: skip
    locked = (ROOT / "requirements-light.lock").read_text()
    names = {line.split()[0].lower() for line in installed.splitlines()[2:]} - {"headgate"}
    assert names == {
        name for name in re.findall(r"^([\w.-]+)==", locked, re.MULTILINE) if name not in {"colorama", "tzdata"}
    }  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--help"], "min-latency|Plan from files"),
        (["--version"], r"headgate 0\.1\.0"),
        (["plan", "min-latency", *FILES, "--k-max", "22"], r"E\[T\] 63\.3 ms with 22 processors"),
        (["estimate", *FILES], r"E\[T\] 63\.3 ms"),
        (["gate", *FILES], "detector"),
        (["settings"], "HEADGATE_DATA_DIR="),
        (["keys", "new", "ci"], "secret "),
        (["bridge", "flink", "--help"], "--health-port"),
    ],
)
def test_commands_run_in_the_light_environment(light: Path, arguments: list[str], expected: str):
    ended = run(light, *arguments)
    assert ended.returncode == 0, ended.stderr
    assert re.search(expected, ended.stdout), ended.stdout


def test_python_m_headgate_is_the_same_command(light: Path):
    command = [str(light / "python"), "-m", "headgate", "--version"]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "headgate 0.1.0\n"


@pytest.mark.parametrize(
    ("arguments", "code", "expected"),
    [
        (["plan", "min-latency", *FILES, "--k-max", "2"], 1, "budget-too-small: 2 processors in all are 16 too few"),
        (["gate", *FILES, "--rate", "2x"], 1, ""),
        (["serve"], 2, r"is not installed: pip install 'headgate\[service\]'"),
        (["simulate", *FILES], 2, r"pip install 'headgate\[service\]'"),
        (["gate", *FILES, "--t-max", "1s", "--target-quantile", "0.9"], 2, r"needs (numba|scipy).*\[service\]"),
        (["ingest", "logs"], 2, r"ingest needs Spark.*pip install 'headgate\[ingest\]'"),
    ],
)  # fmt: skip
def test_what_the_light_environment_lacks_is_a_sentence(
    light: Path, arguments: list[str], code: int, expected: str
):
    ended = run(light, *arguments)
    assert ended.returncode == code, ended.stderr
    assert re.search(expected, ended.stderr), ended.stderr
    assert "Traceback" not in ended.stderr


OFFER = (
    "from headgate.app.terminal.mcp_tools import open_server; print(open_server('http://a', None, None).name)"
)
SEND = "from headgate.app.web.telemetry import OtlpTelemetry; OtlpTelemetry().close(); print('closed')"
OF_EXTRAS: dict[str, list[tuple[list[str], str]]] = {
    "service,embedded": [
        (["openapi"], "^openapi: "),
        (["migrate"], "^schema "),
        (["serve", "--help"], "--port"),
    ],
    "ingest": [(["ingest", "log.jsonl", "--dry-run"], "records")],
    "mcp": [(["mcp", "--help"], "--storing-key"), (["-c", OFFER], "^headgate$")],
    "telemetry": [(["-c", SEND], "^closed$")],
}


@pytest.mark.parametrize("extras", OF_EXTRAS)
def test_each_extra_brings_what_its_commands_need(wheel: Path, tmp_path: Path, extras: str):
    programs = install(wheel, tmp_path / "env", f"[{extras}]")
    (tmp_path / "log.jsonl").write_text("".join(f"{to_json(event)}\n" for event in make_events(20, seed=1)))
    for arguments, expected in OF_EXTRAS[extras]:
        program = programs / ("python" if arguments[0] == "-c" else "headgate")
        ended = subprocess.run(
            [str(program), *arguments], env=environment(data_dir=str(tmp_path / "data")), cwd=tmp_path,
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert ended.returncode == 0, ended.stderr
        assert re.search(expected, ended.stdout + ended.stderr, re.MULTILINE), ended.stdout


def test_uvx_runs_the_gate_from_the_wheel(wheel: Path, tmp_path: Path):
    """As `uvx headgate gate` does where an index has the wheel."""
    command = [
        str(UV),
        "tool",
        "run",
        "--no-config",
        "--constraint",
        str(ROOT / "requirements.lock"),
        "--from",
        str(wheel),
    ]
    for offline in ("--offline", "--no-progress"):
        ended = subprocess.run(
            [*command, offline, "headgate", "gate", *FILES, "--t-max", "0.07"], cwd=tmp_path,
            env=environment() | {"UV_TOOL_DIR": str(tmp_path)}, capture_output=True, text=True, check=False,
        )  # fmt: skip
        if ended.returncode == 0:
            break
    assert ended.stdout.startswith("pass: 22 processors"), ended.stderr


def test_the_service_runs_from_the_wheel(wheel: Path, tmp_path: Path, postgres_url: str):
    """Its schema, its OpenAPI document and its workers, with no package of the tree at the top."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    with made_database(postgres_url) as url:
        ended = subprocess.run(
            [sys.executable, "-P", "-c", FROM_THE_WHEEL, url], env=os.environ | {"PYTHONPATH": str(tmp_path)},
            cwd=tmp_path, capture_output=True, text=True, check=False,
        )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout == (ROOT / "openapi.yaml").read_text()


def test_the_metadata_are_those_of_the_project():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    said = build_backend.write_metadata()
    head, _, readme = said.partition("\n\n")
    assert head.startswith("Metadata-Version: 2.4\nName: headgate\n")
    assert [line.split(": ")[1] for line in head.splitlines() if line.startswith("Provides-Extra")] == list(
        project["optional-dependencies"]
    )
    assert readme == (ROOT / "README.md").read_text()
