"""The summaries of a run, corrected for sampling: one row per operator and window, and one per topology and window."""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ingest.measuring.columns import Floats, Integers, Segments, Table, cut_segments, sort_by, take
from ingest.measuring.dispersion import find_bin_lengths, find_dispersion
from ingest.measuring.measures import find_upper_ns
from ingest.measuring.pieces import Pieces, Spots, find_spots, group_by, join_pieces
from ingest.request import RunDiagnosticRow
from ingest.rollup import JobResults
from ingest.windows.discovery import SeenFlow
from ingest.windows.listing import Row, Values, find_start, list_buckets, list_objects, list_rows, remember
from ingest.windows.queueing import SeenQueueing, find_waits_beside_idle, infer_queueing
from ingest.windows.snapshot_shapes import keep_buckets, keep_scales, keep_shares, list_shapes
from ingest.windows.timeline import (
    choose_processors,
    count_present,
    find_busy,
    join_gaps,
    join_quantiles,
    join_services,
)
from ingest.windows.topology_windows import (
    Topologies,
    cover_windows,
    find_topologies,
    list_flows,
    make_topology_rows,
    report_ends,
)


class Sampling(NamedTuple):
    """For each operator and window: the numbers of all, of logged, of sampled, and of randomly sampled tuples."""

    weight: Integers
    tuples: Integers
    sampled: Integers
    thinned: Integers

    @property
    def every(self) -> Floats:
        """The number of tuples for which each logged tuple stands: n, if on average one of n tuples was logged."""
        found: Floats = self.weight / self.tuples
        return found

    def scale(self, sampled: Floats) -> Floats:
        """The SCV (squared coefficient of variation) c of the gaps of all tuples, from c′, that of the sampled tuples.

        Every n-th tuple: a sampled gap is the sum of n gaps, so c = n·c′.
        At random: a sampled gap is the sum of geometrically many gaps, so c = 1 + n(c′ − 1), at least 0.
        NaN if the tuples of one operator and window were sampled in both ways.
        """
        by_chance = np.maximum(1 + self.every * (sampled - 1), 0.0)
        found = np.where(self.thinned == 0, sampled * self.every, np.nan)
        return np.where((self.thinned > 0) & (self.thinned == self.sampled), by_chance, found)

    def scale_dispersion(self, sampled: Floats, per_bin: Floats) -> Floats:
        """The index I(t) of all tuples from the index I′ of the sampled ones; a bin has on average `per_bin` of these.

        At random: the same formula as for c, since thinning gives I′ − 1 = (I − 1)/n (Cox, Lewis 1966).
        Every n-th tuple: N′ = ⌊(N + U)/n⌋, U uniform, so Var N = n²(Var N′ − (1 − n⁻²)/6) if N is spread over all
        remainders of n. NaN if its standard deviation is below n/2, which the counts cannot show.
        """
        counted = sampled - (1 - self.every**-2.0) / 6 / per_bin
        is_spread = (self.every == 1) | (counted * per_bin >= 0.25)
        return self.scale(np.where(self.thinned > 0, sampled, np.where(is_spread, counted, np.nan)))


def find_sampling(edges: Table) -> Sampling:
    """The sampling of each operator and window."""
    table, windows = group_by(edges, "operator", "window")
    return Sampling(*(windows.sum(table[name]) for name in Sampling._fields))


class Summaries(NamedTuple):
    """The rows to store, for each operator and window and for each topology and window, with notes about them."""

    operators: Iterable[Row]
    topologies: Iterable[Row]
    notes: Sequence[RunDiagnosticRow] = ()
    queueings: Sequence[SeenQueueing] = ()


def summarise(found: JobResults, window_ns: int) -> tuple[Summaries, list[SeenFlow]]:
    """The rows of a run, notes about them, and the flows between operators."""
    if not found.pieces:
        return Summaries((), ()), []
    log = join_pieces(found.pieces)
    topologies = find_topologies(log)
    operators = make_operator_rows(log, topologies, window_ns)
    rows = make_topology_rows(log, topologies, found.roots, window_ns)
    summaries = Summaries(operators, rows, report_ends(topologies.ends), infer_queueing(log))
    return summaries, list_flows(log)


