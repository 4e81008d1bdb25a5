"""Every table, defined once; `migrations/` brings a database to this shape, and a test compares the two.

A topology's definition and a snapshot's loads are JSONB documents: they are written whole and read whole, and
the planner needs all of one or nothing (docs/decisions/documents-in-postgres.md).
"""

from app.database.tables.base import Base, Document
from app.database.tables.callers import AuditRow, RepeatedRequestRow, SignedOutTicketRow, WebhookRow
from app.database.tables.fleets import FleetDecisionRow, FleetPolicyRow, FleetShareRow
from app.database.tables.ingest import (
    IngestRunRow,
    OperatorSummaryRow,
    RejectedLineRow,
    TopologySummaryRow,
    name_day,
)
from app.database.tables.jobs import BacktestRow, BacktestRunRow, JobColumns, SimulationRow
from app.database.tables.topologies import (
    DecisionRow,
    EngineMarksRow,
    HourlyKeptRow,
    HourlyLoadRow,
    LiveDemoRow,
    MstSampleRow,
    PlacementRow,
    PlanRow,
    PolicyRow,
    ProfileRow,
    SnapshotRow,
    TopologyRevisionRow,
    TopologyRow,
    VmCatalogueRow,
)

__all__ = [
    "AuditRow",
    "BacktestRow",
    "BacktestRunRow",
    "Base",
    "DecisionRow",
    "Document",
    "EngineMarksRow",
    "FleetDecisionRow",
    "FleetPolicyRow",
    "FleetShareRow",
    "HourlyKeptRow",
    "HourlyLoadRow",
    "IngestRunRow",
    "JobColumns",
    "LiveDemoRow",
    "MstSampleRow",
    "OperatorSummaryRow",
    "PlacementRow",
    "PlanRow",
    "PolicyRow",
    "ProfileRow",
    "RejectedLineRow",
    "RepeatedRequestRow",
    "SignedOutTicketRow",
    "SimulationRow",
    "SnapshotRow",
    "TopologyRevisionRow",
    "TopologyRow",
    "TopologySummaryRow",
    "VmCatalogueRow",
    "WebhookRow",
    "name_day",
]
