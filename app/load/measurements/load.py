"""The input of a stored call: the topology's current revision and one load made of its newest snapshots."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from sqlalchemy.orm import Session

from app.database.tables import Document, SnapshotRow
from app.load.bodies.answers import Basis, CalibrationAnswer
from app.load.bodies.calibrating import CalibratedLoad, calibrate_load
from app.load.bodies.load import LoadBody
from app.load.bodies.terms import EwmaSmoothing, Measured, WindowSmoothing
from app.load.measurements.estimated_services import estimate_services
from app.load.measurements.external_counts import count_bursts
from app.load.measurements.learned_capacity import learn_capacity
from app.load.measurements.snapshots import (
    LEAST_COVERED,
    MOST_SHAPES,
    add_shapes,
    count_partial_since,
    count_shaped,
    find_ahead,
    find_calibrating,
    find_counted,
    find_newest,
    is_partial,
    shows_bursts,
)
from app.load.measurements.stored_topologies import StoredTopology, find_topology
from app.settings import Settings
from app.web.problems.errors import InvalidRequest
from app.web.problems.stored_data_errors import AHEAD_OF_CLOCK, NoSnapshot, describe_ahead
from planner import values
from planner.calibration.modelled_waits import Interval
from planner.topology.loads import keep_unjudged, take_configured
from planner.topology.smoothing import smooth_ewma, smooth_window
from planner.wording import join_names, write_seconds

# A snapshot of less weight in an EWMA is left unread.
NEGLIGIBLE_WEIGHT = 1e-9


@dataclass(frozen=True)
class Gathered:
    """A stored topology with the load from its newest snapshots, and the weight of each snapshot in this load."""

    stored: StoredTopology
    topology: values.Topology
    load: values.Load
    diagnostics: tuple[values.Diagnostic, ...]
    basis: Basis
    snapshots: Sequence[SnapshotRow]
    intervals: tuple[Interval, ...]
    calibration: tuple[CalibrationAnswer, ...] = ()
    ahead_until: datetime | None = None
    """The end of a snapshot that is ahead of the service's clock and was left out; None: there is none."""

    @property
    def newest(self) -> SnapshotRow:
        """The newest of the snapshots that the load is made of."""
        return self.snapshots[-1]


def gather(
    session: Session, name: str, body: Measured, settings: Settings, ended_by: datetime | None = None
) -> Gathered:
    """The current revision and the load of its newest snapshots; `ended_by` leaves out snapshots that end later."""
    return gather_load(session, find_topology(session, name), body, settings, ended_by)


def gather_load(
    session: Session,
    stored: StoredTopology,
    body: Measured,
    settings: Settings,
    ended_by: datetime | None = None,
) -> Gathered:
    """The load from the newest snapshots of a topology, or of those that ended by `ended_by`."""
    snapshots = find_newest(session, stored, count_needed(body, settings), ended_by)
    ahead_until = find_ahead(session, stored) if ended_by is None else None
    if not snapshots:
        raise NoSnapshot(stored.name, ahead_until)
    _refuse_long_memory(body, len(snapshots), settings)
    topology = stored.to_values()
    loads, strangers = read_loads(snapshots, {operator.name for operator in topology.operators})
    load, diagnostics = smooth(loads, body)
    topology, bends = learn_capacity(session, stored, topology, load, snapshots[-1])
    topology, kept = keep_unjudged(topology, load)
    load = take_configured(topology, replace(load, engine=stored.engine))
    counts = find_counted(session, stored, ended_by)
    load, counted = count_bursts(topology, load, counts) if shows_bursts(counts) else (load, ())
    if shows_waits(snapshots[-1], load):
        load = estimate_services(session, stored, topology, load, body.model, ended_by)
    parts = _tell_of_parts(session, stored, snapshots, ended_by)
    basis = Basis(
        topology=stored.name,
        revision=stored.revision,
        snapshots=len(snapshots),
        first_observed_at=snapshots[0].observed_at,
        last_observed_at=snapshots[-1].observed_at,
    )
    intervals = weigh(loads, body)
    rows = find_calibrating(session, stored, snapshots, ended_by) if body.calibrate else []
    calibrated = _calibrate(topology, load, rows, body.model)
    ahead = _tell_of_ahead(ahead_until)
    said = ahead + parts + strangers + _tell_of_shapes(loads) + diagnostics + bends + counted
    said += kept + calibrated.diagnostics
    return Gathered(
        stored, topology, calibrated.load, said, basis, snapshots, intervals, calibrated.shown, ahead_until
    )


