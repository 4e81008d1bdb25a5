"""The embedded Postgres ends when all its users were killed, and never while one of them lives."""

from pathlib import Path

from tests.app.database.embedded.postgres_users import User, is_stopped, query
from tests.app.processes import wait_until


def test_a_server_ends_after_the_last_of_its_users_was_killed_and_not_before(postgres_folder: Path) -> None:
    first, second = User(postgres_folder), User(postgres_folder)
    url = first.wait_for_url()
    assert second.wait_for_url() == url
    first.kill()
    assert query(url, "SELECT 1") == [(1,)]
    third = User(postgres_folder)
    assert third.wait_for_url() == url
    second.kill()
    assert query(url, "SELECT 1") == [(1,)]
    third.kill()
    wait_until(lambda: is_stopped(postgres_folder), "the server has ended")


def test_after_an_orderly_end_the_next_user_is_watched_too(postgres_folder: Path) -> None:
    for _ in range(3):
        orderly = User(postgres_folder)
        orderly.wait_for_url()
        orderly.leave()
        killed = User(postgres_folder)
        killed.wait_for_url()
        killed.kill()
        wait_until(lambda: is_stopped(postgres_folder), "the server has ended")
