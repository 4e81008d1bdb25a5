"""The way in: locks that pin everything, a script that does nothing twice, errors that name the way out."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LOCKS = [f"requirements{part}.lock" for part in ("-light", "-serve", "", "-dev", "-engines", "-uv")]
SERVE = "requirements-serve.lock"

FAKE_PYTHON = """#!/bin/sh
# Stands in for an interpreter: notes how it is called, fails where it should.
echo "$*" >> {calls}
case "$*" in
    *version_info\\[:2\\]*) echo {version} ;;
    *"< (3, 11)"*) {new_enough} ;;
    *ensurepip*) {has_venv} ;;
esac
"""


def read_pins(lock: str) -> dict[str, set[str]]:
    pins: dict[str, set[str]] = {}
    for name, version in re.findall(r"^([\w.-]+)==([^ \\]+)", (ROOT / lock).read_text(), re.MULTILINE):
        pins.setdefault(name.lower(), set()).add(version)
    return pins


def write_python(
    path: Path, *, version: str = "3.12", new_enough: bool = True, has_venv: bool = True
) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        FAKE_PYTHON.format(
            calls=path.with_suffix(".calls"),
            version=version,
            new_enough=str(new_enough).lower(),
            has_venv=str(has_venv).lower(),
        )
    )
    path.chmod(0o755)
    return path


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """What `make setup` reads, in a folder of its own."""
    (tmp_path / "tools").mkdir()
    for name in ("tools/setup.sh", "tools/trim.sh", "tools/build_backend.py", "pyproject.toml", *LOCKS):
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def run_setup(checkout: Path, lock: str = SERVE, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["/bin/sh", "tools/setup.sh", lock],
        cwd=checkout,
        env={"PATH": f"{checkout / 'bin'}:/usr/bin:/bin", **variables},
        capture_output=True,
        text=True,
        check=False,
    )


def install_by_hand(checkout: Path) -> Path:
    """An environment as setup leaves it, around a stand-in for Python."""
    python = write_python(checkout / ".venv" / "bin" / "python")
    for program in ("headgate", "uv"):
        shutil.copy(python, python.with_name(program))
    names = ("pyproject.toml", "tools/build_backend.py", "requirements-uv.lock", SERVE)
    inputs = [checkout / name for name in names]
    fingerprint = f"{checkout.resolve()}\n" + "".join(path.read_text() for path in inputs)
    (checkout / ".venv" / f"{SERVE}.installed").write_text(fingerprint)
    (checkout / ".venv" / "place").write_text(f"{checkout.resolve()}\n")
    return python.with_suffix(".calls")


@pytest.mark.parametrize("lock", LOCKS)
def test_every_pin_has_its_hashes_and_no_address(lock: str) -> None:
    text = (ROOT / lock).read_text()
    requirements = [block for block in re.split(r"\n(?=[\w.-]+==)", text) if "==" in block]
    assert requirements
    assert all("--hash=sha256:" in block for block in requirements)
    assert "://" not in text
    assert "index-url" not in text


@pytest.mark.parametrize(
    ("larger", "smaller"),
    [
        ("requirements-serve.lock", "requirements-light.lock"),
        ("requirements.lock", "requirements-serve.lock"),
        ("requirements-dev.lock", "requirements.lock"),
        ("requirements-engines.lock", "requirements-dev.lock"),
        ("requirements-bench.lock", "requirements-engines.lock"),
    ],
)
def test_a_larger_lock_holds_all_of_the_smaller_one_in_the_same_versions(larger: str, smaller: str) -> None:
    pins = read_pins(larger)
    assert {name: pins.get(name) for name in read_pins(smaller)} == read_pins(smaller)


def test_everything_that_the_project_asks_for_is_pinned() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    extras = project["project"]["optional-dependencies"]
    for lock, wanted in (
        ("requirements-light.lock", project["project"]["dependencies"]),
        (
            "requirements-serve.lock",
            [one for extra in ("service", "embedded", "pictures") for one in extras[extra]],
        ),
        ("requirements.lock", [one for requirements in extras.values() for one in requirements]),
        ("requirements-uv.lock", project["dependency-groups"]["installer"]),
        ("requirements-dev.lock", project["dependency-groups"]["dev"]),
        ("requirements-engines.lock", project["dependency-groups"]["engines"]),
        ("requirements-bench.lock", project["dependency-groups"]["bench"]),
    ):
        names = {re.split(r"[^\w.-]", requirement)[0].lower() for requirement in wanted}
        assert names <= set(read_pins(lock)), lock


def test_a_second_setup_starts_nothing(checkout: Path) -> None:
    calls = install_by_hand(checkout)
    done = run_setup(checkout)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert not calls.exists()


@pytest.mark.parametrize("changed", [SERVE, "pyproject.toml", "requirements-uv.lock"])
def test_a_change_of_what_is_to_be_installed_installs_it(checkout: Path, changed: str) -> None:
    calls = install_by_hand(checkout)
    with (checkout / changed).open("a") as file:
        file.write("# changed\n")
    assert run_setup(checkout).returncode == 0
    assert "--require-hashes -r requirements-uv.lock" in calls.read_text()
    calls.unlink()
    assert run_setup(checkout).returncode == 0
    assert not calls.exists()


def test_an_environment_that_only_serves_keeps_no_installer(checkout: Path) -> None:
    calls = install_by_hand(checkout)
    for lock, removed in (("requirements.lock", False), (SERVE, True)):
        (checkout / SERVE).write_text(f"# changed for {lock}\n")
        assert run_setup(checkout, lock).returncode == 0
        assert ("-m pip uninstall -qq --yes" in calls.read_text()) is removed


def test_a_larger_lock_counts_as_the_smaller_ones_too(checkout: Path) -> None:
    calls = install_by_hand(checkout)
    assert run_setup(checkout, "requirements.lock").returncode == 0
    calls.unlink()
    assert run_setup(checkout, SERVE).stdout == ""
    assert run_setup(checkout, "requirements.lock").stdout == ""
    assert not calls.exists()
    assert run_setup(checkout, "requirements-dev.lock").stdout.startswith(
        "headgate: installing what requirements-dev"
    )


def test_a_long_installation_says_that_it_goes_on(checkout: Path) -> None:
    """Without a terminal a line every ten seconds; a stand-in for `sleep` makes each of them short."""
    install_by_hand(checkout)
    (checkout / SERVE).write_text("# changed\n")
    (checkout / ".venv" / "bin" / "uv").write_text("#!/bin/sh\nexec /bin/sleep 0.3\n")
    (checkout / "bin").mkdir()
    (checkout / "bin" / "sleep").write_text("#!/bin/sh\nexec /bin/sleep 0.05\n")
    (checkout / "bin" / "sleep").chmod(0o755)
    done = run_setup(checkout)
    assert done.returncode == 0, done.stderr
    assert (
        "headgate: still installing after 10 s ...\nheadgate: still installing after 20 s ...\n"
        in done.stdout
    )


def test_an_installation_that_fails_is_not_taken_for_done(checkout: Path) -> None:
    install_by_hand(checkout)
    (checkout / SERVE).write_text("# changed\n")
    (checkout / ".venv" / "bin" / "uv").write_text("#!/bin/sh\necho no network >&2; exit 3\n")
    failed = run_setup(checkout)
    assert (failed.returncode, failed.stderr) == (3, "no network\n")
    assert "# changed" not in (checkout / ".venv" / f"{SERVE}.installed").read_text()


def test_an_environment_that_was_moved_is_made_anew(checkout: Path, tmp_path: Path) -> None:
    install_by_hand(checkout)
    (checkout / ".venv" / "place").write_text("/somewhere/else\n")
    (checkout / ".venv" / f"{SERVE}.installed").write_text("/somewhere/else\n")
    write_python(tmp_path / "bin" / "python3")
    assert run_setup(checkout).returncode == 0
    assert "-m venv --clear .venv" in (tmp_path / "bin" / "python3.calls").read_text()


def test_another_interpreter_that_is_asked_for_is_taken(checkout: Path, tmp_path: Path) -> None:
    install_by_hand(checkout)
    other = write_python(tmp_path / "bin" / "python3.13", version="3.13")
    assert run_setup(checkout, PYTHON="python3.13").returncode == 0
    assert "-m venv --clear .venv" in other.with_suffix(".calls").read_text()


@pytest.mark.parametrize(
    ("python", "expected"),
    [
        ({"version": "3.9", "new_enough": False}, r"is Python 3\.9, .* 3\.11 or newer.*PYTHON=python3\.12"),
        ({"has_venv": False}, r"apt-get install python3\.12-venv"),
    ],
)
def test_an_unfit_interpreter_gets_one_line_that_says_what_to_do(
    checkout: Path, tmp_path: Path, python: dict[str, object], expected: str
) -> None:
    write_python(tmp_path / "bin" / "python3", **python)  # type: ignore[arg-type]  # as the parameters say
    refused = run_setup(checkout)
    assert refused.returncode == 1
    assert re.fullmatch(f"headgate: .*{expected}.*\n", refused.stderr)


def test_a_missing_interpreter_gets_one_line_too(checkout: Path) -> None:
    refused = run_setup(checkout, PYTHON="python-of-nowhere")
    assert refused.returncode == 1
    assert refused.stderr.count("\n") == 1
    assert "no working python-of-nowhere" in refused.stderr


@pytest.mark.parametrize("variable", ["PIP_INDEX_URL"])
def test_the_index_that_pip_is_set_up_with_is_handed_to_uv(checkout: Path, variable: str) -> None:
    install_by_hand(checkout)
    (checkout / SERVE).write_text("# changed\n")
    uv = checkout / ".venv" / "bin" / "uv"
    uv.write_text(f'#!/bin/sh\necho "$UV_DEFAULT_INDEX" >> {checkout / "index"}\n')
    python = checkout / ".venv" / "bin" / "python"
    python.write_text(f'#!/bin/sh\ncase "$3" in *install) ;; *) exec {sys.executable} "$@" ;; esac\n')
    (checkout / ".venv" / "bin" / "headgate").touch(mode=0o755)
    done = run_setup(checkout, **{variable: "http://127.0.0.1:9/simple", "HOME": str(checkout)})
    assert done.returncode == 0, done.stderr
    assert set((checkout / "index").read_text().split()) == {"http://127.0.0.1:9/simple"}


def test_make_alone_lists_every_target_with_what_it_does() -> None:
    listed = subprocess.run(["make"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert {"setup", "run", "test", "test-engines", "lint", "migrate", "openapi", "bench", "help"} <= set(
        targets
    )
    for target in targets:
        assert re.search(rf"^  make {target} +\w", listed, re.MULTILINE), target


def test_ci_runs_what_the_readme_says() -> None:
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    commands = [
        line for line in script.read_text().splitlines() if line and not line.startswith(("#", "set ", "cd "))
    ]
    assert commands == ["make test", "make test-engines"]
    assert all(command in (ROOT / "README.md").read_text() for command in commands)


def ask_for(*needed: str, path: Path) -> subprocess.CompletedProcess[str]:
    """Runs need_programs.sh where nothing can be installed: `path` holds all the programs there are."""
    (path / "python3").symlink_to(sys.executable)
    for program in ("uname", "id"):
        (path / program).symlink_to(str(shutil.which(program)))
    return subprocess.run(
        ["/bin/sh", str(ROOT / "tools" / "need_programs.sh"), *needed],
        env={"PATH": str(path)},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_missing_library_is_asked_for_by_its_package(tmp_path: Path) -> None:
    asked = ask_for("libc.so.6=libc6", "libnowhere.so.1=libnowhere1", "uname", path=tmp_path)
    assert asked.returncode == (1 if sys.platform == "linux" else 0)
    assert ("libnowhere1" in asked.stderr) is (sys.platform == "linux")
    assert "libc6" not in asked.stderr


def test_make_test_asks_for_what_the_browser_driver_loads() -> None:
    """The driver is a Node that a Python package carries; Debian's chromium brings all that it loads but libatomic."""
    recipe = (ROOT / "Makefile").read_text()
    assert re.search(
        r"^test:.*\n\t@sh tools/need_programs\.sh .*libatomic\.so\.1=libatomic1", recipe, re.MULTILINE
    )
