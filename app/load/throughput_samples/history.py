"""Lists stored throughput samples."""

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.database.stored_topologies import find_topology
from app.database.tables import MstSampleRow
from app.load.throughput_samples.schemas import ThroughputSampleAnswer, ThroughputSamplePage
from app.web.paging import Page


def list_samples(session: Session, name: str, page: Page) -> ThroughputSamplePage:
    """A page of a topology's samples, oldest first."""
    topology = find_topology(session, name)
    query = select(MstSampleRow).where(MstSampleRow.topology_id == topology.id)
    rows, following = page.read_rows(session.scalars, query, MstSampleRow.observed_at, MstSampleRow.vms)
    return ThroughputSamplePage(
        items=[ThroughputSampleAnswer.model_validate(row) for row in rows], next=following
    )
