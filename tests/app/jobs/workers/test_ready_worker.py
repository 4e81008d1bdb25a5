"""The ready process answers job after job, also with the planner's errors, until the service closes the socket."""

from multiprocessing import Pipe
from threading import Thread

from app.jobs.simulations.schemas import SimulationAnswer
from app.jobs.workers.ready_worker import serve
from app.jobs.workers.simulation_run import run_simulation
from planner.errors import InvalidAllocation
from tests.app.simulation_examples import make_simulation_job, without_seconds


def test_answers_and_errors_come_back_in_the_order_of_the_jobs():
    ours, theirs = Pipe()
    worker = Thread(target=serve, args=[theirs])
    worker.start()
    job = make_simulation_job(roots=1000)
    parameters = job.parameters.model_copy(update={"processors": {"parse": 4}})
    expected = run_simulation(job).model_dump()
    for one in (job, job.model_copy(update={"parameters": parameters}), job):
        ours.send(one)
    answers = [ours.recv() for _ in range(3)]
    ours.close()
    worker.join(timeout=60)
    assert not worker.is_alive()
    assert isinstance(answers[1], InvalidAllocation)
    for answer in (answers[0], answers[2]):
        found = SimulationAnswer.model_validate_json(answer)
        assert without_seconds(found.model_dump()) == without_seconds(expected)
