"""Rates and service times of bolts that are missing, coarse, or do not fit the topology's own totals."""

from collections.abc import Sequence

from app.engines.diagnostics import say
from app.engines.numbers import read_number
from app.engines.spouts_and_bolts.storm.components import Component
from app.engines.spouts_and_bolts.storm.fields import ALL_TIME, CAPACITY_WINDOW
from app.engines.spouts_and_bolts.storm.loads import LEAST_SAMPLES, find_service_seconds
from app.engines.spouts_and_bolts.storm.row_checks import join_some
from app.engines.spouts_and_bolts.storm.totals import TOLERANCE, explain_misfit, find_mean_utilisation
from planner.values import Diagnostic
from planner.wording import join_names

COARSE = 0.1  # the relative error of a mean of whole milliseconds that is worth saying
LONG = 2.0


def check_rates(bolts: Sequence[Component], step: float) -> list[Diagnostic]:
    """All diagnostics of rates and service times."""
    return [
        *check_rates_known(bolts),
        *check_service_known(bolts),
        *check_resolution(bolts, step),
        *check_totals(bolts),
        *check_uptimes(bolts),
        *check_windows(bolts),
        *check_executors(bolts),
    ]


def check_rates_known(bolts: Sequence[Component]) -> list[Diagnostic]:
    """Bolts whose rate is unknown."""
    names = [bolt.name for bolt in bolts if bolt.executed_rate is None]
    if not names:
        return []
    detail = (
        f"How many tuples per second {join_names(names)} executed is unknown: the count (executed) of one executor at "
        "least, or the time that it covers (window, uptimeSeconds or uptime), is missing."
    )
    return [say("rate-unknown", detail, names)]


def check_service_known(bolts: Sequence[Component]) -> list[Diagnostic]:
    """Bolts without a latency; a plan needs their service rate."""
    idle = [bolt.name for bolt in bolts if bolt.executed == 0.0]
    names = [bolt.name for bolt in bolts if bolt.executed != 0.0 and bolt.latency is None]
    said = []
    if idle:
        detail = (
            f"{join_names(idle)} executed nothing in the window: the service rate is unknown, not 0 ms. "
            "Ask again when tuples have come, or give the rate by hand."
        )
        said.append(say("nothing-executed", detail, idle))
    if names:
        detail = f"The service rate of {join_names(names)} is unknown: executeLatency is missing."
        said.append(say("service-rate-unknown", detail, names))
    return said


def check_resolution(bolts: Sequence[Component], step: float) -> list[Diagnostic]:
    """Services so short that Storm's clock of whole milliseconds says little of them."""
    zero = [bolt for bolt in bolts if bolt.executed and bolt.latency == 0.0]
    said = []
    bounded = [bolt.name for bolt in zero if find_service_seconds(bolt, step) is not None]
    unknown = [bolt.name for bolt in zero if bolt.name not in bounded]
    if bounded:
        detail = (
            f"Every sampled service of {join_names(bounded)} took 0 ms, by a clock of whole milliseconds. The upper "
            "bound of the mean, 3 ms / number of samples (95%), is taken for it: the real service is faster."
        )
        said.append(say("latency-below-resolution", detail, bounded))
    if unknown:
        detail = (
            f"The few sampled services of {join_names(unknown)} took 0 ms: fewer than {LEAST_SAMPLES} samples say "
            "nothing of the service rate, which stays unknown."
        )
        said.append(say("service-rate-unknown", detail, unknown))
    coarse = [(bolt, error) for bolt in bolts if (error := find_coarseness(bolt, step)) > COARSE]
    if coarse:
        texts = [f"{bolt.name} {1000 * (bolt.latency or 0):.3f} ms ± {error:.0%}" for bolt, error in coarse]
        detail = (
            f"Mean services below a millisecond, of a clock of whole milliseconds: {join_some(texts)} "
            "(one standard error)."
        )
        said.append(say("latency-coarse", detail, [bolt.name for bolt, _ in coarse]))
    return said


