"""Which worker computes which backtest: advisory locks, which Postgres drops with the connection that holds them.

A worker's lock on its backtest lasts exactly as long as the worker: no timeout decides whether the worker still runs,
and a crash leaves nothing to clean up. The runs that it has stored stay, and the next worker computes the rest.
"""

from dataclasses import dataclass
from uuid import UUID

from sqlalchemy import Connection, Update, case, func, select, text, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.exc import OperationalError

from app.backtests.schemas import BacktestErrorAnswer, BacktestJob
from app.tables import BacktestRow, BacktestRunRow

# A slot's lock has two keys, this and the slot's number; a backtest's lock has one, and Postgres keeps the two apart.
SLOTS = 0x62746573  # "btes"
MOST_ATTEMPTS = 5
WAIT_FOR_THE_DEAD = "2s"


class NoLongerWanted(Exception):
    """The backtest was cancelled or deleted."""


def lock_key(backtest_id: UUID) -> int:
    """The key of a backtest's lock: 64 bits of its id; 60 of them are random."""
    return int.from_bytes(backtest_id.bytes[:8], signed=True)


def take_slot(connection: Connection, slot: int) -> bool:
    """Whether this connection now holds the slot, and with it the right to start a worker."""
    return bool(connection.scalar(select(func.pg_try_advisory_lock(SLOTS, slot))))


def find_next(connection: Connection) -> UUID | None:
    """The oldest unfinished backtest that no worker holds; those whose worker has ended come first."""
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
    """Queues the backtest of a worker that was ended, as soon as Postgres has released the worker's lock."""
    try:
        with connection.begin():
            connection.execute(text(f"SET LOCAL lock_timeout = '{WAIT_FOR_THE_DEAD}'"))
            connection.execute(select(func.pg_advisory_xact_lock(lock_key(backtest_id))))
            connection.execute(_running(backtest_id).values(state="queued", attempts=0))
    except OperationalError:
        return  # another worker holds it, or the database is gone: `find_next` finds it in both cases


def _running(backtest_id: UUID) -> Update:
    return update(BacktestRow).where(BacktestRow.id == backtest_id, BacktestRow.state == "running")


@dataclass(frozen=True)
class Claim:
    """One worker's hold on one backtest; after a cancellation every write raises NoLongerWanted."""

    connection: Connection
    backtest_id: UUID
    job: BacktestJob
    done: frozenset[int]

    def report(self, progress: float) -> None:
        """Stores the progress."""
        with self.connection.begin():
            self._update(progress=progress)

    def store_run(self, run: dict[str, object], progress: float) -> None:
        """Stores a finished run; it will not be computed again."""
        with self.connection.begin():
            # The update comes first: it holds the row against a deletion until both are written.
            self._update(progress=progress, attempts=0)
            self.connection.execute(insert(BacktestRunRow).values(backtest_id=self.backtest_id, **run))

    def finish(self, state: str, error: BacktestErrorAnswer | None = None) -> None:
        """Stores the final state."""
        done = {"progress": 1.0} if state == "succeeded" else {}
        with self.connection.begin():
            self._update(
                state=state, error=error.model_dump() if error else None, finished_at=func.now(), **done
            )

    def _update(self, **values: object) -> None:
        if self.connection.execute(_running(self.backtest_id).values(**values)).rowcount == 0:
            raise NoLongerWanted


def claim_backtest(connection: Connection, backtest_id: UUID) -> Claim | None:
    """Holds the backtest for as long as the connection lasts; None where another worker holds it or it is finished."""
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
    return claimed and Claim(connection, backtest_id, BacktestJob.model_validate(claimed.request), done)
