"""The worker of simulations stores the answer; one that was killed leaves the job to the next."""

from uuid import UUID

from sqlalchemy import Engine, text

from app.jobs.workers.claims import SIMULATIONS, claim_job, find_next
from app.jobs.workers.simulation_run import run_simulation
from app.jobs.workers.simulation_worker import compute_simulation
from app.jobs.workers.worker import finish
from tests.app.processes import wait_until
from tests.app.simulation_examples import make_simulation_job, without_seconds


def test_the_next_worker_computes_what_a_killed_one_did_not_finish(engine: Engine, simulation_id: UUID):
    with engine.connect() as killed, engine.connect() as other:
        assert claim_job(killed, SIMULATIONS, simulation_id) is not None
        assert find_next(other, SIMULATIONS) is None
        killed.invalidate()
        wait_until(lambda: find_next(other, SIMULATIONS) == simulation_id, "Postgres has seen it go")
        claim = claim_job(other, SIMULATIONS, simulation_id)
        assert claim is not None
        finish(claim, compute_simulation)
        with other.begin():
            row = other.execute(
                text("SELECT state, progress, attempts, error, answer FROM simulations")
            ).one()
    assert row[:4] == ("succeeded", 1.0, 2, None)
    expected = run_simulation(make_simulation_job()).model_dump(mode="json")
    assert without_seconds(row.answer) == without_seconds(expected)


def test_a_job_that_the_planner_refuses_fails_with_its_problem(engine: Engine, simulation_id: UUID):
    with engine.connect() as connection:
        with connection.begin():
            change = "jsonb_set(request, '{parameters,processors}', '{\"parse\": 4}')"
            connection.execute(text(f"UPDATE simulations SET request = {change}"))
        claim = claim_job(connection, SIMULATIONS, simulation_id)
        assert claim is not None
        finish(claim, compute_simulation)
        with connection.begin():
            failed = connection.execute(text("SELECT state, error ->> 'type', answer FROM simulations")).one()
    assert failed == ("failed", "invalid-allocation", None)
