"""Computes one job in a process of its own: `python -m app.jobs.workers.backtest_worker ID`, or another kind's module.

The process ends with the process that started it. It may be killed at any moment, because finished parts are stored.
"""

import logging
import os
import sys
import threading
import time
from collections.abc import Callable
from uuid import UUID

from sqlalchemy.exc import SQLAlchemyError

from app.database.connections.watched_connections import make_watched_engine
from app.jobs.workers.claims import STATEMENT_SECONDS, Claim, JobKind, NoLongerWanted, claim_job
from app.settings import WORKER_NICENESS, Settings
from app.web.observability import configure_logging
from app.web.problems.problem_kinds import describe_problem
from planner.errors import PlannerError

log = logging.getLogger(__name__)

Compute = Callable[[Claim], None]


def run_worker(kind: JobKind, compute: Compute) -> None:
    """Computes the job whose id is the argument of the process; an environment variable names the database."""
    settle_in()
    settings = Settings()
    configure_logging(settings.log_format, settings.log_level)
    logging.captureWarnings(capture=True)
    assert settings.database_url is not None, "the service passes the one it uses"
    engine = make_watched_engine(
        settings.database_url.get_secret_value(), f"headgate {kind.name}", STATEMENT_SECONDS
    )
    with engine.connect() as connection:
        claim = claim_job(connection, kind, UUID(sys.argv[1]))
        if claim is not None:
            finish(claim, compute)


def settle_in() -> None:
    """Lowers the priority below the service's, and makes this process end with the process that started it."""
    threading.Thread(target=end_with_parent, daemon=True).start()
    os.nice(WORKER_NICENESS)


def end_with_parent() -> None:
    """Ends this process when its parent ends: standard input is a pipe that closes then."""
    # Not `sys.stdin.read`: it holds a lock that the interpreter needs at its end.
    os.read(sys.stdin.fileno(), 1)
    os._exit(1)


def finish(claim: Claim, compute: Compute) -> None:
    """Computes the parts of a job that are not stored yet; stores the error if the job fails."""
    try:
        compute(claim)
    except NoLongerWanted:
        log.info("%s %s was cancelled", claim.kind.name, claim.job_id)
    except PlannerError as error:
        problem = describe_problem(error) or {"type": "planner-error", "detail": str(error)}
        claim.fail(problem["type"], problem["detail"])
    except SQLAlchemyError:
        raise  # the database cannot be reached: the next worker continues
    except Exception:  # the caller must see any other error too
        log.exception("%s %s failed", claim.kind.name, claim.job_id)
        detail = (
            "The computation failed because of a defect in Headgate: the log of the service has the error under "
            f"{claim.job_id}."
        )
        claim.fail("internal-error", detail)


REPORT_SECONDS = 0.5


def tell_now_and_then(claim: Claim) -> Callable[[float], None]:
    """Returns a function that stores progress at most now and then; after a cancellation, it raises NoLongerWanted."""
    said_at = time.monotonic()

    def tell(progress: float) -> None:
        nonlocal said_at
        if time.monotonic() - said_at >= REPORT_SECONDS:
            claim.report(progress)
            said_at = time.monotonic()

    return tell
