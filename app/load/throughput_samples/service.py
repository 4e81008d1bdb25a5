"""Stores samples of the maximum sustainable throughput, each once, lists them and fits the model to them."""

from collections.abc import Sequence
from datetime import datetime

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.database.tables import MstSampleRow
from app.database.upserts import upsert
from app.load.bodies.series import take_saturated
from app.load.measurements.series import find_newest_samples
from app.load.measurements.stored_topologies import find_topology
from app.load.throughput_samples.schemas import (
    CurvePointAnswer,
    ResidualAnswer,
    StoredSamplesAnswer,
    ThroughputFitAnswer,
    ThroughputModelAnswer,
    ThroughputSamplePage,
    ThroughputSampleRequest,
)
from app.web.observability import time_planner
from app.web.paging import Page
from app.web.problems.error_pointers import blaming_what_is_stored
from app.web.problems.errors import InvalidRequest, ThroughputNotConverged
from planner.arrays import Floats
from planner.vms.throughput import MstModel, MstSample, detect_convergence, fit_mst

KEY_COLUMNS = ["topology_id", "observed_at", "vms"]


def store_samples(
    session: Session, name: str, body: ThroughputSampleRequest | list[ThroughputSampleRequest]
) -> StoredSamplesAnswer:
    """Stores all throughput samples or none; a sample replaces the stored one with the same time and number of VMs."""
    topology = find_topology(session, name)
    sent = body if isinstance(body, list) else [body]
    _refuse_doubles(sent)
    places = [f"/{position}" if isinstance(body, list) else "" for position in range(len(sent))]
    throughputs = [_find_throughput(one, place) for one, place in zip(sent, places, strict=True)]
    new = _write_samples(session, topology.id, sent, throughputs)
    return StoredSamplesAnswer(stored=new, replaced=len(sent) - new)


def _write_samples(
    session: Session, topology_id: int, sent: Sequence[ThroughputSampleRequest], throughputs: Sequence[float]
) -> int:
    """Writes throughput samples; returns how many of them were not stored before."""
    rows = [
        one.model_dump(include={"observed_at", "vms", "saturated"})
        | {"topology_id": topology_id, "throughput": throughput}
        for one, throughput in zip(sent, throughputs, strict=True)
    ]
    stored = upsert(session, MstSampleRow, rows, KEY_COLUMNS, ("throughput", "saturated", "stored_at"))
    return sum(one.is_new for one in stored)


def fit_stored(session: Session, name: str, max_vms: int) -> ThroughputModelAnswer:
    """The model of a stored topology's throughput, and the distance of each sample from it."""
    topology = find_topology(session, name)
    samples = take_saturated(find_newest_samples(session, topology.id))
    with time_planner("fit_mst"), blaming_what_is_stored(name):
        model = fit_mst(samples)
        curve = model.trusted_curve(max_vms)
        fitted = model.throughput_at(np.array([float(sample.vms) for sample in samples]))
    return to_model_answer(model, samples, fitted, curve)


def _find_throughput(sample: ThroughputSampleRequest, place: str) -> float:
    """The throughput of a sample: as sent, or the value at which its readings settled (Imai et al., section II-A)."""
    if sample.readings is None:
        assert sample.throughput is not None, "a sample has readings or a throughput"
        return sample.throughput
    rule = sample.convergence
    settled = detect_convergence(sample.readings, rule.n, rule.k, rule.tolerance)
    if settled is None:
        raise ThroughputNotConverged(
            f"{place}/readings", len(sample.readings), rule.k, rule.n, rule.tolerance
        )
    if settled == 0.0:
        raise InvalidRequest(((f"#{place}/readings", "The readings settled at 0: the VMs served nothing."),))
    return settled


def _refuse_doubles(sent: Sequence[ThroughputSampleRequest]) -> None:
    first: dict[tuple[datetime, int], int] = {}
    for position, one in enumerate(sent):
        earlier = first.setdefault((one.observed_at, one.vms), position)
        if earlier != position:
            detail = f"Sample {earlier} has the same time and VMs: give each its own time, or send it once."
            raise InvalidRequest(((f"#/{position}", detail),))


def list_samples(session: Session, name: str, page: Page) -> ThroughputSamplePage:
    """A page of a topology's samples, oldest first."""
    topology = find_topology(session, name)
    query = select(MstSampleRow).where(MstSampleRow.topology_id == topology.id)
    key = MstSampleRow.observed_at, MstSampleRow.vms
    return page.answer(ThroughputSamplePage, session.scalars, query, *key)


def to_fit_answer(model: MstModel, peak_vms: int) -> ThroughputFitAnswer:
    """A fit as JSON, with the numbers of VMs for which it is trusted."""
    return ThroughputFitAnswer(
        form=model.form.name,
        weights=list(model.weights),
        sigma=model.sigma,
        samples=len(model.residuals),
        fewest_vms=model.fewest_vms,
        most_vms=model.most_vms,
        peak_vms=peak_vms,
    )


def to_model_answer(
    model: MstModel, samples: Sequence[MstSample], fitted: Floats, curve: Floats
) -> ThroughputModelAnswer:
    """The model as JSON: its fit, each sample with its distance from the fit, and the curve up to its highest point."""
    return ThroughputModelAnswer(
        model=to_fit_answer(model, len(curve)),
        residuals=[
            ResidualAnswer(vms=one.vms, throughput=one.throughput, fitted=float(at), residual=residual)
            for one, at, residual in zip(samples, fitted, model.residuals, strict=True)
        ],
        curve=[
            CurvePointAnswer(
                vms=m, throughput=float(at), measured_between=model.fewest_vms <= m <= model.most_vms
            )
            for m, at in enumerate(curve, 1)
        ],
    )
