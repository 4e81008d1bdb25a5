"""The kinds of jobs that processes compute, and the locks that decide which worker computes which job.

A worker holds an advisory lock of Postgres on its job, which Postgres drops with the worker's connection. The lock
lasts exactly as long as the worker: no timeout decides whether the worker still runs, and a crash leaves nothing to
clean up. Stored results stay, and the next worker computes the rest.
"""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Update, case, func, select, text, update
from sqlalchemy.exc import OperationalError

from app.database.tables import BacktestRow, JobColumns, SimulationRow
from app.jobs.states import UNFINISHED
from app.settings import Settings


@dataclass(frozen=True)
class JobKind:
    """A kind of job; `module` computes such jobs, and the lock `slots_key` lets processes agree who starts a worker."""

    name: str
    row: type[JobColumns]
    module: str
    slots_key: int
    setting: str

    def count_slots(self, settings: Settings) -> int:
        """Returns how many jobs of this kind all services on a database compute at the same time."""
        slots: int = getattr(settings, self.setting)
        return slots


BACKTESTS = JobKind(
    "backtest",
    BacktestRow,
    "app.jobs.workers.backtest_worker",
    0x62746573,  # "btes"
    "backtest_processes",
)
SIMULATIONS = JobKind(
    "simulation",
    SimulationRow,
    "app.jobs.workers.simulation_worker",
    0x73696D73,  # "sims"
    "simulation_processes",
)
KINDS = (BACKTESTS, SIMULATIONS)


MOST_ATTEMPTS = 5
WAIT_FOR_THE_DEAD = "2s"
STATEMENT_SECONDS = 120.0
"""The limit of a statement of jobs, which store more at once than requests do."""


class NoLongerWanted(Exception):
    """The error that ends a worker whose job was cancelled or deleted."""


def lock_key(job_id: UUID) -> int:
    """Returns the key of a job's lock: 64 bits of the job's id, of which 60 are random."""
    return int.from_bytes(job_id.bytes[:8], signed=True)


def take_slot(connection: Connection, kind: JobKind, slot: int) -> bool:
    """Tells whether this connection now holds the lock of a slot, which gives the right to start a worker."""
    # A slot's lock has two keys, a job's lock has one, and Postgres keeps the two apart.
    return bool(connection.scalar(select(func.pg_try_advisory_lock(kind.slots_key, slot))))


def find_next(connection: Connection, kind: JobKind) -> UUID | None:
    """Returns the id of the oldest unfinished job without a worker; jobs whose worker has ended come first."""
    waiting = (
        select(kind.row.id)
        .where(kind.row.state.in_(UNFINISHED))
        .order_by(case((kind.row.state == "running", 0), else_=1), kind.row.created_at)
        .limit(100)
    )
    with connection.begin():
        for job_id in connection.scalars(waiting).all():
            if connection.scalar(select(func.pg_try_advisory_xact_lock(lock_key(job_id)))):
                return job_id
    return None


def is_wanted(connection: Connection, kind: JobKind, job_id: UUID) -> bool:
    """Tells whether the job is still to be computed: neither cancelled, deleted nor finished."""
    with connection.begin():
        return connection.scalar(select(kind.row.state).where(kind.row.id == job_id)) in UNFINISHED


def queue_again(connection: Connection, kind: JobKind, job_id: UUID) -> None:
    """Queues the job of an ended worker again, as soon as Postgres has released the worker's lock."""
    try:
        with connection.begin():
            connection.execute(text(f"SET LOCAL lock_timeout = '{WAIT_FOR_THE_DEAD}'"))
            connection.execute(select(func.pg_advisory_xact_lock(lock_key(job_id))))
            connection.execute(_running(kind, job_id).values(state="queued", attempts=0))
    except OperationalError:
        return  # another worker has it, or the database is gone: `find_next` finds the job in both cases


def _running(kind: JobKind, job_id: UUID) -> Update:
    return update(kind.row).where(kind.row.id == job_id, kind.row.state == "running")


@dataclass(frozen=True)
class Claim:
    """A worker's lock on a job; after the job is cancelled, every write raises NoLongerWanted."""

    connection: Connection
    kind: JobKind
    job_id: UUID
    request: dict[str, Any]

    def report(self, progress: float) -> None:
        """Stores the progress of the job, from 0 to 1."""
        with self.connection.begin():
            self.update(progress=progress)

    def succeed(self, **found: object) -> None:
        """Marks the job as done, and stores the given columns in the row of the job."""
        self._finish("succeeded", progress=1.0, **found)

    def fail(self, kind: str, detail: str) -> None:
        """Marks the job as failed, and stores the problem type and the detail."""
        self._finish("failed", error={"type": kind, "detail": detail})

    def _finish(self, state: str, **values: object) -> None:
        with self.connection.begin():
            self.update(state=state, finished_at=func.now(), **values)

    def update(self, **values: object) -> None:
        """Changes the row of the job within the caller's transaction."""
        if self.connection.execute(_running(self.kind, self.job_id).values(**values)).rowcount == 0:
            raise NoLongerWanted


def claim_job(connection: Connection, kind: JobKind, job_id: UUID) -> Claim | None:
    """Locks the job while the connection lasts; None if another worker has the job or the job is finished."""
    with connection.begin():
        if not connection.scalar(select(func.pg_try_advisory_lock(lock_key(job_id)))):
            return None
        claimed = connection.execute(
            update(kind.row)
            .where(kind.row.id == job_id, kind.row.state.in_(UNFINISHED))
            .values(
                state="running",
                attempts=kind.row.attempts + 1,
                started_at=func.coalesce(kind.row.started_at, func.now()),
            )
            .returning(kind.row.request, kind.row.attempts)
        ).one_or_none()
    if claimed is None:
        return None
    claim = Claim(connection, kind, job_id, claimed.request)
    if claimed.attempts > MOST_ATTEMPTS:
        claim.fail(
            "interrupted",
            f"The job's process ended {MOST_ATTEMPTS} times in the same run: check that the machine has enough memory.",
        )
        return None
    return claim
