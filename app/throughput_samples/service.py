"""Stores samples of the maximum sustainable throughput, each once, and reads them back."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import Boolean, literal_column, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from app.forecasts.schemas import (
    MOST_SAMPLES,
    MstSampleAnswer,
    MstSamplePage,
    StoredMstSample,
    StoredMstSamples,
)
from app.http.errors import InvalidRequest, ThroughputNotConverged
from app.http.pages import Page
from app.storage.stored_topologies import find_topology
from app.tables import MstSampleRow
from planner.vms.throughput import detect_convergence

KEY_COLUMNS = ["topology_id", "observed_at", "vms"]
KEY = (MstSampleRow.observed_at, MstSampleRow.vms)


def store_samples(
    session: Session, name: str, body: StoredMstSample | list[StoredMstSample]
) -> StoredMstSamples:
    """All or none of them; a sample that is known is replaced."""
    topology = find_topology(session, name)
    sent = body if isinstance(body, list) else [body]
    _refuse_doubles(sent)
    places = [f"/{position}" if isinstance(body, list) else "" for position in range(len(sent))]
    throughputs = [_find_throughput(one, place) for one, place in zip(sent, places, strict=True)]
    statement = insert(MstSampleRow).values(
        [
            {
                "topology_id": topology.id,
                "observed_at": one.observed_at,
                "vms": one.vms,
                "throughput": throughput,
                "saturated": one.saturated,
            }
            for one, throughput in zip(sent, throughputs, strict=True)
        ]
    )
    replaced = {column: statement.excluded[column] for column in ("throughput", "saturated", "stored_at")}
    # xmax is 0 in a row that this statement inserted, and names the transaction where it replaced one.
    was_new: Sequence[bool] = session.scalars(
        statement.on_conflict_do_update(index_elements=KEY_COLUMNS, set_=replaced).returning(
            literal_column("xmax = 0", Boolean)
        )
    ).all()
    new = sum(map(bool, was_new))
    return StoredMstSamples(stored=new, replaced=len(sent) - new)


def list_samples(session: Session, name: str, page: Page) -> MstSamplePage:
    """Oldest first."""
    topology = find_topology(session, name)
    query = select(MstSampleRow).where(MstSampleRow.topology_id == topology.id)
    rows, following = page.read_rows(session.scalars, query, *KEY)
    return MstSamplePage(items=[MstSampleAnswer.model_validate(row) for row in rows], next=following)


def find_newest_samples(session: Session, topology_id: int) -> Sequence[MstSampleRow]:
    """The newest samples, as many as one call may send."""
    query = select(MstSampleRow).where(MstSampleRow.topology_id == topology_id)
    return session.scalars(query.order_by(*(column.desc() for column in KEY)).limit(MOST_SAMPLES)).all()


def _find_throughput(sample: StoredMstSample, place: str) -> float:
    """As sent, or what its readings settled at (Imai et al., section II-A)."""
    if sample.readings is None:
        assert sample.throughput is not None, "one of the two is there"
        return sample.throughput
    rule = sample.convergence
    settled = detect_convergence(sample.readings, rule.n, rule.k, rule.tolerance)
    if settled is None:
        raise ThroughputNotConverged(
            f"{place}/readings", len(sample.readings), rule.k, rule.n, rule.tolerance
        )
    if settled == 0.0:
        raise InvalidRequest(((f"#{place}/readings", "They settled at 0: the VMs served nothing."),))
    return settled


def _refuse_doubles(sent: Sequence[StoredMstSample]) -> None:
    first: dict[tuple[datetime, int], int] = {}
    for position, one in enumerate(sent):
        earlier = first.setdefault((one.observed_at, one.vms), position)
        if earlier != position:
            detail = f"Sample {earlier} has the same time and VMs: give each its own time, or send it once."
            raise InvalidRequest(((f"#/{position}", detail),))