def shows_waits(row: SnapshotRow, load: values.Load) -> bool:
    """Whether a snapshot has E[T], or the wait or the backlog of any operator, where arrivals are known and services
    are not.
    """
    if not any(
        one.service_scv is None and (load.external_idc or one.arrival_idc or one.arrival_scv is not None)
        for one in load.operators.values()
    ):
        return False
    fields = "measured_wait_seconds", "backlog_tuples"
    return row.measured_sojourn_seconds is not None or any(
        one.get(field) is not None for one in row.operators.values() for field in fields
    )


def _tell_of_ahead(ahead_until: datetime | None) -> tuple[values.Diagnostic, ...]:
    """A diagnostic, in a tuple, if a snapshot ends ahead of the clock."""
    if ahead_until is None:
        return ()
    return (values.Diagnostic(AHEAD_OF_CLOCK, describe_ahead(ahead_until)),)


def count_needed(body: Measured, settings: Settings) -> int:
    """The number of newest snapshots that the smoothing of a request reads."""
    if body.smoothing is None:
        return 1
    if not isinstance(body.smoothing, WindowSmoothing):
        alpha = body.smoothing.alpha
        needed = math.ceil(math.log(NEGLIGIBLE_WEIGHT) / math.log(alpha)) + 1 if alpha > 0 else 1
        return min(
            needed, settings.max_smoothing_snapshots + 1
        )  # one too many: then there is more to remember
    if body.smoothing.size > settings.max_smoothing_snapshots:
        limit = settings.max_smoothing_snapshots
        detail = (
            f"A window of {body.smoothing.size} snapshots is longer than the {limit} that one smoothing may read: "
            "ask for fewer, or raise HEADGATE_MAX_SMOOTHING_SNAPSHOTS."
        )
        raise InvalidRequest((("#/smoothing/size", detail),))
    return body.smoothing.size


def _refuse_long_memory(body: Measured, found: int, settings: Settings) -> None:
    """Refuses an exponentially weighted mean that would begin in the middle of the snapshots.

    Its first snapshot would have the weight of all earlier ones.
    """
    limit = settings.max_smoothing_snapshots
    if isinstance(body.smoothing, EwmaSmoothing) and found > limit:
        longest = NEGLIGIBLE_WEIGHT ** (1.0 / limit)
        detail = (
            f"An EWMA with alpha = {body.smoothing.alpha} needs more than the {limit} snapshots that one smoothing "
            f"may read: give an alpha of at most {longest:.4f}, or raise HEADGATE_MAX_SMOOTHING_SNAPSHOTS."
        )
        raise InvalidRequest((("#/smoothing/alpha", detail),))


def read_loads(
    snapshots: Sequence[SnapshotRow], known: set[str], shaped: int = MOST_SHAPES
) -> tuple[list[values.Load], tuple[values.Diagnostic, ...]]:
    """The loads, without operators that the current revision does not have; a diagnostic names these operators.

    The newest `shaped` loads have their shapes.
    """
    strangers: set[str] = set()
    for row in snapshots:
        strangers |= row.operators.keys() - known
    older = max(0, len(snapshots) - shaped)
    loads = [
        _read_load(row, known, row.shapes if place >= older else None) for place, row in enumerate(snapshots)
    ]
    if not strangers:
        return loads, ()
    names = tuple(sorted(strangers))
    detail = (
        f"The measurements of {join_names(names)} are left out: this revision of the topology does not have these "
        "operators."
    )
    return loads, (values.Diagnostic("operator-not-in-topology", detail, names),)


