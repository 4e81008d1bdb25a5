"""What Storm calls things: a rebalance needs the topology's id, and its limits are the tasks."""

from collections import Counter

from pydantic import JsonValue

from app.engines.numbers import read_count, read_number, read_text
from app.engines.spouts_and_bolts.storm.components import Component
from app.engines.spouts_and_bolts.storm.fields import read_uptime
from app.engines.spouts_and_bolts.storm.graphs import count_tasks
from app.engines.spouts_and_bolts.storm.samples import MeasuredSample


def mark_sample(measured: MeasuredSample) -> dict[str, JsonValue]:
    """Names, counts of executors and tasks, and the workers of the newest sample."""
    page = measured.sample.topology
    body = page.body if page else {}
    pages = measured.sample.components.values()
    names = [read_text(one.body.get("name")) for one in pages]
    ids = [one.topology_id for one in (page, *pages) if one and one.topology_id]
    bolts = measured.bolts
    return {
        "topology_id": ids[0] if ids else None,
        "topology_name": read_text(body.get("name")) or next((one for one in names if one), None),
        "status": read_text(body.get("status")),
        "storm_version": read_text(body.get("stormVersion")),
        "uptime_seconds": read_uptime(body),
        "message_timeout_seconds": read_number(body.get("msgTimeout")),
        "workers": read_count(body.get("workersTotal")),
        "executors": {name: bolt.processors for name, bolt in bolts.items()},
        "tasks": {name: count_tasks(bolt) for name, bolt in bolts.items()},
        "places": {name: count_places(bolt) for name, bolt in bolts.items() if bolt.rows},
        "spouts": {
            one.name: {"executors": one.processors, "tasks": one.tasks, "emitted_rate": one.emitted_rate}
            for one in measured.components.values()
            if one.kind == "spout"
        },
    }


def count_places(bolt: Component) -> dict[str, JsonValue] | None:
    """How many executors run in each worker, host:port."""
    places = Counter([row.place for row in bolt.rows if row.place is not None])
    return dict(places) or None