def find_coarseness(bolt: Component, step: float) -> float:
    """The relative standard error of a mean of zeros and ones: 1/√(samples × mean in ms); 0 above 1 ms."""
    milliseconds = 1000.0 * (bolt.latency or 0.0)
    if not bolt.executed or not 0.0 < milliseconds < 1.0:
        return 0.0
    return float((bolt.executed / step * milliseconds) ** -0.5)


def check_totals(bolts: Sequence[Component]) -> list[Diagnostic]:
    """The totals of bolts whose executors are not shown: capacity there is that of the busiest executor."""
    texts = {}
    for bolt in bolts:
        mean, capacity = find_mean_utilisation(bolt), bolt.capacity
        why = None if mean is None or capacity is None else explain_misfit(bolt, mean, capacity)
        if why is not None:
            texts[bolt.name] = (
                f"{bolt.name}: {bolt.executed:.0f} executed × {1000 * (bolt.latency or 0):.3f} ms / "
                f"({bolt.covered:.0f} s × {bolt.processors} executors) = {mean:.3f} is the mean utilisation; capacity, "
                f"that of the busiest executor, is {capacity:.3f}: {why}"
            )
    if not texts:
        return []
    detail = (
        f"{join_some(list(texts.values()))}. Rates are executed / uptime: no number was corrected. Send the pages of "
        "these components too: they have the uptime of each executor."
    )
    return [say("numbers-disagree", detail, list(texts))]


def check_uptimes(bolts: Sequence[Component]) -> list[Diagnostic]:
    """Executors whose uptime is missing; capacity tells how long their counts were taken."""
    names = [bolt.name for bolt in bolts if any(row.uptime is None and row.covered for row in bolt.rows)]
    if not names:
        return []
    detail = (
        f"The uptime of executors of {join_names(names)} is missing: the time that their counts cover is taken from "
        "executed × latency / capacity, which is exact to the last digits of these, else from the topology's uptime."
    )
    return [say("uptime-assumed", detail, names)]


def check_windows(bolts: Sequence[Component]) -> list[Diagnostic]:
    """Windows that were not said, or are so long that they hide what happens now."""
    said = []
    silent = [bolt.name for bolt in bolts if bolt.window is None and (bolt.covered or 0.0) > CAPACITY_WINDOW]
    if silent:
        detail = (
            f"The window of the counts of {join_names(silent)} is not said: all time is taken, which is what Storm "
            "answers where none is asked for. Ask with ?window=600."
        )
        said.append(say("window-assumed", detail, silent))
    long = [
        bolt.name
        for bolt in bolts
        if bolt.window in {ALL_TIME, *LONG_WINDOWS} and (bolt.covered or 0.0) > LONG * CAPACITY_WINDOW
    ]
    if long:
        longest = max(bolt.covered or 0.0 for bolt in bolts if bolt.name in long)
        detail = (
            f"The counts of {join_names(long)} are means over {longest / 3600:.1f} hours, and say little of the "
            "present load. Ask with ?window=600."
        )
        said.append(say("window-long", detail, long))
    return said


LONG_WINDOWS = frozenset({10800.0, 86400.0})


def check_executors(bolts: Sequence[Component]) -> list[Diagnostic]:
    """Executors that did not report, and totals of two pages that differ."""
    said = []
    missing = [bolt.name for bolt in bolts if bolt.rows and len(bolt.rows) < (bolt.executors or 0)]
    if missing:
        detail = (
            f"Fewer executors of {join_names(missing)} reported than run: what the others executed is not counted. "
            "Ask again when all of them have sent a heartbeat."
        )
        said.append(say("executors-missing", detail, missing))
    differ = []
    for bolt in bolts:
        total = read_number(bolt.totals.get("executed"))
        if bolt.rows and total and bolt.executed is not None:
            larger = max(total, bolt.executed)
            differ += [bolt.name] if abs(total - bolt.executed) > TOLERANCE * larger else []
    if differ:
        detail = (
            f"The executors of {join_names(differ)} executed another number of tuples than the row of totals says, by "
            "more than 5%: the pages are of different times or windows. What the executors say is used."
        )
        said.append(say("pages-differ", detail, differ))
    return said