def _read_load(row: SnapshotRow, known: set[str], shapes: Document | None) -> values.Load:
    document = {
        "external_rate": row.external_rate,
        "measured_sojourn_seconds": row.measured_sojourn_seconds,
        "measured_completion_seconds": row.measured_completion_seconds,
        "operators": {name: one for name, one in row.operators.items() if name in known},
    }
    load = LoadBody.model_validate(document).to_values()
    if not shapes:
        return load
    shaped = {
        name: add_shapes(load.operators[name], one) for name, one in shapes.items() if name in load.operators
    }
    return replace(load, operators={**load.operators, **shaped})


def _tell_of_shapes(loads: Sequence[values.Load]) -> tuple[values.Diagnostic, ...]:
    """A diagnostic, in a tuple, if bursts, instances and histograms of the older snapshots were not read."""
    measured = [one for load in loads[-MOST_SHAPES:] for one in load.operators.values()]
    if len(loads) <= MOST_SHAPES or not any(
        one.arrival_idc or one.instances or one.service_histogram for one in measured
    ):
        return ()
    detail = (
        f"arrival_idc, instances and service_histogram are read from only the newest {MOST_SHAPES} of the "
        f"{len(loads)} intervals."
    )
    return (values.Diagnostic("shapes-of-the-newest", detail),)


def _calibrate(
    topology: values.Topology, load: values.Load, rows: Sequence[SnapshotRow], model: values.Model
) -> CalibratedLoad:
    """The load with factors from the measured waits of these snapshots."""
    if not rows:
        return CalibratedLoad(load)
    known = {operator.name for operator in topology.operators}
    loads, _ = read_loads(rows, known, count_shaped(len(known)))
    seconds = [row.window_seconds if row.covered_seconds is None else row.covered_seconds for row in rows]
    intervals = [Interval(one, seconds=length) for one, length in zip(loads, seconds, strict=True)]
    return calibrate_load(topology, load, intervals, [row.observed_at for row in rows], model)


def _tell_of_parts(
    session: Session, stored: StoredTopology, used: Sequence[SnapshotRow], ended_by: datetime | None
) -> tuple[values.Diagnostic, ...]:
    """A diagnostic, in a tuple, if snapshots that cover only part of their window were used or left out."""
    if is_partial(used[-1]):
        newest = used[-1]
        detail = (
            f"No snapshot covers {LEAST_COVERED:.0%} of its window or more: the newest used covers "
            f"{write_seconds(newest.covered_seconds)} of {write_seconds(newest.window_seconds)}, from "
            f"{newest.observed_at.isoformat()} on. Its rates are noisy, and tuples that had not finished by its "
            "end are missing."
        )
        return (values.Diagnostic("partial-windows-used", detail),)
    skipped = count_partial_since(session, stored, used[0].observed_at, ended_by)
    if not skipped:
        return ()
    detail = (
        f"{skipped} of the snapshots since {used[0].observed_at.isoformat()} are left out: they cover less than "
        f"{LEAST_COVERED:.0%} of their window."
    )
    return (values.Diagnostic("partial-windows-skipped", detail),)


def smooth(loads: Sequence[values.Load], body: Measured) -> tuple[values.Load, tuple[values.Diagnostic, ...]]:
    """One load of several, oldest first, by the smoothing of a request; without any, the newest."""
    if body.smoothing is None:
        return loads[-1], ()
    if isinstance(body.smoothing, WindowSmoothing):
        return smooth_window(loads, body.smoothing.size)
    return smooth_ewma(loads, body.smoothing.alpha)


def weigh(loads: Sequence[values.Load], body: Measured) -> tuple[Interval, ...]:
    """Each interval with its weight in the smoothed load: alpha^age for an EWMA, 1 for a window."""
    if not isinstance(body.smoothing, EwmaSmoothing):
        return tuple([Interval(load) for load in loads])
    newest, alpha = len(loads) - 1, body.smoothing.alpha
    return tuple([Interval(load, alpha ** (newest - place)) for place, load in enumerate(loads)])
