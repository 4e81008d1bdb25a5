"""Computes the runs of one backtest, and stores each run with its VM schedule as soon as it is done."""

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

import numpy as np
from sqlalchemy import select
from sqlalchemy.dialects.postgresql import insert

from app.database.tables import BacktestRunRow
from app.jobs.backtests.schemas import BacktestJob
from app.jobs.workers.claims import BACKTESTS, Claim
from app.jobs.workers.worker import run_worker, tell_now_and_then
from planner.arrays import Floats
from planner.vms.backtest import Backtest


def shorten_schedule(vms: Floats) -> list[list[int]]:
    """Returns a schedule as pairs [steps, VMs], one for each stretch with a constant number of VMs."""
    return [[len(list(stretch)), int(count)] for count, stretch in groupby(vms.tolist())]


def lengthen_schedule(stretches: Sequence[Sequence[int]]) -> Floats:
    """Returns the number of VMs at every step, from pairs [steps, VMs]."""
    steps, vms = zip(*stretches, strict=True)
    return np.repeat(np.array(vms, dtype=float), steps)


def compute_backtest(claim: Claim) -> None:
    """Computes all runs of a backtest that are not stored yet; stores the progress at most twice a second."""
    job = BacktestJob.model_validate(claim.request)
    backtest = Backtest(job.to_setup())
    setup = backtest.setup
    intervals = -(-len(setup.rates) // setup.timing.interval_steps)
    total = len(job.policies) * job.seeds
    for position, policy, seed in list_runs(job, find_done(claim)):
        run = backtest.run(policy, seed, make_reporter(claim, position / total, 1.0 / (intervals * total)))
        score = run.score
        row = {
            "position": position,
            "policy": policy,
            "seed": seed,
            "qos_percent": score.qos_percent,
            "cost_to_truth": score.cost_to_truth,
            "cost_to_static": score.cost_to_static,
            "max_backlog": score.max_backlog,
            "schedule": shorten_schedule(run.vms),
            "promise": backtest.judge(policy, run).to_document(),
        }
        store_run(claim, row, progress=(position + 1) / total)
    claim.succeed()


def find_done(claim: Claim) -> frozenset[int]:
    """Returns the positions of the backtest's runs that are stored already."""
    with claim.connection.begin():
        runs = select(BacktestRunRow.position).where(BacktestRunRow.backtest_id == claim.job_id)
        return frozenset(claim.connection.scalars(runs).all())


def list_runs(job: BacktestJob, done: frozenset[int]) -> Iterator[tuple[int, str, int]]:
    """Yields the position, the policy and the seed of each run whose position is not in `done`."""
    for number, policy in enumerate(job.policies):
        for seed in range(job.seeds):
            if number * job.seeds + seed not in done:
                yield number * job.seeds + seed, policy, seed


def store_run(claim: Claim, run: dict[str, object], progress: float) -> None:
    """Stores a finished run, so that no later worker computes it again."""
    with claim.connection.begin():
        # The update comes first: it locks the row, so that the job is not deleted until both are written.
        claim.update(progress=progress, attempts=0)
        claim.connection.execute(insert(BacktestRunRow).values(backtest_id=claim.job_id, **run))


def make_reporter(claim: Claim, begun: float, each: float) -> Callable[[int], None]:
    """Returns a function to call after every interval of a run, which raises NoLongerWanted after a cancellation."""
    tell = tell_now_and_then(claim)
    return lambda interval: tell(begun + (interval + 1) * each)


if __name__ == "__main__":
    run_worker(BACKTESTS, compute_backtest)
