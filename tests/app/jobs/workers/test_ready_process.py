"""The process for short simulations: started when needed, replaced when it ended, and not waited for by too many."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from app.jobs.simulations.schemas import SimulationAnswer
from app.jobs.workers.ready_process import ReadyProcess, SimulationFailed
from app.jobs.workers.simulation_run import run_simulation
from app.settings import Settings
from app.web.problems.errors import Overloaded
from planner.errors import InvalidAllocation
from tests.app.processes import wait_until
from tests.app.simulation_examples import make_simulation_job, without_seconds


@pytest.fixture
def ready() -> Iterator[ReadyProcess]:
    process = ReadyProcess(Settings(computing_queue=0))
    process.start()
    yield process
    process.stop()
    assert process._process is None or process._process.poll() is not None


def test_one_that_ended_in_a_simulation_is_replaced_for_the_next(ready: ReadyProcess):
    job = make_simulation_job(roots=1000)
    with ThreadPoolExecutor(1) as others:
        first = others.submit(ready.compute, job)
        wait_until(lambda: ready._process is not None, "the process is started")
        with pytest.raises(Overloaded) as refused:
            ready.compute(job)
        assert refused.value.retry_after_seconds == 1
        assert ready._process is not None
        ready._process.kill()
        with pytest.raises(SimulationFailed):
            first.result()
    answer = SimulationAnswer.model_validate_json(ready.compute(job))
    expected = run_simulation(job)
    assert without_seconds(answer.model_dump()) == without_seconds(expected.model_dump())
    parameters = job.parameters.model_copy(update={"processors": {"parse": 4}})
    with pytest.raises(InvalidAllocation):
        ready.compute(job.model_copy(update={"parameters": parameters}))


def test_it_is_not_started_where_nothing_is_answered_at_once():
    process = ReadyProcess(Settings(simulation_events_at_once=0))
    process.start()
    process.stop()
    assert process._process is None
