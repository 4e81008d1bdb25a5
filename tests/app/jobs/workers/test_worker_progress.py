"""Progress reaches the database at most twice a second, and a cancelled job ends at the next time."""

from uuid import UUID

import pytest
from sqlalchemy import Engine, text

from app.jobs.workers import worker
from app.jobs.workers.claims import SIMULATIONS, NoLongerWanted, claim_job
from app.jobs.workers.simulation_worker import compute_simulation
from app.jobs.workers.worker import tell_now_and_then


def test_what_is_told_soon_after_the_last_time_is_not_stored(
    engine: Engine, simulation_id: UUID, monkeypatch: pytest.MonkeyPatch
):
    with engine.connect() as connection:
        claim = claim_job(connection, SIMULATIONS, simulation_id)
        assert claim is not None

        def read() -> float:
            with connection.begin():
                return float(connection.execute(text("SELECT progress FROM simulations")).scalar_one())

        monkeypatch.setattr(worker, "REPORT_SECONDS", 1e9)
        tell_now_and_then(claim)(0.25)
        assert read() == 0.0
        monkeypatch.setattr(worker, "REPORT_SECONDS", 0.0)
        tell_now_and_then(claim)(0.5)
        assert read() == 0.5


def test_a_simulation_tells_its_progress_and_ends_where_it_was_cancelled(
    engine: Engine, simulation_id: UUID, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(worker, "REPORT_SECONDS", 0.0)
    with engine.connect() as connection:
        with connection.begin():
            connection.execute(text("CREATE TABLE told (progress float)"))
            connection.execute(
                text(
                    "CREATE RULE note AS ON UPDATE TO simulations DO ALSO INSERT INTO told VALUES (new.progress)"
                )
            )
        claim = claim_job(connection, SIMULATIONS, simulation_id)
        assert claim is not None
        compute_simulation(claim)
        with connection.begin():
            told = connection.execute(text("SELECT progress FROM told")).scalars().all()
        assert told == sorted(told)
        assert any(0.0 < one < 1.0 for one in told), told
        with connection.begin():
            connection.execute(text("UPDATE simulations SET state = 'cancelled'"))
        with pytest.raises(NoLongerWanted):
            tell_now_and_then(claim)(0.5)
