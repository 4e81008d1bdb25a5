"""Two answers of GET /jobs/:id as a topology and a load: the least that tells E[T] of a row of operators."""

import itertools
from typing import NamedTuple, cast

from app.described.answers import EstimateAnswer, to_estimate_answer
from app.objectives.estimate import EstimateRequest, compute_estimate
from tests.engines.flink_cluster import Fields
from tests.engines.flink_jobs import Exchange

QUEUEING = {"rebalance": "round-robin", "hash": "keyed"}


class Row(NamedTuple):
    """What one vertex did between two answers."""

    name: str
    read: float
    written: float
    busy_seconds: float
    processors: int


def read_rows(earlier: Fields, later: Fields) -> list[Row]:
    """The vertices in the order of the job."""
    pairs = zip(
        cast("list[Fields]", earlier["vertices"]), cast("list[Fields]", later["vertices"]), strict=True
    )
    return [_subtract(then, now) for then, now in pairs]


def _subtract(then: Fields, now: Fields) -> Row:
    before, after = cast("Fields", then["metrics"]), cast("Fields", now["metrics"])

    def grown(name: str) -> float:
        return float(cast("float", after[name])) - float(cast("float", before[name]))

    busy = grown("accumulated-busy-time") / 1e3  # NaN for a source of the old kind
    name = str(now["name"]).removeprefix("Source: ").removeprefix("Sink: ")
    return Row(name, grown("read-records"), grown("write-records"), busy, cast("int", now["parallelism"]))


def promise(exchange: Exchange, earlier: Fields, later: Fields) -> EstimateAnswer:
    """Headgate's estimate from the two answers."""
    seconds = (cast("float", later["now"]) - cast("float", earlier["now"])) / 1e3
    source, *rows = read_rows(earlier, later)
    offered = zip([source, *rows], rows, strict=False)
    body = {
        "topology": {
            "name": "lab",
            "queueing": QUEUEING[exchange],
            "operators": [{"name": row.name} for row in rows],
            "edges": [
                {"source": one.name, "target": other.name, "selectivity": one.written / one.read}
                for one, other in itertools.pairwise(rows)
            ],
            "entries": [{"operator": rows[0].name}],
        },
        "load": {
            "external_rate": source.written / seconds,
            "operators": {
                row.name: {
                    "arrival_rate": before.written / seconds,
                    "service_rate": row.read / row.busy_seconds,
                    "processors": row.processors,
                }
                for before, row in offered
            },
        },
    }
    request = EstimateRequest.model_validate(body)
    topology = request.topology.to_values()
    return to_estimate_answer(compute_estimate(topology, request.load.to_values(), request))
