"""One server per data folder, for all its users, also when users or the server are killed."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from app.database.embedded.embedded_postgres import EmbeddedPostgresError, shared_postgres
from tests.app.database.embedded.postgres_users import User, is_stopped, query, read_postmaster


@pytest.fixture
def start_user(postgres_folder: Path) -> Iterator[Callable[[], User]]:
    """Starts users of the folder; at the end the survivors leave, and with them the server."""
    with ExitStack() as stack:

        def start() -> User:
            user = User(postgres_folder)
            stack.callback(user.kill)
            return user

        yield start
    if not is_stopped(postgres_folder):
        with shared_postgres(postgres_folder):
            pass


def test_users_who_come_at_once_share_one_server_and_the_last_one_out_stops_it(
    postgres_folder: Path, start_user: Callable[[], User]
) -> None:
    first, second = start_user(), start_user()
    url = first.wait_for_url()
    assert second.wait_for_url() == url
    assert url.startswith("postgresql+psycopg://headgate:")
    first.leave()
    assert query(url, "SELECT current_database()") == [("headgate",)]
    second.leave()
    assert is_stopped(postgres_folder)


def store_kept(user: User) -> str:
    """Where the user found its server, which has a table `kept` from now on."""
    url = user.wait_for_url()
    query(url, "CREATE TABLE kept AS SELECT 42 AS answer")
    return url


def find_kept(folder: Path) -> tuple[str, list[tuple[object, ...]]]:
    """Where the next user finds the server, and the rows of the table `kept` there."""
    with shared_postgres(folder) as url:
        return url, query(url, "SELECT answer FROM kept")


def test_after_a_kill_the_next_user_finds_what_was_stored(
    postgres_folder: Path, start_user: Callable[[], User]
) -> None:
    killed = start_user()
    store_kept(killed)
    killed.kill()
    assert find_kept(postgres_folder)[1] == [(42,)]
    assert is_stopped(postgres_folder)


def test_a_killed_server_comes_back_with_what_was_committed_and_where_its_users_look_for_it(
    postgres_folder: Path, start_user: Callable[[], User]
) -> None:
    bereaved = start_user()
    url = store_kept(bereaved)
    os.kill(read_postmaster(postgres_folder), signal.SIGKILL)
    assert find_kept(postgres_folder) == (url, [(42,)])
    assert query(url, "SELECT answer FROM kept") == [(42,)], "the first user still needs it"
    bereaved.leave()
    assert is_stopped(postgres_folder)


def test_a_user_killed_while_it_makes_the_database_leaves_nothing_half_made(
    postgres_folder: Path, start_user: Callable[[], User]
) -> None:
    killed = start_user()
    while not list(postgres_folder.glob("postgres/data-*/PG_VERSION")):
        assert killed.process.poll() is None
    killed.kill()
    with shared_postgres(postgres_folder) as url:
        assert query(url, "SELECT current_database()") == [("headgate",)]


def test_an_interrupt_in_the_terminal_ends_the_user_and_not_the_server_of_others(
    postgres_folder: Path, start_user: Callable[[], User]
) -> None:
    with shared_postgres(postgres_folder) as url:
        interrupted = start_user()
        interrupted.wait_for_url()
        assert os.getsid(read_postmaster(postgres_folder)) != os.getsid(0)
        interrupted.process.send_signal(signal.SIGINT)
        interrupted.process.communicate()
        assert query(url, "SELECT 1") == [(1,)]


def test_a_commit_is_written_through_to_the_disk(folder_in_use: tuple[Path, str]) -> None:
    _, url = folder_in_use
    for setting in ("fsync", "synchronous_commit", "full_page_writes"):
        assert query(url, f"SHOW {setting}") == [("on",)]


def test_the_server_listens_on_loopback_only_and_never_runs_as_root(
    folder_in_use: tuple[Path, str],
) -> None:
    data_dir, url = folder_in_use
    assert query(url, "SHOW listen_addresses") == [("127.0.0.1",)]
    assert query(url, "SHOW unix_socket_directories") == [("",)]
    assert (data_dir / "postgres" / "data" / "postmaster.pid").stat().st_uid != 0


def test_what_the_environment_says_of_another_postgres_does_not_matter(
    postgres_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in (
        ("PGSSLMODE", "verify-full"),
        ("PGPORT", "1"),
        ("PGDATA", "/nowhere"),
        ("PGUSER", "nobody"),
    ):
        monkeypatch.setenv(name, value)
    with shared_postgres(postgres_folder) as url:
        assert query(url, "SELECT current_user") == [("headgate",)]


def test_a_folder_that_cannot_be_written_to_is_named_with_the_way_out(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with (
        pytest.raises(EmbeddedPostgresError, match=r"(?s)file/data.*HEADGATE_DATA_DIR"),
        shared_postgres(tmp_path / "file" / "data"),
    ):
        pass


def test_a_server_that_cannot_start_says_what_postgres_said(
    postgres_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with shared_postgres(postgres_folder):
        pass
    with (postgres_folder / "postgres" / "data" / "postgresql.conf").open("a") as settings:
        settings.write("shared_buffers = nonsense\n")
    monkeypatch.setattr("app.database.embedded.embedded_postgres.RETRY_SECONDS", 0.0)
    said = r'(?s)shared_buffers.*"nonsense".*postgres\.log'
    with pytest.raises(EmbeddedPostgresError, match=said), shared_postgres(postgres_folder):
        pass
