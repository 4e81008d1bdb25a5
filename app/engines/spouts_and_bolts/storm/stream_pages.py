"""Storm 1.x's /metrics page: counts of every component by stream, as the stream tables of component pages.

Latencies of that page are means over executors whatever each executed, and are left to the topology's page.
Storm 2.x answers the same path with the topology's page. Source: topology-metrics-page of storm.ui.core, Storm 1.2.4.
"""

from collections.abc import Mapping

from pydantic import JsonValue

from app.engines.numbers import read_list, read_name, read_object
from app.engines.spouts_and_bolts.storm.fields import Page, is_system


def is_stream_page(body: Page) -> bool:
    """Whether components have lists of counts by stream."""
    rows = [read_object(one) for field in ("spouts", "bolts") for one in read_list(body.get(field))]
    return bool(rows) and all(isinstance(row.get("emitted"), list) for row in rows)


def read_stream_page(body: Page) -> dict[str, Page]:
    """For each component a page with inputStats and outputStats alone."""
    pages: dict[str, Page] = {}
    for kind in ("spout", "bolt"):
        for listed in read_list(body.get(f"{kind}s")):
            row = read_object(listed)
            name = read_name(row.get("id"))
            if name is None or is_system(name):
                continue
            page: dict[str, JsonValue] = {"id": name, "componentType": kind}
            page["outputStats"] = list(join_counts(row, ("emitted", "transferred")).values())
            if kind == "bolt":
                page["inputStats"] = list(join_counts(row, ("executed",)).values())
            pages.setdefault(name, page)
    return pages


def join_counts(row: Page, fields: tuple[str, ...]) -> Mapping[tuple[str, str], dict[str, JsonValue]]:
    """The counts of each stream, [{"component_id", "stream_id", "value"}], with their fields beside each other."""
    found: dict[tuple[str, str], dict[str, JsonValue]] = {}
    for field in fields:
        for listed in read_list(row.get(field)):
            one = read_object(listed)
            component, stream = (
                read_name(one.get("component_id")) or "",
                read_name(one.get("stream_id")) or "",
            )
            joined = found.setdefault((component, stream), {"component": component, "stream": stream})
            joined.setdefault(field, one.get("value"))
    return found
