"""The workload of a topology: the external rates of its snapshots, of one window length."""

from datetime import UTC, datetime, timedelta

import httpx
import pytest
from sqlalchemy.orm import Session

from app.load.measurements.series import (
    choose_snapshots,
    read_external_rates,
    read_rates_since,
    read_workload,
)
from app.load.measurements.stored_topologies import find_topology
from app.web.problems.stored_data_errors import NoSnapshot, StoredDataUnusable
from tests.app.load.snapshots.test_routes import START, snapshot


def send(client: httpx.Client, name: str, *snapshots: dict[str, object]) -> None:
    assert client.post(f"/v1/topologies/{name}/snapshots", json=snapshots).status_code == 201


def test_rates_come_oldest_first_and_of_the_newest_windows_length(
    client: httpx.Client, session: Session, stored: str
):
    send(client, stored, snapshot(2, external_rate=2.0), snapshot(1, external_rate=1.0))
    send(client, stored, snapshot(1, external_rate=9.0, window_seconds=3600))
    chosen = choose_snapshots(session, find_topology(session, stored), None, None, None)
    found, window = read_external_rates(session, chosen, 10)
    assert [one.rate for one in found] == [320.0, 1.0, 2.0]
    assert [one.at_seconds - START.timestamp() for one in found] == [0.0, 60.0, 120.0]
    assert window == 60.0


def test_times_and_rates_are_read_to_the_last_bit(client: httpx.Client, session: Session, stored: str):
    sent = {START + timedelta(microseconds=minute * 60_000_001): minute / 7.0 for minute in range(1, 9)}
    send(
        client,
        stored,
        *(snapshot(1) | {"observed_at": at.isoformat(), "external_rate": sent[at]} for at in sent),
    )
    chosen = choose_snapshots(session, find_topology(session, stored), min(sent), None, None)
    found, _ = read_external_rates(session, chosen, 10)
    assert [(one.at_seconds, one.rate) for one in found] == [(at.timestamp(), sent[at]) for at in sent]


def test_bounds_take_the_beginning_and_leave_the_end(client: httpx.Client, session: Session, stored: str):
    send(client, stored, *(snapshot(minute, external_rate=float(minute)) for minute in range(1, 6)))
    since, until = START + timedelta(minutes=1), START + timedelta(minutes=4)
    chosen = choose_snapshots(session, find_topology(session, stored), since, until, None)
    assert [one.rate for one in read_external_rates(session, chosen, 10)[0]] == [1.0, 2.0, 3.0]
    assert [one.rate for one in read_external_rates(session, chosen, 2)[0]] == [2.0, 3.0]


def test_what_came_since_is_of_the_same_length_and_unknown_where_nothing_was_measured(
    client: httpx.Client, session: Session, stored: str
):
    send(client, stored, *(snapshot(minute, external_rate=float(minute)) for minute in (1, 2, 3, 5)))
    send(client, stored, snapshot(4, external_rate=9.0, window_seconds=120))
    topology, asked_at = find_topology(session, stored), START + timedelta(minutes=3)
    known = read_workload(session, topology, ended_by=asked_at, most=10)
    assert known.rates == (320.0, 1.0, 2.0)
    assert read_rates_since(session, topology, known, asked_at, 4) == [3.0, None, 5.0, None]


def test_a_missing_interval_is_filled_in(client: httpx.Client, session: Session, stored: str):
    send(client, stored, snapshot(1, external_rate=1.0), snapshot(3, external_rate=3.0))
    send(client, stored, *(snapshot(minute, external_rate=float(minute)) for minute in (4, 5)))
    workload = read_workload(session, find_topology(session, stored), most=10)
    assert list(workload.rates) == [320.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    assert workload.step_seconds == 60.0


def test_one_snapshot_is_as_long_as_its_window(session: Session, stored: str):
    assert read_workload(session, find_topology(session, stored), most=10).step_seconds == 60.0


def test_too_little_to_forecast_from_is_a_conflict_with_what_is_stored(session: Session, stored: str):
    with pytest.raises(StoredDataUnusable, match="POST the snapshots that are missing"):
        read_workload(session, find_topology(session, stored), most=10, needed=5)


def test_without_a_snapshot_there_is_no_workload(session: Session, stored: str):
    after = datetime(2030, 1, 1, tzinfo=UTC)
    with pytest.raises(NoSnapshot):
        read_workload(session, find_topology(session, stored), since=after, most=10)
