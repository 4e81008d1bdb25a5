"""Who works on which backtest: advisory locks, which Postgres drops with the connection that holds them.

A worker's lock on its backtest lives exactly as long as the worker: no clock decides whether it is still there, and
none of its crashes has to be cleaned up. What it had stored stays, and whoever comes next goes on from there.
"""

from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import Connection, Update, case, func, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import OperationalError

from app.backtests.schemas import BacktestError, Job
from app.tables import BacktestRow, BacktestRunRow

# The first of two keys; the second is the slot. Backtests' own locks have one key, which is another space.
SLOTS = 0x62746573  # "btes"
MOST_ATTEMPTS = 5
WAIT_FOR_THE_DEAD = "2s"


class NoLongerWanted(Exception):
    """The backtest was cancelled, or is gone."""


def lock_key(backtest_id: UUID) -> int:
    """64 bits of an id that has 122 random ones."""
    return int.from_bytes(backtest_id.bytes[:8], signed=True)


def take_slot(connection: Connection, slot: int) -> bool:
    """Whether this connection may have a backtest computed; others wait for the slot, or for our end."""
    return bool(connection.scalar(select(func.pg_try_advisory_lock(SLOTS, slot))))


def find_next(connection: Connection) -> UUID | None:
    """The oldest unfinished backtest that no living worker has; those that lost theirs come first."""
    waiting = (
        select(BacktestRow.id)
        .where(BacktestRow.state.in_(("queued", "running")))
        .order_by(case((BacktestRow.state == "running", 0), else_=1), BacktestRow.created_at)
        .limit(100)
    )
    with connection.begin():
        for backtest_id in connection.scalars(waiting).all():
            if connection.scalar(select(func.pg_try_advisory_xact_lock(lock_key(backtest_id)))):
                return backtest_id
    return None


def queue_again(connection: Connection, backtest_id: UUID) -> None:
    """Of a worker that was ended: as soon as Postgres has seen it go."""
    try:
        with connection.begin():
            connection.execute(text(f"SET LOCAL lock_timeout = '{WAIT_FOR_THE_DEAD}'"))
            connection.execute(select(func.pg_advisory_xact_lock(lock_key(backtest_id))))
            connection.execute(_running(backtest_id).values(state="queued", attempts=0))
    except OperationalError:
        return  # somebody else has it by now, or the database is gone: `find_next` finds it either way


def _running(backtest_id: UUID) -> Update:
    return update(BacktestRow).where(BacktestRow.id == backtest_id, BacktestRow.state == "running")


@dataclass(frozen=True)
class Claim:
    """One worker's hold on one backtest; every write fails once it was cancelled."""

    connection: Connection
    backtest_id: UUID
    job: Job
    done: frozenset[int]

    def report(self, progress: float) -> None:
        """How far it is."""
        with self.connection.begin():
            self._update(progress=progress)

    def store_run(self, run: dict[str, object], progress: float) -> None:
        """One run that is done; it will not be computed again."""
        with self.connection.begin():
            # The update comes first: it holds the row against a deletion until both are written.
            self._update(progress=progress, attempts=0)
            self.connection.execute(insert(BacktestRunRow).values(backtest_id=self.backtest_id, **run))

    def finish(self, state: str, error: BacktestError | None = None) -> None:
        """The end of it, good or bad."""
        done = {"progress": 1.0} if state == "succeeded" else {}
        with self.connection.begin():
            self._update(
                state=state, error=error.model_dump() if error else None, finished_at=func.now(), **done
            )

    def _update(self, **values: object) -> None:
        if self.connection.execute(_running(self.backtest_id).values(**values)).rowcount == 0:
            raise NoLongerWanted


def claim_backtest(connection: Connection, backtest_id: UUID) -> Claim | None:
    """The backtest as ours for as long as the connection lasts; None where it is somebody else's, or finished."""
    with connection.begin():
        if not connection.scalar(select(func.pg_try_advisory_lock(lock_key(backtest_id)))):
            return None
        claimed = connection.execute(
            update(BacktestRow)
            .where(BacktestRow.id == backtest_id, BacktestRow.state.in_(("queued", "running")))
            .values(
                state="running",
                attempts=BacktestRow.attempts + 1,
                started_at=func.coalesce(BacktestRow.started_at, func.now()),
            )
            .returning(BacktestRow.request, BacktestRow.attempts)
        ).one_or_none()
        runs = select(BacktestRunRow.position).where(BacktestRunRow.backtest_id == backtest_id)
        done = frozenset(connection.scalars(runs).all())
        if claimed is not None and claimed.attempts > MOST_ATTEMPTS:
            detail = f"Its process ended {MOST_ATTEMPTS} times in the same run: is there enough memory?"
            error = {"type": "interrupted", "detail": detail}
            connection.execute(
                _running(backtest_id).values(state="failed", error=error, finished_at=func.now())
            )
            return None
    return claimed and Claim(connection, backtest_id, Job.model_validate(claimed.request), done)
