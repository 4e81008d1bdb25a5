"""The kinds of jobs that processes compute, with the table that each is stored in."""

from dataclasses import dataclass

from app.database.tables import BacktestRow, JobColumns, SimulationRow
from app.settings import Settings


@dataclass(frozen=True)
class JobKind:
    """A kind of job; `module` computes it, and with `slots_key` processes agree on who may start a worker."""

    name: str
    row: type[JobColumns]
    module: str
    slots_key: int
    setting: str

    def count_slots(self, settings: Settings) -> int:
        """How many of them all services on a database compute at the same time."""
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
