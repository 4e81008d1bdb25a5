"""Versions of named documents: numbered from 1, never changed, and found by name."""

import threading
import uuid
from collections.abc import Iterator

import pytest
from sqlalchemy import Engine, create_engine, text
from sqlalchemy.orm import Session

from app.database.tables import ProfileRow
from app.database.versions import (
    add_version,
    delete_versions,
    find_newest_versions,
    find_version,
    read_version,
    tell_versions,
)
from app.web.problems.stored_data_errors import UnknownProfile
from tests.app.processes import Service, wait_until


@pytest.fixture
def engine(service: Service, database_url: str) -> Iterator[Engine]:
    """The session's database, which its service has migrated."""
    assert service.url
    engine = create_engine(database_url)
    yield engine
    engine.dispose()


def define(mark: int) -> dict[str, object]:
    """A definition that the service can list, for other tests read the same table."""
    return {"points": [], "measured_on": str(mark)}


def read_mark(row: ProfileRow) -> int:
    return int(row.definition["measured_on"])


def add(engine: Engine, name: str, mark: int) -> int:
    with Session(engine) as session, session.begin():
        return add_version(session, ProfileRow(name=name, definition=define(mark))).version


def test_versions_count_from_one_and_older_ones_stay(engine: Engine, name: str):
    assert [add(engine, name, mark) for mark in (10, 20, 30)] == [1, 2, 3]
    with Session(engine) as session:
        marks = [
            read_mark(found)
            for version in (1, 2, 3, None)
            if (found := find_version(session, ProfileRow, name, version))
        ]
        assert marks == [10, 20, 30, 30]
        assert find_version(session, ProfileRow, name, 4) is None


def test_the_newest_of_several_names_come_in_one_query(engine: Engine, name: str):
    other, missing = f"{name}-other", f"{name}-missing"
    for mark in (1, 2):
        add(engine, name, mark)
    add(engine, other, 7)
    with Session(engine) as session:
        rows = find_newest_versions(session, ProfileRow, {name, other, missing})
        assert {row.name: (row.version, read_mark(row)) for row in rows} == {
            name: (2, 2),
            other: (1, 7),
        }
        assert find_newest_versions(session, ProfileRow, set()) == []


def test_a_missing_version_is_told_from_a_misspelt_name(engine: Engine):
    name = f"profile-{uuid.uuid4().hex}"
    add(engine, name, 1)
    add(engine, name, 2)
    with Session(engine) as session:
        assert tell_versions(session, ProfileRow, name) == " It has the versions 1 to 2."
        assert f"'{name}'" in tell_versions(session, ProfileRow, name[:-1])


def test_deleting_removes_all_versions_and_refuses_a_name_without_any(engine: Engine, name: str):
    add(engine, name, 1)
    add(engine, name, 2)
    with Session(engine) as session, session.begin():
        delete_versions(session, ProfileRow, UnknownProfile, name)
        assert find_version(session, ProfileRow, name) is None
        with pytest.raises(UnknownProfile):
            delete_versions(session, ProfileRow, UnknownProfile, name)


def test_a_version_is_read_or_refused(engine: Engine, name: str):
    add(engine, name, 1)
    with Session(engine) as session:
        assert read_version(session, ProfileRow, UnknownProfile, name, 1).version == 1
        with pytest.raises(UnknownProfile, match="versions 1 to 1"):
            read_version(session, ProfileRow, UnknownProfile, name, 2)


def test_an_addition_waits_for_another_to_the_same_name(engine: Engine, name: str):
    found: list[int] = []
    with Session(engine) as first, first.begin():
        add_version(first, ProfileRow(name=name, definition=define(1)))
        second = threading.Thread(target=lambda: found.append(add(engine, name, 2)))
        second.start()
        with engine.connect() as watching:
            waiting = text("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
            wait_until(lambda: watching.scalar(waiting), "the second addition waits for the lock")
        assert found == []
    second.join(timeout=60)
    assert found == [2]