def make_operator_rows(log: Pieces, topologies: Topologies, window_ns: int) -> Iterator[Row]:
    """Yields a row per operator and window; a quantity that needs two values and has fewer is None, never 0."""
    operators = sort_by(log.tables["operators"], "operator", "window", "first_ns")
    windows = cut_segments(operators["operator"], operators["window"])
    spots = find_spots(operators)
    covered = cover_windows(
        topologies.begin_ns[spots.operator], topologies.end_ns[spots.operator], spots.window, window_ns
    )
    seconds = np.where(covered > 0, covered, window_ns) / 1e9
    sampling = find_sampling(log.tables["edges"])
    columns = measure_windows(log, operators, windows, sampling, covered, window_ns=window_ns)
    columns |= measure_instances(log, spots, topologies, sampling, covered, window_ns=window_ns)
    parts = (columns.pop(name) for name in ("kept_scales", "kept_shares", "kept_buckets"))
    columns |= {
        "shapes": list_shapes(*parts),
        "waits_beside_idle": find_waits_beside_idle(log.tables["queues"], spots),
        "topology": [str(log.operators[place][0]) for place in spots.operator.tolist()],
        "operator": [log.operators[place][1] for place in spots.operator.tolist()],
        "window_start": [find_start(window, window_ns) for window in spots.window.tolist()],
        "arrival_rate": sampling.weight / seconds,
        "covered_seconds": np.where(covered > 0, covered / 1e9, np.nan),
    }
    return list_rows(columns)


def measure_windows(
    log: Pieces, operators: Table, windows: Segments, sampling: Sampling, covered: Integers, *, window_ns: int
) -> dict[str, Any]:
    """The columns of each operator and window: counts, rates, SCVs, means, quantiles, dispersion and service
    histogram.
    """
    tuples, served = windows.sum(operators["tuples"]), windows.sum(operators["service_ns"])
    waited = windows.sum(operators["wait_ns"])
    known = np.where(covered > 0, covered, window_ns).astype(np.float64)
    shortest = served / tuples
    idc = find_dispersion(
        windows.sum(operators["bin_squares"]), tuples.astype(float), known, shortest, window_ns
    )
    per_bin = find_bin_lengths(window_ns)[:, None] * tuples / known
    scaled = sampling.scale_dispersion(idc.T, per_bin).T
    quantiles = join_quantiles(operators, windows, log.tables["spans"])
    services, of_spots = join_buckets(log.tables["services"])
    bounds = (find_upper_ns(np.arange(int(services["bucket"].max()) + 1)) / 1e9).tolist()
    indices = remember(lambda begin, end: list_dispersion(scaled[begin:end], window_ns))
    return {
        "tuples": tuples,
        "arrival_scv": sampling.scale(join_gaps(operators, operators["operator"], windows)),
        "arrival_idc": indices,
        "service_rate": np.where(served > 0, tuples / np.where(served > 0, served, 1.0) * 1e9, np.nan),
        "service_scv": join_services(operators, windows),
        "service_histogram": list_buckets(services["bucket"], services["tuples"], bounds, of_spots),
        "kept_scales": keep_scales(indices, scaled),
        "kept_buckets": keep_buckets(services, of_spots, served > 0),
        "mean_wait_seconds": waited / tuples / 1e9,
        "mean_sojourn_seconds": (waited + served) / tuples / 1e9,
        **{f"{name}_seconds": values / 1e9 for name, values in quantiles.items()},
        "upstream": list_upstream(log),
    }


