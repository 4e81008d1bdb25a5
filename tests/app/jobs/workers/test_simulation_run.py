"""A run of a job is the planner's simulation, by its seed."""

import pytest

from app.jobs.simulations.schemas import SimulationJob
from app.jobs.workers.simulation_run import run_simulation
from planner.errors import InvalidAllocation
from tests.app.simulation_examples import make_simulation_job, without_seconds


def test_a_job_that_was_stored_has_the_same_answer():
    job = make_simulation_job(services={"parse": {"kind": "lognormal", "scv": 2.0}})
    read = SimulationJob.model_validate(job.model_dump(mode="json"))
    assert read == job
    answers = [without_seconds(run_simulation(one).model_dump()) for one in (job, read)]
    assert answers[0] == answers[1]


def test_what_no_tuple_reaches_has_no_wait():
    answer = run_simulation(
        make_simulation_job(
            topology={
                "operators": [{"name": "parse"}, {"name": "score"}],
                "edges": [{"source": "parse", "target": "score", "selectivity": 0.0}],
            }
        )
    )
    score = answer.operators[1]
    assert (score.visits, score.wait_seconds, score.sojourn_seconds, score.model_error) == (
        0,
        None,
        None,
        None,
    )


def test_the_planner_refuses_as_ever():
    job = make_simulation_job()
    parameters = job.parameters.model_copy(update={"processors": {"parse": 4}})
    with pytest.raises(InvalidAllocation):
        run_simulation(job.model_copy(update={"parameters": parameters}))
