"""Computes one backtest in a process of its own: `python -m app.backtest_workers.worker ID`.

It ends with the process that started it, and may be killed at any moment: every finished run is stored.
"""

import logging
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from uuid import UUID

from sqlalchemy import create_engine
from sqlalchemy.exc import SQLAlchemyError

from app.backtest_workers.claims import Claim, NoLongerWanted, claim_backtest
from app.backtest_workers.stored_schedules import shorten_schedule
from app.backtests.schemas import BacktestErrorAnswer
from app.http.problems import describe_problem
from app.serving.observability import configure_logging
from app.settings import Settings
from planner.errors import PlannerError
from planner.vms.backtest import Backtest

log = logging.getLogger(__name__)

NICENESS = 10
REPORT_SECONDS = 0.5


def main() -> None:
    """Computes the backtest whose id is the argument; the environment names the database."""
    threading.Thread(target=end_with_parent, daemon=True).start()
    os.nice(NICENESS)
    settings = Settings()
    configure_logging(settings.log_format, settings.log_level)
    logging.captureWarnings(capture=True)
    assert settings.database_url is not None, "the service passes the one it uses"
    engine = create_engine(
        settings.database_url.get_secret_value(),
        connect_args={"application_name": "headgate backtest", "options": "-c timezone=UTC"},
    )
    with engine.connect() as connection:
        claim = claim_backtest(connection, UUID(sys.argv[1]))
        if claim is not None:
            compute(claim)


def end_with_parent() -> None:
    """Ends this process when the parent ends: standard input is a pipe that then closes."""
    # Not `sys.stdin.read`: it holds a lock that the interpreter needs at its own end.
    os.read(sys.stdin.fileno(), 1)
    os._exit(1)


def compute(claim: Claim) -> None:
    """Computes all runs that are not stored yet, and stores how the backtest ended."""
    try:
        compute_runs(claim)
        claim.finish("succeeded")
    except NoLongerWanted:
        log.info("backtest %s was cancelled", claim.backtest_id)
    except PlannerError as error:
        problem = describe_problem(error) or {"type": "planner-error", "detail": str(error)}
        claim.finish("failed", BacktestErrorAnswer.model_validate(problem))
    except SQLAlchemyError:
        raise  # the database went away: the next worker goes on
    except Exception:  # any other error must also be seen by the caller
        log.exception("backtest %s failed", claim.backtest_id)
        detail = f"The computation failed by an error of the service: its log names {claim.backtest_id}."
        claim.finish("failed", BacktestErrorAnswer(type="internal-error", detail=detail))


def compute_runs(claim: Claim) -> None:
    """Computes the runs in the order of the rows; the progress is stored at most twice a second."""
    backtest = Backtest(claim.job.to_setup())
    setup = backtest.setup
    intervals = -(-len(setup.rates) // setup.timing.interval_steps)
    total = len(claim.job.policies) * claim.job.seeds
    for position, policy, seed in list_runs(claim):
        run = backtest.run(policy, seed, make_reporter(claim, position / total, 1.0 / (intervals * total)))
        score = run.score
        claim.store_run(
            {
                "position": position,
                "policy": policy,
                "seed": seed,
                "qos_percent": score.qos_percent,
                "cost_to_truth": score.cost_to_truth,
                "cost_to_static": score.cost_to_static,
                "max_backlog": score.max_backlog,
                "schedule": shorten_schedule(run.vms),
            },
            progress=(position + 1) / total,
        )


def list_runs(claim: Claim) -> Iterator[tuple[int, str, int]]:
    """Position, policy and seed of each run that is not stored yet."""
    seeds = claim.job.seeds
    for number, policy in enumerate(claim.job.policies):
        for seed in range(seeds):
            if number * seeds + seed not in claim.done:
                yield number * seeds + seed, policy, seed


def make_reporter(claim: Claim, begun: float, each: float) -> Callable[[int], None]:
    """A function to call after every interval; it raises NoLongerWanted where the backtest was cancelled."""
    said_at = time.monotonic()

    def report(interval: int) -> None:
        nonlocal said_at
        if time.monotonic() - said_at >= REPORT_SECONDS:
            claim.report(begun + (interval + 1) * each)
            said_at = time.monotonic()

    return report


if __name__ == "__main__":
    main()