def list_dispersion(idc: Floats, window_ns: int) -> list[str | None]:
    """The index of dispersion of each row at its known time scales, as a JSON text; None if no scale is known."""
    lengths = (find_bin_lengths(window_ns) / 1e9).tolist()
    scales = [dict(zip(lengths, row, strict=True)) for row in np.where(np.isnan(idc), -1.0, idc).tolist()]
    known = [[{"window_seconds": t, "idc": i} for t, i in row.items() if i >= 0] for row in scales]
    return [json.dumps(row) if row else None for row in known]


def join_buckets(services: Table) -> tuple[Table, Segments]:
    """The histograms of service times with one row per bucket, and the segments of each operator and window."""
    table, buckets = group_by(services, "operator", "window", "bucket")
    found = take(table, buckets.begins) | {"tuples": buckets.sum(table["tuples"])}
    return found, cut_segments(found["operator"], found["window"])


def list_upstream(log: Pieces) -> Values:
    """For each operator and window, a JSON list of its upstream operators with the numbers of tuples."""
    table, edges = group_by(log.tables["edges"], "operator", "window", "edge")
    found = take(table, edges.begins) | {"tuples": edges.sum(table["tuples"])}
    sources = [log.edges[place][2] for place in found["edge"].tolist()]
    columns = {"from_operator": sources, "tuples": found["tuples"]}
    return list_objects(columns, cut_segments(found["operator"], found["window"]))


def measure_instances(
    log: Pieces,
    spots: Spots,
    topologies: Topologies,
    sampling: Sampling,
    covered: Integers,
    *,
    window_ns: int,
) -> dict[str, Any]:
    """For each operator and window: how many instances were seen, present and busy, and their shares and busy times."""
    table, windows = group_by(join_instances(log.tables["instances"]), "operator", "window")
    seconds = np.where(covered > 0, covered, window_ns) / 1e9
    of_instances = Sampling(*map(windows.spread, sampling))
    table["arrival_scv"] = of_instances.scale(table["arrival_scv"])
    table["busy"] = table["busy_ns"] / 1e9 / windows.spread(seconds)
    table["share"] = table["weight"] / of_instances.weight
    most, least, total = windows.max(table["busy"]), windows.min(table["busy"]), windows.sum(table["busy_ns"])
    present, names = count_present(
        log.tables["instances"], spots, topologies.begin_ns, topologies.end_ns, window_ns
    )
    busy = find_busy(log.tables["levels"], log.tables["tails"], spots, topologies.end_ns, window_ns)
    shown = np.where(covered > 0, present / np.where(covered > 0, covered, 1), np.nan)
    processors, basis = choose_processors(windows.sizes, shown, names, busy.most)
    busiest = windows.max(table["busy_ns"]) * windows.sizes
    shares = {name: table[name] for name in ("share", "arrival_scv")}
    named = {"instance": [log.instances[place][2] for place in table["instance"].tolist()]}
    listed = remember(list_objects(named | shares, windows))
    return {
        "instances": windows.sizes,
        "instances_present": shown,
        "most_busy": busy.most,
        "mean_busy": busy.busy_ns / 1e9 * sampling.every / seconds,
        "processors": processors,
        "processors_basis": basis,
        "busy_fractions": list_objects(named | {"busy": table["busy"]}, windows),
        "instance_shares": listed,
        "kept_shares": keep_shares(listed, named["instance"], table["arrival_scv"], windows),
        "busy_spread": most - least,
        "busy_skew": np.where(total > 0, busiest / np.where(total > 0, total, 1), np.nan),
    }


def join_instances(instances: Table) -> Table:
    """The measures of instances joined over all batches: a table with one row per instance and window."""
    pieces = sort_by(instances, "instance", "window", "first_ns")
    windows = cut_segments(pieces["instance"], pieces["window"])
    table: Table = {name: windows.first(pieces[name]) for name in ("instance", "operator", "window")}
    table |= {name: windows.sum(pieces[name]) for name in ("busy_ns", "weight")}
    return table | {"arrival_scv": join_gaps(pieces, pieces["instance"], windows)}
