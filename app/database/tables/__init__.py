"""Every table, defined once; `migrations/` brings a database to this shape, and a test compares the two.

A topology's definition and a snapshot's loads are JSONB documents: they are written whole and read whole, and
the planner needs all of one or nothing (docs/decisions/documents-in-postgres.md).
"""

from app.database.tables.answers import DecisionRow, PlacementRow, PlanRow
from app.database.tables.backtests import BacktestRow, BacktestRunRow
from app.database.tables.base import Base, Document
from app.database.tables.catalogues import ProfileRow, VmCatalogueRow
from app.database.tables.ingest import IngestRunRow, OperatorSummaryRow, RejectedLineRow, TopologySummaryRow
from app.database.tables.jobs import JobColumns
from app.database.tables.simulations import SimulationRow
from app.database.tables.topologies import (
    EngineMarksRow,
    MstSampleRow,
    PolicyRow,
    SnapshotRow,
    TopologyRevisionRow,
    TopologyRow,
)

__all__ = [
    "BacktestRow",
    "BacktestRunRow",
    "Base",
    "DecisionRow",
    "Document",
    "EngineMarksRow",
    "IngestRunRow",
    "JobColumns",
    "MstSampleRow",
    "OperatorSummaryRow",
    "PlacementRow",
    "PlanRow",
    "PolicyRow",
    "ProfileRow",
    "RejectedLineRow",
    "SimulationRow",
    "SnapshotRow",
    "TopologyRevisionRow",
    "TopologyRow",
    "TopologySummaryRow",
    "VmCatalogueRow",
]
