"""The process that is kept ready for short simulations: `python -m app.jobs.workers.ready_worker FD`.

The process receives a job over the socket with the file descriptor FD, and sends the answer as JSON or the planner's
error.
"""

import logging
import os
import sys
from multiprocessing.connection import Connection

from app.jobs.simulations.schemas import SimulationJob
from app.jobs.workers.simulation_run import run_simulation
from app.settings import WORKER_NICENESS, Settings
from app.web.observability import configure_logging
from planner.errors import PlannerError
from planner.simulation.simulate import warm_up


def main() -> None:
    """Warms up, reports that the process is ready, and computes until the socket is closed or the service ends."""
    os.nice(WORKER_NICENESS)
    settings = Settings()
    configure_logging(settings.log_format, settings.log_level)
    warm_up()
    serve(Connection(int(sys.argv[1])))


def serve(connection: "Connection[bytes | PlannerError, SimulationJob]") -> None:
    """Computes one job after the other until the service closes the socket."""
    while True:
        try:
            job = connection.recv()
        except EOFError:
            return
        connection.send(compute(job))


def compute(job: SimulationJob) -> bytes | PlannerError:
    """Returns the simulation's answer as JSON, or the error of the planner."""
    try:
        return run_simulation(job).model_dump_json().encode()
    except PlannerError as error:
        return error


if __name__ == "__main__":
    logging.captureWarnings(capture=True)
    main()
